"""Reductions as builder functions over a running state of one or more numbers.

A :class:`Reducer` says what kernels keep while they reduce, how that takes in one more element, how
two states become one, and what the last state amounts to. How a target cuts the elements among
loops, threads and blocks is no concern of it, and no target knows which reduction it lowers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.primitives import PRIMITIVES

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = [
    "Reducer",
    "as_dtype",
    "by_primitive",
    "extreme_of",
    "last_of",
    "positional",
    "two_sum",
]

DType = np.dtype[Any]
INT64 = np.dtype(np.int64)
Number = bool | int | float
State: TypeAlias = "Sequence[Operand]"


@dataclass(frozen=True, eq=False, slots=True)
class Reducer:
    """The reducer of a reduction or a scan: a row in ``ops/reduce.py``.

    Attributes
    ----------
    name : str
        Of the state's variables in generated source.
    state : callable
        ``state(source, result)``: the dtypes of the numbers that are kept, for elements and a
        result of these register dtypes; None for dtypes that kernels do not reduce.
    identity : callable
        ``identity(dtypes)``: the numbers of a state of no elements, of these dtypes.
    step : callable
        ``step(builder, state, element)``: the state after one more element. The element is its
        value, of a positional reduction its value and its position.
    merge : callable
        ``merge(builder, state, later)``: the state of the elements of two, in their order. It is
        associative but for rounding.
    finish : callable
        ``finish(builder, state)``: what a state of all elements amounts to; targets convert it to
        the dtype of the result.
    primitive : callable, optional
        ``primitive(dtype)``: the associative primitive that takes in an element and another state
        alike, for numbers of a dtype. Targets split what it accumulates into lanes. Of a positional
        reduction it finds the best value. None: `step` and `merge` are more than that.
    better : callable, optional
        ``better(builder, value, best)``: whether a value replaces the best one so far, of a
        reduction whose result is a position.
    compensation : callable, optional
        ``compensation(builder, total, part)``: a float64 total with a part added, and what that
        addition loses, which is kept beside the total.
    centred : bool
        Whether elements are squared distances from the mean that the second operand gives. States
        of pieces are taken about numbers of their own, and moved when they are merged.
    partwise : bool
        Whether complex numbers are reduced part by part.
    ordered : bool
        Whether the order of the elements shows in the result, be it in its rounding.
    warnings : frozenset of str
        The conditions, by their names in ``np.errstate``, of which NumPy warns where floats are
        reduced.
    """

    name: str
    state: Callable[[DType, DType], tuple[DType, ...] | None]
    identity: Callable[[tuple[DType, ...]], tuple[Number, ...]]
    step: Callable[[Builder, State, State], Sequence[Operand]]
    merge: Callable[[Builder, State, State], Sequence[Operand]]
    finish: Callable[[Builder, State], Operand]
    primitive: Callable[[DType], str] | None = None
    better: Callable[[Builder, Operand, Operand], Operand] | None = None
    compensation: Callable[[Builder, Operand, Operand], tuple[Value, Value]] | None = None
    centred: bool = False
    partwise: bool = False
    ordered: bool = True
    warnings: frozenset[str] = frozenset()

    @property
    def is_positional(self) -> bool:
        """Whether the result is the position of an element."""
        return self.better is not None

    @property
    def is_fold(self) -> bool:
        """Whether one primitive, of one number, is all that is done for an element."""
        return self.primitive is not None and self.better is None and not self.centred

    def scans(self, dtype: DType) -> bool:
        """Return whether kernels accumulate elements of a register dtype along an axis."""
        dtypes = self.state(dtype, dtype)
        if dtypes is None or len(dtypes) != 1:
            return False
        return self.primitive is None or kind_of(dtype) in PRIMITIVES[self.primitive(dtype)].kinds


def as_dtype(builder: Builder, value: Operand, dtype: DType) -> Operand:
    """Return a value in a dtype, converted unless it has that dtype already.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    value : Value or Literal
        A number.
    dtype : numpy.dtype
        A register dtype.
    """
    return value if value.dtype == dtype else builder.call("convert", value, dtype=dtype)


def last_of(builder: Builder, state: State) -> Operand:
    """Return the last number of a state: the value of most reductions, the place of others."""
    return state[-1]


def extreme_of(dtype: DType, largest: bool) -> Number:
    """Return the largest or least value of a register dtype; of floats an infinity.

    Parameters
    ----------
    dtype : numpy.dtype
        Bool, an integer or a float.
    largest : bool
        Whether the largest value is returned.
    """
    if kind_of(dtype) == "f":
        return np.inf if largest else -np.inf
    if kind_of(dtype) == "b":
        return largest
    info = np.iinfo(dtype)
    return int(info.max) if largest else int(info.min)


def by_primitive(
    name: str,
    primitive: str,
    state: Callable[[DType, DType], DType],
    identity: Callable[[DType], Number],
    *,
    of_bools: str | None = None,
    compensation: Callable[[Builder, Operand, Operand], tuple[Value, Value]] | None = None,
    centred: bool = False,
    partwise: bool = False,
    ordered: bool = True,
    warnings: frozenset[str] = frozenset(),
) -> Reducer:
    """Return the reducer of one number that a primitive accumulates.

    Parameters
    ----------
    name : str
        Of the variable.
    primitive : str
        A commutative and associative one of two operands.
    state : callable
        ``state(source, result)``: the dtype of the number.
    identity : callable
        ``identity(dtype)``: what it is before the first element.
    of_bools : str, optional
        The primitive that takes the place of `primitive` for bools.
    compensation, centred, partwise, ordered, warnings
        See :class:`Reducer`.
    """

    def of_dtype(dtype: DType) -> str:
        return of_bools if of_bools is not None and kind_of(dtype) == "b" else primitive

    def take(builder: Builder, state: State, new: State) -> list[Operand]:
        current, value = state[0], as_dtype(builder, new[0], state[0].dtype)
        return [builder.call(of_dtype(current.dtype), current, value)]

    return Reducer(
        name,
        lambda source, result: (state(source, result),),
        lambda dtypes: tuple(map(identity, dtypes)),
        take,
        take,
        last_of,
        of_dtype,
        None,
        compensation,
        centred,
        partwise,
        ordered,
        warnings,
    )


def positional(name: str, primitive: str, of_bools: str, relation: str, largest: bool) -> Reducer:
    """Return the reducer that gives the position of the first best element, or the first NaN.

    Parameters
    ----------
    name : str
        Of the variables.
    primitive, of_bools : str
        What takes the better of two values, and of two bools.
    relation : str
        The primitive that compares a better value with a worse one.
    largest : bool
        Whether no value is worse than the largest, or else than the least.
    """

    def better(builder: Builder, value: Operand, best: Operand) -> Operand:
        left, right = value, best
        if kind_of(value.dtype) == "b":
            byte = np.dtype(np.uint8)
            left = builder.call("convert", value, dtype=byte)
            right = builder.call("convert", best, dtype=byte)
        replaces: Operand = builder.call(relation, left, right)
        if kind_of(value.dtype) == "f":
            unordered = builder.call("not_equal", value, value)
            ordered = builder.call("equal", best, best)
            replaces = builder.call("or", replaces, builder.call("and", unordered, ordered))
        return replaces

    def take(builder: Builder, state: State, new: State) -> list[Operand]:
        replaces = better(builder, new[0], state[0])
        pairs = zip(new, state, strict=True)
        return [builder.call("select", replaces, one, other) for one, other in pairs]

    return Reducer(
        name,
        lambda source, result: (source, INT64),
        lambda dtypes: (extreme_of(dtypes[0], largest), 0),
        take,
        take,
        last_of,
        lambda dtype: of_bools if kind_of(dtype) == "b" else primitive,
        better,
    )


def two_sum(builder: Builder, total: Operand, part: Operand) -> tuple[Value, Value]:
    """Return ``total + part`` and the rounding error of that addition.

    Knuth's two-sum (The Art of Computer Programming 2, 4.2.2), exact for any two floats.

    Parameters
    ----------
    builder : Builder
        The kernel that is written.
    total, part : Value or Literal
        Floats of one dtype.

    Returns
    -------
    after : Value
        The rounded sum.
    lost : Value
        ``total + part - after``, exactly.
    """
    b = builder
    after = b.call("add", total, part)
    virtual = b.call("subtract", after, total)
    first = b.call("subtract", total, b.call("subtract", after, virtual))
    return after, b.call("add", first, b.call("subtract", part, virtual))
