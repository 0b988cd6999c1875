"""``x[key]`` and ``x[key] = value``.

Integers, slices, None and Ellipsis give a view (:mod:`lazyarr.arrays.aliasing`). Integer arrays
give a gather, which kernels compute. Boolean masks over all axes give a selection
(:mod:`lazyarr.arrays.masked_selection`). Assignment gives the array, and all that share its
elements, a new value.
"""

from __future__ import annotations

import operator
from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import (
    is_number,
    is_writeable,
    make_alias,
    owner_of,
    read_only,
    settle,
)
from lazyarr.arrays.basic_index import basic_view, expand_key, has_ellipsis
from lazyarr.arrays.boxes import write_box
from lazyarr.arrays.coercion import (
    WEAK,
    array_of,
    element_of,
    holds_scalars,
    is_numpys_subclass,
)
from lazyarr.arrays.copies import snapshot
from lazyarr.arrays.lazy_array import LazyArray, as_node, as_operand
from lazyarr.arrays.masked_selection import MaskedSelection, compress
from lazyarr.arrays.native_items import write_item
from lazyarr.arrays.pending_writes import may_compute, memory_by_index, own, write_through
from lazyarr.arrays.plain_operands import cast_by_numpy, operand_leaf, read_operands
from lazyarr.arrays.residence import (
    compute_owner,
    compute_together,
    computed_for_part,
    computed_for_reads,
    is_computed_first,
    steps_of,
)
from lazyarr.arrays.steps import PendingIndex, merged
from lazyarr.builders import build
from lazyarr.builders.basic_index import BasicIndex, basic_index, no_index
from lazyarr.builders.build import BOOL, INT64
from lazyarr.builders.gathers import Flag, assigned, gathered
from lazyarr.core import shapes
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import Shape, View
from lazyarr.core.source_location import origin
from lazyarr.errors import DTypeError, IndexingError, ShapeError
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Early, Leaf, Node, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import DATA_SHAPED, LIBRARY, Call, Slot
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import running
from lazyarr.tracing.placeholders import Placeholder

__all__ = ["check_bounds", "getitem", "setitem"]

_NUMBERS = (LazyArray, np.ndarray, np.generic, *WEAK)
"""Values that are written to arrays as they are."""

_CHECKED_SIZE = tuning.row().checked_indices
"""Largest index array whose bounds are checked at once; the others are when evaluated."""


def getitem(x: LazyArray, key: Any) -> LazyArray:
    """Return ``x[key]``.

    Parameters
    ----------
    x : LazyArray
        The array.
    key : object
        What NumPy takes for an index.

    Returns
    -------
    LazyArray
        A view for a basic index, else an array of its own; a :class:`MaskedSelection` for a mask.

    Raises
    ------
    IndexingError
        If the key is no index, or out of bounds as far as that is known without computing.
    """
    if isinstance(key, (LazyArray, np.ndarray)) and kind_of(key.dtype) == "b" and key.ndim:
        if not running and type(x) is LazyArray and compute_together(x, key):
            return x[key]
        return _select(x, key)
    source = x._node
    basic = basic_view(key, source.shape)
    if basic is not None:
        index_map, shape = basic
        size = prod(shape)
        if source.src and (computed_for_part(x, size) or computed_for_reads(x, size)):
            return x[key]
        part = LazyArray(build.view(source, index_map, shape))
        # All integers give a number of NumPy's, which shares nothing.
        if shape or has_ellipsis(key):
            make_alias(part, x, (index_map, shape))
        return part
    items = expand_key(key, source.shape)
    is_view = _is_basic_but_for_numbers(items, key)
    if is_view and not running:
        known = _with_integers(x, items)
        if known is not None:
            return x[known]
    chosen = _arrays(items, source.shape)
    part = LazyArray(gathered(source, chosen))
    if is_view:
        make_alias(part, x, PendingIndex(tuple(chosen), part.shape))
        return part
    return read_operands(part, (key,))


def _is_basic_but_for_numbers(items: list[Any], key: Any) -> bool:
    """Return whether a key has numbers that are to be computed, and would be basic with integers.

    Parameters
    ----------
    items : list
        The key, expanded to all axes.
    key : object
        The key. Integers alone give a number, which shares nothing.
    """
    numbers = 0
    others = 0
    for item in items:
        if isinstance(item, LazyArray):
            # An array without axes gives a copy, as in NumPy.
            if item.ndim or kind_of(item.dtype) not in "iu" or not _gives_views(item):
                return False
            numbers += 1
        elif item is None or isinstance(item, slice):
            others += 1
        elif item is not Ellipsis and not _is_integer(item):
            return False
    return bool(numbers and (others or has_ellipsis(key)))


