from selectolax.lexbor import LexborHTMLParser

from ncleaner.document._document import Builder

LAYOUT_PROVED: bool

def style_hides(style: bytes) -> bool: ...
def walk(parser: LexborHTMLParser, builder: Builder, alt_text: bool = False) -> tuple[bytes, bytes]: ...
