ATTRIBUTES: tuple[str, ...]
