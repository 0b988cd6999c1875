"""The meaning of ``order="A"`` and ``"K"``: the order of elements in memory, as in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.arrays.aliasing import layout
from lazyarr.arrays.lazy_array import asarray
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api.view_making import is_fortran

__all__ = ["axes_by_stride", "in_order", "order_of"]

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
    if isinstance(result, tuple):
        return tuple(in_order(part, order, operands) for part in result)
    if letter == "A":
        arrays = [asarray(x) for x in operands]
        letter = "F" if all(is_fortran(x) for x in arrays if x.ndim > 1) else "C"
    lies = layout(result)
    if lies.f_contiguous if letter == "F" else lies.c_contiguous:
        return result
    return result.copy(letter)


def axes_by_stride(shape: Strides, operands: Sequence[Strides]) -> tuple[int, ...]:
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

    Returns
    -------
    tuple of int
        A permutation of the axes, the slowest first.
    """
    axes = list(range(len(shape)))[::-1]  # from the fastest axis of C order

    def precedes(slow: int, fast: int) -> bool | None:
        """Whether `slow` has to go before `fast`; None if no operand decides."""
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
    return tuple(axes[::-1])
