from enum import IntEnum

from ncleaner.document._tables import Tables

# those that Python reads; `_marks.pxd` has all
class Mark(IntEnum):
    MARK_ID = 15
    MARK_BASE = 17
    MARK_SIDE = 25
    MARK_SIDE_NOTE = 26
    MARK_TIME = 32

def text_at(tables: Tables, mark: int) -> bytes: ...
def texts_of(tables: Tables, kind: int) -> list[tuple[bytes, int, int, int]]: ...
