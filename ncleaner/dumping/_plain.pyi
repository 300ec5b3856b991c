from ncleaner.dumping._builder import Builder

def fill(
    builder: Builder, text: bytes, layout: int, width: int, margin: int, begins: bool, ends: bool
) -> None: ...
