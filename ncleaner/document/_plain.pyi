from ncleaner.document._document import Builder

def fill(
    builder: Builder,
    text: bytes,
    layout: int,
    width: int = -1,
    margin: int = -1,
    begins: bool = True,
    ends: bool = True,
) -> None: ...
