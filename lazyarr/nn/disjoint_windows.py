"""Derivatives of pools whose windows lie side by side.

Each element belongs to one window at most. So the cotangent of images is a value of one map of the
cotangent of the windows: it is computed element by element, where the transposes of as many slices
as a window has elements would be added.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core.frozen import dataclass
from lazyarr.differentiation.markers import GroupRule, with_rule
from lazyarr.differentiation.rules import Application, Cotangent
from lazyarr.nn.windows import Windows, padded, slices_of
from lazyarr.numpy_api import movement, selection

__all__ = ["are_disjoint", "with_rule_of_largest", "with_rule_of_total"]


def are_disjoint(windows: Windows) -> bool:
    """Return whether windows lie side by side, without gaps."""
    return windows.stride == windows.size and prod(windows.dilation) == 1


def with_rule_of_largest(largest: LazyArray, images: LazyArray, windows: Windows) -> LazyArray:
    """Return the largest elements of windows with their derivative.

    Elements that are equally large have equal shares of a window's cotangent.

    Parameters
    ----------
    largest : LazyArray
        Of shape (batch, *windows, channels), of real numbers.
    images : LazyArray
        Of shape (batch, *spatial, channels).
    windows : Windows
        As :func:`are_disjoint` takes them.
    """
    return _with_rule(largest, images, _Largest(windows))


def with_rule_of_total(total: LazyArray, images: LazyArray, windows: Windows) -> LazyArray:
    """Return the sums of windows with their derivative.

    Parameters
    ----------
    total : LazyArray
        Of shape (batch, *windows, channels).
    images : LazyArray
        Of shape (batch, *spatial, channels).
    windows : Windows
        As :func:`are_disjoint` takes them.
    """
    return _with_rule(total, images, _Total(windows))


def _with_rule(value: LazyArray, images: LazyArray, rule: _Largest | _Total) -> LazyArray:
    marked = with_rule((value._node,), (images._node,), GroupRule(rule._vjp, 1, rule._jvp))
    return LazyArray(marked[0])


@dataclass(frozen=True, slots=True)
class _Total:
    """The derivative of sums of windows."""

    windows: Windows

    def _vjp(self, at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
        """Return the cotangent of images: that of the window of each element."""
        (g,) = cotangents
        if g is None:
            return [None]
        images = at.operand(1)
        spread = movement.broadcast_to(self._beside(g), self._apart(images).shape)
        return [self._together(spread, images)]

    def _jvp(
        self, at: Application, tangents: Sequence[Any], count: int
    ) -> Sequence[LazyArray | None]:
        """Return the sums of the tangent's windows."""
        t = tangents[count]
        return [None if t is None else _sum(slices_of(t, self.windows))]

    def _apart(self, images: LazyArray) -> LazyArray:
        """Return the windows of images as (batch, windows, size, windows, size, ..., channels)."""
        counts = self.windows.counts(images.shape[1:-1])
        places = (slice(n * size) for n, size in zip(counts, self.windows.size, strict=True))
        pairs = (n for pair in zip(counts, self.windows.size, strict=True) for n in pair)
        covered = images[(slice(None), *places)]
        return covered.reshape(images.shape[0], *pairs, images.shape[-1])

    def _beside(self, value: LazyArray) -> LazyArray:
        """Return a value of each window with axes for the elements of windows."""
        return movement.expand_dims(value, tuple(range(2, 2 * value.ndim - 2, 2)))

    def _together(self, parts: LazyArray, images: LazyArray) -> LazyArray:
        """Return windows as images, which have zeros where there is no window."""
        counts = self.windows.counts(images.shape[1:-1])
        covered = [n * size for n, size in zip(counts, self.windows.size, strict=True)]
        joined = parts.reshape(images.shape[0], *covered, images.shape[-1])
        sides = tuple((0, n - m) for n, m in zip(images.shape[1:-1], covered, strict=True))
        return padded(joined, sides)


class _Largest(_Total):
    """The derivative of the largest elements of windows."""

    def _vjp(self, at: Application, cotangents: Sequence[LazyArray | None]) -> Sequence[Cotangent]:
        """Return the cotangent of images: a share of that of its window, for the largest."""
        (g,) = cotangents
        if g is None:
            return [None]
        largest, images = at.operands
        share = self._beside(g / self._number(largest, images))
        smaller = self._apart(images) < self._beside(largest)
        return [self._together(selection.where(smaller, 0.0, share), images)]

    def _jvp(
        self, at: Application, tangents: Sequence[Any], count: int
    ) -> Sequence[LazyArray | None]:
        """Return the mean of the tangents of the largest elements."""
        t = tangents[count]
        if t is None:
            return [None]
        largest, images = at.operands
        parts = zip(slices_of(images, self.windows), slices_of(t, self.windows), strict=True)
        total = _sum([selection.where(x < largest, 0.0, part) for x, part in parts])
        return [total / self._number(largest, images)]

    def _number(self, largest: LazyArray, images: LazyArray) -> LazyArray:
        """Return the number of largest elements of each window."""
        one = largest.dtype.type(1)
        parts = slices_of(images, self.windows)
        return _sum([selection.where(x < largest, 0 * one, one) for x in parts])


def _sum(parts: Sequence[LazyArray]) -> LazyArray:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
