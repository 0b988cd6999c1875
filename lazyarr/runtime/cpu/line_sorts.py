"""Sorts of rows by NumPy's functions, as a kernel: a work item is a row."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.source import Parameter
from lazyarr.runtime.cpu.calling_convention import FAILED
from lazyarr.runtime.cpu.function import CodeReference, Function
from lazyarr.runtime.cpu.numpy_loops import COMPILED

__all__ = ["kernel", "routine_of"]

#: Numbers of NumPy's for kinds of sorts.
_KINDS = {None: 0, "quicksort": 0, "heapsort": 1, "mergesort": 2, "stable": 2}
_WORD = np.dtype(np.int64)
_PARAMETERS = tuple(
    Parameter(name, _WORD, pointer)
    for name, pointer in (
        ("sort", True),
        ("argsort", True),
        ("array", True),
        ("in", True),
        ("out", True),
        ("points", False),
        ("itemsize", False),
        ("line", False),
    )
)


class _Sort(Function):
    """The kernel, which fails where there is no memory for it."""

    __slots__ = ()

    def check(self, result: int) -> int:
        """Return the bits of a run; raise MemoryError for those of a failure."""
        if result & FAILED:
            raise MemoryError("cannot allocate memory to sort rows")
        return result


@cache
def kernel() -> Function:
    """Return the kernel.

    It takes the three addresses of :func:`routine_of`; those of the operand and of the result; the
    elements of a row, the bytes of one, and the bytes from one row of the operand to the next. The
    rows of the result, or of positions, lie one behind another.
    """
    assert COMPILED is not None
    return _Sort(CodeReference("sorted_rows", _PARAMETERS), COMPILED.SORT, COMPILED)


@cache
def routine_of(
    dtype: np.dtype[Any], positions: bool, kind: Any, stable: bool | None
) -> tuple[int, int, int] | None:
    """Return the addresses of NumPy's functions for elements, or None without such ones.

    Parameters
    ----------
    dtype : numpy.dtype
        Of the elements.
    positions : bool
        Whether positions are sorted.
    kind, stable
        As NumPy takes them.

    Returns
    -------
    tuple of int, or None
        Of the function that sorts elements, 0 for positions; of the function that sorts positions;
        and of an array of this dtype.
    """
    if COMPILED is None or kind_of(dtype) not in "biufc" or kind not in _KINDS:
        return None
    sample = _samples(dtype)
    sort, argsort = COMPILED.sort_of(dtype, 2 if stable else _KINDS[kind])
    routine = (0 if positions else sort), argsort, id(sample)
    if 0 in (sort, argsort):
        return None
    rows, points = sample.shape
    result = np.empty(sample.shape, np.intp if positions else dtype)
    places = address_of(sample), address_of(result)
    kernel()(0, rows, *routine, *places, points, dtype.itemsize, sample.strides[0])
    numpys = np.argsort if positions else np.sort
    # Equal elements in another order: NumPy calls other functions.
    return (
        routine if numpys(sample, kind=kind, stable=stable).tobytes() == result.tobytes() else None
    )


@cache
def _samples(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return rows with elements that are equal and differ in their bits."""
    random = np.random.default_rng(0)
    rows = random.integers(0, 2 if dtype == np.bool_ else 100, (6, 300)).astype(dtype)
    if kind_of(dtype) in "fc":
        special = np.array([0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf], dtype)
        rows[:, ::3] = random.choice(special, (6, 100))
    return rows
