"""Classification of other operands of an operator: convertible, unsupported, or foreign."""

from __future__ import annotations

import numbers
import sys
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from types import NoneType
from typing import Any, cast

import numpy as np

from lazyarr.arrays.aliasing import layout
from lazyarr.arrays.fields import Fields
from lazyarr.builders import build
from lazyarr.core.dtypes import is_supported, kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError, UnsupportedDTypeError
from lazyarr.graph.node import Node
from lazyarr.graph.streamed_leaf import is_stored_in_chunks
from lazyarr.tracing import Symbol
from lazyarr.tracing.hooks import FUNCTIONS

__all__ = [
    "MOST_NESTED",
    "NO_VALUE",
    "WEAK",
    "array_of",
    "check_order",
    "compared",
    "copied",
    "copy_mode",
    "element_of",
    "elements_of",
    "has_items",
    "has_override",
    "holds_kind",
    "holds_numbers",
    "holds_others",
    "holds_scalars",
    "is_foreign",
    "is_no_number",
    "is_numpys_subclass",
    "is_sequence",
    "lazy_values",
    "lies_in",
    "node_of",
    "refuse_copies",
]

#: Numbers whose dtype gives way to that of an array.
WEAK = frozenset((bool, int, float, complex))


_ORDERS = frozenset("CFAKcfak")

#: Stands for an argument that is not passed where None means something.
NO_VALUE: Any = getattr(np, "_NoValue", None)

#: Methods by which values say that they are arrays.
_ARRAY_METHODS = ("__array__", "__array_interface__", "__dlpack__", "__cuda_array_interface__")


def is_foreign(value: Any) -> bool:
    """Return whether an operator has to leave `value` to its own type."""
    kind = type(value)
    if isinstance(value, np.generic) or kind is Symbol:
        return False
    if isinstance(value, np.ndarray):
        return kind.__array_ufunc__ is not np.ndarray.__array_ufunc__ or is_numpys_subclass(kind)
    if hasattr(kind, "__array_ufunc__"):
        return True
    return not (
        isinstance(value, (bool, int, float, complex, list, tuple))
        or _is_array(value)
        or is_sequence(value)
    )


def is_numpys_subclass(kind: type) -> bool:
    """Return whether a class is one of matrices or masked arrays, with which NumPy computes."""
    if issubclass(kind, np.matrix):
        return True
    # Importing it takes a tenth of what importing NumPy takes; without that there are none.
    masked = sys.modules.get("numpy.ma")
    return masked is not None and issubclass(kind, masked.MaskedArray)


