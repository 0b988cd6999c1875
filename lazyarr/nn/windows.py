"""Windows that slide over the spatial axes of images and signals, channels last."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.nn.arguments import integers
from lazyarr.numpy_api import movement, padding

__all__ = [
    "Sides",
    "Windows",
    "bordered",
    "channels_first",
    "channels_last",
    "fitting",
    "padded",
    "sides_of",
    "slices_of",
    "windows_of",
]

#: Numbers of elements added before and behind each axis.
Sides = tuple[tuple[int, int], ...]

#: NumPy's names of the modes of padding in which elements of the array are repeated.
_REPEATING = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows along the spatial axes.

    Attributes
    ----------
    size, stride, dilation : tuple of int
        For each axis: elements in a window, steps from window to window and from element to
        element.
    """

    size: tuple[int, ...]
    stride: tuple[int, ...]
    dilation: tuple[int, ...]

    @property
    def extent(self) -> tuple[int, ...]:
        """Elements that a window reaches over along each axis."""
        return tuple((n - 1) * d + 1 for n, d in zip(self.size, self.dilation, strict=True))

    def counts(self, sizes: Sequence[int]) -> tuple[int, ...]:
        """Return the number of windows that fit along axes of these sizes."""
        return tuple(
            (n - reach) // step + 1
            for n, reach, step in zip(sizes, self.extent, self.stride, strict=True)
        )


def windows_of(size: Sequence[int], stride: Any, dilation: Any) -> Windows:
    """Return windows; a single stride or dilation stands for all axes.

    Parameters
    ----------
    size : sequence of int
        Elements of a window along each spatial axis.
    stride : int or sequence of int
        Steps from window to window.
    dilation : int or sequence of int
        Steps from element to element of a window.

    Raises
    ------
    ArgumentError
        If a number is not positive.
    """
    steps = integers(stride, len(size), "stride")
    gaps = integers(dilation, len(size), "dilation")
    for values, name in ((size, "window"), (steps, "stride"), (gaps, "dilation")):
        if any(n < 1 for n in values):
            raise ArgumentError(f"{name} must be positive, got {tuple(values)}", origin=origin())
    return Windows(tuple(size), steps, gaps)


