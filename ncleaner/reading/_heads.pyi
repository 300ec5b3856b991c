class Head:
    status: int
    content_type: str
    content_encoding: str
    transfer_encoding: str
    rights: str
    end: int
    def __init__(
        self,
        status: int,
        content_type: str,
        content_encoding: str,
        transfer_encoding: str,
        end: int,
        rights: str = "",
    ) -> None: ...

def split_head(block: bytes) -> Head | None: ...

MAX_HEAD: int