def element_of(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return the value of one element to be written: NaN, or NumPy's error, for a masked one.

    Parameters
    ----------
    value
        A masked array, a matrix or a scalar of NumPy's alone; others are as they are.
    dtype
        Of the array.
    """
    if isinstance(value, np.generic):
        if is_supported(value.dtype):
            return value
    elif not isinstance(value, np.ndarray) or not is_numpys_subclass(type(value)):
        return value
    element = np.empty((), dtype)
    build.number_in(element.__setitem__, (), value)
    return element


def has_override(value: Any) -> bool:
    """Return whether the class of a value answers NumPy's ufuncs itself, or refuses them (NEP 13).

    Subclasses of ndarray that leave it to ndarray do not, and neither do lazy arrays.
    """
    kind = type(value)
    answer = getattr(kind, "__array_ufunc__", np.ndarray.__array_ufunc__)
    return answer is not np.ndarray.__array_ufunc__ and not isinstance(value, Fields)


def is_sequence(value: Any) -> bool:
    """Return whether NumPy reads a value by its items, or as a buffer: a range, a deque, ...

    It does not read lists, tuples and arrays that way only, so these are none here, and texts
    are scalars to it. A type with a priority among arrays, as SciPy's sparse ones have, is left
    to itself.
    """
    return (
        not isinstance(value, (list, tuple))
        and has_items(value)
        and not hasattr(type(value), "__array_priority__")
        and not _is_array(value)
        and not is_stored_in_chunks(value)
    )


def has_items(value: Any) -> bool:
    """Return whether a value has items by position; texts and mappings have not, to NumPy."""
    if isinstance(value, (str, bytes, Mapping)):
        return False
    # Members of an enumeration would answer with the methods of its type.
    bases = type(value).__mro__
    return all(any(name in vars(base) for base in bases) for name in ("__getitem__", "__len__"))


def _is_array(value: Any) -> bool:
    return any(hasattr(value, name) for name in _ARRAY_METHODS)


def elements_of(sequence: Any) -> Any:
    """Return the items of a sequence: of a range or a buffer as an ndarray, else as a list."""
    if isinstance(sequence, range):
        return np.asarray(sequence)
    try:
        return np.asarray(memoryview(sequence))
    except TypeError:  # it is no buffer
        return list(sequence)


def compared(value: Any, array: Any) -> Any:
    """Return the answer of a foreign value to ``value == array``, which may be NotImplemented.

    Parameters
    ----------
    value : object
        Of a type that lazyarr does not convert.
    array : LazyArray
        What it is compared with.

    Raises
    ------
    DTypeError
        If the value is a number that needs an array of objects, such as a fraction.
    """
    if isinstance(value, numbers.Number) and not isinstance(value, np.generic):
        raise DTypeError(
            f"{type(value).__name__} needs dtype object, which lazyarr does not support",
            origin=origin(),
            hint="convert it with float(x)",
        )
    kind: Any = type(value)
    return kind.__eq__(value, array)


def is_no_number(value: Any) -> bool:
    """Return whether no part of a value equals an element of any array that lazyarr has."""
    if type(value) in WEAK:
        return False
    if value is None or value is Ellipsis or isinstance(value, (str, bytes, dict, set, frozenset)):
        return True
    # NumPy's scalars come as arrays without axes from the left of an operator.
    if type(value) is np.ndarray and value.ndim:
        return kind_of(value.dtype) in "SUM"  # integers may be lengths of time
    is_scalar = isinstance(value, (np.generic, np.ndarray)) and not value.ndim
    return is_scalar and kind_of(value.dtype) in "SUM"


def holds_others(value: Any) -> bool:
    """Return whether a value is an array, to NumPy, of a dtype that lazyarr has not."""
    if isinstance(value, (list, tuple)):
        value = np.asarray(value)
    return isinstance(value, (np.generic, np.ndarray)) and kind_of(value.dtype) in "OSUMm"


#: Classes of numbers.
NUMBERS = (bool, int, float, complex, np.generic)
#: Sequences in each other: NumPy refuses more, and a list may be an item of itself.
MOST_NESTED = 64


def holds_numbers(value: Any) -> bool:
    """Return whether a value is a number or (nested) sequences of them, none of them lazy."""
    return _holds(value, lambda item, nested: isinstance(item, NUMBERS))


def holds_scalars(value: Any) -> bool:
    """Return whether NumPy converts a value to a dtype element by element, and none is lazy.

    Such are numbers, texts of them, None, what Python's ``float`` or ``int`` takes, (nested)
    sequences of these, and NumPy's arrays of texts or objects.
    """
    return _holds(value, _is_scalar)


def _holds(value: Any, accepts: Callable[[Any, int], bool], nested: int = 0) -> bool:
    """Return whether a value, or each item of (nested) sequences, is accepted.

    Of sequences nested too deeply for an array, the inner ones are not looked at.
    """
    if isinstance(value, (list, tuple)):
        return nested > MOST_NESTED or all(_holds(item, accepts, nested + 1) for item in value)
    return accepts(value, nested)


def _is_scalar(value: Any, nested: int) -> bool:
    """Return whether :func:`holds_scalars` takes a value within so many sequences."""
    if isinstance(value, (*NUMBERS, str, bytes, range, NoneType)):
        return True
    if isinstance(value, np.ndarray):
        return kind_of(value.dtype) in "OSU" and not is_foreign(value)
    if is_sequence(value):
        return nested > MOST_NESTED or _holds(elements_of(value), _is_scalar, nested + 1)
    kind = type(value)
    is_number = hasattr(kind, "__float__") or hasattr(kind, "__index__")
    return is_number and not _is_array(value) and kind is not Symbol


def holds_kind(value: Sequence[Any], kind: type, nested: int = 0) -> bool:
    """Return whether (nested) sequences hold an instance of a class.

    Parameters
    ----------
    value : list or tuple
        The outermost sequence.
    kind : type
        The class.
    nested : int
        The number of sequences around it.
    """
    types = set(map(type, value))  # in C, as most have many numbers
    if any(issubclass(each, kind) for each in types):
        return True
    if nested > MOST_NESTED or not any(issubclass(each, (list, tuple)) for each in types):
        return False
    inner = (item for item in value if isinstance(item, (list, tuple)))
    return any(holds_kind(item, kind, nested + 1) for item in inner)


def array_of(value: Any, dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Return numbers as an array of a dtype, each of which has to fit it as NumPy demands.

    Parameters
    ----------
    value : number or (nested) sequence of numbers
        The numbers.
    dtype : numpy.dtype
        Of the array.

    Raises
    ------
    OverflowError
        An integer does not fit the dtype.
    DTypeError
        A number cannot be converted.
    ShapeError
        The sequences have different lengths.
    """
    try:
        return np.asarray(value, dtype=dtype)
    except OverflowError as error:
        where = origin()
        at = "" if where is None else f"\n  built at {where[0]}:{where[1]}"
        raise OverflowError(f"{error}{at}") from None
    except TypeError as error:
        raise DTypeError(str(error), origin=origin()) from None
    except ValueError as error:
        kind = ShapeError if "inhomogeneous" in str(error) else ArgumentError
        raise kind(str(error), origin=origin()) from None


def check_order(order: Any) -> None:
    """Raise ArgumentError unless `order` names a memory order, which lazyarr chooses itself."""
    if order is not None and not isinstance(order, (str, bytes)):
        raise ArgumentError(f"order must be str, not {type(order).__name__}", origin=origin())
    if order is not None and order not in _ORDERS:
        raise ArgumentError(
            f"order must be one of 'C', 'F', 'A', or 'K' (got {order!r})", origin=origin()
        )


def copy_mode(copy: Any) -> bool | None:
    """Return the argument ``copy=`` as True, False, or None for where it is needed.

    Raises
    ------
    ArgumentError
        If it is a text, as programs for other functions pass.
    """
    if copy is None or type(copy) is bool:
        return copy
    if isinstance(copy, str):
        raise ArgumentError(
            "strings are not allowed for 'copy' keyword. Use True/False/None instead.",
            origin=origin(),
        )
    if isinstance(copy, Enum):  # of NumPy's, whose members say the same
        return None if copy.name == "IF_NEEDED" else copy.name == "ALWAYS"
    return bool(copy)


def copied(value: Any) -> Any:
    """Return an array-like with memory of its own, if it lends memory of the host.

    Parameters
    ----------
    value : array_like
        No ndarray and no lazy array: an object with ``__array__``, a buffer, a sequence, a number.
    """
    if isinstance(value, (Fields, *NUMBERS, list, tuple)) or is_stored_in_chunks(value):
        return value
    if hasattr(value, "__cuda_array_interface__"):
        return value
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        try:
            return np.array(value)
        except ValueError:
            array, is_lazy = lazy_values(value)
            if is_lazy:
                return array.copy()
            raise
    buffer = _buffer(value)
    return value if buffer is None else np.array(buffer)


def _buffer(value: Any) -> memoryview | None:
    """Return the memory of a buffer, such as an array or a number of :mod:`ctypes`."""
    if isinstance(value, (str, bytes, Mapping)):
        return None
    try:
        return memoryview(value)
    except TypeError:
        return None


def lies_in(array: Any, order: Any) -> bool:
    """Return whether the elements of an array lie in the order that ``order=`` asks for.

    Parameters
    ----------
    array : LazyArray or numpy.ndarray
        The array.
    order : {"C", "F", "A", "K"}, optional
        The order.
    """
    lies = layout(cast("Any", array)) if isinstance(array, Fields) else array.flags
    letter = "K" if order is None else order.upper()
    in_c, in_fortran = bool(lies.c_contiguous), bool(lies.f_contiguous)
    return {"C": in_c, "F": in_fortran, "A": in_c or in_fortran, "K": True}[letter]


def refuse_copies(a: Any, dtype: Any, order: Any) -> None:
    """Raise ArgumentError if a value can become an array of a dtype and an order by a copy only.

    Parameters
    ----------
    a : array_like
        The value.
    dtype : dtype, optional
        Of the array; default: its own.
    order : {"C", "F", "A", "K"}, optional
        The order of the elements.
    """
    a = np.asarray(a) if isinstance(a, memoryview) else a
    known = isinstance(a, (Fields, np.ndarray))
    if (
        holds_numbers(a)
        or isinstance(a, (list, tuple))
        or (known and dtype is not None and build.as_dtype(dtype) != a.dtype)
        or (known and order not in ("A", "a") and not lies_in(a, order))
    ):
        raise ArgumentError(
            "Unable to avoid copy while creating an array as requested.",
            origin=origin(),
            hint="use copy=None, which copies where that is needed",
        )


def lazy_values(value: Any, nested: int = 0) -> tuple[Any, bool]:
    """Return a value, or the items of sequences, as ndarrays, and whether any of them is lazy.

    NumPy accepts no lazy arrays from ``__array__``.

    Parameters
    ----------
    value : array_like
        Of sequences, each item is looked at.
    nested : int, optional
        The number of sequences around it.
    """
    if isinstance(value, (list, tuple)):
        if nested > MOST_NESTED:
            return value, False
        pairs = [lazy_values(item, nested + 1) for item in value]
        return [item for item, _ in pairs], any(lazy for _, lazy in pairs)
    if isinstance(value, (Fields, np.ndarray, np.generic)) or not hasattr(value, "__array__"):
        return value, False
    array = value.__array__()
    return array, isinstance(array, Fields)


def node_of(value: Any) -> Node:
    """Return the node of an array-like that is no lazy array and holds none."""
    if isinstance(value, np.ndarray):
        if is_foreign(value):
            raise UnsupportedDTypeError(
                f"lazyarr does not preserve the semantics of {type(value).__name__}",
                origin=origin(),
                hint="convert it with numpy.asarray(x)",
            )
        return build.leaf(value)
    if type(value) is Symbol:
        if value.kind is not int or -(2**63) <= cast("int", value.value) < 2**63:
            return value.node(np.dtype(value.kind))
        value = value.known()  # how large it is decides the dtype
    if isinstance(value, (bool, int, float, complex, np.generic)):
        data = np.asarray(value)
        return build.constant(data, build.as_dtype(data.dtype))
    if isinstance(value, (list, tuple)):
        try:
            data = np.asarray(value)
        except ValueError as error:
            items, are_lazy = lazy_values(value)
            if are_lazy:
                return cast("Node", FUNCTIONS["stack"](items)._node)
            raise ShapeError(str(error), origin=origin()) from None
        return build.leaf(data)
    if getattr(value, "__cuda_array_interface__", None) is not None:
        from lazyarr.interop import exchange

        return exchange.from_interface(value)
    if is_stored_in_chunks(value):
        return build.streamed_leaf(value)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        try:
            return build.leaf(np.asarray(value))
        except ValueError:
            array, is_lazy = lazy_values(value)
            if is_lazy:
                return cast("Node", array._node)
            raise
    if hasattr(value, "__dlpack__"):
        from lazyarr.interop import exchange

        return exchange.take(value)
    buffer = _buffer(value)
    if buffer is not None:
        return build.leaf(np.asarray(buffer))
    if isinstance(value, (str, bytes)):
        build.as_dtype(np.asarray(value).dtype)  # which refuses it
    refused = UnsupportedDTypeError(
        f"expected an array, got {type(value).__name__}",
        origin=origin(),
        hint="pass a number, a sequence of numbers or anything with __array__ or __dlpack__",
    )
    refused.dtype = np.dtype(np.object_)
    raise refused
