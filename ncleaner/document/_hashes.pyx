"""The secret number of this process, which the hash tables of `_hashes.pxd` use."""

import os

secret = int.from_bytes(os.urandom(8), "little")