def _gives_views(index: LazyArray) -> bool:
    argument = None if index._array is not None else index._node.attr
    return argument.is_index if isinstance(argument, Placeholder) else is_number(index)


def _is_integer(item: Any) -> bool:
    return isinstance(item, int | np.integer) and not isinstance(item, bool)


def _with_integers(x: LazyArray, items: list[Any]) -> tuple[Any, ...] | None:
    """Return a key with integers in the place of numbers, which views in memory are made of.

    Returns
    -------
    tuple or None
        None if a number is not to be computed now.
    """
    numbers = [item for item in items if isinstance(item, LazyArray)]
    pending = [number for number in numbers if number._array is None]
    if pending and (
        type(x._array) is not np.ndarray or not may_compute([number._node for number in pending])
    ):
        return None
    return tuple([int(item) if isinstance(item, LazyArray) else item for item in items])


def _mask_of(key: Any) -> Node:
    """Return the node of a mask; the program may write to an ndarray after the statement."""
    return operand_leaf(key, is_mask=True) if type(key) is np.ndarray else as_node(key)


def _select(x: LazyArray, key: Any) -> LazyArray:
    mask = _mask_of(key)
    base = x._node
    if mask.ndim > base.ndim:
        raise IndexingError(
            f"too many indices for array: array is {base.ndim}-dimensional, "
            f"but {mask.ndim} were indexed",
            origin=origin(),
        )
    _check_mask(mask.shape, base.shape, 0)
    return MaskedSelection(base, mask)


def _check_mask(mask: Shape, shape: Shape, first: int) -> None:
    """Raise IndexingError unless a mask has the lengths of the axes from the first one on."""
    for axis, size in enumerate(mask, first):
        if size != shape[axis]:
            raise IndexingError(
                f"boolean index did not match indexed array along axis {axis}; size of axis is "
                f"{shape[axis]} but size of corresponding boolean axis is {size}",
                origin=origin(),
            )


def _arrays(items: list[Any], shape: Shape) -> list[Any]:
    """Return `items` with every array as a node: masks as the positions of their true entries."""
    indices: list[Any] = []
    bounded: list[tuple[Node | int, int]] = []  # with the axis
    axis = 0
    for item in items:
        if item is None or item is Ellipsis or isinstance(item, slice):
            indices.append(item)
            axis += isinstance(item, slice)
            continue
        if isinstance(item, (bool, np.bool_)):
            # A boolean scalar adds an axis of length one or zero, like an array of positions.
            indices.append(Flag(bool(item)))
            continue
        index = _as_index(item)
        if index.dtype == BOOL:
            if not index.shape:
                indices.append(Flag(bool(LazyArray(index))))
                continue
            mask = LazyArray(index)
            if mask.ndim > len(shape) - axis:
                raise IndexingError(
                    f"boolean index of shape {mask.shape} did not match indexed array of shape "
                    f"{shape} along axis {axis}",
                    origin=origin(),
                )
            _check_mask(mask.shape, shape, axis)
            truths = mask._value("a boolean index", DATA_SHAPED)
            early = Early("a boolean index", DATA_SHAPED, truths.nbytes)
            indices.extend(build.leaf(places, early) for places in truths.nonzero())
            axis += mask.ndim
            continue
        is_integer = isinstance(item, (int, np.integer))
        bounded.append((operator.index(item) if is_integer else index, axis))
        indices.append(index)
        axis += 1
    choose_some = _choose_some(indices)
    for checked, axis in bounded:
        if choose_some or not getattr(checked, "shape", ()):
            check_bounds(checked, shape[axis], axis)
    return indices


def _choose_some(indices: list[Any]) -> bool:
    """Return whether arrays broadcast to an element or more; else NumPy looks at integers alone."""
    chosen = [item.shape for item in indices if isinstance(item, Node)]
    chosen += [(int(item.value),) for item in indices if isinstance(item, Flag)]
    try:
        return 0 not in shapes.broadcast_shapes(*chosen)
    except ShapeError:
        return False  # which is said first


