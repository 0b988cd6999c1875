"""Regions: the elements of an array that strided loops read or write."""

from __future__ import annotations

from math import gcd
from typing import NamedTuple

from lazyarr.core.shapes import Shape, contiguous_strides

__all__ = ["Ranges", "Region", "ranges_of"]


class Region(NamedTuple):
    """The elements at an offset and at steps along the axes of a domain.

    Attributes
    ----------
    offset : int
        The first element.
    strides : tuple of int
        Elements from one to the next, along each axis of the domain.
    domain : tuple of int
        Its sizes.
    """

    offset: int
    strides: tuple[int, ...]
    domain: Shape


class Ranges(NamedTuple):
    """The indices of a region along each axis of an array.

    Attributes
    ----------
    lows, highs : tuple of int
        The least and the greatest index.
    units : tuple of int
        All indices along an axis are multiples of its unit away from the least; 0: it is the only
        one.
    """

    lows: tuple[int, ...]
    highs: tuple[int, ...]
    units: tuple[int, ...]

    def is_apart(self, other: Ranges) -> bool:
        """Return whether two regions have no element in common.

        Parameters
        ----------
        other : Ranges
            Those of a region of the same array.
        """
        axes = zip(self.lows, self.highs, self.units, *other, strict=True)
        for low, high, unit, other_low, other_high, other_unit in axes:
            if high < other_low or other_high < low:
                return True
            step = gcd(unit, other_unit) if unit != 1 and other_unit != 1 else 1
            if step > 1 and (low - other_low) % step:
                return True
        return False


def ranges_of(shape: Shape, region: Region) -> Ranges | None:
    """Return the indices of a region; None where they are not plain.

    A step along an axis of the domain is taken as one along the outermost axis of the array that
    is no longer. If no index leaves the array then, these are its indices.

    Parameters
    ----------
    shape : tuple of int
        Of the array, which lies in C order.
    region : Region
        Elements of it.
    """
    steps = contiguous_strides(shape)
    lows, rest = [], region.offset
    for step in steps:
        index, rest = divmod(rest, step) if step else (0, rest)
        lows.append(index)
    if rest:
        return None
    highs, units = list(lows), [0] * len(shape)
    for stride, count in zip(region.strides, region.domain, strict=True):
        if count == 1 or not stride:
            continue
        size = abs(stride)
        axes = [k for k, n in enumerate(shape) if n > 1 and size >= steps[k]]
        if not axes or stride % steps[axes[0]]:
            return None
        axis, by = axes[0], stride // steps[axes[0]]
        units[axis] = abs(by) if not units[axis] else gcd(units[axis], by)
        if by > 0:
            highs[axis] += by * (count - 1)
        else:
            lows[axis] += by * (count - 1)
    if any(low < 0 or high >= n for n, low, high in zip(shape, lows, highs, strict=True)):
        return None
    return Ranges(tuple(lows), tuple(highs), tuple(units))
