from selectolax.lexbor import LexborHTMLParser

ATTRIBUTES: tuple[str, ...]

def collect(parser: LexborHTMLParser) -> list[tuple[str, str, str]]: ...
