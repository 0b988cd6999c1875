"""Values that reductions begin with."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_operand, wrap
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Node, node
from lazyarr.numpy_api.reduction_arguments import fold, is_passed
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.movement import CONCATENATE

__all__ = ["beginning", "begun", "check_initial", "negative_zeros", "sum_from_negative_zeros"]

DType = np.dtype[Any]


def negative_zeros(initial: Any, dtype: DType) -> tuple[str, ...]:
    """Return the parts of an initial value that are -0.0; none in a dtype without that number.

    Parameters
    ----------
    initial : number or None
        The initial value of a sum.
    dtype : numpy.dtype
        In which the sum is taken.

    Returns
    -------
    tuple of str
        Of "real" and "imag".
    """
    numbers = (float, complex, np.floating, np.complexfloating)
    if kind_of(dtype) not in "fc" or not isinstance(initial, numbers):
        return ()
    names = ("real", "imag") if kind_of(dtype) == "c" else ("real",)
    values = {name: getattr(initial, name) for name in names}
    return tuple(name for name, part in values.items() if part == 0 and np.signbit(part))


def check_initial(initial: Any, ufunc: np.ufunc, dtype: DType) -> None:
    """Raise NumPy's error unless a reduction's ``initial=`` is one number that its dtype holds.

    Parameters
    ----------
    initial : object
        The user's argument.
    ufunc : numpy.ufunc
        Which reduces.
    dtype : numpy.dtype
        In which the reduction is computed.
    """
    if not is_passed(initial):
        return
    if np.ndim(initial) if not isinstance(initial, LazyArray) else initial.ndim:
        raise ArgumentError(
            f"Input object to FillWithScalar is not a scalar: initial={initial!r}", origin=origin()
        )
    if kind_of(dtype) in "iu" and isinstance(initial, (int, float, np.generic)):
        with build.located():
            ufunc.reduce(np.empty(0, dtype), dtype=dtype, initial=initial)


def beginning(initial: Any, dtype: DType, shape: tuple[int, ...]) -> Node:
    """Return a reduction of no elements: the initial value.

    Parameters
    ----------
    initial : number
        The user's argument.
    dtype : numpy.dtype
        In which the reduction is computed.
    shape : tuple of int
        Of the result.

    Returns
    -------
    Node
        Of the shape and dtype.
    """
    nothing = build.constant(complex(-0.0, -0.0) if kind_of(dtype) == "c" else -0.0, dtype)
    value = build.elementwise(ELEMENTWISE["add"], (nothing, as_operand(initial)), dtype, "unsafe")
    return build.broadcast_to(value, shape)


def sum_from_negative_zeros(
    x: Node, total: Node, axes: tuple[int, ...], negative: tuple[str, ...]
) -> Node:
    """Return a sum of which parts began at -0.0: these are -0.0 if all their summands are.

    Parameters
    ----------
    x : Node
        The summands.
    total : Node
        Their sum, without the axes.
    axes : tuple of int
        Not negative.
    negative : tuple of str
        The parts, of "real" and "imag".

    Returns
    -------
    Node
        Of the shape and dtype of `total`.
    """
    if kind_of(x.dtype) != "c":
        return _or_negative_zero(x, total, axes)
    parts = {}
    for name in ("real", "imag"):
        summands, part = (build.elementwise(ELEMENTWISE[name], (y,)) for y in (x, total))
        parts[name] = _or_negative_zero(summands, part, axes) if name in negative else part
    return build.elementwise(ELEMENTWISE["complex"], tuple(parts.values()))


def _or_negative_zero(x: Node, total: Node, axes: tuple[int, ...]) -> Node:
    """Return -0.0 if all elements over the axes are, else their sum."""
    negative = build.elementwise(
        ELEMENTWISE["logical_and"],
        (
            build.elementwise(ELEMENTWISE["equal"], (x, 0)),
            build.elementwise(ELEMENTWISE["signbit"], (x,)),
        ),
    )
    every = fold("all", negative, axes)
    return build.elementwise(ELEMENTWISE["where"], (every, build.constant(-0.0, x.dtype), total))


def begun(x: Node, axes: tuple[int, ...], initial: Any) -> Node:
    """Return factors, the first of each product multiplied with the initial value.

    Parameters
    ----------
    x : Node
        The factors; each product has at least one.
    axes : tuple of int
        To multiply over, not negative.
    initial : number
        The user's argument.

    Returns
    -------
    Node
        Of the shape and dtype of `x`.
    """
    if not axes:
        return build.elementwise(
            ELEMENTWISE["multiply"], (x, as_operand(initial)), x.dtype, "unsafe"
        )
    axis, others = axes[0], axes[1:]
    along = (slice(None),) * axis
    first = begun(wrap(x)[(*along, slice(0, 1))]._node, others, initial)
    rest = wrap(x)[(*along, slice(1, None))]._node
    return node(CONCATENATE, (first, rest), x.dtype, x.shape, axis, origin())
