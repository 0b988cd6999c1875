from typing import Any

import numpy as np

SOURCE: str
TRANSFORM: int
SORT: int
CALL_LOOP: int
CALL_ROUTINE: int
COPY: int
ADD_AT: int

def loop_of(ufunc: np.ufunc, types: bytes) -> tuple[int, int] | None: ...
def row_medians(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None: ...
def sort_of(dtype: np.dtype[Any], kind: int) -> tuple[int, int]: ...
