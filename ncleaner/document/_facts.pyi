from selectolax.lexbor import LexborHTMLParser

ATTRIBUTES: tuple[str, ...]
NAMES: dict[str, tuple[str, ...]]

def collect(parser: LexborHTMLParser) -> list[tuple[str, str, str]]: ...
