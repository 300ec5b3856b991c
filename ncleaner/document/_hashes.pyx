"""The secret number of this process, which the hash tables of `_hashes.pxd` use; and hashes for Python."""

import os

secret = int.from_bytes(os.urandom(8), "little")


def name_hash(str word):
    """Returns the hash of a word of class, id or role, in small letters, as the table of names has it."""
    return packed_name_hash(int.from_bytes(word.encode()[:8], "big"))
