"""The steps from an array to a view of it: as nodes of an expression, and in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.builders import build
from lazyarr.core import shapes
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.graph.leaf import ComputedLeaf, Region
from lazyarr.graph.node import Node, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import Call, Slot, library_function
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = [
    "Bits",
    "Locked",
    "Part",
    "PendingIndex",
    "Reshaped",
    "Step",
    "Unsettled",
    "as_bits",
    "at_integers",
    "computed_key",
    "in_memory",
    "known_key",
    "merged",
    "place",
    "read",
    "region",
    "view_by_map",
    "written",
]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Locked:
    """A step by an index map to elements that cannot be written to."""

    index_map: View
    shape: Shape


@dataclass(frozen=True, slots=True)
class Reshaped:
    """A step to the same elements, in C order, in another shape."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Unsettled:
    """A step to the elements in another shape: a view, or a copy if they lie in another order.

    Which of both is settled when it matters: who never writes need not know.
    """

    shape: Shape


@dataclass(frozen=True, slots=True)
class Part:
    """A step to the real or the imaginary parts of complex numbers."""

    name: str


@dataclass(frozen=True, slots=True)
class Bits:
    """A step to the same bytes as elements of another dtype."""

    dtype: DType


@dataclass(frozen=True, slots=True)
class PendingIndex:
    """A step by a basic key in which the nodes of numbers stand for integers, not computed yet.

    Attributes
    ----------
    items : tuple
        For each axis a node, an integer or a slice; None for new axes, and Ellipsis where it stands
        for no axis.
    shape : tuple of int
        Of the view.
    """

    items: tuple[Any, ...]
    shape: Shape


#: An index map with the shape that it gives, most often: the pair costs nothing to make.
Step = tuple[View, Shape] | Locked | Reshaped | Unsettled | Part | Bits | PendingIndex


def read(source: Node, step: Step) -> Node:
    """Return the node of the part of a source that a step selects.

    Parameters
    ----------
    source : Node
        The value before the step.
    step : Step
        A settled step.
    """
    if type(step) is tuple:
        return build.view(source, step[0], step[1])
    if type(step) is Reshaped:
        return build.reshape(source, step.shape)
    if type(step) is Locked:
        return build.view(source, step.index_map, step.shape)
    if type(step) is Part:
        return build.elementwise(ELEMENTWISE[step.name], (source,))
    if type(step) is PendingIndex:
        # Imported here, as below: few programs have numbers among their indices.
        from lazyarr.builders.gathers import gathered

        return gathered(source, step.items)
    assert type(step) is Bits
    return as_bits(source, step.dtype)


def written(source: Node, step: Step, value: Node) -> Node:
    """Return `source` with the part that a step selects replaced by `value`.

    Parameters
    ----------
    source : Node
        The value before the step.
    step : Step
        A settled step to elements that may be written to.
    value : Node
        Of the shape and dtype that the step gives.
    """
    if type(step) is tuple:
        # Imported here: many programs write to no part of an array.
        from lazyarr.arrays.boxes import write_box

        return write_box(source, step[0], value)
    if type(step) is Reshaped:
        return build.reshape(value, source.shape)
    if type(step) is Part:
        op = library_function(f"with_{step.name}", _PARTS[step.name])
        call = Call((Slot(0), Slot(1)))
        return node(op, (source, value), source.dtype, source.shape, call, origin())
    if type(step) is PendingIndex:
        from lazyarr.builders.gathers import assigned

        return assigned(source, step.items, value)
    assert type(step) is Bits
    return as_bits(value, source.dtype)


def _with_real(array: Any, value: Any) -> Any:
    result = array.copy()
    result.real = value
    return result


def _with_imag(array: Any, value: Any) -> Any:
    result = array.copy()
    result.imag = value
    return result


_PARTS = {"real": _with_real, "imag": _with_imag}


