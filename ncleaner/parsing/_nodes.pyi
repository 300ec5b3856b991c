LAYOUT_PROVED: bool
TAG_NAMES: dict[int, str]

def has_attribute(root: int, names: list[bytes]) -> bool: ...