def _as_index(item: Any) -> Node:
    try:
        index = as_node(item)
        if isinstance(item, (list, tuple)) and not index.size:
            index = build.cast(index, INT64)  # an empty list has no dtype of its own
    except ShapeError:
        raise  # of lists of several lengths, as of arrays made of them
    except (TypeError, ValueError):
        if isinstance(item, np.ndarray):  # of objects or texts
            raise IndexingError(
                "arrays used as indices must be of integer (or boolean) type, got "
                f"{item.dtype.name}",
                origin=origin(),
            ) from None
        raise no_index(item) from None
    if kind_of(index.dtype) not in "iub":
        if isinstance(item, (float, complex, np.generic)):
            raise no_index(item)
        raise IndexingError(
            f"arrays used as indices must be of integer (or boolean) type, got {index.dtype}",
            origin=origin(),
        )
    return index


def check_bounds(index: Node | int, size: int, axis: int) -> None:
    """Raise IndexingError if an index is known to be out of bounds.

    Parameters
    ----------
    index : Node or int
        The index, or an array of them, which is looked at if it lies in memory.
    size : int
        Length of the axis.
    axis : int
        Its number, for the message.
    """
    if isinstance(index, Node):
        if index.op is not LEAF or not index.size or index.size > _CHECKED_SIZE:
            return
        memory = index.attr
        assert isinstance(memory, Leaf)
        if not memory.is_on_host and not isinstance(memory, DeviceLeaf):
            return  # a placeholder of the executor
        values = memory.array
        low, high = int(values.min()), int(values.max())
    else:
        low = high = index
    if low < -size or high >= size:
        bad = low if low < -size else high
        raise IndexingError(
            f"index {bad} is out of bounds for axis {axis} with size {size}", origin=origin()
        )


def setitem(x: LazyArray, key: Any, value: Any) -> None:
    """Write `value` to ``x[key]``, and so to all arrays that share these elements.

    Parameters
    ----------
    x : LazyArray
        The array.
    key : object
        What NumPy takes for an index.
    value : array_like
        Broadcast to the shape of ``x[key]``, and cast to the dtype of `x` as C does.

    Raises
    ------
    ArgumentError
        If the array is read-only.
    IndexingError
        If the key is no index.
    ShapeError
        If the value does not broadcast.
    """
    if not running and x._array is None and memory_by_index(x):
        x[key] = value
        return
    if not is_writeable(x):
        raise read_only()
    if isinstance(key, (LazyArray, np.ndarray)) and kind_of(key.dtype) == "b" and key.ndim:
        _write_masked(x, key, value)
        return
    shape = x._node.shape
    items = expand_key(key, shape)
    basic = basic_index(items, shape)
    if basic is not None:
        if not basic.shape or isinstance(value, np.generic):
            value = element_of(value, x.dtype)
        is_first = x._array is None and is_computed_first(x, prod(basic.shape))
        if not is_first or not _write_computed(x, key, value):
            _assign_basic(x, basic, value)
        return
    if _write_computed(x, key, value):
        return
    base = x._node
    items = _arrays(items, shape)
    part = _cast_value(value, base)
    x._become(assigned(base, items, part))


def _write_masked(x: LazyArray, key: Any, value: Any) -> None:
    """Write `value` to the elements of an array that a mask chooses."""
    if not running and type(x) is LazyArray and compute_together(x, key, value):
        x[key] = value
        return
    lie_in_memory = x._array is not None and getattr(key, "_array", key) is not None
    x._become(_assign_masked(x, x._node, _mask_of(key), value))
    if lie_in_memory and not running and x._array is None and is_computed_first(x):
        compute_owner(x)  # or all that read it would compute what was chosen


def _write_computed(x: LazyArray, key: Any, value: Any) -> bool:
    """Write to memory that is computed for that; return whether it may be."""
    if running or x._array is not None or type(x) is not LazyArray:
        return False
    return compute_owner(x) and write_item(x, key, value)


def _assign_basic(x: LazyArray, basic: BasicIndex, value: Any) -> None:
    """Write `value` to the elements of `x` that a basic index chooses."""
    index_map, shape = basic.view(), basic.shape
    _check_depth(value, shape)
    if is_writeable(x) and _shows(value, x, index_map, shape):
        return  # what x[key] += 1 ends with: the view has been written to
    part = build.fitting(_cast_value(value, x._node), shape)
    if shape == x._node.shape and index_map == shapes.identity_view(len(shape)):
        x._become(part)
        return
    settle(x)
    if x._alias is None:
        own(x, write_box(x._node, index_map, part))
    else:
        view = LazyArray(part)
        make_alias(view, x, (index_map, shape))
        write_through(view, part)


