from ncleaner.document._document import Builder

def fill(
    builder: Builder,
    text: bytes,
    layout: int,
    width: int,
    margin: int,
    begins: bool,
    ends: bool,
) -> None: ...
