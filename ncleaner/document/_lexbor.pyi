from selectolax.lexbor import LexborHTMLParser

PARSES_AGAIN: bool

class Parsed:
    @property
    def parser(self) -> LexborHTMLParser: ...
    def release(self) -> None: ...

def parsed(html: bytes, again: bool = True) -> Parsed: ...
