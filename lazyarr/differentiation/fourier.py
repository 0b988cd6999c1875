"""Derivatives of Fourier transforms, which are linear and their own transposes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr import fft
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape
from lazyarr.differentiation.boxes import padded
from lazyarr.differentiation.rules import BY_NAME, Application, Cotangent, Rule, fitted
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import Call, thaw

__all__: list[str] = []


def _keywords(at: Application) -> dict[str, Any]:
    call = at.node.attr
    assert isinstance(call, Call)
    return {key: thaw(value, ()) for key, value in call.keywords}


def _symmetric(name: str) -> Rule:
    """Return the rule of a transform between complex numbers over one axis or several."""
    transform: Callable[..., LazyArray] = getattr(fft, name)
    of_derivatives = fft.SINGLE.get(name, transform)

    def vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
        options = _keywords(at)
        axes = options.get("axes", (options.get("axis"),))
        plain = {key: options[key] for key in ("axis", "axes", "norm") if key in options}
        applied = of_derivatives if g.dtype in _SINGLE else transform
        transformed = applied(g, **plain)._node
        for axis in axes:
            # The transform cut its input, or put zeros behind it.
            transformed = padded(
                transformed, axis, 0, at.node.src[0].shape[axis] - transformed.shape[axis]
            )
        return [fitted(LazyArray(transformed), at.node.src[0])]

    def jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
        (t,) = tangents
        return None if t is None else transform(t, **_keywords(at))

    return Rule(vjp, jvp)


@dataclass(frozen=True, slots=True)
class _Step:
    """The transform over one axis.

    Attributes
    ----------
    name : str
        "fft", "ifft", "rfft" or "irfft".
    axis : int
        The axis.
    size : int
        The number of points: of the signal, where that is real.
    length : int
        The length of the axis before, from which the transform cuts or which it extends.
    """

    name: str
    axis: int
    size: int
    length: int


def _steps(name: str, shape: Shape, options: dict[str, Any]) -> list[_Step]:
    """Return the transforms over one axis that one from or to real numbers is made of."""
    axes = options.get("axes", (options.get("axis"),))
    sizes = options.get("s", (options.get("n"),)) or [None] * len(axes)
    inverse = name.startswith("i")
    pairs = list(zip(axes, sizes, strict=True))
    names = ["ifft" if inverse else "fft"] * (len(pairs) - 1) + ["irfft" if inverse else "rfft"]
    order = list(zip(names, pairs, strict=True))
    lengths = list(shape)
    steps = []
    for kind, (axis, n) in order if inverse else reversed(order):
        # NumPy takes sizes from the operand, also of an axis that is named twice.
        default = 2 * (shape[axis] - 1) if kind == "irfft" else shape[axis]
        size = default if n is None else n
        steps.append(_Step(kind, axis, size, lengths[axis]))
        lengths[axis] = size // 2 + 1 if kind == "rfft" else size
    return steps


#: Precisions in which NumPy may have more digits than derivatives need.
_SINGLE = frozenset(map(np.dtype, (np.float32, np.complex64)))


def _applied(name: str, x: LazyArray, n: int, axis: int, norm: str | None) -> LazyArray:
    """Return a transform over one axis, in the precision of its operand."""
    transform = fft.SINGLE[name] if x.dtype in _SINGLE else getattr(fft, name)
    result: LazyArray = transform(x, n, axis, norm)
    return result


def _transposed(step: _Step, g: LazyArray, norm: str | None) -> LazyArray:
    """Return the cotangent of the operand of a transform over one axis.

    Half a spectrum stands for its other half, too, which is its conjugate. So the transpose of
    ``rfft`` is ``irfft`` of half of what has a conjugate, without a division by the length.
    """
    axis, size = step.axis, step.size
    match step.name:
        case "rfft":
            g = _applied("irfft", g.conj() * _share(g, axis, size), size, axis, fft.swapped(norm))
        case "irfft":
            spectrum = _applied("rfft", g, size, axis, fft.swapped(norm))
            g = (spectrum / _share(spectrum, axis, size)).conj()
        case name:
            g = _applied(name, g, size, axis, norm)
    # The transform cut its input, or put zeros behind it.
    return LazyArray(padded(g._node, axis, 0, step.length - g.shape[axis]))


def _real(name: str) -> Rule:
    """Return the rule of a transform from or to real numbers over one axis or several."""
    transform: Callable[..., LazyArray] = getattr(fft, name)

    def vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
        options = _keywords(at)
        source = at.node.src[0]
        for step in reversed(_steps(name, source.shape, options)):
            g = _transposed(step, g, options.get("norm"))
        return [fitted(g, source)]

    def jvp(at: Application, tangents: Sequence[LazyArray | None]) -> LazyArray | None:
        (t,) = tangents
        return None if t is None else transform(t, **_keywords(at))

    return Rule(vjp, jvp)


def _share(spectrum: LazyArray, axis: int, size: int) -> LazyArray:
    """Return the share of half a spectrum: 1/2, and 1 for elements that are their own conjugate."""
    place = build.iota(spectrum.shape[axis])
    place = build.expand_axes(place, [k for k in range(spectrum.ndim) if k != axis])
    equal = ELEMENTWISE["equal"]
    own = build.elementwise(equal, (place, 0))
    if size % 2 == 0:
        middle = build.elementwise(equal, (place, size // 2))
        own = build.elementwise(ELEMENTWISE["logical_or"], (own, middle))
    share = build.elementwise(ELEMENTWISE["where"], (own, 1.0, 0.5))
    return LazyArray(build.cast(share, spectrum.real.dtype))


BY_NAME |= {
    f"fft.{name}": _symmetric(name) for name in ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn")
}
BY_NAME |= {
    f"fft.{name}": _real(name) for name in ("rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn")
}
BY_NAME |= {f"fft.{name}{fft.IN_SINGLE}": BY_NAME[f"fft.{name}"] for name in fft.SINGLE}
