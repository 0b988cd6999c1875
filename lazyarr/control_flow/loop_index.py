"""The number of the iteration, as a loop's body sees it: weak, as a Python number would be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core.dtypes import kind_of
from lazyarr.graph.node import Node

__all__ = ["LoopIndex"]

_WEAK = frozenset((bool, int, float))


class LoopIndex(LazyArray):
    """An unknown number, and the results of Python's operators on it and other numbers.

    Next to an array it takes the array's dtype, as NumPy does with Python's own numbers.
    """

    __slots__ = ("_weak",)

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self._weak: type = float if kind_of(node.dtype) == "f" else int


def _of_numbers(name: str) -> Callable[[LoopIndex, Any], LazyArray]:
    """Return the operator that gives a number where both operands are."""
    plain: Callable[[LazyArray, Any], LazyArray] = getattr(LazyArray, name)

    def method(self: LoopIndex, other: Any = None) -> LazyArray:
        result = plain(self) if unary else plain(self, other)  # type: ignore[call-arg]
        weak = unary or type(other) in _WEAK or isinstance(other, LoopIndex)
        if weak and result is not NotImplemented and kind_of(result.dtype) in "if":
            return LoopIndex(result._node)
        return result

    unary = name in _UNARY
    method.__name__ = name
    return method


_UNARY = ("__neg__", "__pos__", "__abs__", "__invert__")
_BINARY = (
    "add sub mul truediv floordiv mod and or xor lshift rshift pow "
    "radd rsub rmul rtruediv rfloordiv rmod rand ror rxor rlshift rrshift rpow"
).split()
for _name in (*_UNARY, *(f"__{_part}__" for _part in _BINARY)):
    setattr(LoopIndex, _name, _of_numbers(_name))
