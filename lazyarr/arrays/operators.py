"""The operators of arrays: immediate if both operands are small and in memory, else nodes."""

from __future__ import annotations

import operator as python_operators
from collections.abc import Callable
from functools import cache
from sys import getrefcount
from typing import Any, TypeVar

import numpy as np

from lazyarr.arrays import coercion
from lazyarr.arrays.aliasing import is_number, is_writeable
from lazyarr.arrays.base import ArrayBase
from lazyarr.arrays.coercion import WEAK, holds_others, is_no_number
from lazyarr.arrays.immediate import limit
from lazyarr.arrays.native import (
    REFUSED,
    computed_with,
    exceptions,
    new_array,
    note_exceptions,
    report,
    state,
)
from lazyarr.arrays.native_items import write_operated
from lazyarr.arrays.pending_writes import begin_write, is_last_write, passing
from lazyarr.arrays.residence import lies_in_memory
from lazyarr.arrays.storing import changing
from lazyarr.builders import build
from lazyarr.builders.build import BOOL, INT64
from lazyarr.core.dtypes import is_supported, kind_of
from lazyarr.core.shapes import broadcast_shapes, broadcasts_to, text_of
from lazyarr.core.source_location import is_lent, origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError, UnsupportedDTypeError
from lazyarr.graph.node import Op, node
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.tracing import REFUSING, answered, is_traced, recorded, recording, running
from lazyarr.tracing.hooks import FUNCTIONS

S = TypeVar("S")

__all__ = [
    "building",
    "comparison",
    "data_of",
    "declined",
    "defers_to",
    "in_place",
    "is_foreign",
    "operator",
    "unary",
]

#: Python's names of operators that NumPy calls otherwise.
_PYTHON_NAMES = {
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "power": "pow",
    "bitwise_and": "and_",
    "bitwise_or": "or_",
    "bitwise_xor": "xor",
    "left_shift": "lshift",
    "right_shift": "rshift",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "equal": "eq",
    "not_equal": "ne",
}


#: The operations that NumPy's ``**`` of complex numbers may be in place of a power.
_POWERS = {2.0: "square", 0.5: "sqrt", -1.0: "reciprocal", 1.0: "positive"}


@cache
def _complex_power(dtype: np.dtype[Any], kind: Any, exponent: float) -> Op | None:
    """Return the operation that NumPy's ``**`` of complex numbers and a number is; None: a power.

    Which numbers of which types it takes so depends on NumPy's version, which is asked.
    """
    number, op = kind(exponent), ELEMENTWISE[_POWERS[exponent]]
    base = np.array([complex(-0.0, 0.0), complex(-0.0, -0.0), complex(-np.inf, 0.0), 0.3 - 2j])
    base = base.astype(dtype)
    assert op.ufunc is not None
    with np.errstate(all="ignore"):
        bits = (base**number).tobytes()
        is_power = bits == np.power(base, number).tobytes()
        return None if is_power or bits != op.ufunc(base).tobytes() else op


def _powered(array: Any, exponent: Any) -> Any:
    """Return ``array ** exponent`` where NumPy takes another operation than a power; else None."""
    kind = type(exponent)
    is_number = kind in WEAK or isinstance(exponent, np.generic)
    if not is_number or kind_of(array.dtype) != "c" or exponent not in _POWERS:
        return None
    if isinstance(exponent, complex | np.complexfloating):
        return None
    named: Any = kind
    op = _complex_power(array.dtype, named, float(exponent))
    return None if op is None else FUNCTIONS["apply"](op, (array,))


def is_foreign(value: Any) -> bool:
    """Return whether an operator has to leave `value` to its own type."""
    kind = type(value)
    if kind in WEAK or kind is np.ndarray or isinstance(value, ArrayBase):
        return False
    return coercion.is_foreign(value)


