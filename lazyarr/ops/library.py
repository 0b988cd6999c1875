"""Library ops: operations without a kernel, as one call of a NumPy or SciPy function.

The arguments of the call are the node's attribute, so they must be hashable and must not hold
arrays: :func:`freeze` puts a :class:`Slot` in the place of each array and :func:`thaw` fills it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from itertools import accumulate
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import called_at
from lazyarr.errors import ArgumentError
from lazyarr.graph.node import Early, Kind, Node, Op

__all__ = [
    "ALL_MEAN",
    "DATA_SHAPED",
    "LIBRARY",
    "ORDERS",
    "SCATTERED",
    "Call",
    "Slot",
    "averaged",
    "freeze",
    "library_op",
    "nonempty",
    "product_bias",
    "product_bias_relu",
    "product_relu",
    "scatter",
    "selected",
    "sorted_part",
    "summed_at",
    "thaw",
    "unpack",
]

Array = np.ndarray[Any, Any]

DATA_SHAPED = "its shape depends on the data"
"""Why something is computed while the expression is built."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of an array among the arguments: an index into the node's sources."""

    index: int


@dataclass(frozen=True, slots=True)
class Items:
    """A list or tuple among the arguments."""

    items: tuple[Hashable, ...]
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Range:
    """A slice among the arguments; slices are not hashable before Python 3.12."""

    start: int | None
    stop: int | None
    step: int | None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A number, keyed by its type and bytes: 1, 1.0 and True differ, and NaN equals itself."""

    kind: type
    data: bytes

    @classmethod
    def of(cls, value: Any) -> Scalar:
        """Return the key of a Python number or NumPy scalar."""
        if isinstance(value, int) and not isinstance(value, bool):
            return cls(int, str(value).encode())
        return cls(type(value), np.asarray(value).tobytes())

    @property
    def value(self) -> Any:
        """The number itself."""
        if self.kind is int:
            return int(self.data)
        dtype = np.dtype(self.kind)
        number = np.frombuffer(self.data, dtype)[0]
        return number if issubclass(self.kind, np.generic) else number.item()


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments of a library function, positional and by keyword, and notes for reports.

    Attributes
    ----------
    args, keywords : tuple
        As :func:`freeze` keeps them.
    outputs : tuple of (shape, dtype)
        Of a pack: what the function, its first argument, gives.
    note : str
        Why it is computed as it is, if there is more to say than that it is a library's function.
    early : Early, optional
        What was computed when the call was built.
    """

    args: tuple[Hashable, ...] = ()
    keywords: tuple[tuple[str, Hashable], ...] = ()
    outputs: tuple[tuple[tuple[int, ...], np.dtype[Any]], ...] = ()
    note: str = ""
    early: Early | None = None

    def arguments(self, arrays: tuple[Any, ...]) -> tuple[list[Any], dict[str, Any]]:
        """Return the function's arguments, by position and by keyword, with arrays in the slots."""
        args = [thaw(argument, arrays) for argument in self.args]
        return args, {key: thaw(argument, arrays) for key, argument in self.keywords}


def freeze(value: Any, slot: Callable[[Any], int | None]) -> Hashable:
    """Return a hashable form of an argument.

    Parameters
    ----------
    value : object
        A number, string, dtype, function, sequence, slice or array.
    slot : callable
        Returns the source index of an array, or None for what is no array.
    """
    index = slot(value)
    if index is not None:
        return Slot(index)
    if isinstance(value, (list, tuple)):
        return Items(tuple(freeze(item, slot) for item in value), isinstance(value, list))
    if isinstance(value, slice):
        return Range(value.start, value.stop, value.step)
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return Scalar.of(value)
    try:
        hash(value)
    except TypeError:
        raise ArgumentError(
            f"a lazy call does not support an argument of type {type(value).__name__}",
            hint="pass arrays, numbers, strings or sequences of these",
        ) from None
    key: Hashable = value
    return key


def thaw(value: Hashable, arrays: tuple[Array, ...]) -> Any:
    """Return an argument of which :func:`freeze` gave the hashable form.

    Parameters
    ----------
    value : hashable
        The form.
    arrays : tuple of numpy.ndarray
        The values of the node's sources, which take the places of slots.
    """
    match value:
        case Slot(index):
            return arrays[index]
        case Items(items, is_list):
            filled = tuple(thaw(item, arrays) for item in items)
            return list(filled) if is_list else filled
        case Range(start, stop, step):
            return slice(start, stop, step)
        case Scalar():
            return value.value
        case _:
            return value


