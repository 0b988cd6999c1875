"""Shapes, axes, strides and index maps: pure functions on tuples of integers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import prod
from operator import index
from typing import NamedTuple

from lazyarr.errors import ContractError, ShapeError

__all__ = [
    "MOST_AXES",
    "Shape",
    "View",
    "broadcast_shapes",
    "broadcast_view",
    "broadcasts_to",
    "check_size",
    "compose",
    "contiguous_strides",
    "expand_view",
    "identity_view",
    "inserts_axes",
    "permute_view",
    "reshape_shape",
    "reshape_strides",
    "reshape_view",
    "slice_view",
    "text_of",
    "view_strides",
]

Shape = tuple[int, ...]


class View(NamedTuple):
    """An affine index map from a result to its source.

    The element of the result at index ``i`` is the element of the source at index ``j`` with
    ``j[d] = offsets[d] + sum(coefficients[d][k] * i[k] for k in range(result.ndim))``.

    Slices, transposes, broadcasts, flips, new axes, diagonals and sliding windows are all of
    this form, and so is every composition of them.

    Attributes
    ----------
    offsets : tuple of int
        One entry a source dimension.
    coefficients : tuple of tuple of int
        One row a source dimension, one column a result dimension.
    """

    offsets: tuple[int, ...]
    coefficients: tuple[tuple[int, ...], ...]


_MOST = 2**63 - 1
#: As many as NumPy's arrays have.
MOST_AXES = 64


def text_of(shape: Shape) -> str:
    """Return a shape as NumPy's messages have it: "(3,4)"."""
    return str(tuple(shape)).replace(" ", "")


def check_size(shape: Shape, itemsize: int) -> None:
    """Raise ShapeError if an array of `shape` exceeds the address space.

    As in NumPy an axis of length zero does not make the others smaller.

    Parameters
    ----------
    shape : tuple of int
        Sizes of the axes, of any magnitude.
    itemsize : int
        Bytes of an element.

    Raises
    ------
    ShapeError
        If there are more axes than NumPy's arrays have, or if an axis, or the bytes of all
        elements, exceed ``2**63 - 1``.
    """
    if len(shape) > MOST_AXES:
        raise ShapeError(
            f"maximum supported dimension for an ndarray is currently {MOST_AXES}, found "
            f"{len(shape)}"
        )
    count = itemsize
    for n in shape:
        if n > _MOST:
            raise ShapeError(f"Maximum allowed dimension exceeded: {n}")
        count *= n or 1
    if count > _MOST:
        raise ShapeError(
            "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum "
            f"possible size, got shape {shape}"
        )


def broadcasts_to(shape: Shape, target: Shape) -> bool:
    """Return whether a shape broadcasts to another one, which stays as it is.

    Parameters
    ----------
    shape : tuple of int
        Of what is to be broadcast.
    target : tuple of int
        The other shape.

    Returns
    -------
    bool
        True for equal shapes.
    """
    pairs = zip(reversed(shape), reversed(target), strict=False)
    return len(shape) <= len(target) and all(a in (1, b) for a, b in pairs)


