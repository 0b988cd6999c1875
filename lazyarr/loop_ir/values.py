"""Operands of loop IR statements: scalars, memory, and places in memory."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass

__all__ = ["Index", "Literal", "Operand", "Pointer", "Value"]

DType = np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Value:
    """A scalar: a parameter, a loop counter, a temporary or an accumulator."""

    name: str
    dtype: DType


@dataclass(frozen=True, slots=True)
class Literal:
    """A scalar written into the source."""

    value: bool | int | float
    dtype: DType


Operand = Value | Literal


@dataclass(frozen=True, slots=True)
class Pointer:
    """Flat memory that a kernel reads or writes; no two pointers overlap if either is written."""

    name: str
    dtype: DType
    written: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """``constant + sum(factor * variable)``; a factor is an integer or an int64 value."""

    constant: int | Value = 0
    terms: tuple[tuple[int | Value, Value], ...] = ()
