"""Libraries that check for an ndarray before they check the protocols of an object.

Three functions treat an array that is no ``numpy.ndarray`` as they would treat no array at all:
pandas' search for masks, which has no protocol for others, and ``assert_equal`` and
``assert_almost_equal`` of ``numpy.testing``. Each comes to a method of the array on its way. The
method asks here whether it is called by them.
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
_NUMBERS = (int, float, complex, np.number)
_UTILITIES = "numpy.testing._private.utils"
_TESTING = frozenset(((_UTILITIES, "assert_equal"), (_UTILITIES, "assert_almost_equal")))


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


def raise_unless_equal() -> bool | None:
    """Compare the arrays of the call of ``numpy.testing`` that we are in, if any.

    Of its functions, these are ``assert_equal`` and ``assert_almost_equal``.

    Returns
    -------
    bool or None
        What the call takes for equal arrays; None if there is no such call.

    Raises
    ------
    AssertionError
        If they are not, as for two ndarrays.
    """
    frame = _caller(_TESTING)
    if frame is None:
        return None
    values = frame.f_locals
    arrays = np.asarray(values["actual"]), np.asarray(values["desired"])
    if "decimal" in values:
        np.testing.assert_array_almost_equal(*arrays, values["decimal"], values["err_msg"])
        # It compares no more of what is not finite but whether both sides are NaN, which is known
        # of a number, such as the imaginary part of a real array, and else whether they are equal.
        numbers = [x for x in (values["actual"], values["desired"]) if isinstance(x, _NUMBERS)]
        answers = {"isfinite": False, "isnan": all(map(np.isnan, numbers)), "np": False}
        return answers.get(_last_name(frame), True)
    np.testing.assert_array_equal(
        *arrays, values["err_msg"], values["verbose"], strict=values.get("strict", False)
    )
    return True


def _last_name(frame: FrameType) -> str:
    """Return the global name that a function in execution has loaded last."""
    from dis import get_instructions  # here, since programs other than tests have no use for it

    name = ""
    for instruction in get_instructions(frame.f_code):
        if instruction.offset > frame.f_lasti:
            break
        if instruction.opname == "LOAD_GLOBAL":
            name = instruction.argval
    return name
