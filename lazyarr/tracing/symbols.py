"""Unknown numbers: arguments that stand for any number, and random draws."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ContractError, TracingError
from lazyarr.graph.node import Kind, Node, Op, node
from lazyarr.tracing.context import Number, Source, current
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = ["SYMBOL", "Draw", "Drawn", "Mismatch", "Symbol", "SymbolKey"]

UINT64 = np.dtype(np.uint64)

_NUMBERS = frozenset((bool, int, float, complex))


class Mismatch(Exception):
    """A trace does not hold for these arguments."""


def _no_value(node: Node, *arrays: Any) -> Any:
    raise ContractError(f"{node} has no value of its own")


SYMBOL = Op("symbol", Kind.PARAMETER, _no_value)


class Draw:
    """Random draws that are new in every call of a traced function.

    Attributes
    ----------
    source : Source
        Whose draws.
    count : int
        How many.
    """

    __slots__ = ("count", "source")

    def __init__(self, source: Source, count: int) -> None:
        self.source = source
        self.count = count

    def nodes(self) -> tuple[Node, Node]:
        """Return the number of the first and the key, as scalar nodes."""
        number, key = (node(SYMBOL, (), UINT64, (), Drawn(self, part), origin()) for part in (0, 1))
        return number, key


class Drawn:
    """The attribute of a node that is the number (part 0) or the key (part 1) of a draw."""

    __slots__ = ("draw", "part")

    def __init__(self, draw: Draw, part: int) -> None:
        self.draw = draw
        self.part = part


class SymbolKey:
    """A symbol as the attribute of a node, compared by identity; symbols compare as numbers do."""

    __slots__ = ("symbol",)

    def __init__(self, symbol: Symbol) -> None:
        self.symbol = symbol


class Symbol:
    """A Python number among the arguments of a traced function, or made of such numbers.

    Arithmetic gives symbols. With arrays it behaves as the number would, and stays open. Whatever
    else asks for the number gets it, and the trace holds for that number only.

    Attributes
    ----------
    kind : type
        bool, int, float or complex.
    value : bool, int, float or complex
        What it is in this run.
    function : callable, optional
        What makes it of `operands`; None for an argument.
    operands : tuple
        Symbols and numbers; of an argument, its position.
    """

    __slots__ = ("function", "key", "kind", "operands", "value")

    def __init__(
        self, value: Number, function: Callable[..., Number] | None, operands: tuple[Any, ...]
    ) -> None:
        self.kind = type(value)
        self.value = value
        self.function = function
        self.operands = operands
        self.key = SymbolKey(self)

    def node(self, dtype: np.dtype[Any]) -> Node:
        """Return the scalar node of the number converted to `dtype`."""
        trace = current()
        if trace is not None and kind_of(dtype) in "iu":
            trace.integers[id(self), dtype] = self
        return node(SYMBOL, (), dtype, (), self.key, origin())

    def known(self) -> Number:
        """Return the number, after noting that it was looked at."""
        trace = current()
        if trace is None:
            raise TracingError(
                "a number of a function traced by lazyarr.jit is used outside of its call",
                origin=origin(),
                hint="return it from the function",
            )
        trace.pin(self)
        return self.value

    def apply(self, function: Callable[..., Number]) -> Symbol:
        """Return the number that a pure function makes of this one, not looked at."""
        return Symbol(function(self.value), function, (self,))

    def evaluate(self, arguments: Sequence[Number]) -> Number:
        """Return the number for other arguments.

        Raises
        ------
        Mismatch
            If it is of another type then, or there is none.
        """
        if self.function is None:
            number: Number = arguments[self.operands[0]]
            return number
        values = [x.evaluate(arguments) if type(x) is Symbol else x for x in self.operands]
        try:
            number = self.function(*values)
        except (ArithmeticError, TypeError, ValueError):
            raise Mismatch from None
        if type(number) is not self.kind:
            raise Mismatch
        return number

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # So that isinstance() answers as for the number; no C code is deceived by it.
        return self.kind

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *args: Any, **keywords: Any) -> Any:
        # Never an array of objects: NumPy's functions of a number are those of an array.
        return FUNCTIONS["array_ufunc"](ufunc, method, args, keywords)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.array(self.known(), dtype)

    def __bool__(self) -> bool:
        return bool(self.known())

    def __int__(self) -> int:
        return int(cast("float", self.known()))

    def __float__(self) -> float:
        return float(cast("float", self.known()))

    def __complex__(self) -> complex:
        return complex(self.known())

    def __index__(self) -> int:
        return operator.index(cast("int", self.known()))

    def __hash__(self) -> int:
        return hash(self.known())

    def __eq__(self, other: object) -> Any:
        return _apply(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        return _apply(operator.ne, self, other)

    def __round__(self, *digits: int) -> Any:
        return round(cast("float", self.known()), *digits)

    def __trunc__(self) -> int:
        return int(cast("float", self.known()))

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self

    def __repr__(self) -> str:
        if current() is None:  # in a debugger or a log, which are no part of the function
            return f"<{self.kind.__name__} of a traced call, then {self.value!r}>"
        return repr(self.known())

    def __format__(self, spec: str) -> str:
        return format(self.known(), spec)

    def __getattr__(self, name: str) -> Any:
        # real, imag, is_integer, bit_length and the like.
        if name.startswith("__") or not hasattr(self.kind, name):
            raise AttributeError(f"{self.kind.__name__!r} object has no attribute {name!r}")
        return getattr(self.known(), name)


def _apply(function: Callable[..., Any], *operands: Any) -> Any:
    values = []
    for operand in operands:
        if type(operand) is Symbol:
            values.append(operand.value)
        elif type(operand) in _NUMBERS:
            values.append(operand)
        else:
            return NotImplemented
    result = function(*values)
    if type(result) not in _NUMBERS:
        return result
    return Symbol(result, function, operands)


def _give_operators() -> None:
    def binary(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, other: _apply(function, self, other)

    def reflected(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, other: _apply(function, other, self)

    def unary(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self: _apply(function, self)

    for name in "add sub mul truediv floordiv mod lshift rshift and or xor pow".split():
        function = getattr(operator, f"__{name}__")
        setattr(Symbol, f"__{name}__", binary(function))
        setattr(Symbol, f"__r{name}__", reflected(function))
    for name in "lt le gt ge".split():
        setattr(Symbol, f"__{name}__", binary(getattr(operator, f"__{name}__")))
    for name in "neg pos abs invert".split():
        setattr(Symbol, f"__{name}__", unary(getattr(operator, f"__{name}__")))


_give_operators()
