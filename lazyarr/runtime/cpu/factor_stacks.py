"""Cholesky factors and inverses of stacks of small matrices, with NumPy's bits, on several threads.

NumPy computes one matrix after another in the thread that called it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.runtime.cpu import tuning
from lazyarr.runtime.cpu.blas_threads import allowed_threads, limited
from lazyarr.runtime.cpu.lapack import UNDIVIDED, routines
from lazyarr.runtime.cpu.stacked_routines import Fortran
from lazyarr.runtime.host_memory_pool import SMALL, pool

__all__ = ["FUNCTIONS", "is_divided"]

Array = np.ndarray[Any, Any]

#: The precision in which NumPy computes, by the letter of a type.
_WIDE = {
    letter: np.dtype(wide) for letter, wide in (("f", "d"), ("d", "d"), ("F", "D"), ("D", "D"))
}
_POTRF = {np.dtype("d"): "dpotrf", np.dtype("D"): "zpotrf"}
_LOWER = np.array([b"L"])


def _on_threads(name: str, compute: Callable[[Array], Array | None]) -> Callable[..., Any]:
    """Return a function that stands for one of ``numpy.linalg``.

    Parameters
    ----------
    name : str
        Its name.
    compute : callable
        From matrices of shape (count, n, n) in C order, each transposed and in the precision in
        which NumPy computes, returns the transposed results, which may be in the same memory; None
        if a matrix has none, of which NumPy reports.
    """
    direct = getattr(np.linalg, name)

    @wraps(direct)
    def function(a: Any, /, **options: Any) -> Any:
        a = np.asarray(a)
        wide = _WIDE.get(a.dtype.char)
        result = None
        if is_divided(a.shape) and wide is not None and not any(options.values()):
            if has_bits(a.shape[-1], wide, allowed_threads()):
                result = computed(a, wide)
        return direct(a, **options) if result is None else result

    def computed(a: Array, wide: np.dtype[Any]) -> Array | None:
        n = a.shape[-1]
        columns = _empty(a.shape, wide)
        np.copyto(columns, a.mT)
        values = compute(columns.reshape(-1, n, n))
        if values is None:
            return None
        result = _empty(a.shape, a.dtype)
        np.copyto(result, values.reshape(a.shape).mT, casting="same_kind")
        return result

    @cache
    def has_bits(n: int, wide: np.dtype[Any], threads: int) -> bool:
        # LAPACK's threads divide what is larger, and a part may be rounded otherwise.
        angles = np.arange(2.0 * n * n).reshape(2, n, n)
        sample = np.sin(angles) if wide.char == "d" else np.exp(1j * angles)
        sample = sample @ sample.conj().mT + n * np.eye(n)
        with limited(threads):
            expected = direct(sample)
        with limited(1):
            alone = computed(sample, wide)
        return alone is not None and alone.tobytes() == expected.tobytes()

    return function


def _empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return an array whose pages were written before, if it has many."""
    nbytes = prod(shape) * dtype.itemsize
    return pool.allocate(nbytes).array(shape, dtype) if nbytes >= SMALL else np.empty(shape, dtype)


def is_divided(shape: tuple[int, ...]) -> bool:
    """Return whether matrices are a stack of small ones that is worth several threads.

    Parameters
    ----------
    shape : tuple of int
        Of the array.
    """
    if len(shape) < 3 or not shape[-1] == shape[-2] <= UNDIVIDED:
        return False
    return prod(shape) * shape[-1] >= 6 * tuning.row().stack_work and allowed_threads() > 1


@cache
def _potrf(dtype: np.dtype[Any]) -> Fortran | None:
    return Fortran.of(_POTRF[dtype])


def _cholesky(columns: Array) -> Array | None:
    """Return Cholesky factors, transposed as the matrices are."""
    count, n, _ = columns.shape
    routine = _potrf(columns.dtype)
    if routine is None:
        return None
    numbers = np.zeros(count + 1, routine.integers)  # behind the size an outcome of each
    numbers[0] = n
    start = address_of(numbers)
    size, outcome = (start, 0), (start + numbers.itemsize, numbers.itemsize)
    matrices = address_of(columns), columns.strides[0]
    routine.repeat(count, ((address_of(_LOWER), 0), size, matrices, size, outcome), n**3 / 3)
    if np.count_nonzero(numbers) > 1:
        return None
    np.copyto(columns, 0, where=np.tri(n, k=-1, dtype=bool))
    return columns


def _inv(columns: Array) -> Array | None:
    """Return inverses, transposed as the matrices are."""
    count, n, _ = columns.shape
    own = routines(columns.dtype)
    if own is None:
        return None
    sides = _empty(columns.shape, columns.dtype)
    sides[:] = 0
    sides.reshape(count, n * n)[:, :: n + 1] = 1
    solve = own[-1]
    return sides if solve(columns, np.empty((count, n), np.int64), sides) else None


#: By the names of NumPy's functions, those that stand for them.
FUNCTIONS = {
    name: _on_threads(name, compute) for name, compute in (("cholesky", _cholesky), ("inv", _inv))
}
