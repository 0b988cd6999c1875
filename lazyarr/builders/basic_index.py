"""Building basic indices: integers and slices, which choose elements by an index map."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import MOST_AXES, Shape, View
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError, IndexingError, ShapeError

__all__ = ["BasicIndex", "basic_index", "check_axes", "no_index"]


@dataclass(frozen=True, slots=True)
class BasicIndex:
    """A basic index: for each axis start, step and length, and where result axes come from."""

    starts: tuple[int, ...]
    steps: tuple[int, ...]
    lengths: tuple[int, ...]
    axes: tuple[int | None, ...]  # the source axis of each result axis; None is a new axis

    @property
    def shape(self) -> Shape:
        """Shape of the result."""
        return tuple(1 if axis is None else self.lengths[axis] for axis in self.axes)

    def view(self) -> View:
        """Return the index map."""
        rows = []
        for axis, step in enumerate(self.steps):
            rows.append(tuple(step if source == axis else 0 for source in self.axes))
        return View(self.starts, tuple(rows))


def check_axes(count: int) -> None:
    """Raise IndexingError if the result of indexing would have more axes than arrays have.

    Parameters
    ----------
    count : int
        The axes of the result.
    """
    if count > MOST_AXES:
        raise IndexingError(
            f"number of dimensions must be within [0, {MOST_AXES}], indexing result would have "
            f"{count}",
            origin=origin(),
        )


def _integer(item: Any, size: int, axis: int) -> int:
    value = operator.index(item)
    if not -size <= value < size:
        raise IndexingError(
            f"index {value} is out of bounds for axis {axis} with size {size}", origin=origin()
        )
    return value + size if value < 0 else value


def no_index(item: Any) -> IndexingError:
    """Return the error of a value that is no index.

    Parameters
    ----------
    item : object
        The value.

    Returns
    -------
    IndexingError
        To be raised.
    """
    return IndexingError(
        "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) and integer or "
        f"boolean arrays are valid indices, got {type(item).__name__}",
        origin=origin(),
    )


def basic_index(items: Sequence[Any], shape: Shape) -> BasicIndex | None:
    """Return the basic index that items are, or None if there is an array among them.

    Parameters
    ----------
    items : sequence
        One for each axis of the indexed array, and None for new axes.
    shape : tuple of int
        Of the indexed array.

    Raises
    ------
    IndexingError
        If an integer is out of bounds.
    """
    starts, steps, lengths = [], [], []
    axes: list[int | None] = []
    axis = 0
    for item in items:
        if item is None or item is Ellipsis:
            axes += [] if item is Ellipsis else [None]
            continue
        kind = type(item)
        if kind is slice:
            size = shape[axis]
            try:
                start, stop, step = item.indices(size)
            except TypeError as error:
                for other in items:  # NumPy looks at them before it does at slices
                    if isinstance(other, (float, complex, np.inexact)):
                        raise no_index(other) from None
                raise DTypeError(str(error), origin=origin()) from None
            except ValueError as error:
                raise ShapeError(str(error), origin=origin()) from None
            length = len(range(start, stop, step))
            # An empty slice, or one of length one, has no use for its start or step.
            starts.append(start if length else 0)
            steps.append(step if length != 1 else 1)
            lengths.append(length)
            axes.append(axis)
        elif kind is int or (isinstance(item, np.integer)):
            starts.append(_integer(item, shape[axis], axis))
            steps.append(0)
            lengths.append(1)
        else:
            return None
        axis += 1
    check_axes(len(axes))
    return BasicIndex(tuple(starts), tuple(steps), tuple(lengths), tuple(axes))
