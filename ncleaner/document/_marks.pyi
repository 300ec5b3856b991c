from enum import IntEnum

class Mark(IntEnum):
    MARK_LINK = 0
    MARK_LINK_END = 1
    MARK_IMAGE = 2
    MARK_ALT = 3
    MARK_BREAK = 4
    MARK_RULE = 5
    MARK_BLANK = 6
    MARK_FORMULA = 7
    MARK_FORMULA_END = 8
    MARK_LANGUAGE = 9
    MARK_START = 10
    MARK_VALUE = 11
    MARK_COLUMNS = 12
    MARK_ROWS = 13
    MARK_ALIGN = 14
    MARK_ID = 15
    MARK_LAYOUT = 16
    MARK_BASE = 17
    MARK_TYPESET = 18
    MARK_CODE = 19
