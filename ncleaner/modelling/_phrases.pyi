import numpy as np
import numpy.typing as npt

from ncleaner.document.tables import Document

PLACES: int

def phrase_places(document: Document) -> npt.NDArray[np.int32]: ...
