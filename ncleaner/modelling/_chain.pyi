import numpy as np
import numpy.typing as npt

def posterior(
    evidence: npt.NDArray[np.float64],
    to_clean: float,
    stay_clean: float,
    opening: float = 0,
    closing: float = 0,
    empty: float = 1,
) -> npt.NDArray[np.float64]: ...
