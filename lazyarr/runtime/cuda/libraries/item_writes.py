"""Writes to the elements that an index chooses: slices, and arrays of indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass, replace
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.runtime.cuda.libraries.kernels import item_writes
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["refuse_items", "write_items"]

_U4 = np.dtype(np.uint32)
_F8 = np.dtype(np.float64)
#: Numbers of values are 32 bits wide.
_MOST = (1 << 32) - 2


@dataclass(frozen=True, slots=True)
class _Index:
    """An array of indices along an axis.

    Attributes
    ----------
    array : Strided
        The indices, broadcast to the shape of the values.
    axis : int
        What they index.
    """

    array: Strided
    axis: int


def _items(key: Any, ndim: int) -> list[Any]:
    """Return one item for each axis, None for new ones, and an ellipsis, if any."""
    items = list(key) if isinstance(key, tuple) else [key]
    dots = [k for k, item in enumerate(items) if item is Ellipsis]
    missing = ndim - sum(item is not None and item is not Ellipsis for item in items)
    at = dots[0] if dots else len(items)
    return [*items[: at + len(dots)], *[slice(None)] * missing, *items[at + len(dots) :]]


def _is_place(item: Any) -> bool:
    return isinstance(item, (int, np.integer)) and not isinstance(item, (bool, np.bool_))


def _chosen(out: Strided, items: list[Any]) -> tuple[Strided, list[_Index]]:
    """Return the elements that the slices choose, with axes of step 0 for arrays, and these."""
    advanced = [k for k, item in enumerate(items) if isinstance(item, Strided) or _is_place(item)]
    arrays = [item for item in items if isinstance(item, Strided)]
    together = broadcast_shapes(*[array.shape for array in arrays]) if arrays else ()
    shape: list[int] = []
    strides: list[int] = []
    offset = axis = at = 0
    places: list[tuple[Strided, int]] = []
    for position, item in enumerate(items):
        if item is Ellipsis:
            continue  # the axes that it stands for follow
        if item is None:
            shape.append(1)
            strides.append(0)
            continue
        size, step = out.shape[axis], out.strides[axis]
        if isinstance(item, slice):
            chosen = range(*item.indices(size))
            offset += chosen.start * step if chosen else 0
            shape.append(len(chosen))
            strides.append(chosen.step * step)
        else:
            at = len(shape) if position == advanced[0] else at
            if isinstance(item, Strided):
                places.append((item, axis))
            else:
                offset += int(item) % size * step
        axis += 1
    if not advanced or advanced[-1] - advanced[0] != len(advanced) - 1:
        at = 0
    behind = len(shape) - at
    shape[at:at] = together
    strides[at:at] = [0] * len(together)
    whole = tuple(shape)
    indices = []
    for array, index_axis in places:
        spread = array.broadcast(together)
        steps = (*[0] * at, *spread.strides, *[0] * behind)
        indices.append(_Index(spread.seen(whole, steps), index_axis))
    address = out.address + offset * out.dtype.itemsize
    return replace(out, address=address, shape=whole, strides=tuple(strides)), indices


def refuse_items(out: Strided, array: Strided, value: Strided, key: Any) -> str | None:
    """Return the reason for which the host writes, or None.

    Parameters
    ----------
    out : Strided
        The result.
    array, value : Strided
        What is copied, and what is written to a part of it.
    key : object
        The index, with arrays in their places.
    """
    items = _items(key, array.ndim)
    for item in items:
        if isinstance(item, Strided):
            if kind_of(item.dtype) not in "iu" or item.dtype == np.uint64:
                return f"indices of {item.dtype.name}"
        elif not (item is None or item is Ellipsis or isinstance(item, slice) or _is_place(item)):
            return "an index that is a bool"
    target, indices = _chosen(out, items)
    if target.shape != value.shape:
        return "values that are broadcast"
    if indices and value.ndim + 1 > item_writes.MAX_AXES:
        return f"more than {item_writes.MAX_AXES} axes"
    if indices and value.size * 2 > _MOST:
        return f"more than {_MOST // 2:,} values"
    return None


def write_items(work: Work, out: Strided, array: Strided, value: Strided, key: Any) -> None:
    """Queue a copy of an array with a part of it replaced.

    Parameters
    ----------
    work : Work
        Where to queue it.
    out : Strided
        The result, contiguous.
    array, value, key
        As those of :func:`refuse_items`.
    """
    work.copy(array, out)
    target, indices = _chosen(out, _items(key, array.ndim))
    if not value.size:
        return
    if not indices:
        work.copy(value, target)
        return
    sizes = [out.shape[index.axis] for index in indices]
    steps = [out.strides[index.axis] for index in indices]
    if out.dtype.itemsize > _F8.itemsize:
        # Complex numbers are two numbers side by side.
        parts = out.dtype.itemsize // _F8.itemsize
        target, value = target.viewed(_F8), value.viewed(_F8)
        steps = [step * parts for step in steps]
        shape = value.shape
        indices = [
            replace(index, array=index.array.seen(shape, (*index.array.strides, 0)))
            for index in indices
        ]
    if not value.ndim:
        value, target = value.seen((1,), (0,)), target.seen((1,), (0,))
        indices = [replace(index, array=index.array.seen((1,), (0,))) for index in indices]
    dtypes = tuple([index.array.dtype for index in indices])
    numbers = [value.size, *value.shape, *value.strides, *target.strides]
    for index, size, step in zip(indices, sizes, steps, strict=True):
        numbers += [size, step, index.axis, *index.array.strides]
    addresses = [index.array.address for index in indices]
    last, start = None, 0
    if any(value.strides):
        # Places are counted from the first element that slices choose.
        before = (target.address - out.address) // target.dtype.itemsize
        last = work.zeros((out.nbytes // target.dtype.itemsize,), _U4)
        source = item_writes.last_source(value.ndim, dtypes)
        start = last.address + before * _U4.itemsize
        work.launch(source, value.size, *numbers, *addresses, start, work.report)
    work.launch(
        item_writes.write_source(target.dtype.itemsize, value.ndim, dtypes),
        value.size,
        *numbers,
        *addresses,
        start,
        value.address,
        target.address,
        work.report,
    )
    del last
