from selectolax.lexbor import LexborHTMLParser

ATTRIBUTES: tuple[str, ...]
COMPILED: bool

def collect(parser: LexborHTMLParser) -> list[tuple[str, str, str]]: ...
