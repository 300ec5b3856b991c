import numpy as np
import numpy.typing as npt

from ncleaner.document.tables import Document

def phrase_hashes(document: Document) -> npt.NDArray[np.uint32]: ...
