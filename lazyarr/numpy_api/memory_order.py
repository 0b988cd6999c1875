"""What ``order="A"`` and ``"K"`` mean: where elements lie, or would lie if arrays were NumPy's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api.view_making import is_fortran

__all__ = ["axes_by_stride", "order_of"]

Strides = tuple[int, ...]


def order_of(x: Any, order: object, *, keep: bool = False) -> str:
    """Return "C", "F" or, where `keep` allows it, "K" for an ``order=`` argument.

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


def axes_by_stride(shape: Strides, operands: Sequence[Strides]) -> tuple[int, ...]:
    """Return the axes from the largest stride to the smallest, as NumPy's iterator sorts them.

    Operands that disagree leave two axes in C order, and so does an axis of length one or one
    along which an operand is broadcast.
    """
    axes = list(range(len(shape)))[::-1]  # from the fastest axis of C order

    def precedes(slow: int, fast: int) -> bool | None:
        """Whether `slow` has to go before `fast`; None if no operand tells."""
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
