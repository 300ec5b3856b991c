import numpy as np
import numpy.typing as npt

from ncleaner.document.tables import Document

def phrase_hashes(document: Document) -> npt.NDArray[np.uint32]: ...
def phrase_losses(
    document: Document, phrases: npt.NDArray[np.uint32], losses: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]: ...