def broadcast_shapes(*shapes: Shape) -> Shape:
    """Return the shape that `shapes` broadcast to.

    Raises
    ------
    ShapeError
        If they do not broadcast together.

    Examples
    --------
    >>> broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    first = shapes[0] if shapes else ()
    if all(shape == first for shape in shapes):
        return first
    ndim = max(map(len, shapes))
    result = [1] * ndim
    for shape in shapes:
        pad = ndim - len(shape)
        for axis, size in enumerate(shape):
            current = result[pad + axis]
            if current == 1:
                result[pad + axis] = size
            elif size not in (1, current):
                raise ShapeError(
                    "shape mismatch: objects cannot be broadcast to a single shape.  "
                    f"Mismatch is between {_mismatch(shapes, ndim)}.",
                    hint="add an axis with x[:, None], or reshape",
                )
    return tuple(result)


def _mismatch(shapes: Sequence[Shape], ndim: int) -> str:
    """Return the first two shapes that differ in the length of an axis, as NumPy names them."""
    for axis in range(-ndim, 0):
        long = [k for k, shape in enumerate(shapes) if len(shape) >= -axis and shape[axis] != 1]
        for k in long[1:]:
            if shapes[k][axis] != shapes[long[0]][axis]:
                pair = (long[0], k)
                return " and ".join(f"arg {place} with shape {shapes[place]}" for place in pair)
    raise ContractError("the shapes broadcast")


def contiguous_strides(shape: Shape, itemsize: int = 1) -> tuple[int, ...]:
    """Return the strides of an array in C order.

    Parameters
    ----------
    shape : tuple of int
        Sizes of the axes.
    itemsize : int, optional
        Bytes of an element; the default gives strides in elements.

    Returns
    -------
    tuple of int
        One an axis. An axis of length zero counts as one of length one, as in NumPy.
    """
    strides = [0] * len(shape)
    step = itemsize
    for axis in range(len(shape) - 1, -1, -1):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def is_dense(shape: Shape, strides: Sequence[int]) -> bool:
    """Return whether elements lie in C order; steps along axes of one element do not count.

    Parameters
    ----------
    shape : tuple of int
        Of an array with elements.
    strides : sequence of int
        In elements.
    """
    sizes = zip(shape, strides, contiguous_strides(shape), strict=True)
    return all(size == 1 or step == dense for size, step, dense in sizes)


def reshape_shape(shape: Shape, new_shape: Sequence[int]) -> Shape:
    """Return the shape that a ``reshape`` argument stands for, its unknown size replaced.

    Parameters
    ----------
    shape : tuple of int
        Of the array.
    new_shape : sequence of int
        The argument; at most one entry is negative, for the size that is left over.

    Raises
    ------
    ShapeError
        If the sizes differ.
    """
    size = prod(shape)
    target = [index(n) for n in new_shape]
    unknown = [axis for axis, n in enumerate(target) if n < 0]
    if len(unknown) > 1:
        raise ShapeError(f"can only specify one unknown dimension, got {tuple(target)}")
    if unknown:
        known = prod(n for n in target if n >= 0)
        if known == 0 or size % known:
            raise _unfit(shape, target)
        target[unknown[0]] = size // known
    if prod(target) != size:
        raise _unfit(shape, target)
    return tuple(target)


def _unfit(shape: Shape, target: list[int]) -> ShapeError:
    """Return NumPy's error for a shape of another size, with its words for an unknown length."""
    first = 1 if target and target[0] < 0 else 0
    lengths = ",".join("newaxis" if n < 0 else str(n) for n in target[first:])
    comma = "," if len(target) == 1 else ""
    return ShapeError(
        f"cannot reshape array of size {prod(shape)} into shape ({lengths}{comma})",
        hint=f"the array has the shape {text_of(shape)}",
    )


def reshape_strides(shape: Shape, strides: Sequence[int], new_shape: Shape) -> Shape | None:
    """Return the strides of a reshape without a copy, or None if there are none.

    Follows NumPy's ``_attempt_nocopy_reshape``: groups of old and new axes of equal product are
    matched front to back, and each group of old axes must be contiguous among themselves.

    Parameters
    ----------
    shape : tuple of int
        Of the array.
    strides : sequence of int
        Of the array, in bytes or in elements.
    new_shape : tuple of int
        A shape of the same size.

    Returns
    -------
    tuple of int or None
        In the unit of `strides`.
    """
    if prod(shape) == 0:
        return contiguous_strides(new_shape)
    old = [(n, s) for n, s in zip(shape, strides, strict=True) if n != 1]
    result = [0] * len(new_shape)
    old_at = new_at = 0
    while old_at < len(old) and new_at < len(new_shape):
        old_stop, new_stop = old_at + 1, new_at + 1
        old_size, new_size = old[old_at][0], new_shape[new_at]
        while old_size != new_size:
            if new_size < old_size:
                new_size *= new_shape[new_stop]
                new_stop += 1
            else:
                old_size *= old[old_stop][0]
                old_stop += 1
        for k in range(old_at, old_stop - 1):
            if old[k][1] != old[k + 1][0] * old[k + 1][1]:
                return None
        step = old[old_stop - 1][1]
        for k in range(new_stop - 1, new_at - 1, -1):
            result[k] = step
            step *= new_shape[k]
        old_at, new_at = old_stop, new_stop
    return tuple(result)


@cache
def identity_view(ndim: int) -> View:
    """Return the view that maps every index to itself."""
    return View((0,) * ndim, tuple(_unit(axis, ndim) for axis in range(ndim)))


def _unit(axis: int, ndim: int, value: int = 1) -> tuple[int, ...]:
    return (0,) * axis + (value,) + (0,) * (ndim - axis - 1)


def permute_view(axes: Sequence[int]) -> View:
    """Return the view of ``source.transpose(axes)``."""
    ndim = len(axes)
    rows: list[tuple[int, ...]] = [()] * ndim
    for position, axis in enumerate(axes):
        rows[axis] = _unit(position, ndim)
    return View((0,) * ndim, tuple(rows))


def broadcast_view(shape: Shape, new_shape: Shape) -> View:
    """Return the view of ``broadcast_to(source, new_shape)``; sizes are not checked.

    Parameters
    ----------
    shape : tuple of int
        Of the source.
    new_shape : tuple of int
        Of the result: a shape that `shape` broadcasts to.
    """
    pad = len(new_shape) - len(shape)
    rows = tuple(
        (0,) * len(new_shape)
        if size == 1 and new_shape[pad + axis] != 1
        else _unit(pad + axis, len(new_shape))
        for axis, size in enumerate(shape)
    )
    return View((0,) * len(shape), rows)