def sides_of(value: Any, windows: Windows, sizes: Sequence[int]) -> Sides:
    """Return the number of elements to add before and behind each spatial axis.

    Parameters
    ----------
    value : int, sequence of int, sequence of pairs, "valid" or "same"
        "valid" adds none. "same" adds as many as it takes for ``ceil(size / stride)`` windows,
        the odd one behind.
    windows : Windows
        Their extent and stride determine "same".
    sizes : sequence of int
        Of the spatial axes.
    """
    rank = len(windows.size)
    if isinstance(value, str):
        if value == "valid":
            return ((0, 0),) * rank
        if value != "same":
            raise ArgumentError(
                f"padding must be 'same', 'valid' or numbers, got {value!r}", origin=origin()
            )
        sides = []
        for n, reach, step in zip(sizes, windows.extent, windows.stride, strict=True):
            missing = max((-(-n // step) - 1) * step + reach - n, 0)
            sides.append((missing // 2, missing - missing // 2))
        return tuple(sides)
    if isinstance(value, Iterable):
        value = tuple(value)
        if value and all(isinstance(pair, Iterable) for pair in value):
            if len(value) != rank:
                raise ArgumentError(
                    f"padding needs {rank} pairs, got {len(value)}", origin=origin()
                )
            before, after = zip(*(integers(pair, 2, "padding") for pair in value), strict=True)
            return _positive(tuple(zip(before, after, strict=True)))
    both = integers(value, rank, "padding")
    return _positive(tuple(zip(both, both, strict=True)))


def _positive(sides: Sides) -> Sides:
    if any(n < 0 for pair in sides for n in pair):
        raise ArgumentError(f"padding must not be negative, got {sides}", origin=origin())
    return sides


def padded(x: LazyArray, sides: Sides, value: Any = 0) -> LazyArray:
    """Return (batch, *spatial, channels) with elements added along the spatial axes.

    Parameters
    ----------
    x : LazyArray
        Of shape (batch, *spatial, channels).
    sides : tuple of (int, int)
        Elements before and behind each spatial axis.
    value : float
        The value of the added elements.
    """
    if not any(n for pair in sides for n in pair):
        return x
    return padding.pad(x, ((0, 0), *sides, (0, 0)), constant_values=value)


def bordered(x: LazyArray, sides: Sides, mode: str) -> tuple[LazyArray, Sides]:
    """Return images with the border of a mode, and the zeros that are yet to be added.

    Parameters
    ----------
    x : LazyArray
        Of shape (batch, *spatial, channels).
    sides : tuple of (int, int)
        Elements before and behind each spatial axis.
    mode : {"zeros", "reflect", "replicate", "circular"}
        What is added. Zeros are not: a convolution does not read them.

    Raises
    ------
    ArgumentError
        If there is no such mode.
    ShapeError
        If an axis has too few elements: one for "reflect", none for the others.
    """
    if mode == "zeros":
        return x, sides
    if mode not in _REPEATING:
        modes = ", ".join(map(repr, ("zeros", *_REPEATING)))
        raise ArgumentError(f"padding_mode must be one of {modes}; got {mode!r}", origin=origin())
    fewest = 2 if mode == "reflect" else 1
    for n, pair in zip(x.shape[1:-1], sides, strict=True):
        if any(pair) and n < fewest:
            raise ShapeError(
                f"padding_mode {mode!r} needs at least {fewest} elements along each axis, the "
                f"spatial axes have {x.shape[1:-1]}",
                origin=origin(),
            )
    if not any(n for pair in sides for n in pair):
        return x, sides
    border = padding.pad(x, ((0, 0), *sides, (0, 0)), mode=_REPEATING[mode])
    return border, ((0, 0),) * len(sides)


def channels_last(x: LazyArray, layout: str, name: str, rank: int) -> LazyArray:
    """Return images as (batch, *spatial, channels).

    Parameters
    ----------
    x : LazyArray
        Of shape (batch, channels, *spatial) or (batch, *spatial, channels).
    layout : {"first", "last"}
        Which of the two.
    name : str
        The function's name in messages.
    rank : int
        The number of spatial axes.

    Raises
    ------
    ShapeError
        If there is another number of axes.
    ArgumentError
        If there is no such layout.
    """
    if x.ndim != rank + 2:
        raise ShapeError(
            f"{name}: x must have {rank + 2} axes: batch, channels, {rank} spatial; got {x.shape}",
            origin=origin(),
            hint="x[None] adds an axis for the batch" if x.ndim == rank + 1 else None,
        )
    if layout == "first":
        return movement.moveaxis(x, 1, -1)
    if layout != "last":
        raise ArgumentError(f"channels must be 'first' or 'last', got {layout!r}", origin=origin())
    return x


def channels_first(x: LazyArray, layout: str) -> LazyArray:
    """Return (batch, *spatial, channels) in a layout.

    Parameters
    ----------
    x : LazyArray
        Of shape (batch, *spatial, channels).
    layout : {"first", "last"}
        Of the result: whether channels are axis 1 or the last.
    """
    return movement.moveaxis(x, -1, 1) if layout == "first" else x


def fitting(windows: Windows, sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the number of windows along axes of these sizes, at least one.

    Parameters
    ----------
    windows : Windows
        Along the spatial axes.
    sizes : sequence of int
        Of the spatial axes, with what was added.

    Raises
    ------
    ShapeError
        If there is none along an axis.
    """
    counts = windows.counts(sizes)
    if any(n < 1 for n in counts):
        raise ShapeError(
            f"windows of extent {windows.extent} do not fit into the sizes {tuple(sizes)}",
            origin=origin(),
        )
    return counts


def slices_of(x: LazyArray, windows: Windows) -> list[LazyArray]:
    """Return, for each element of a window, the array of that element of all windows.

    Parameters
    ----------
    x : LazyArray
        Of shape (batch, *spatial, channels).
    windows : Windows
        Along the spatial axes.

    Returns
    -------
    list of LazyArray
        Of shape (batch, *windows, channels), in the order of the elements of a window.
    """
    counts = fitting(windows, x.shape[1:-1])
    places: list[tuple[slice, ...]] = [()]
    for size, step, gap, count in zip(
        windows.size, windows.stride, windows.dilation, counts, strict=True
    ):
        places = [
            (*place, slice(k * gap, k * gap + (count - 1) * step + 1, step))
            for place in places
            for k in range(size)
        ]
    every = slice(None)
    return [as_lazy(x[(every, *place, every)]) for place in places]
