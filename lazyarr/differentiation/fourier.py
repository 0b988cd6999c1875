"""Derivatives of Fourier transforms, which are linear and their own transposes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazyarr import fft
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.differentiation.boxes import padded
from lazyarr.differentiation.rules import BY_NAME, Application, Cotangent, Rule, fitted
from lazyarr.numpy_api.joining import concatenate
from lazyarr.ops.library import Call, thaw

__all__: list[str] = []


def _keywords(at: Application) -> dict[str, Any]:
    call = at.node.attr
    assert isinstance(call, Call)
    return {key: thaw(value, ()) for key, value in call.keywords}


def _symmetric(name: str) -> Rule:
    """Return the rule of a transform between complex numbers over one axis or several."""
    transform: Callable[..., LazyArray] = getattr(fft, name)

    def vjp(at: Application, g: LazyArray) -> Sequence[Cotangent]:
        options = _keywords(at)
        axes = options.get("axes", (options.get("axis"),))
        plain = {key: options[key] for key in ("axis", "axes", "norm") if key in options}
        transformed = transform(g, **plain)._node
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


def _cut(x: LazyArray, axis: int, start: int, stop: int, step: int = 1) -> LazyArray:
    part: LazyArray = x[(*(slice(None),) * axis, slice(start, stop, step))]
    return part


def _rfft(a: LazyArray, n: int | None, axis: int, norm: str | None) -> LazyArray:
    """Return the first half of the transform of complex numbers."""
    size = a.shape[axis] if n is None else n
    return _cut(fft.fft(a, n, axis, norm), axis, 0, size // 2 + 1)


def _irfft(a: LazyArray, n: int | None, axis: int, norm: str | None) -> LazyArray:
    """Return the inverse transform of both halves of a Hermitian spectrum."""
    size = 2 * (a.shape[axis] - 1) if n is None else n
    half = size // 2 + 1
    first = LazyArray(padded(a._node, axis, 0, half - a.shape[axis]))
    last = (size + 1) // 2
    second = _cut(first, axis, 1, last).conj()
    whole = concatenate([first, fft_reversed(second, axis)], axis=axis)
    signal: LazyArray = fft.ifft(whole, size, axis, norm).real
    return signal


def fft_reversed(x: LazyArray, axis: int) -> LazyArray:
    """Return `x` in reverse order along an axis."""
    reversed_array: LazyArray = x[(*(slice(None),) * axis, slice(None, None, -1))]
    return reversed_array


def _rfftn(a: LazyArray, s: Any, axes: Sequence[int], norm: str | None) -> LazyArray:
    sizes = list(s) if s is not None else [a.shape[axis] for axis in axes]
    spectrum = _rfft(a, sizes[-1], axes[-1], norm)
    for size, axis in zip(sizes[:-1], axes[:-1], strict=True):
        spectrum = fft.fft(spectrum, size, axis, norm)
    return spectrum


def _irfftn(a: LazyArray, s: Any, axes: Sequence[int], norm: str | None) -> LazyArray:
    sizes = [a.shape[axis] for axis in axes]
    sizes[-1] = 2 * (sizes[-1] - 1)
    sizes = sizes if s is None else list(s)
    signal = a
    for size, axis in zip(sizes[:-1], axes[:-1], strict=True):
        signal = fft.ifft(signal, size, axis, norm)
    return _irfft(signal, sizes[-1], axes[-1], norm)


BY_NAME |= {
    f"fft.{name}": _symmetric(name) for name in ("fft", "ifft", "fft2", "ifft2", "fftn", "ifftn")
}
BY_NAME |= {
    "fft.rfft": Rule(compose=_rfft),
    "fft.irfft": Rule(compose=_irfft),
    "fft.rfft2": Rule(compose=_rfftn),
    "fft.rfftn": Rule(compose=_rfftn),
    "fft.irfft2": Rule(compose=_irfftn),
    "fft.irfftn": Rule(compose=_irfftn),
}