def defers_to(value: Any) -> bool:
    """Return whether an operator leaves `value` to its own type, which ufuncs may convert.

    As NumPy's operators they leave it to arrays of a higher priority, too.
    """
    kind = type(value)
    if kind in WEAK or kind is np.ndarray or isinstance(value, ArrayBase):
        return False
    if coercion.is_foreign(value):
        return True
    if isinstance(value, (np.generic, np.ndarray)) or not hasattr(kind, "__array_priority__"):
        return False
    priority = value.__array_priority__
    return isinstance(priority, (int, float)) and priority > ArrayBase.__array_priority__


def data_of(value: Any) -> Any:
    """Return an operand of an operator in place: of masked arrays and matrices their data."""
    if isinstance(value, np.ndarray) and coercion.is_numpys_subclass(type(value)):
        return np.asarray(value)
    return value


def operator(name: str, *, reflected: bool = False) -> Callable[[S, Any], S]:
    """Return an operator of arrays.

    Parameters
    ----------
    name : str
        Of the ufunc.
    reflected : bool
        Whether the array is the right operand.
    """
    op = ELEMENTWISE[name]
    # Dtypes of operands that need no cast -> dtype of the result; with a Python scalar, also
    # the dtype that it takes. Building an expression is on every script's path.
    direct: dict[tuple[object, object], Any] = {}
    weak: dict[tuple[object, object], tuple[Any, Any]] = {}

    function = getattr(python_operators, _PYTHON_NAMES.get(name, name))

    def method(self: Any, other: Any) -> Any:
        kind = type(other)
        array = self._array
        if array is not None and not running:
            # What is most frequent is written out: each call takes as long as a small operation.
            alias = self._alias
            if alias is None or alias[0]._array is alias[1]:
                own, past, operand = type(self), self._past, other
                if kind is own:
                    operand, alias = other._array, other._alias
                    is_plain = (
                        operand is not None
                        and (alias is None or alias[0]._array is alias[1])
                        and array.shape == operand.shape
                    )
                    past += other._past
                else:
                    # A complex number of Python's takes NumPy's float64 for one of Python's.
                    is_plain = kind in WEAK and not (reflected and kind is complex)
                if is_plain and array.size <= limit():
                    token = note_exceptions()
                    try:
                        value = function(operand, array) if reflected else function(array, operand)
                    except REFUSED:
                        value = None
                    finally:
                        state.reset(token)
                    if value is not None:
                        if exceptions:
                            both = (operand, array) if reflected else (array, operand)
                            report(op, function, *both)
                        pair = (op, other, self) if reflected else (op, self, other)
                        return new_array(own, value, pair, past)
            if kind is self._new or kind in WEAK or not defers_to(other):
                computed = computed_with(op, function, self, other, reflected)
                if computed is not None:
                    return computed
        if running and (trace := recording()) is not None:
            return trace.call(method, (self, other), {})
        if op.operator_varies and not reflected and (power := _powered(self, other)) is not None:
            return power
        if kind is self._new and type(self) is kind:
            # The memory of a view may be older than its owner's value, which `_node` asks for.
            left = self._current if self._alias is None else self._node
            right = other._current if other._alias is None else other._node
            if reflected:
                left, right = right, left
            if left.shape == right.shape:
                key = (left.dtype, right.dtype)
                if (dtype := direct.get(key)) is not None:
                    return self._new(node(op, (left, right), dtype, left.shape, None, origin()))
                value = build.elementwise(op, (left, right))
                if value.op is op and value.src == (left, right):
                    direct[key] = value.dtype
                return self._new(value)
        elif kind in WEAK and type(self) is self._new:
            array = self._current if self._alias is None else self._node
            dtypes = weak.get((array.dtype, kind))
            if dtypes is not None:
                scalar = build.constant(other, dtypes[0])
                src = (scalar, array) if reflected else (array, scalar)
                return self._new(node(op, src, dtypes[1], array.shape, None, origin()))
            value = build.elementwise(op, (other, array) if reflected else (array, other))
            # Integers may not fit, and which operation a power is depends on the number.
            fits = not op.operator_varies and (kind is not int or kind_of(array.dtype) in "fc")
            if fits and array in value.src:
                weak[array.dtype, kind] = value.src[0 if reflected else 1].dtype, value.dtype
            return self._new(value)
        if defers_to(other):
            return declined(function, self, other, reflected=reflected)
        return _of_any(op, (other, self) if reflected else (self, other))

    return _repeating(method) if op is ELEMENTWISE["multiply"] else method


