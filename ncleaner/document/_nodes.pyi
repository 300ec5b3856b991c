LAYOUT_PROVED: bool
TAG_NAMES: dict[int, str]
