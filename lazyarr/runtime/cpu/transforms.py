"""Fourier transforms on the host, with NumPy's bits.

NumPy transforms all lines in one thread, and lines that lie apart two at a time. Where a transform
of float32 is not scaled, ``numpy.fft`` hands its loops the integer 1 as the factor. The first loop
that takes an integer is the one of float64, so that NumPy converts operands and results in
temporaries of twice their size. Here NumPy's loops get blocks of lines, on several threads;
what has to be converted, or lies apart, is copied to memory that a cache has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.runtime.cpu import tuning
from lazyarr.runtime.cpu.blas_threads import allowed_threads
from lazyarr.runtime.cpu.numpy_loops import COMPILED, is_reported, run_items
from lazyarr.runtime.cpu.transform_jobs import (
    ADDRESS,
    IN_AT,
    NAMES,
    OUT_AT,
    has_loops,
    job_of,
)
from lazyarr.runtime.host_memory_pool import SMALL, pool

__all__ = ["transform_in_single", "transform_of"]

Array = np.ndarray[Any, Any]
Transform = Callable[..., Any]


@cache
def transform_of(name: str) -> Transform:
    """Return a function of ``numpy.fft`` for arrays.

    Parameters
    ----------
    name : str
        Its name: that of a transform over one axis or several.

    Returns
    -------
    callable
        Takes what NumPy's takes; over several axes, ``axes=`` are their numbers, none negative. It
        stands for NumPy's, its ``__wrapped__``.
    """
    direct: Transform = getattr(np.fft, name)
    if name.endswith(("2", "n")):
        return wraps(direct)(_over_axes(name, direct))
    return wraps(direct)(_over_one(name, direct))


@cache
def transform_in_single(name: str) -> Transform:
    """Return a transform over one axis that computes single-precision operands in that precision.

    Parameters
    ----------
    name : str
        Its name in ``numpy.fft``.

    Returns
    -------
    callable
        Takes what NumPy's takes. NumPy's loops for float32 take a factor of float32, so that what
        is not scaled is scaled there, and multiplied afterwards.
    """
    transform = transform_of(name)
    is_inverse = name.startswith("i")
    unscaled = ("forward",) if is_inverse else (None, "backward")
    scaled = "backward" if is_inverse else "forward"

    def in_single(
        a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
    ) -> Any:
        if norm not in unscaled or a.dtype.char not in "fF":
            return transform(a, n, axis, norm, out)
        points = a.shape[axis] if n is None else n
        if n is None and name == "irfft":
            points = 2 * (points - 1)
        result = transform(a, n, axis, scaled, out)
        return np.multiply(result, np.float32(points), out=result)

    return wraps(getattr(np.fft, name))(in_single)


def _over_one(name: str, direct: Transform) -> Transform:
    def transform(
        a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
    ) -> Any:
        a = np.asarray(a)
        if name in NAMES and _is_large(a):
            result, bits = _transformed(name, a, n, axis, norm, out)
            if result is not None and not (bits and is_reported(bits)):
                return result
        return direct(a, n, axis, norm, out=out)

    return transform


def _over_axes(name: str, direct: Transform) -> Transform:
    inverse = name.startswith("i")
    real = "r" in name
    one = "ifft" if inverse else "fft"
    last = f"{'i' if inverse else ''}rfft" if real else one

    def transform(
        a: Any, s: Sequence[int] | None = None, axes: Any = None, norm: str | None = None
    ) -> Any:
        a = np.asarray(a)
        if axes is None or not _is_large(a):
            return direct(a, s=s, axes=axes, norm=norm)
        sizes = [a.shape[axis] for axis in axes] if s is None else list(s)
        if s is None and real and inverse:
            sizes[-1] = 2 * (sizes[-1] - 1)
        steps = [(one, n, axis) for n, axis in zip(sizes[:-1], axes[:-1], strict=True)]
        steps.append((last, sizes[-1], axes[-1]))
        value, bits = a, 0
        # As NumPy does: the last axis comes first, but where the real one has to be the last.
        for kind, n, axis in steps if real and inverse else reversed(steps):
            is_own = value is not a and kind == one and n == value.shape[axis]
            result, faults = _transformed(kind, value, n, axis, norm, value if is_own else None)
            if result is None:
                result = getattr(np.fft, kind)(value, n, axis, norm)
            value = result
            bits |= faults
        return direct(a, s=s, axes=axes, norm=norm) if bits and is_reported(bits) else value

    return transform


def _is_large(a: Array) -> bool:
    """Return whether an array is worth several threads, and an operand of the loops."""
    large = a.size >= tuning.row().least_transformed
    return large and a.flags.aligned and a.dtype.isnative and has_loops()


def _transformed(
    name: str, a: Array, n: int | None, axis: int, norm: str | None, out: Array | None
) -> tuple[Array | None, int]:
    """Return a transform and the faults that its loops met; None: NumPy has to compute it."""
    threads = allowed_threads()
    job = job_of(name, a.dtype, a.shape, a.strides, n, axis, norm, threads)
    if job is None:
        return None, 0
    if out is None and job.nbytes >= SMALL:
        out = pool.allocate(job.nbytes).array(job.shape, job.dtype)
    elif out is None:
        out = np.empty(job.shape, job.dtype)
    elif out.shape != job.shape or out.dtype != job.dtype or not out.flags.carray:
        return None, 0
    elif out is not a and np.may_share_memory(a, out):
        return None, 0
    block = bytearray(job.block)
    ADDRESS.pack_into(block, IN_AT, address_of(a))
    ADDRESS.pack_into(block, OUT_AT, address_of(out))
    scratch = pool.allocate(job.scratch * threads) if job.scratch else None
    if scratch is not None:
        ADDRESS.pack_into(block, 0, scratch.address)
    assert COMPILED is not None
    return out, run_items(COMPILED.TRANSFORM, bytes(block), job.count, threads, job.scratch)
