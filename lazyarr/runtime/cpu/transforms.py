"""Fourier transforms of float32 on the host, with NumPy's bits.

Where a transform is not scaled, ``numpy.fft`` hands its loops the integer 1 as the factor. The
first loop that takes an integer is the one of float64, so that NumPy converts operands and results
of float32 in temporaries of twice their size, whose pages are new ones as a rule. Here blocks of
lines are converted in memory of the pool's. A NumPy whose transforms of float32 stay in float32 is
asked itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, wraps
from math import prod
from typing import Any

import numpy as np

from lazyarr.runtime.cpu import tuning
from lazyarr.runtime.host_memory_pool import pool

__all__ = ["transform_of"]

Array = np.ndarray[Any, Any]
Transform = Callable[..., Any]

_WIDER = {
    np.dtype(np.float32): np.dtype(np.float64),
    np.dtype(np.complex64): np.dtype(np.complex128),
}


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


def _over_one(name: str, direct: Transform) -> Transform:
    def transform(
        a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
    ) -> Any:
        a = np.asarray(a)
        if not _converts(name, a, norm):
            return direct(a, n, axis, norm, out=out)
        raised: dict[str, Any] = {
            kind: "raise" for kind, how in np.geterr().items() if how != "ignore"
        }
        try:
            with np.errstate(**raised):
                return _in_blocks(name, direct, a, n, axis, norm, out)
        except FloatingPointError:
            return direct(a, n, axis, norm, out=out)  # which reports it once, not for each block

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
        if axes is None or not _converts(name, a, norm):
            return direct(a, s=s, axes=axes, norm=norm)
        sizes = [a.shape[axis] for axis in axes] if s is None else list(s)
        if s is None and real and inverse:
            sizes[-1] = 2 * (sizes[-1] - 1)
        steps = [(one, n, axis) for n, axis in zip(sizes[:-1], axes[:-1], strict=True)]
        steps.append((last, sizes[-1], axes[-1]))
        # As NumPy does: the last axis comes first, but where the real one has to be the last.
        for kind, n, axis in steps if real and inverse else reversed(steps):
            a = transform_of(kind)(a, n, axis, norm)
        return a

    return transform


def _converts(name: str, a: Array, norm: str | None) -> bool:
    """Return whether NumPy would convert many lines of float32."""
    unscaled = norm == "forward" if name.startswith("i") else norm in (None, "backward")
    large = a.size >= tuning.row().least_transformed
    return unscaled and large and a.ndim > 1 and a.dtype in _WIDER and _rounds_float64()


@cache
def _rounds_float64() -> bool:
    """Return whether unscaled transforms of float32 are those of float64, rounded."""
    sample = np.sqrt(np.arange(1, 120, dtype=np.float32)).astype(np.complex64)
    wide = np.fft.fft(sample.astype(np.complex128)).astype(np.complex64)
    return wide.tobytes() == np.fft.fft(sample).tobytes()


def _in_blocks(
    name: str,
    direct: Transform,
    a: Array,
    n: int | None,
    axis: int,
    norm: str | None,
    out: Array | None,
) -> Array:
    """Transform blocks of lines in float64, and round them."""
    axis %= a.ndim
    halved = name == "rfft"
    points = a.shape[axis] if n is None else n
    if name == "irfft" and n is None:
        points = 2 * (points - 1)
    shape = (*a.shape[:axis], points // 2 + 1 if halved else points, *a.shape[axis + 1 :])
    dtype = np.dtype(np.float32 if name == "irfft" else np.complex64)
    if out is None:
        out = np.empty(shape, dtype)
    elif out.shape != shape or out.dtype != dtype:
        return direct(a, n, axis, norm, out=out)  # type: ignore[no-any-return]
    along = max((k for k in range(a.ndim) if k != axis), key=shape.__getitem__)
    lines = shape[along]
    step = max(1, tuning.row().transformed_block * lines // max(a.size, out.size, 1))
    step = min(lines, step)

    shapes = [(*of.shape[:along], step, *of.shape[along + 1 :]) for of in (a, out)]
    wide = [_WIDER[of.dtype] for of in (a, out)]
    sizes = [prod(of) * to.itemsize for of, to in zip(shapes, wide, strict=True)]
    block = pool.allocate(sum(sizes))
    operands = block.array(shapes[0], wide[0])
    results = block.array(shapes[1], wide[1], sizes[0])
    before = (slice(None),) * along
    for first in range(0, lines, step):
        part = (*before, slice(first, min(first + step, lines)))
        some = (*before, slice(min(step, lines - first)))
        np.copyto(operands[some], a[part])
        direct(operands[some], n, axis, norm, out=results[some])
        np.copyto(out[part], results[some], casting="same_kind")
    return out
