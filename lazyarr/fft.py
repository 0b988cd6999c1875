"""Fourier transforms: numpy.fft's functions as lazy calls."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, wrap
from lazyarr.arrays.native_functions import with_native
from lazyarr.builders import build
from lazyarr.core.axis_numbers import normalize_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import replace
from lazyarr.core.shapes import Shape, broadcasts_to
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api.creation import on_device
from lazyarr.numpy_api.joining import roll
from lazyarr.numpy_api.library_calls import library_node
from lazyarr.numpy_api.memory_order import along_memory
from lazyarr.numpy_api.names import reason_for
from lazyarr.numpy_api.ufunc_arguments import store_into
from lazyarr.ops.library import LIBRARY, library_function, library_op
from lazyarr.runtime.cpu.transforms import transform_in_single, transform_of
from lazyarr.tracing import record_functions

__all__ = [
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "hfft",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "ihfft",
    "irfft",
    "irfft2",
    "irfftn",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
]


def _halved(n: int) -> int:
    return n // 2 + 1


def _doubled(n: int) -> int:
    return 2 * (n - 1)


def _last_size(name: str, size: int, n: int | None) -> int:
    """Return the length of the (last) transformed axis of the result."""
    if name in ("irfft", "irfft2", "irfftn", "hfft"):
        return _doubled(size) if n is None else n
    used = size if n is None else n
    return _halved(used) if name in ("rfft", "rfft2", "rfftn", "ihfft") else used


def _checked_size(n: Any) -> int:
    if isinstance(n, bool):
        raise DTypeError("an integer is required", origin=origin())
    return operator.index(n)


def _inexact(name: str, x: LazyArray, dtype: np.dtype[Any], norm: str | None) -> LazyArray:
    """Return `x` in the precision of a transform that gives `dtype`.

    NumPy rounds the factor that results are scaled by to float16, if `x` is.
    """
    is_direct = not name.startswith("i")
    is_scaled = norm not in (None, "backward") if is_direct else norm != "forward"
    if is_scaled and x.dtype == np.float16:
        return x
    size = dtype.itemsize * (2 if kind_of(dtype) == "f" else 1)
    precision = np.dtype(f"c{size}" if kind_of(x.dtype) == "c" else f"f{size // 2}")
    return x if x.dtype == precision else x.astype(precision)


def _store_spectrum(
    result: LazyArray, out: Any, source: Shape, transforms: list[tuple[int, int]]
) -> Any:
    """Return a spectrum, or ``out=`` after it is stored there.

    `transforms` are axes with the lengths that they get, in order. As in NumPy, each of them
    stores into `out`: transformed axes have these lengths, and others may be broadcast.
    """
    if isinstance(out, (LazyArray, np.ndarray)):
        shape = source
        for axis, length in transforms:
            stored = (*shape[:axis], length, *shape[axis + 1 :])
            fits = len(out.shape) == len(stored) and out.shape[axis] == length
            if not fits or not broadcasts_to(stored, out.shape):
                raise ShapeError(
                    "output array has wrong shape.",
                    origin=origin(),
                    hint=f"it has {out.shape} for a result of {stored}",
                )
            shape = out.shape
    return store_into(result, out)


#: Transforms that write where they are asked to, whatever sizes they have.
_WITH_OUT = frozenset({"fft", "ifft", "rfft", "irfft"})
#: Behind the names of transforms in single precision.
IN_SINGLE = "_in_single"


def _one_axis(name: str, *, in_single: bool = False) -> Callable[..., LazyArray]:
    function = transform_in_single(name) if in_single else transform_of(name)
    operation = f"fft.{name}{IN_SINGLE if in_single else ''}"
    LIBRARY[operation] = replace(library_op(operation, function), fills_out=name in _WITH_OUT)

    def transform(
        a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
    ) -> Any:
        x = as_lazy(a)
        n = None if n is None else _checked_size(n)
        with build.located():
            at = normalize_axis(axis, x.ndim)
        shape = list(x.shape)
        points = shape[at] if n is None else n
        shape[at] = _last_size(name, shape[at], n)
        if min(shape[at], points) < 1:
            if n is None and name == "irfft":
                points = _doubled(points)
            raise ArgumentError(
                f"Invalid number of FFT data points ({points}) specified.", origin=origin()
            )
        dtype = np.asarray(function(np.zeros(2 + points % 2, x.dtype), norm=norm)).dtype
        length = shape[at]

        def transformed(operands: Sequence[Node], axes: Sequence[int]) -> Node:
            (axis,) = axes
            sizes = operands[0].shape
            stored = (*sizes[:axis], length, *sizes[axis + 1 :])
            op, options = library_function(operation, function), {"n": n, "norm": norm}
            return library_node(op, operands, {"axis": axis, **options}, stored, dtype)

        result = wrap(along_memory((_inexact(name, x, dtype, norm)._node,), (at,), transformed))
        return _store_spectrum(result, out, x.shape, [(at, length)])

    return _named(transform, name)


def _axes_of(x: LazyArray, s: Any, axes: Any) -> list[int]:
    """Return the axes of a transform; one that is named twice is transformed twice."""
    chosen = axes
    if s is not None and axes is None:
        warn_user(_WITHOUT_AXES, DeprecationWarning)
    if s is not None and any(n is None for n in s):
        warn_user(_WITHOUT_SIZE, DeprecationWarning)
    if chosen is None:
        chosen = tuple(range(x.ndim)) if s is None else tuple(range(-len(s), 0))
    with build.located():
        return [normalize_axis(axis, x.ndim) for axis in chosen]


def _sizes_of(x: LazyArray, s: Any, places: Sequence[int]) -> list[int | None]:
    """Return the length along each axis that a caller asks for; None for the default."""
    sizes = list(s) if s is not None else [None] * len(places)
    if len(sizes) != len(places):
        raise ArgumentError("Shape and axes have different lengths.", origin=origin())
    # As NumPy reads them, -1 is the length of the operand, None the default of one axis.
    return [
        None if n is None else x.shape[at] if n == -1 else _checked_size(n)
        for at, n in zip(places, sizes, strict=True)
    ]


def _many_axes(name: str) -> Callable[..., LazyArray]:
    function = transform_of(name)
    default = inspect.signature(getattr(np.fft, name)).parameters["axes"].default

    def transform(
        a: Any, s: Any = None, axes: Any = default, norm: str | None = None, out: Any = None
    ) -> Any:
        x = as_lazy(a)
        places = _axes_of(x, s, axes)
        if not places and "r" not in name:
            return store_into(x, out)
        if not places:
            raise IndexingError(f"{name} of real numbers needs an axis", origin=origin())
        sizes = _sizes_of(x, s, places)
        points = [x.shape[at] if n is None else n for at, n in zip(places, sizes, strict=True)]
        lengths = [*points[:-1], _last_size(name, x.shape[places[-1]], sizes[-1])]
        transforms = list(zip(places, lengths, strict=True))
        if not name.startswith("irfft"):
            transforms.reverse()  # the last axis comes first
        shape = list(x.shape)
        for at, length in transforms:  # an axis that is named twice has the length of the last one
            shape[at] = length
        if name.startswith("irfft") and sizes[-1] is None:
            points[-1] = _doubled(points[-1])
        if min(points) < 1:
            raise ArgumentError(
                f"Invalid number of FFT data points ({min(points)}) specified.", origin=origin()
            )
        axes_of_sample = (0, 1)[: len(places)]
        front = (2,) * (len(axes_of_sample) - 1)
        sample = np.zeros((*front, 2 + points[-1] % 2), x.dtype)
        dtype = np.asarray(function(sample, axes=axes_of_sample, norm=norm)).dtype
        options = {"s": None if s is None else tuple(points), "norm": norm}

        def transformed(operands: Sequence[Node], axes: Sequence[int]) -> Node:
            stored = list(operands[0].shape)
            for to, at in zip(axes, places, strict=True):
                stored[to] = shape[at]
            op = library_function(f"fft.{name}", function)
            return library_node(
                op, operands, {"axes": tuple(axes), **options}, tuple(stored), dtype
            )

        result = wrap(along_memory((_inexact(name, x, dtype, norm)._node,), places, transformed))
        if name.startswith("irfft"):  # its first transforms store elsewhere
            return _store_spectrum(result, out, result.shape, transforms[-1:])
        return _store_spectrum(result, out, x.shape, transforms)

    return _named(transform, name)


_WITHOUT_AXES = (
    "`axes` should not be `None` if `s` is not `None` (Deprecated in NumPy 2.0). In a future "
    "version of NumPy, this will raise an error and `s[i]` will correspond to the size along the "
    "transformed axis specified by `axes[i]`. To retain current behaviour, pass a sequence "
    "[0, ..., k-1] to `axes` for an array of dimension k."
)
_WITHOUT_SIZE = (
    "Passing an array containing `None` values to `s` is deprecated in NumPy 2.0 and will raise an "
    "error in a future version of NumPy. To use the default behaviour of the corresponding 1-D "
    "transform, pass the value matching the default for its `n` parameter. To use the default "
    "behaviour for every axis, the `s` argument can be omitted."
)


def _named(transform: Callable[..., LazyArray], name: str) -> Callable[..., LazyArray]:
    transform.__name__ = transform.__qualname__ = name
    transform.__module__ = "lazyarr.fft"
    transform.__doc__ = f"Return ``numpy.fft.{name}`` of the arguments, lazily.\n"
    return transform


fft = _one_axis("fft")
ifft = _one_axis("ifft")
rfft = _one_axis("rfft")
irfft = _one_axis("irfft")
#: The same for derivatives, by name: those of single precision are computed in it. NumPy has no
#: values of them, and its own functions may take twice the time for more digits.
SINGLE = {name: _one_axis(name, in_single=True) for name in sorted(_WITH_OUT)}
fft2 = _many_axes("fft2")
ifft2 = _many_axes("ifft2")
fftn = _many_axes("fftn")
ifftn = _many_axes("ifftn")
rfft2 = _many_axes("rfft2")
irfft2 = _many_axes("irfft2")
rfftn = _many_axes("rfftn")
irfftn = _many_axes("irfftn")


_SWAPPED = {None: "forward", "backward": "forward", "ortho": "ortho", "forward": "backward"}


def swapped(norm: str | None) -> str:
    """Return the normalisation of the inverse transform that divides by as much as one here."""
    if norm not in _SWAPPED:
        raise ArgumentError(
            f'Invalid norm value {norm}; should be "backward", "ortho" or "forward".',
            origin=origin(),
        )
    return _SWAPPED[norm]


def hfft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Any:
    """Return the transform of half of a signal that is Hermitian: a real spectrum."""
    x = as_lazy(a)
    with build.located():
        at = normalize_axis(axis, x.ndim)
    size = 2 * (x.shape[at] - 1) if n is None else n
    spectrum = irfft(x.conj(), size, at, swapped(norm))
    return _store_spectrum(spectrum, out, x.shape, [(at, spectrum.shape[at])])


def ihfft(
    a: Any, n: int | None = None, axis: int = -1, norm: str | None = None, out: Any = None
) -> Any:
    """Return the inverse of :func:`hfft`: half of a Hermitian signal."""
    half = rfft(a, n, axis, swapped(norm))
    at = normalize_axis(axis, half.ndim)
    return _store_spectrum(half.conj(), out, half.shape, [(at, half.shape[at])])


def _shifted(x: Any, axes: Any, direction: int) -> LazyArray:
    array = as_lazy(x)
    if axes is None:
        axes = range(array.ndim)
    listed = (axes,) if isinstance(axes, (int, np.integer)) else tuple(axes)
    with build.located():
        places = tuple([normalize_axis(axis, array.ndim) for axis in listed])
    shift = [array.shape[k] // 2 if direction > 0 else -(array.shape[k] // 2) for k in places]
    return roll(array, shift, places)


def fftshift(x: Any, axes: Any = None) -> LazyArray:
    """Return `x` with the zero frequency moved to the middle."""
    return _shifted(x, axes, 1)


def ifftshift(x: Any, axes: Any = None) -> LazyArray:
    """Return `x` with the zero frequency moved back to the front."""
    return _shifted(x, axes, -1)


def fftfreq(n: int, d: Any = 1.0, device: str | None = None, *, dtype: Any = None) -> LazyArray:
    """Return the sample frequencies of a transform of length `n` at spacing `d`.

    NumPy's has no `dtype`, the Array API's has: one of real floating-point numbers.
    """
    return _frequencies(np.fft.fftfreq(n, d), device, dtype)


def rfftfreq(n: int, d: Any = 1.0, device: str | None = None, *, dtype: Any = None) -> LazyArray:
    """Return the sample frequencies of a real transform of length `n` at spacing `d`.

    `dtype` is that of :func:`lazyarr.fft.fftfreq`.
    """
    return _frequencies(np.fft.rfftfreq(n, d), device, dtype)


def _frequencies(values: Any, device: str | None, dtype: Any) -> LazyArray:
    if dtype is not None:
        loop = build.as_dtype(dtype)
        if kind_of(loop) != "f":
            raise DTypeError(f"frequencies are floating-point numbers, not {loop}", origin=origin())
        values = values.astype(loop)
    return on_device(as_lazy(values), device)


record_functions(globals(), __all__, None, np.fft)
with_native(__all__, globals(), LazyArray, np.fft)

if not TYPE_CHECKING:

    def __getattr__(name):
        reason = reason_for("numpy.fft", name)
        why = "" if reason is None else f": {reason}"
        raise AttributeError(f"module 'lazyarr.fft' has no attribute {name!r}{why}")


def __dir__() -> list[str]:
    return sorted(__all__)