def as_bits(source: Node, dtype: DType) -> Node:
    """Return the bytes of an array as elements of another dtype, along the last axis.

    Parameters
    ----------
    source : Node
        The array; its last axis is contiguous.
    dtype : numpy.dtype
        Of the result, whose last axis has as many bytes.
    """
    shape = source.shape
    if dtype.itemsize != source.dtype.itemsize:
        shape = (*shape[:-1], shape[-1] * source.dtype.itemsize // dtype.itemsize)
    # Imported here: few programs see bytes as another dtype.
    from lazyarr.ops.plain_values import viewed

    op = library_function("view", viewed)
    call = Call((Slot(0),), (("target", dtype),))
    return node(op, (source,), dtype, shape, call, origin())


# Keys of numbers.


def known_key(step: PendingIndex) -> tuple[Any, ...] | None:
    """Return the key with integers in the place of nodes; None unless all are computed.

    Parameters
    ----------
    step : PendingIndex
        The step.
    """
    key = []
    for item in step.items:
        if isinstance(item, Node):
            value = item if item.stored is None else item.stored
            if not isinstance(value.attr, ComputedLeaf):
                return None
            item = int(value.attr.array)
        key.append(item)
    return tuple(key)


def computed_key(step: PendingIndex) -> tuple[Any, ...]:
    """Return the key with integers in the place of nodes, which are computed.

    Parameters
    ----------
    step : PendingIndex
        The step.
    """
    wrap = FUNCTIONS["wrap"]
    reason = "an index of a view"
    return tuple(
        [int(wrap(item)._value(reason)) if isinstance(item, Node) else item for item in step.items]
    )


def at_integers(step: PendingIndex, key: Sequence[Any], shape: Shape) -> tuple[View, Shape]:
    """Return the step of an index map that a step becomes when its numbers are computed.

    Parameters
    ----------
    step : PendingIndex
        The step.
    key : sequence
        Its items with integers in the place of nodes.
    shape : tuple of int
        Of the array before the step.

    Raises
    ------
    IndexingError
        If an integer is out of bounds.
    """
    # Imported here, as above.
    from lazyarr.builders.basic_index import basic_index

    basic = basic_index(key, shape)
    assert basic is not None
    return basic.view(), step.shape


def merged(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return equal steps of which no two index maps follow each other."""
    joined: list[Step] = []
    for step in steps:
        last = joined[-1] if joined else None
        if type(step) is tuple and type(last) is tuple:
            index_map = shapes.compose(last[0], step[0], len(step[1]))
            joined[-1] = (index_map, step[1])
        else:
            joined.append(step)
    return tuple(joined)


# Views in memory.


def place(array: Array, offset: int, like: Array) -> Array:
    """Return a view of an array that lies in it as another view lies in an equal array.

    Parameters
    ----------
    array : numpy.ndarray
        Whose memory is shown.
    offset : int
        Bytes from its first element to the first of the view.
    like : numpy.ndarray
        Has the shape, strides, dtype and writeability of the view.
    """
    return region(array, offset, like.shape, like.strides, like.dtype, like.flags.writeable)


def region(
    array: Array,
    offset: int,
    shape: Shape,
    strides: tuple[int, ...],
    dtype: DType,
    writeable: bool,
    keeper: object = None,
) -> Array:
    """Return an array of a region of another's memory.

    Parameters
    ----------
    array : numpy.ndarray
        Whose memory is shown.
    offset : int
        Bytes from its first element to the first of the region.
    shape, strides : tuple of int
        Of the region; strides in bytes.
    dtype : numpy.dtype
        Of its elements.
    writeable : bool
        Whether NumPy lets them be written to.
    keeper : object, optional
        What keeps the memory; default: the array, whose reference count then shows it.
    """
    interface = {
        "version": 3,
        "typestr": dtype.str,
        "data": (array.__array_interface__["data"][0] + offset, not writeable),
        "shape": shape,
        "strides": strides,
    }
    shown = np.asarray(Region(array if keeper is None else keeper, interface))
    return shown if shown.dtype is dtype else shown.view(dtype)  # the text of bfloat16 is no name


def view_by_map(array: Array, index_map: View, shape: Shape, writeable: bool = True) -> Array:
    """Return the elements of an array that an index map chooses.

    Parameters
    ----------
    array : numpy.ndarray
        Whose memory is shown.
    index_map : View
        From the result to the array.
    shape : tuple of int
        Of the result.
    writeable : bool, optional
        Whether it may be written to, if the array may.
    """
    offset, strides = shapes.view_strides(index_map, array.strides, len(shape))
    writeable = writeable and array.flags.writeable
    return region(array, offset, shape, strides, array.dtype, writeable)


def in_memory(array: Array, step: Step) -> Array | None:
    """Return the view that a step leads to from an array in memory; None if that is no view.

    Parameters
    ----------
    array : numpy.ndarray
        The array before the step.
    step : Step
        Any step.
    """
    if type(step) is tuple or type(step) is Locked:
        index_map, shape = step if isinstance(step, tuple) else (step.index_map, step.shape)
        return view_by_map(array, index_map, shape, type(step) is tuple)
    if type(step) is Part:
        part: Array = getattr(array, step.name)
        return part
    if type(step) is Bits:
        try:
            return array.view(step.dtype)
        except ValueError:
            return None
    if type(step) is PendingIndex:
        key = known_key(step)
        return None if key is None else view_by_map(array, *at_integers(step, key, array.shape))
    assert isinstance(step, Reshaped | Unsettled)
    reshaped = array.reshape(step.shape)
    base = reshaped.base
    return reshaped if base is not None and (base is array or base is array.base) else None