def library_op(
    name: str,
    function: Callable[..., Any],
    *,
    supports_out: bool = False,
    exchanges: bool = False,
    known_as: Callable[[Call], str] | None = None,
) -> Op:
    """Return an op that calls `function` with the arguments that its node's Call holds.

    Parameters
    ----------
    name : str
        Of the op.
    function : callable
        A function of arrays on the host.
    supports_out : bool, optional
        Whether the function takes ``out=`` of exactly the result's dtype.
    exchanges : bool, optional
        Whether it waits for the values of other devices.
    known_as : callable, optional
        ``known_as(call)``: the name in reports, of a step of a function of NumPy's.
    """

    def evaluate(node: Node, *arrays: Array, out: Array | None = None) -> Array:
        call = node.attr
        assert isinstance(call, Call)
        args, keywords = call.arguments(arrays)
        if out is not None:
            keywords["out"] = out
        result = np.asarray(called_at(node.origin, function, args, keywords))
        return result if result.dtype == node.dtype else result.astype(node.dtype)

    return Op(
        name,
        Kind.LIBRARY,
        evaluate,
        cost=100,
        supports_out=supports_out,
        exchanges=exchanges,
        calls=function,
        known_as=known_as,
    )


def _getitem(array: Array, key: Any) -> Array:
    return np.asarray(array[key])


def _setitem(array: Array, value: Array, key: Any) -> Array:
    result = array.copy()
    result[key] = value
    return result


def selected(array: Array, mask: Array) -> Array:
    """Return the elements at which a mask is true.

    Parameters
    ----------
    array : numpy.ndarray
        Any array.
    mask : numpy.ndarray
        Bools, of the shape of the array's first axes.

    Returns
    -------
    numpy.ndarray
        One-dimensional where the mask has all axes, in C order.

    Notes
    -----
    Where the entries of a mask alternate, NumPy takes several times as long for ``array[mask]`` as
    for the positions of the true ones and the elements there.
    """
    if not (mask.ndim and array.flags.c_contiguous and mask.flags.c_contiguous):
        return np.asarray(array[mask])
    entries = array.reshape(mask.size, *array.shape[mask.ndim :])
    return np.asarray(entries.take(mask.reshape(-1).nonzero()[0], axis=0))


def nonempty(value: Array, count: Array, name: str) -> Array:
    """Return the value of a reduction, provided that it has elements to reduce.

    Parameters
    ----------
    value : numpy.ndarray
        The value of the reduction.
    count : numpy.ndarray
        How many elements it has reduced; of shape ().
    name : str
        Of the reduction, for the error.

    Raises
    ------
    ValueError
        If `count` is 0; as NumPy says it.
    """
    if not count:
        raise ValueError(f"zero-size array to reduction operation {name} which has no identity")
    return value


def product_bias(a: Array, b: Array, bias: Array) -> Array:
    """Return ``a @ b + bias``.

    Parameters
    ----------
    a : numpy.ndarray
        A matrix of shape (n, k).
    b : numpy.ndarray
        A matrix of shape (k, m).
    bias : numpy.ndarray
        A vector of shape (m,).
    """
    return np.asarray(a @ b + bias)


def product_relu(a: Array, b: Array) -> Array:
    """Return ``maximum(a @ b, 0)``.

    Parameters
    ----------
    a : numpy.ndarray
        A matrix of shape (n, k).
    b : numpy.ndarray
        A matrix of shape (k, m).
    """
    return np.asarray(np.maximum(a @ b, 0))


def product_bias_relu(a: Array, b: Array, bias: Array) -> Array:
    """Return ``maximum(a @ b + bias, 0)``.

    Parameters
    ----------
    a : numpy.ndarray
        A matrix of shape (n, k).
    b : numpy.ndarray
        A matrix of shape (k, m).
    bias : numpy.ndarray
        A vector of shape (m,).
    """
    return np.asarray(np.maximum(a @ b + bias, 0))


def sorted_part(
    array: Array, axis: int, count: int, last: bool, positions: bool, out: Array | None = None
) -> Array:
    """Return the first or last elements of a sorted array.

    Parameters
    ----------
    array : numpy.ndarray
        Any array of numbers.
    axis : int
        Along which it is sorted.
    count : int
        How many elements, of as many at least.
    last : bool
        Whether the last ones, or else the first.
    positions : bool
        Whether the positions are returned that sort the array stably, in the place of its elements.
    out : numpy.ndarray, optional
        Where they lie.
    """
    part = range(array.shape[axis])[-count:] if last else range(count)
    if positions:
        return np.take(np.argsort(array, axis, kind="stable"), part, axis, out)
    result = np.take(np.partition(array, part[0] if last else part[-1], axis), part, axis, out)
    result.sort(axis)
    return result