def _of_any(op: Op, operands: tuple[Any, Any]) -> Any:
    """Return the result of an operator, which is NumPy's for a dtype that lazyarr has not."""
    try:
        return FUNCTIONS["apply"](op, operands)
    except UnsupportedDTypeError as error:
        return answered(error, getattr(np, op.name), operands, {})


REFUSING.add(_of_any.__code__)


def _repeating(multiply: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Return ``*`` by which an integer repeats a list or a tuple, as NumPy's numbers do."""

    def method(self: Any, other: Any) -> Any:
        kind = type(other)
        if (kind is list or kind is tuple) and kind_of(self.dtype) in "iu" and is_number(self):
            return other * int(self._scalar("the length of a list"))
        return multiply(self, other)

    return method


def declined(
    function: Callable[[Any, Any], Any], array: Any, other: Any, *, reflected: bool = False
) -> Any:
    """Return the result of an operator with an operand of a foreign type.

    Types with a priority among NumPy's arrays, such as SciPy's sparse ones, answer to these
    alone: they get the value. With objects, such as a Decimal, NumPy computes for each element.
    What is none of these is asked by Python, after NotImplemented.

    Parameters
    ----------
    function : callable
        The operator, as a function of both operands.
    array : LazyArray
        One of them.
    other : object
        The other one.
    reflected : bool
        Whether the array is the right one.
    """
    kind = type(other)
    answers = hasattr(kind, "__array_ufunc__") and not (reflected and isinstance(other, np.matrix))
    is_ordered = hasattr(kind, "__array_priority__")
    if answers or (not is_ordered and is_traced()):
        return NotImplemented
    value = np.asarray(array)
    try:
        return function(other, value) if reflected else function(value, other)
    except TypeError:
        if is_ordered:
            raise
        return NotImplemented  # the object is no operand of numbers: Python asks it


def comparison(name: str, answer: bool) -> Callable[[S, Any], S]:
    """Return ``==`` or ``!=``.

    Parameters
    ----------
    name : str
        Of the ufunc.
    answer : bool
        The result for each element where the other operand is no number.
    """
    compare = operator(name)
    function = getattr(python_operators, _PYTHON_NAMES[name])

    @recorded
    def unlike(self: Any, other: Any) -> Any:
        with build.located():
            shape = broadcast_shapes(self.shape, getattr(other, "shape", ()))
        return self._new(build.filled(answer, np.dtype(np.bool_), shape))

    @recorded
    def by_values(self: Any, other: Any) -> Any:
        others = np.asarray(other)
        with build.located():
            broadcast_shapes(self.shape, others.shape)
        value = self._value(f"numpy.{name}", "it is compared with objects, texts or times")
        return self._new(build.leaf(np.asarray(function(value, others))))

    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, ArrayBase) and is_no_number(other):
            return unlike(self, other)
        try:
            result = compare(self, other)
        except DTypeError:
            if not holds_others(other):
                raise
            return by_values(self, other)
        if result is not NotImplemented or hasattr(type(other), "__array_ufunc__"):
            return result
        # Python would compare whether they are one object, and that is no array.
        equal = coercion.compared(other, self)
        if equal is NotImplemented:
            return unlike(self, other)
        return equal if not answer else not equal

    return method


