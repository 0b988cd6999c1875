"""Methods of NumPy's ufuncs on lazy arrays: reduce, accumulate, reduceat, outer and at."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import holds_numbers
from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, wrap
from lazyarr.arrays.masked_selection import MaskedSelection
from lazyarr.arrays.native_items import write_called
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcasts_to
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.graph.node import Node, node
from lazyarr.numpy_api import reduction_arguments, reductions
from lazyarr.numpy_api.library_calls import library_node
from lazyarr.numpy_api.memory_order import along_memory
from lazyarr.numpy_api.ufunc_arguments import accumulation_dtype, mask_of, reduce_into, scan_into
from lazyarr.numpy_api.ufunc_signatures import check_loop
from lazyarr.ops.library import LIBRARY, SCATTERED
from lazyarr.ops.markers import refuse_differentiated
from lazyarr.ops.scan import scan_of
from lazyarr.tracing import running

__all__ = ["METHODS", "check_binary", "outer_operands"]

_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: reductions.sum,
    np.multiply: reductions.prod,
    np.minimum: reductions.min,
    np.maximum: reductions.max,
    np.logical_and: reductions.all,
    np.logical_or: reductions.any,
}

_EXTREMES = frozenset((np.maximum, np.minimum))
#: Whole numbers up to this are those of float64, too.
_EXACT = 1 << 53

#: Methods of ufuncs of two operands, and how messages name them.
_OF_BINARY = {
    "reduce": "reduce",
    "accumulate": "accumulate",
    "reduceat": "reduceat",
    "outer": "outer product",
}


def check_binary(ufunc: np.ufunc, method: str) -> None:
    """Raise NumPy's error if a method is for ufuncs of two operands and one result alone.

    Parameters
    ----------
    ufunc : numpy.ufunc
        The function.
    method : str
        Any method's name.

    Raises
    ------
    ArgumentError
        If the ufunc has other numbers of operands and results than the method asks for.
    """
    if method not in _OF_BINARY:
        return
    if ufunc.nin != 2:
        reason = "binary functions"
    elif ufunc.nout != 1 and method != "outer":
        reason = "functions returning a single value"
    else:
        return
    raise ArgumentError(f"{_OF_BINARY[method]} only supported for {reason}", origin=origin())


def _reduce(
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    initial: Any = reduction_arguments.NO_VALUE,
    where: Any = True,
) -> Any:
    known = _REDUCTIONS.get(ufunc)
    keywords: dict[str, Any] = {"keepdims": keepdims, "where": where, "out": out}
    if known is not None and (dtype is None or ufunc in (np.add, np.multiply)):
        if ufunc in (np.add, np.multiply):
            keywords["dtype"] = dtype
        if initial is not reduction_arguments.NO_VALUE:
            if ufunc in (np.logical_and, np.logical_or):
                known = None
            else:
                keywords["initial"] = initial
        if known is not None:
            return known(array, axis, **keywords)
    x = as_node(array)
    axes = reduction_arguments.axes_of(axis, x.ndim, lenient=True)
    if not isinstance(keepdims, bool):
        keepdims = bool(operator.index(keepdims))
    options: dict[str, Any] = {"axis": axes, "keepdims": keepdims}
    requested = _loop_dtype(ufunc, x, dtype, out)
    if requested is not None:
        options["dtype"] = requested
    if initial is not reduction_arguments.NO_VALUE:  # None is another wish
        options["initial"] = initial
    if where is not True:
        mask = mask_of(where)
        if not broadcasts_to(mask.shape, x.shape):
            raise reduction_arguments.unfit_mask(mask.shape, x.shape)
        options["where"] = wrap(mask)
    small = {key: value for key, value in options.items() if key != "axis"}
    if "where" in small:
        small["where"] = np.ones((1,) * x.ndim, bool)
    try:
        # NumPy judges a reduction over nothing, and one under a mask.
        sample = np.ones(tuple(min(n, 1) for n in x.shape), x.dtype)
        result = ufunc.reduce(sample, axis=axes, **small).dtype
    except TypeError as error:
        raise DTypeError(str(error), origin=origin()) from None
    except ValueError as error:
        raise ArgumentError(str(error), origin=origin()) from None
    if keepdims:
        shape = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
    else:
        shape = tuple(n for k, n in enumerate(x.shape) if k not in axes)
    reduction = library_node(LIBRARY["reduce"], (ufunc, x), options, shape, build.as_dtype(result))
    return reduce_into(wrap(reduction), out, ufunc.__name__)


def _loop_dtype(ufunc: np.ufunc, x: Node, dtype: Any, out: Any) -> np.dtype[Any] | None:
    """Return the dtype that elements are combined in; None for NumPy's default."""
    # No output widens what is compared.
    is_truth = all(types.endswith("->?") for types in ufunc.types if "O" not in types)
    chosen = dtype if dtype is None and is_truth else accumulation_dtype(x, dtype, out)
    if dtype is None and chosen is not None:  # the output takes the place of the first operand
        try:
            operands = (chosen, chosen, None)
            chosen = ufunc.resolve_dtypes(operands, casting="unsafe", reduction=True)[2]
        except TypeError as error:
            raise DTypeError(str(error), origin=origin()) from None
    return None if chosen is None else build.loop_dtype(chosen)


