from enum import IntEnum

# those that Python reads; `_marks.pxd` has all
class Mark(IntEnum):
    MARK_ID = 15
    MARK_BASE = 17
    MARK_TREE = 21
    MARK_SIDE = 25
    MARK_SIDE_NOTE = 26
