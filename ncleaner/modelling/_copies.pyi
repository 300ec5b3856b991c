import numpy as np
import numpy.typing as npt

from ncleaner.document.tables import Document

def drop_copies(document: Document, mask: npt.NDArray[np.bool_]) -> None: ...
