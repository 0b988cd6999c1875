"""Nodes of values that exist: arrays in memory, and scalars; and the dtypes that they may have."""

from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.core import shapes, tuning
from lazyarr.core.donation import DONATED, refuse_donated
from lazyarr.core.dtypes import SUPPORTED, bfloat16, is_bfloat16, kind_of
from lazyarr.core.shapes import Shape
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import DTypeError, LazyarrError, UnsupportedDTypeError
from lazyarr.graph.device_leaf import DeviceLeaf, OnDevice
from lazyarr.graph.node import ComputedLeaf, Early, Leaf, Node, node
from lazyarr.graph.streamed_leaf import Source, StreamedLeaf
from lazyarr.ops.movement import CONSTANT, IOTA, LEAF
from lazyarr.tracing import Symbol

__all__ = [
    "BOOL",
    "CANONICAL",
    "FLOAT32",
    "FLOAT64",
    "INT64",
    "as_dtype",
    "check_size",
    "constant",
    "device_leaf",
    "iota",
    "leaf",
    "located",
    "number_in",
    "streamed_leaf",
]

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]

#: What to do about dtypes that lazyarr does not compute with.
_SUPPORTED = (
    "use bool, (u)int8 to 64, float16 to 64, bfloat16, complex64 or complex128; "
    "convert with .astype first"
)

BOOL = np.dtype(np.bool_)
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)
_DOUBLE = struct.Struct("d").pack
#: Of dtypes that are equal, such as C's long and long long, the one that nodes have.
CANONICAL = {dtype: np.dtype(dtype.str) for dtype in SUPPORTED}
_WEAK = frozenset((bool, int, float, complex))

_constants: dict[tuple[object, ...], Node] = {}


class located:  # noqa: N801 - reads as a statement: with located()
    """Add the user's file and line to any lazyarr error raised inside that lacks it."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, LazyarrError) and error.origin is None:
            error.origin = origin()


def as_dtype(dtype: Any) -> DType:
    """Return a dtype that lazyarr supports.

    Raises
    ------
    DTypeError
        If it is not a dtype.
    UnsupportedDTypeError
        If it is not one that lazyarr computes with.
    """
    if hasattr(type(dtype), "__array__") and not isinstance(dtype, np.generic):
        # NumPy's own arrays are refused; others have an attribute that it would take.
        raise DTypeError("Cannot construct a dtype from an array", origin=origin())
    try:
        candidate: DType = bfloat16() if _is_name(dtype, "bfloat16") else np.dtype(dtype)
    except (TypeError, ImportError) as error:
        raise DTypeError(f"{error}: {dtype!r} is not a dtype", origin=origin()) from None
    canonical = CANONICAL.get(candidate)
    if canonical is None and not candidate.isnative:
        canonical = CANONICAL.get(candidate.newbyteorder("="))
    if canonical is None and is_bfloat16(candidate):
        canonical = CANONICAL[candidate] = bfloat16()
    if canonical is None:
        refused = UnsupportedDTypeError(
            f"dtype {candidate} is not supported",
            origin=origin(),
            hint=_SUPPORTED,
        )
        refused.dtype = candidate
        raise refused
    return canonical


def loop_dtype(dtype: Any) -> DType:
    """Return the dtype of :func:`as_dtype` that a ufunc's ``dtype=`` selects its loop by.

    Raises
    ------
    DTypeError
        If it is not a supported dtype, or one of another byte order than the machine's.
    """
    loop = as_dtype(dtype)
    if dtype is not loop and not np.dtype(dtype).isnative:
        raise DTypeError(
            "The `dtype` and `signature` arguments to ufuncs only select the general DType and not "
            "details such as the byte order or time unit. You can avoid this error by using the "
            "scalar types `np.float64` or the dtype string notation.",
            origin=origin(),
        )
    return loop


def _is_name(dtype: Any, name: str) -> bool:
    """Return whether a dtype is spelled as a name that NumPy may not know."""
    return isinstance(dtype, str) and dtype == name


def leaf(array: Array, early: Early | None = None) -> Node:
    """Return a node for memory that exists. Swapped bytes and bad alignment force a copy.

    Parameters
    ----------
    array : numpy.ndarray
        The memory.
    early : Early, optional
        The computation that made the array, if that was part of an expression under construction.
    """
    if DONATED:
        refuse_donated(array)
    dtype = CANONICAL.get(array.dtype) or as_dtype(array.dtype)
    if dtype is not array.dtype:
        # Equal dtypes differ in name alone; others in the order of their bytes.
        array = array.view(dtype) if dtype == array.dtype else array.astype(dtype)
    size = array.itemsize
    if not array.flags.aligned or any([s % size for s in array.strides]):  # noqa: C419 - faster
        array = array.copy()
    if type(array) is not np.ndarray:
        array = array.view(np.ndarray)
    attr = Leaf(array) if early is None else ComputedLeaf(array, early)
    return node(LEAF, (), array.dtype, array.shape, attr, origin())


def device_leaf(array: OnDevice) -> Node:
    """Return a node for an array in a device's memory."""
    return node(LEAF, (), array.dtype, array.shape, DeviceLeaf(array), origin())


