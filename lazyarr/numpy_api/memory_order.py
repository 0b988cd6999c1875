"""The meaning of ``order="A"`` and ``"K"``: the order of elements in memory, as in NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from lazyarr.arrays.aliasing import layout
from lazyarr.arrays.lazy_array import asarray
from lazyarr.builders import build, movement
from lazyarr.core.shapes import contiguous_strides, permute_view
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Node
from lazyarr.graph.storage import operand_strides
from lazyarr.numpy_api.view_making import is_fortran

__all__ = ["along_memory", "axes_by_stride", "in_order", "order_of"]

Strides = tuple[int, ...]


def order_of(x: Any, order: object, *, keep: bool = False) -> str:
    """Return the order that an ``order=`` argument stands for.

    Parameters
    ----------
    x : array_like
        The array, for "A" and its order in memory.
    order : str or None
        The user's argument, in either case; None is "C".
    keep : bool
        Whether "K" is allowed.

    Returns
    -------
    {"C", "F", "K"}
        "A" becomes "F" for an array in Fortran order alone, else "C".

    Raises
    ------
    ArgumentError
        If it is no order, or "K" where that is not allowed.
    """
    letter = "C" if order is None else order.upper() if isinstance(order, str) else order
    if letter not in ("C", "F", "A", "K"):
        raise ArgumentError(
            f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})", origin=origin()
        )
    if letter == "K" and not keep:
        raise ArgumentError("order 'K' is not permitted for reshaping", origin=origin())
    if letter == "A":
        return "F" if is_fortran(x) else "C"
    return str(letter)


def in_order(result: Any, order: Any, operands: Sequence[Any] = ()) -> Any:
    """Return results whose elements lie in the order that an ``order=`` argument asks for.

    Parameters
    ----------
    result : LazyArray or tuple of LazyArray
        New arrays.
    order : str or None
        The user's argument, in either case; None and "K" leave the results as they are.
    operands : sequence of array_like
        Of which "A" is Fortran order if all lie in it alone.

    Returns
    -------
    LazyArray or tuple of LazyArray
        `result`, or copies of it that are written in that order at once.
    """
    letter = "K" if order is None else str(order).upper()
    if letter == "K":
        return result
    if not isinstance(result, tuple) and result.ndim < 2:
        return result
    if isinstance(result, tuple):
        return tuple(in_order(part, order, operands) for part in result)
    if letter == "A":
        arrays = [asarray(x) for x in operands]
        letter = "F" if all(is_fortran(x) for x in arrays if x.ndim > 1) else "C"
    lies = layout(result)
    if lies.f_contiguous if letter == "F" else lies.c_contiguous:
        return result
    return result.copy(letter)


def axes_by_stride(
    shape: Strides, operands: Sequence[Strides], *, is_joined: bool = False
) -> tuple[int, ...]:
    """Return the axes from the largest stride to the smallest, as NumPy's iterator sorts them.

    Operands that disagree leave two axes in C order, and so does an axis of length one or one
    along which an operand is broadcast.

    Parameters
    ----------
    shape : tuple of int
        Of the operands, broadcast together.
    operands : sequence of tuple of int
        The strides of each operand along the axes of `shape`, in any unit; 0 where it is
        broadcast.
    is_joined : bool
        Whether the operands are joined: axes that no operand decides about go elsewhere then.

    Returns
    -------
    tuple of int
        A permutation of the axes, the slowest first.
    """
    axes = list(range(len(shape)))
    if not is_joined:
        axes.reverse()  # from the fastest axis of C order

    def precedes(axis: int, other: int) -> bool | None:
        """Whether `axis` has to go before `other` in the list; None if no operand decides."""
        slow, fast = (other, axis) if is_joined else (axis, other)
        answer: bool | None = None
        for strides in operands:
            left, right = strides[slow], strides[fast]
            if left and right and shape[slow] > 1 and shape[fast] > 1:
                if abs(right) <= abs(left):
                    answer = False
                elif answer is None:
                    answer = True
        return answer

    for position in range(1, len(axes)):
        goal = position
        for before in range(position - 1, -1, -1):
            answer = precedes(axes[position], axes[before])
            if answer:
                goal = before
            elif answer is not None:
                break
        axes.insert(goal, axes.pop(position))
    return tuple(axes if is_joined else axes[::-1])


def along_memory(
    operands: Sequence[Node],
    axes: Sequence[int],
    make: Callable[[Sequence[Node], Sequence[int]], Node],
) -> Node:
    """Return the result of a function along axes, in the memory order that its operands share.

    NumPy allocates results of such functions with ``order="K"``. Here the function is applied to
    transposed operands, so that no result is copied.

    Parameters
    ----------
    operands : sequence of Node
        Of the same number of axes, and of the same lengths except along `axes`; or what `make`
        refuses.
    axes : sequence of int
        Not negative.
    make : callable
        Returns the result of operands and of the numbers of the axes there: of as many axes.
    """
    ndim = operands[0].ndim
    alike = ndim > 1 and all([x.ndim == ndim for x in operands])  # noqa: C419 - faster
    listed = [operand_strides(x) for x in operands] if alike else []
    if any([own is not None for own in listed]):  # noqa: C419 - faster
        strides = [_steps(x, own) for x, own in zip(operands, listed, strict=True)]
        order = axes_by_stride((2,) * ndim, strides, is_joined=True)
        if order != tuple(range(ndim)):
            moved = [_permuted(x, order) for x in operands]
            result = make(moved, [order.index(axis) for axis in axes])
            back = tuple(map(order.index, range(ndim)))
            return movement.in_order(_permuted(result, back), order)
    return make(operands, axes)


def _steps(x: Node, strides: Strides | None) -> Strides:
    """Return the strides of an operand; 0 along axes that have no order."""
    if strides is None:
        strides = contiguous_strides(x.shape, x.dtype.itemsize)
    return tuple([step if n > 1 else 0 for n, step in zip(x.shape, strides, strict=True)])


def _permuted(x: Node, axes: Sequence[int]) -> Node:
    return build.view(x, permute_view(axes), tuple([x.shape[axis] for axis in axes]))
