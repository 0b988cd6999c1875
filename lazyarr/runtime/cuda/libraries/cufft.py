"""Fourier transforms by cuFFT. Plans are kept; their work space comes from the device's pool."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod, sqrt
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.runtime.cuda.libraries.kernels import copies
from lazyarr.runtime.cuda.libraries.registry import on_device
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__: list[str] = []

_FORWARD, _INVERSE = -1, 1
#: Most axes of one plan.
_MAX_AXES = 3
#: cuFFT's number and function for the kinds of input and output, and the bytes of a complex number.
_TYPES = {
    ("c", "c", 8): (41, "exec_c2c"),
    ("c", "c", 16): (105, "exec_z2z"),
    ("f", "c", 8): (42, "exec_r2c"),
    ("f", "c", 16): (106, "exec_d2z"),
    ("c", "f", 8): (44, "exec_c2r"),
    ("c", "f", 16): (108, "exec_z2d"),
}


def _complex_bytes(dtype: np.dtype[Any]) -> int:
    return dtype.itemsize * (2 if kind_of(dtype) == "f" else 1)


def _refuse(out: Strided, a: Strided, **keywords: Any) -> str | None:
    size = _complex_bytes(out.dtype)
    fits = kind_of(out.dtype) in "fc" and kind_of(a.dtype) in "fc"
    if not fits or size < 8 or size != _complex_bytes(a.dtype):
        return f"cuFFT does not transform {a.dtype.name} to {out.dtype.name}"
    axes = keywords.get("axes", (0,))
    if len(set(axes)) < len(axes):
        return "an axis is transformed twice"
    if not axes or not out.size or not a.size:
        return "nothing is transformed"
    return None


def _factor(sizes: Sequence[int], norm: str | None, direction: int) -> float:
    """Return the factor of the sums; cuFFT's have none."""
    if norm == "ortho":
        return 1.0 / sqrt(prod(sizes))
    divided = norm == "forward" if direction == _FORWARD else norm in (None, "backward")
    return 1.0 / prod(sizes) if divided else 1.0


def _axes_last(x: Strided, axes: Sequence[int]) -> Strided:
    last = [axis % x.ndim for axis in axes]
    return x.permuted([*(k for k in range(x.ndim) if k not in last), *last])