def streamed_leaf(source: Source) -> Node:
    """Return a node for an array outside of memory, which is read while it is evaluated.

    Raises
    ------
    DTypeError
        If lazyarr does not compute with its dtype.
    """
    attr = StreamedLeaf(source, as_dtype(source.dtype))
    check_size(attr.shape, attr.dtype)
    return node(LEAF, (), attr.dtype, attr.shape, attr, origin())


def number_in(convert: Callable[..., Any], *arguments: Any) -> Any:
    """Return a number in another dtype; losses are reported immediately, as NumPy does.

    Parameters
    ----------
    convert : callable
        Converts the number in NumPy.
    *arguments : object
        Passed to it.

    Returns
    -------
    numpy.ndarray
        What `convert` returns.

    Raises
    ------
    FloatingPointError
        The number overflows, or is no integer, and ``numpy.errstate`` says "raise".
    """
    try:
        with np.errstate(over="raise", invalid="raise", divide="raise", under="ignore"):
            return convert(*arguments)
    except FloatingPointError as error:
        text = str(error)
    kind: Any = "over" if text.startswith("overflow") else "invalid"
    modes: dict[str, str] = dict(np.geterr())  # type: ignore[arg-type]
    if modes[kind] != "warn":
        with np.errstate(under="ignore"):
            return convert(*arguments)
    warn_user(text)  # NumPy itself would warn of a line of this module
    with np.errstate(all="ignore"):
        return convert(*arguments)


def constant(value: Any, dtype: DType) -> Node:
    """Return a node for one value of `dtype`.

    Parameters
    ----------
    value : object
        A Python scalar, a :class:`~lazyarr.tracing.Symbol`, or what ``np.asarray`` takes for a
        scalar.
    dtype : numpy.dtype
        What it is converted to. A Python scalar must fit; others are cast. Overflow, and a number
        that is no integer of the dtype, are reported as ``numpy.errstate`` says.

    Raises
    ------
    OverflowError
        A Python integer does not fit an integer dtype.
    """
    kind = type(value)
    if kind in _WEAK:
        # The type distinguishes 1, 1.0 and True, the text 0.0 and -0.0.
        key = (kind, value if value and kind is not complex else repr(value), dtype)
        cached = _constants.get(key)
        if cached is not None:
            return cached
        if kind is float and dtype is FLOAT64:
            data = _DOUBLE(value)  # as NumPy has it, in a tenth of the time
        else:
            if kind is int and is_bfloat16(dtype):
                value = float(value)  # ml_dtypes takes no more than 64 bits
            array = number_in(np.array, value, dtype)
            data = array.tobytes()
            if kind_of(dtype) in "fc" and not np.isfinite(array):
                return node(CONSTANT, (), dtype, (), data)  # to be reported the next time, too
        if len(_constants) >= tuning.OF_MACHINE.constants:
            _constants.clear()
        cached = _constants[key] = node(CONSTANT, (), dtype, (), data)
        return cached
    if kind is Symbol:
        constant(value.value, dtype)  # raises if it does not fit
        symbol: Node = value.node(dtype)
        return symbol
    array = number_in(np.asarray(value).astype, dtype)
    return node(CONSTANT, (), dtype, (), array.tobytes(), origin())


def iota(size: int) -> Node:
    """Return the integers from 0 to ``size - 1``."""
    check_size((size,), INT64)
    return node(IOTA, (), INT64, (size,), None, origin())


def check_size(shape: Shape, dtype: DType) -> None:
    """Raise ShapeError, with the user's line, if an array exceeds the address space.

    Parameters
    ----------
    shape : tuple of int
        Of the array.
    dtype : numpy.dtype
        Of its elements.
    """
    count = dtype.itemsize
    for n in shape:
        count *= n or 1
    if count > sys.maxsize:
        with located():
            shapes.check_size(shape, dtype.itemsize)
