ATTRIBUTES: tuple[str, ...]
NAMES: dict[str, tuple[str, ...]]
