"""NumPy's warnings about integer division, raised for kernels as ``np.errstate`` says."""

from __future__ import annotations

import warnings
from collections.abc import Iterable

import numpy as np

from lazyarr.codegen.lowering import Status
from lazyarr.errors import FunctionError
from lazyarr.origin import depth, origin

__all__ = ["RAISED", "warn"]

#: The fault of a Python function that raised an exception.
RAISED = "raised"

_TEXTS = {
    "divide": "divide by zero encountered in",
    "over": "overflow encountered in",
    "invalid": "invalid value encountered in",
}
_LEAST = np.array([-128], np.int8)
_ZERO = np.array([0], np.int8)


def warn(found: Iterable[Status]) -> None:
    """Warn, raise, call or stay silent about what kernels met.

    Parameters
    ----------
    found : iterable of Status
        Each operation and fault that occurred, once.

    Raises
    ------
    FunctionError
        If a vectorized Python function raised an exception.
    FloatingPointError
        Where ``np.errstate`` says "raise".
    """
    modes: dict[str, str] = dict(np.geterr())  # type: ignore[arg-type]
    for status in found:
        if status.fault == RAISED:
            raise FunctionError(
                f"{status.op.name} raised an exception for some element",
                origin=origin(),
                hint="call the Python function on the elements one by one to see which",
            )
        mode = modes[status.fault]
        if mode == "ignore":
            continue
        if mode == "warn":
            # NumPy itself would name a line of ours.
            message = f"{_TEXTS[status.fault]} {status.op.name}"
            warnings.warn(message, RuntimeWarning, stacklevel=depth())
        else:
            _provoke(status)


def _provoke(status: Status) -> None:
    """Let NumPy meet the same fault, to raise, call, print or log as it does."""
    ufunc = status.op.ufunc
    assert ufunc is not None
    others = {fault: "ignore" for fault in _TEXTS if fault != status.fault}
    with np.errstate(**others):  # type: ignore[arg-type]
        if ufunc.nin == 1:
            ufunc(_ZERO)
        else:
            ufunc(_LEAST, -1 if status.fault == "over" else _ZERO)
