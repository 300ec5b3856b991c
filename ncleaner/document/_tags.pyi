from enum import IntEnum

Role: type[IntEnum]
Form: type[IntEnum]
Tag: type[IntEnum]
Context: type[IntEnum]

def check() -> None: ...