def _transform(
    work: Work,
    out: Strided,
    a: Strided,
    axes: Sequence[int],
    s: Sequence[int | None] | None,
    norm: str | None,
    direction: int,
    real: bool,
) -> None:
    """Queue a transform over `axes`, cut or padded to the sizes `s`.

    `real` says that the values in space are real: the input of a forward transform, the output of
    an inverse one; the last axis of the other side is then half as long.
    """
    lengths = [None] * len(axes) if s is None else [None if n == -1 else n for n in s]
    sizes = [a.shape[k] if n is None else n for k, n in zip(axes, lengths, strict=True)]
    inverse = direction == _INVERSE
    if real and inverse and lengths[-1] is None:
        sizes[-1] = 2 * (a.shape[axes[-1]] - 1)
    source, target = _axes_last(a, axes), _axes_last(out, axes)
    shape = [*source.shape[: source.ndim - len(axes)], *sizes]
    if real and inverse:
        shape[-1] = sizes[-1] // 2 + 1
    complex_dtype = np.dtype(f"c{_complex_bytes(out.dtype)}")
    # The second half of what real numbers become mirrors the first.
    halved = not real and not inverse and kind_of(source.dtype) == "f" and len(axes) == 1
    # cuFFT may write over the input of a transform to real numbers. That is complex, also where
    # somebody gives real numbers.
    dtype = source.dtype if halved or (real and not inverse) else complex_dtype
    prepared = _prepared(work, source, tuple(shape), dtype, own=real and inverse)
    result = target if target.contiguous else work.empty(target.shape, out.dtype)
    near = sizes[-_MAX_AXES:]
    others = len(axes) - len(near)
    if real and inverse:
        prepared = work.contiguous(_other_axes(work, prepared, len(near), others, direction))
        _execute(work, result, prepared, near, direction)
    else:
        _execute(work, result, prepared, near, direction)
        if halved:
            total, (n,) = result.size, sizes
            mirror = copies.mirror_source(result.dtype.itemsize // 2)
            work.launch(mirror, total, total, n, result.address)
        transformed = _other_axes(work, result, len(near), others, direction)
        if transformed is not result:
            work.copy(transformed, result)
    factor = _factor(sizes, norm, direction)
    if factor != 1.0:
        work.scale(result, factor)
    if result is not target:
        work.copy(result, target)


def _prepared(
    work: Work, source: Strided, shape: tuple[int, ...], dtype: np.dtype[Any], *, own: bool
) -> Strided:
    """Return the input, contiguous, of this shape and dtype: cut, padded with zeros, converted."""
    if source.shape == shape and source.dtype == dtype and source.contiguous and not own:
        return source
    covered = tuple(min(m, n) for m, n in zip(source.shape, shape, strict=True))
    padded = covered != shape or source.dtype != dtype
    prepared = work.zeros(shape, dtype) if padded else work.empty(shape, dtype)
    part = prepared.cut(covered)
    if source.dtype != dtype:
        pairs = part.viewed(source.dtype)
        part = pairs.seen(pairs.shape[:-1], pairs.strides[:-1])
    work.copy(source.cut(covered), part)
    return prepared


def _other_axes(work: Work, x: Strided, near: int, others: int, direction: int) -> Strided:
    """Return complex values transformed over the axes in front of the last `near` ones."""
    transformed = x
    for k in range(others):
        axis = x.ndim - near - 1 - k
        line = work.packed(transformed.moved_last(axis))
        _execute(work, line, line, [line.shape[-1]], direction)
        transformed = line.moved_back(axis)
    return transformed


def _execute(work: Work, out: Strided, a: Strided, sizes: Sequence[int], direction: int) -> None:
    """Queue one plan over the last axes of contiguous arrays; `sizes` are those in space."""
    rank = len(sizes)
    number, name = _TYPES[kind_of(a.dtype), kind_of(out.dtype), _complex_bytes(out.dtype)]
    inner, outer = a.shape[-rank:], out.shape[-rank:]
    batch = prod(out.shape[:-rank])
    key = (number, *sizes, *outer, batch)

    def make(cufft: Any, plan: int) -> int:
        nbytes: int = cufft.make_plan_many64(
            plan, rank, list(sizes), list(inner), 1, prod(inner), list(outer), 1, prod(outer),
            number, batch,
        )  # fmt: skip
        return nbytes

    with work.libraries.lock:
        cufft, plan, nbytes = work.libraries.plan(key, make)
        space = work.empty((max(nbytes, 1),), np.dtype(np.uint8))
        cufft.set_work_area(plan, space.address)
        directed = (direction,) if kind_of(a.dtype) == kind_of(out.dtype) else ()
        getattr(cufft, name)(plan, a.address, out.address, *directed)


def _one_axis(direction: int, real: bool) -> Callable[..., None]:
    def run(
        work: Work,
        out: Strided,
        a: Strided,
        n: int | None = None,
        axis: int = -1,
        norm: str | None = None,
    ) -> None:
        _transform(work, out, a, (axis % a.ndim,), (n,), norm, direction, real)

    return run


def _many_axes(direction: int, real: bool) -> Callable[..., None]:
    def run(
        work: Work,
        out: Strided,
        a: Strided,
        s: Sequence[int] | None = None,
        axes: Sequence[int] = (-2, -1),
        norm: str | None = None,
    ) -> None:
        _transform(work, out, a, [k % a.ndim for k in axes], s, norm, direction, real)

    return run


for _direction, _real, _single, _several in (
    (_FORWARD, False, np.fft.fft, (np.fft.fft2, np.fft.fftn)),
    (_INVERSE, False, np.fft.ifft, (np.fft.ifft2, np.fft.ifftn)),
    (_FORWARD, True, np.fft.rfft, (np.fft.rfft2, np.fft.rfftn)),
    (_INVERSE, True, np.fft.irfft, (np.fft.irfft2, np.fft.irfftn)),
):
    on_device(_single, "cuFFT", _refuse, captured=True)(_one_axis(_direction, _real))
    for _function in _several:
        on_device(_function, "cuFFT", _refuse, captured=True)(_many_axes(_direction, _real))
