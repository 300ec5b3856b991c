"""The bytes of models: shipped ones and the user's own by name, others by the path of their file."""

from __future__ import annotations

from pathlib import Path

from ncleaner.errors import ModelError
from ncleaner.modelling.own import own_models
from ncleaner.modelling.shipped import shipped_bytes, shipped_models

__all__ = ["model_bytes"]


def model_bytes(name: str | Path) -> bytes:
    """Reads the file of a model by its name (`en`), or by its path.

    Raises:
        ModelError: no such model, or its file cannot be read.
    """
    if str(name) in shipped_models():
        return shipped_bytes(str(name))
    path = Path(name)
    if not path.is_file():
        own = own_models()
        if str(name) not in own:
            yours = f"; yours: {', '.join(own)}" if own else ""
            raise ModelError(
                f"no model {str(name)!r}: neither a file nor one of those shipped "
                f"({', '.join(shipped_models())}{yours})"
            )
        path = own[str(name)]
    try:
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"cannot read model {name}: {error.strerror}") from error