def _accumulate(
    ufunc: np.ufunc, array: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Any:
    x = as_node(array)
    axis = reduction_arguments.one_axis(axis, x.ndim, "accumulate")
    requested = _loop_dtype(ufunc, x, dtype, out)
    result = ufunc.accumulate(np.ones((1,) * x.ndim, x.dtype), axis=axis, dtype=requested).dtype
    scan = scan_of(ufunc)

    def scanned(operands: Sequence[Node], axes: Sequence[int]) -> Node:
        ((operand,), (along,)) = operands, axes
        if scan is not None:
            return node(scan, (operand,), result, operand.shape, along, origin())
        options = {"axis": along, "dtype": requested}
        return library_node(LIBRARY["accumulate"], (ufunc, operand), options, operand.shape, result)

    operand = x if scan is None else build.cast(x, result)
    return scan_into(wrap(along_memory((operand,), (axis,), scanned)), out, ufunc.__name__)


def outer_operands(args: tuple[Any, ...]) -> tuple[LazyArray, LazyArray]:
    """Return two operands as arrays whose elements broadcast to all pairs of them."""
    left, right = (as_lazy(x) for x in args)
    return left.reshape(left.shape + (1,) * right.ndim), right


def _reduceat(
    ufunc: np.ufunc,
    array: Any,
    indices: Any,
    axis: int = 0,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    # Numbers are cut to integers; arrays have to be cast safely.
    places = as_lazy(indices, build.INT64 if holds_numbers(indices) else None)
    x, index = as_node(array), places._node
    if not index.size and isinstance(indices, (list, tuple)):
        index = build.cast(index, build.INT64)  # of an empty list no dtype is known
    if index.ndim != 1:
        depth = "too deep" if index.ndim else "of too small depth"
        raise ShapeError(f"object {depth} for desired array", origin=origin())
    build.check_cast(index.dtype, build.INT64, "safe")
    axis = reduction_arguments.one_axis(axis, x.ndim, "reduceat")
    if holds_numbers(indices):  # others are known once they are evaluated
        length = x.shape[axis]
        outside = next((k for k in map(int, indices) if not 0 <= k < length), None)
        if outside is not None:
            raise IndexingError(
                f"index {outside} out-of-bounds in {ufunc.__name__}.reduceat [0, {length})",
                origin=origin(),
            )
    requested = _loop_dtype(ufunc, x, dtype, out)
    small = np.ones((1,) * x.ndim, x.dtype)
    result = ufunc.reduceat(small, [0], axis=axis, dtype=requested).dtype
    shape = (*x.shape[:axis], index.shape[0], *x.shape[axis + 1 :])
    accumulated = library_node(
        LIBRARY["reduceat"], (ufunc, x, index), {"axis": axis, "dtype": requested}, shape, result
    )
    return reduce_into(wrap(accumulated), out, ufunc.__name__)


def _at(ufunc: np.ufunc, array: Any, indices: Any, *values: Any) -> None:
    """Apply unbuffered ``ufunc.at`` to `array`."""
    if not isinstance(array, LazyArray):
        lazy = [x._node for x in values if isinstance(x, LazyArray)]
        refuse_differentiated(lazy, f"{ufunc.__name__}.at on an ndarray")
        concrete = [
            x._value("ufunc.at") if isinstance(x, LazyArray) else x for x in (indices, *values)
        ]
        ufunc.at(array, *concrete)
        return
    if len(values) < 2 and len(values) != ufunc.nin - 1 < 2:
        wrong = "needed for ufunc" if ufunc.nin == 2 else "provided when ufunc is unary"
        raise ArgumentError(f"second operand {wrong}", origin=origin())
    is_summed = ufunc is np.add  # by a kernel
    if not running and write_called(
        ufunc.at, array, (indices, *values), {}, False, at_any_size=not is_summed
    ):
        return
    x = array._node
    operands = [as_node(value) for value in values]
    places = _index(indices)
    # Bounds of indices in a list are known now, those of an array's once it is evaluated.
    _check_places(ufunc, array, indices if isinstance(indices, list) else places, operands)
    if ufunc in SCATTERED:
        # As the kernels of sums and extremes at places take them.
        operands = [
            _in_dtype(ufunc, argument, value, x.dtype)
            for argument, value in zip(values, operands, strict=True)
        ]
        if isinstance(places, (LazyArray, np.ndarray)) and kind_of(places.dtype) in "iu":
            places = wrap(_cast_to(as_node(places), np.dtype(np.int64)))
    array._become(
        library_node(LIBRARY["scatter"], (ufunc, x, places, *operands), {}, x.shape, x.dtype)
    )


@functools.cache
def _check_loop(ufunc: np.ufunc, *dtypes: np.dtype[Any]) -> None:
    check_loop(ufunc, tuple([np.empty(0, dtype) for dtype in dtypes]))


def _check_places(ufunc: np.ufunc, array: LazyArray, places: Any, operands: list[Node]) -> None:
    """Check an index of ``ufunc.at``, and that NumPy has a loop for the dtypes."""
    if ufunc.nout != 1:
        raise ArgumentError("Only single output ufuncs supported at this time", origin=origin())
    _check_loop(ufunc, array.dtype, *[value.dtype for value in operands])
    if isinstance(places, (LazyArray, np.ndarray)) and kind_of(places.dtype) in "iu" and array.ndim:
        shape = (*places.shape, *array.shape[1:])
    else:
        listed = places if isinstance(places, tuple) else ()
        if any(kind_of(place.dtype) == "b" for place in listed if hasattr(place, "dtype")):
            return  # its true elements would have to be counted
        chosen = array[places]
        if isinstance(chosen, MaskedSelection):
            return
        shape = chosen.shape
    if not all(broadcasts_to(value.shape, shape) for value in operands):
        raise ShapeError("array is not broadcastable to correct shape", origin=origin())


def _cast_to(value: Node, dtype: np.dtype[Any]) -> Node:
    """Return a value of a dtype, if that holds all values of its own; else the value."""
    safe = np.result_type(dtype, value.dtype) == dtype
    return build.cast(value, dtype) if safe else value


def _in_dtype(ufunc: np.ufunc, argument: Any, value: Node, dtype: np.dtype[Any]) -> Node:
    """Return the operand of ``ufunc.at`` in the dtype of the array, if the result is the same.

    Parameters
    ----------
    ufunc : numpy.ufunc
        Adds, subtracts or takes an extreme.
    argument : object
        The user's argument.
    value : Node
        Its value.
    dtype : numpy.dtype
        Of the array.
    """
    if type(argument) in (int, float) and kind_of(dtype) == "f" and abs(argument) <= _EXACT:
        # Sums of two such numbers are rounded alike where they are computed in a wider dtype first.
        if dtype.type(argument) == argument:
            return build.constant(argument, dtype)
    if ufunc not in _EXTREMES and kind_of(dtype) in "iu" and kind_of(value.dtype) in "iu":
        if kind_of(np.result_type(dtype, value.dtype)) in "iu":
            return build.cast(value, dtype)  # sums wrap in every dtype
    return _cast_to(value, dtype)


def _index(key: Any) -> Any:
    """Return a key whose lists are arrays, which a lazy call holds as its sources."""
    if isinstance(key, tuple):
        return tuple(_index(item) for item in key)
    if not isinstance(key, list):
        return key
    places = as_lazy(key)
    return places if places.size else places.astype(build.INT64)  # no dtype is known


#: Methods by name, but for outer products, which are calls of the ufunc itself.
METHODS: dict[str, Callable[..., Any]] = {
    "reduce": _reduce,
    "accumulate": _accumulate,
    "reduceat": _reduceat,
    "at": _at,
}