def in_place(name: str) -> Callable[[S, Any], S]:
    """Return an operator that writes to its left operand, by the name of the ufunc."""
    op = ELEMENTWISE[name]
    own = _PYTHON_NAMES.get(name, name).rstrip("_")
    with_number = operator(name)

    def write(self: Any, other: Any) -> Any:
        other = data_of(other)
        if defers_to(other):
            return NotImplemented
        with changing():
            begin_write(self)
            number = is_number(self)
            if not number:
                _check_output(op, self, other)
            value = _powered(self, other) if op.operator_varies else None
            if value is None:
                value = _applied(op, self, other)
            if number:
                return value
            self._assign(value, op.name)
        return self

    written = recorded(write, getattr(np.ndarray, f"__i{own}__"))

    def method(self: Any, other: Any) -> Any:
        if not running and (type(self._array) is np.ndarray or lies_in_memory(self)):
            if not defers_to(other) and write_operated(op, self, other):
                return self
        if not running and is_number(self):
            return with_number(self, other)
        if type(other) is type(self) and other._array is None and is_last_write(self):
            if getrefcount(other) <= _UNNAMED and not is_lent(other) and other._alias is None:
                with passing(other._current):
                    return written(self, other)
        return written(self, other)

    return method


class _Target:
    """Counts the references to an operand that a statement alone refers to."""

    references = 0

    def __iadd__(self, other: Any) -> Any:
        _Target.references = getrefcount(other)
        return self


def _references_of_an_operand() -> int:
    target = _Target()
    target += object()
    return _Target.references


_UNNAMED = _references_of_an_operand()


def _applied(op: Op, array: Any, other: Any) -> Any:
    """Return the value of an operator in place, with NumPy's text where shapes differ."""
    try:
        return FUNCTIONS["apply"](op, (array, other))
    except ShapeError as error:
        shapes = " ".join(map(text_of, (array.shape, np.shape(other), array.shape)))
        raise ShapeError(
            f"operands could not be broadcast together with shapes {shapes} in {op.name}",
            origin=error.origin,
            hint=error.hint,
        ) from None


def _check_output(op: Op, array: Any, other: Any) -> None:
    """Raise NumPy's error of an array that does not take a result, before that is computed."""
    if not is_writeable(array):
        hint = "copy it first: x.copy()"
        raise ArgumentError("output array is read-only", origin=origin(), hint=hint)
    kind = getattr(other, "dtype", type(other))
    if op.ufunc is None or not (isinstance(kind, np.dtype) or kind in WEAK):
        return
    if isinstance(kind, np.dtype) and not is_supported(kind):
        return  # NumPy computes with it, and takes some powers for squares
    if kind is int and np.asarray(other).dtype != INT64:
        return  # the operation refuses it, or the dtype of the array has such integers
    try:
        *_, result = op.ufunc.resolve_dtypes((array.dtype, BOOL if kind is bool else kind, None))
    except TypeError:
        return  # the operation refuses it in words of its own
    build.check_cast(result, array.dtype, "same_kind", ufunc=op.name)
    own, memory = array._array, getattr(other, "_array", other)
    if running or type(own) is not np.ndarray or type(memory) is not np.ndarray:
        return
    if not broadcasts_to(memory.shape, own.shape):
        try:
            shape = broadcast_shapes(own.shape, memory.shape)
        except ShapeError:
            return
        raise ShapeError(
            f"non-broadcastable output operand with shape {text_of(own.shape)} doesn't match the "
            f"broadcast shape {text_of(shape)} in {op.name}",
            origin=origin(),
        )


def building(op: Op) -> Callable[[Any], Any]:
    """Return a function that builds an operation of one expression, which is on every path."""
    direct: dict[object, Any] = {}

    def built(x: Any) -> Any:
        array = x._current if x._alias is None else x._node
        dtype = direct.get(array.dtype)
        if dtype is not None:
            return x._new(node(op, (array,), dtype, array.shape, None, origin()))
        value = build.elementwise(op, (array,))
        if value.op is op and value.src == (array,):
            direct[array.dtype] = value.dtype
        return x._new(value)

    return built


def unary(name: str) -> Callable[[S], S]:
    """Return an operator of one operand, by the name of the ufunc."""
    op = ELEMENTWISE[name]
    built = building(op)

    @recorded
    def applied(self: Any) -> Any:
        return FUNCTIONS["apply"](op, (self,))  # which computes small values at once

    def method(self: Any) -> Any:
        if self._array is None and not running and type(self) is self._new:
            return built(self)
        return applied(self)

    return method
