LINES: int
PARAGRAPHS: int
WRAPPED: int

def layout_of(text: bytes) -> tuple[int, int, int]: ...
