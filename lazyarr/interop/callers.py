"""Libraries that ask whether something is an ndarray before they look at what it can do.

Two functions treat an array that is no ``numpy.ndarray`` as they would treat no array at all:
pandas' search for masks, which has no protocol for others, and ``numpy.testing.assert_equal``. Both
come to a method of the array on their way. The method asks here whether it is called by them.
"""

from __future__ import annotations

import sys
from types import FrameType

import numpy as np

__all__ = ["is_pandas_asking", "raise_unless_equal"]

#: A method of the array and pandas' two frames below its question, and that question.
_FRAMES = 4
_PANDAS = frozenset(
    (
        ("pandas.core.common", "is_bool_indexer"),
        ("pandas.core.dtypes.common", "is_array_like_deprecate_non_pandas"),
    )
)
_TESTING = frozenset((("numpy.testing._private.utils", "assert_equal"),))


def _caller(functions: frozenset[tuple[str, str]]) -> FrameType | None:
    """Return the frame of one of some functions that called a method of an array, if any.

    The functions are pairs of a module's name and a function's.
    """
    frame: FrameType | None = sys._getframe(2)
    for _ in range(_FRAMES):
        if frame is None:
            return None
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) in functions:
            return frame
        frame = frame.f_back
    return None


def is_pandas_asking() -> bool:
    """Return whether pandas asks if an array is a mask, or one of the arrays that it knows."""
    return _caller(_PANDAS) is not None


def raise_unless_equal() -> bool:
    """Compare the arrays of the call of ``numpy.testing.assert_equal`` that we are in, if any.

    Returns
    -------
    bool
        Whether there is such a call: its arrays are equal then.

    Raises
    ------
    AssertionError
        If they are not, as for two ndarrays.
    """
    frame = _caller(_TESTING)
    if frame is None:
        return False
    values = frame.f_locals
    np.testing.assert_array_equal(
        np.asarray(values["actual"]),
        np.asarray(values["desired"]),
        values["err_msg"],
        values["verbose"],
        strict=values.get("strict", False),
    )
    return True