def _check_depth(value: Any, shape: Shape) -> None:
    """Raise ShapeError for a sequence, or an array in the place of an element, of too many axes."""
    is_sequence = isinstance(value, (list, tuple))
    if not is_sequence and (shape or not isinstance(value, (LazyArray, np.ndarray))):
        return
    depth, item = 0, value
    while isinstance(item, (list, tuple)) and item and depth <= len(shape):
        depth, item = depth + 1, item[0]
    if not is_sequence or not depth:
        depth += getattr(item, "ndim", 0)
    if depth > len(shape):
        most = f"the maximum number of dimension of {len(shape)}."
        limit = f" The requested array would exceed {most}" if shape else ""
        raise ShapeError(f"setting an array element with a sequence.{limit}", origin=origin())


def _shows(value: Any, x: LazyArray, index_map: View, shape: Shape) -> bool:
    """Return whether a value is the view of `x` by an index map."""
    if type(value) is not LazyArray or value._alias is None or not shape:
        return False
    if value._array is not None:
        return False  # written to itself, it stays as it is
    steps, base = steps_of(value), steps_of(x) or ()
    if steps is None or owner_of(value) is not owner_of(x):
        return False
    return steps == merged((*base, (index_map, shape)))


#: Scalars that have to fit the dtype.
_FITTED = (np.bool_, np.integer, np.floating)


def _cast_value(value: Any, base: Node) -> Node:
    """Return the value in the dtype of the array it goes into, as C casts."""
    if value is None:
        value = _of_none(base)
    if isinstance(value, np.ndarray) and is_numpys_subclass(type(value)):
        value = np.asarray(value)  # of masked arrays the data, as NumPy writes them
    if not isinstance(value, _NUMBERS) and holds_scalars(value):
        value = array_of(value, base.dtype)
    if isinstance(value, _FITTED) and not isinstance(value, np.timedelta64):
        # What fits is NumPy's rule for elements, which differs from its casts.
        element = np.empty((), base.dtype)
        build.number_in(element.__setitem__, (), value)
        return build.constant(element, base.dtype)
    operand = as_operand(snapshot(cast_by_numpy(value, base.dtype)))
    if not isinstance(operand, Node):
        if isinstance(operand, complex) and kind_of(base.dtype) == "b":
            operand = bool(operand)
        if isinstance(operand, complex) and kind_of(base.dtype) != "c":
            raise DTypeError(
                f"cannot store a complex number in an array of {base.dtype}", origin=origin()
            )
        if isinstance(operand, float) and kind_of(base.dtype) in "iu":
            # NumPy truncates, and refuses NaN and infinity.
            operand = int(operand)
        return build.constant(operand, base.dtype)
    build.warn_of_discarding(operand.dtype, base.dtype)
    return build.cast(operand, base.dtype)


def _of_none(base: Node) -> Any:
    """Return the element that None becomes in an array: NaN, or false."""
    match kind_of(base.dtype):
        case "f":
            return np.nan
        case "c":
            return complex(np.nan, np.nan)
        case "b":
            return False
        case _:
            raise DTypeError(f"cannot store None in an array of {base.dtype}", origin=origin())


def _assign_masked(x: LazyArray, base: Node, mask: Node, value: Any) -> Node:
    selection = _select(x, LazyArray(mask))
    assert isinstance(selection, MaskedSelection)
    spread = build.reshape(mask, mask.shape + (1,) * (base.ndim - mask.ndim))
    if isinstance(value, MaskedSelection) and value.is_flat and value._mask is mask:
        chosen = build.cast(value._values, base.dtype)
        return build.elementwise(ELEMENTWISE["where"], (mask, chosen, base))
    chosen = _cast_value(value, base)
    tail = base.shape[mask.ndim :]
    if mask.ndim == base.ndim and chosen.ndim > 1:
        raise DTypeError(
            "boolean array indexing assignment requires a 0 or 1-dimensional input, input has "
            f"{chosen.ndim} dimensions",
            origin=origin(),
        )
    if chosen.size == 1 or (chosen.ndim <= len(tail)):
        fitted = build.reshape(chosen, ()) if chosen.size == 1 else build.fitting(chosen, tail)
        return build.elementwise(ELEMENTWISE["where"], (spread, fitted, base))
    count = compress(base, mask).shape[0]
    fitted = build.fitting(chosen, (count, *tail))
    return node(
        LIBRARY["setitem"],
        (base, fitted, mask),
        base.dtype,
        base.shape,
        Call((Slot(0), Slot(1), Slot(2))),
        origin(),
    )
