"""Loops over lanes as vector instructions: supported bodies, and the form of each value.

A body of loads, stores and operations that have vector instructions needs no vectoriser, which
would take ten times as long to find that out. What does not depend on the lane stays a scalar and
is spread over the lanes where it meets one that does. A sum of the lane and something else may
only be an index: the vector lies where that of lane 0 does.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto
from typing import assert_never

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.loop_ir.kernel import (
    Call,
    Comment,
    Declare,
    For,
    If,
    Index,
    Let,
    Literal,
    Load,
    Local,
    Operand,
    Prefetch,
    Statement,
    Store,
    ThreadStatement,
    Transpose,
    Update,
    Value,
    While,
)
from lazyarr.loop_ir.primitives import PRIMITIVES

__all__ = ["Spread", "spreads"]

INT64 = np.dtype(np.int64)


class Spread(Enum):
    """The dependence of a value on the lane."""

    PLACE = auto()
    """It is the lane plus something that all lanes share."""
    WIDE = auto()
    """Each lane has one of its own."""


def spreads(lane: Value, body: Sequence[Statement]) -> dict[str, Spread] | None:
    """Return the lane dependence of each value of a body; None if vector instructions cannot do it.

    Values that all lanes share are left out.

    Parameters
    ----------
    lane : Value
        The variable of the loop over lanes.
    body : sequence of Statement
        The loop's body.

    Returns
    -------
    dict of str to Spread, or None
        By the names of values.

    Examples
    --------
    >>> import numpy as np
    >>> from lazyarr.loop_ir.kernel import Pointer
    >>> lane, x = Value("l", np.dtype("i8")), Value("x", np.dtype("f8"))
    >>> memory = Pointer("out", np.dtype("f8"), True)
    >>> spreads(lane, [Store(memory, Index(0, ((1, lane),)), x)])
    {'l': <Spread.PLACE: 1>}
    >>> spreads(lane, [Store(memory, Index(0, ((2, lane),)), x)]) is None
    True
    """
    known = {lane.name: Spread.PLACE}
    for statement in body:
        if isinstance(statement, ThreadStatement):
            return None
        match statement:
            case Comment():
                spread = None
            case Let(target, primitive, args):
                operands = [_of(known, a) for a in args]
                if Spread.PLACE in operands:
                    if primitive != "add" or target.dtype != INT64 or operands.count(None) != 1:
                        return None
                    spread = Spread.PLACE
                else:
                    spread = Spread.WIDE if Spread.WIDE in operands else None
                    if spread and not _has_vectors(primitive, args, target):
                        return None
            case Load(_, _, index):
                places = _places(known, index)
                if places is None or places > 1:
                    return None
                spread = Spread.WIDE if places else None
            case Store(_, index, value):
                if _places(known, index) != 1 or _of(known, value) is Spread.PLACE:
                    return None
                continue
            case Declare() | Update() | For() | While() | If() | Call() | Local() | Prefetch():
                return None
            case Transpose():
                return None
            case _:
                assert_never(statement)
        if spread is not None:
            assert isinstance(statement, Let | Load)
            known[statement.target.name] = spread
    return known


def _of(known: dict[str, Spread], operand: Operand) -> Spread | None:
    return None if isinstance(operand, Literal) else known.get(operand.name)


def _places(known: dict[str, Spread], index: Index) -> int | None:
    """Return the number of terms of an index that follow the lane; None if one does otherwise."""
    count = 0
    for factor, variable in index.terms:
        spread = known.get(variable.name)
        if spread is Spread.WIDE or (spread is Spread.PLACE and factor != 1):
            return None
        count += spread is Spread.PLACE
    return count


def _has_vectors(primitive: str, args: Sequence[Operand], target: Value) -> bool:
    """Whether an operation on vectors of these dtypes is one instruction, or a few."""
    row = PRIMITIVES[primitive]
    if primitive == "convert":
        source = args[0].dtype
        return "b" not in (kind_of(source), kind_of(target.dtype)) and (
            kind_of(source) != "f" or kind_of(target.dtype) == "f"
        )
    return kind_of(args[-1].dtype) in row.vectors
