"""Axes by number, as arguments name them."""

from __future__ import annotations

from collections.abc import Iterable
from operator import index
from sys import maxsize

from lazyarr.errors import ArgumentError, AxisError

__all__ = ["c_int", "list_axes", "normalize_axes", "normalize_axis", "strict_axis"]


def normalize_axis(axis: int, ndim: int, name: str = "axis") -> int:
    """Return `axis` counted from the front.

    Parameters
    ----------
    axis : int
        An axis; negative ones count from the back.
    ndim : int
        Number of axes of the array.
    name : str, optional
        The argument's name in error messages.

    Returns
    -------
    int
        In ``range(ndim)``.

    Raises
    ------
    AxisError
        If it is out of range.
    ArgumentError
        If it is no integer.
    OverflowError
        If it is none of 64 bits.
    """
    try:
        value = index(axis)
    except TypeError as error:
        raise ArgumentError(f"{error}: {name} must be an integer, got {axis!r}") from None
    if not -maxsize <= value <= maxsize:
        raise OverflowError("Python int too large to convert to C long")
    if not -ndim <= value < ndim:
        text = f"{name} {value} is out of bounds for array of dimension {ndim}"
        raise AxisError(text, axis=value, ndim=ndim)
    return value % ndim if ndim else value


def c_int(value: int) -> int:
    """Return an integer that NumPy reads as a C int.

    Parameters
    ----------
    value : int
        The user's argument.

    Raises
    ------
    OverflowError
        If it is none of 32 bits.
    """
    number = index(value)
    if abs(number) > maxsize:
        raise OverflowError("Python int too large to convert to C long")
    if not -(2**31) <= number < 2**31:
        side = "greater than maximum" if number > 0 else "less than minimum"
        raise OverflowError(f"signed integer is {side}")
    return number


def strict_axis(axis: int, ndim: int) -> int:
    """Return `axis` counted from the front, as those of NumPy's functions that are written in C.

    Parameters
    ----------
    axis : int
        An axis; True and False are none.
    ndim : int
        Number of axes of the array.

    Returns
    -------
    int
        In ``range(ndim)``.

    Raises
    ------
    AxisError
        If it is out of range.
    ArgumentError
        If it is no integer.
    """
    if isinstance(axis, bool):
        raise ArgumentError("an integer is required for the axis")
    return normalize_axis(axis, ndim)


def list_axes(axis: int | Iterable[int]) -> tuple[int, ...]:
    """Return the axes that an argument of one or several names, in its order.

    Parameters
    ----------
    axis : int or iterable of int
        The user's argument; whether the axes exist is not checked.

    Returns
    -------
    tuple of int
        As many as are named.
    """
    try:
        return (index(axis),)  # type: ignore[arg-type]
    except TypeError:
        return tuple(axis) if isinstance(axis, Iterable) else (axis,)


def normalize_axes(
    axis: int | Iterable[int] | None, ndim: int, name: str = "axis"
) -> tuple[int, ...]:
    """Return the sorted axes that an ``axis=`` argument names; None names all of them.

    Parameters
    ----------
    axis : int, iterable of int or None
        Axes; negative ones count from the back.
    ndim : int
        Number of axes of the array.
    name : str, optional
        The argument's name in error messages.

    Returns
    -------
    tuple of int
        In ascending order, each in ``range(ndim)``.

    Raises
    ------
    AxisError
        If an axis is out of range, or occurs twice.
    ArgumentError
        If one is no integer.
    """
    if axis is None:
        return tuple(range(ndim))
    listed = list_axes(axis)
    axes = tuple(normalize_axis(a, ndim, name) for a in listed)
    if len(set(axes)) != len(axes):
        raise AxisError(f"repeated {name} in {listed}")
    return tuple(sorted(axes))