def scatter(ufunc: np.ufunc, array: Array, *arguments: Any, out: Array | None = None) -> Array:
    """Return a copy of an array to which a function's `at` was applied.

    Parameters
    ----------
    ufunc : numpy.ufunc
        The function.
    array : numpy.ndarray
        What is copied.
    *arguments
        Places, and the values that meet the elements there.
    out : numpy.ndarray, optional
        Where the copy lies.
    """
    if out is None:
        result = array.copy()
    else:
        np.copyto(out, array)
        result = out
    ufunc.at(result, *arguments)
    return result


def summed_at(values: Array, positions: Array, size: int) -> Array:
    """Return a vector of sums: each value is added at its position, those of one in their order.

    Parameters
    ----------
    values : numpy.ndarray
        What is added.
    positions : numpy.ndarray
        Integers from 0 to ``size - 1``, of the shape of the values.
    size : int
        Elements of the result.
    """
    flat = positions.reshape(-1)
    if values.dtype == np.float64:
        return np.bincount(flat, weights=values.reshape(-1), minlength=size)
    result = np.zeros(size, values.dtype)
    np.add.at(result, flat, values.reshape(-1))
    return result


def averaged(value: Array) -> Array:
    """Return the mean of a value over the devices of this thread's call."""
    from lazyarr.core import device_group  # few programs use several devices

    return device_group.averaged(value)


def _pack(function: Callable[..., Any], *args: Any, **keywords: Any) -> Array:
    """Return all outputs of a function as one array of bytes, each at a multiple of 64."""
    outputs = function(*args, **keywords)
    if getattr(function, "packs", False):
        whole: Array = outputs
        return whole
    outputs = [np.ascontiguousarray(output) for output in outputs]
    starts, total = packed_starts([output.nbytes for output in outputs])
    result = np.zeros(total, np.uint8)
    for start, output in zip(starts, outputs, strict=True):
        result[start : start + output.nbytes] = output.reshape(-1).view(np.uint8)
    return result


def packed_starts(sizes: list[int]) -> tuple[list[int], int]:
    """Return the offset of each output in a pack, and the size of the whole."""
    *starts, total = accumulate((-(-size // 64) * 64 for size in sizes), initial=0)
    return starts, total


def unpack(data: Array, start: int, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return one output of a pack.

    Parameters
    ----------
    data : numpy.ndarray
        The pack, bytes.
    start : int
        Offset of the output in bytes.
    shape : tuple of int
        Of the output.
    dtype : numpy.dtype
        Of the output.
    """
    return np.ndarray(shape, dtype, np.ascontiguousarray(data), start)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "matmul": np.matmul,
    "dot": np.dot,
    "vdot": np.vdot,
    "getitem": _getitem,
    "setitem": _setitem,
    "compress": selected,
    "nonempty": nonempty,
    "scatter": scatter,
    "accumulate": lambda ufunc, *args, **keywords: ufunc.accumulate(*args, **keywords),
    "reduce": lambda ufunc, *args, **keywords: ufunc.reduce(*args, **keywords),
    "reduceat": lambda ufunc, *args, **keywords: ufunc.reduceat(*args, **keywords),
    "ufunc": lambda ufunc, *args, **keywords: ufunc(*args, **keywords),
    "product_bias": product_bias,
    "product_relu": product_relu,
    "product_bias_relu": product_bias_relu,
    "sorted_part": sorted_part,
    "all_mean": averaged,
    "pack": _pack,
    "unpack": unpack,
}

#: The functions that order an array, and whether they return positions: `sorted_part` is a part of
#: what they return.
ORDERS: dict[Callable[..., Any], bool] = {
    np.sort: False,
    np.partition: False,
    np.argsort: True,
    np.argpartition: True,
}

SCATTERED = frozenset((np.add, np.subtract, np.maximum, np.minimum))
"""Ufuncs for whose ``at`` there are kernels."""

_WITH_OUT = frozenset({"matmul", "dot", "accumulate", "scatter", "sorted_part"})
LIBRARY: dict[str, Op] = {
    name: library_op(name, function, supports_out=name in _WITH_OUT, exchanges=function is averaged)
    for name, function in _FUNCTIONS.items()
}
"""The library ops that other modules name; the rest are made from NumPy's functions."""

#: The mean over the devices of a group.
ALL_MEAN = LIBRARY["all_mean"]


def library_function(name: str, function: Callable[..., Any]) -> Op:
    """Return the one library op of this name, made from `function` on first use.

    Parameters
    ----------
    name : str
        Of the op; unique to the function.
    function : callable
        A function of NumPy or SciPy.
    """
    op = LIBRARY.get(name)
    if op is None:
        op = LIBRARY.setdefault(name, library_op(name, function))
    return op