def slice_view(starts: Sequence[int], steps: Sequence[int]) -> View:
    """Return the view of ``source[start::step, ...]``.

    Parameters
    ----------
    starts : sequence of int
        The first index of each axis, not negative.
    steps : sequence of int
        The step of each axis, not zero.
    """
    ndim = len(starts)
    return View(tuple(starts), tuple(_unit(axis, ndim, steps[axis]) for axis in range(ndim)))


def expand_view(shape: Shape, new_shape: Shape) -> View | None:
    """Return the view of a reshape that only adds or drops axes of length one, else None.

    Parameters
    ----------
    shape : tuple of int
        Of the source.
    new_shape : tuple of int
        Of the result.
    """
    if tuple(n for n in shape if n != 1) != tuple(n for n in new_shape if n != 1):
        return None
    axes = (axis for axis, size in enumerate(new_shape) if size != 1)
    rows = tuple(
        (0,) * len(new_shape) if size == 1 else _unit(next(axes), len(new_shape)) for size in shape
    )
    return View((0,) * len(shape), rows)


def reshape_view(shape: Shape, new_shape: Shape) -> View | None:
    """Return the view of a reshape that is an affine map, else None.

    Merging axes is not affine in the source's indices; splitting one axis into several is
    (``j = i0 * n1 + i1``), and so is adding or dropping axes of length one.

    Parameters
    ----------
    shape : tuple of int
        Of the source.
    new_shape : tuple of int
        Of the result, of the same size.
    """
    if prod(shape) == 0:
        return None
    rows: list[tuple[int, ...]] = []
    at = 0
    for size in shape:
        row = [0] * len(new_shape)
        if size != 1:
            while at < len(new_shape) and new_shape[at] == 1:
                at += 1
            stop, product = at, 1
            while product < size:
                product *= new_shape[stop]
                stop += 1
            if product != size:
                return None
            step = 1
            for axis in range(stop - 1, at - 1, -1):
                row[axis] = step
                step *= new_shape[axis]
            at = stop
        rows.append(tuple(row))
    return View((0,) * len(shape), tuple(rows))


def inserts_axes(view: View, shape: Shape, new_shape: Shape) -> bool:
    """Return whether a view inserts axes of length one and does nothing else.

    Parameters
    ----------
    view : View
        The index map.
    shape, new_shape : tuple of int
        Of the source and of the result.

    Examples
    --------
    >>> inserts_axes(View((0,), ((1, 0),)), (3,), (3, 1))
    True
    """
    if not 0 < len(shape) < len(new_shape) or any(view.offsets):
        return False
    kept: list[int] = []
    for row in view.coefficients:
        moving = [axis for axis, step in enumerate(row) if step]
        if len(moving) != 1 or row[moving[0]] != 1 or (kept and moving[0] <= kept[-1]):
            return False
        kept += moving
    if any(new_shape[axis] != size for axis, size in zip(kept, shape, strict=True)):
        return False
    return all(size == 1 or axis in kept for axis, size in enumerate(new_shape))


def compose(inner: View, outer: View, ndim: int) -> View:
    """Return the view that is `inner` of a source and then `outer` of its result.

    Parameters
    ----------
    inner : View
        From the source to the result in between.
    outer : View
        From that to the final result.
    ndim : int
        Number of axes of the final result.

    Returns
    -------
    View
        With the product of both matrices as coefficients.
    """
    offsets = []
    rows = []
    for offset, row in zip(inner.offsets, inner.coefficients, strict=True):
        total = offset
        new_row = [0] * ndim
        for factor, outer_offset, outer_row in zip(
            row, outer.offsets, outer.coefficients, strict=True
        ):
            if factor:
                total += factor * outer_offset
                for k, value in enumerate(outer_row):
                    new_row[k] += factor * value
        offsets.append(total)
        rows.append(tuple(new_row))
    return View(tuple(offsets), tuple(rows))


def view_strides(view: View, strides: Sequence[int], ndim: int) -> tuple[int, tuple[int, ...]]:
    """Return the offset and the strides by which a view reads the memory of its source.

    Parameters
    ----------
    view : View
        From a result to its source.
    strides : sequence of int
        Of the source, in bytes or in elements.
    ndim : int
        Number of axes of the result.

    Returns
    -------
    offset : int
        Of the element at index 0 of the result, in the unit of `strides`.
    strides : tuple of int
        One an axis of the result, in the same unit.
    """
    offset = sum(o * s for o, s in zip(view.offsets, strides, strict=True))
    result = [0] * ndim
    for row, stride in zip(view.coefficients, strides, strict=True):
        for k, value in enumerate(row):
            if value:
                result[k] += value * stride
    return offset, tuple(result)
