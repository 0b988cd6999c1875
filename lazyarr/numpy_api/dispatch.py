"""NumPy's protocols: dispatch of ``np.sin(x)``, ``np.add.reduce(x)`` and ``np.concatenate``."""

from __future__ import annotations

import functools
import operator
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import holds_numbers, is_no_number
from lazyarr.arrays.lazy_array import (
    LazyArray,
    apply,
    as_node,
    as_operand,
    asarray,
    wrap,
)
from lazyarr.arrays.masked_selection import MaskedSelection
from lazyarr.arrays.native_functions import called_at_once
from lazyarr.arrays.native_items import write_called
from lazyarr.arrays.native_rows import row_of
from lazyarr.arrays.operators import is_foreign
from lazyarr.builders import build
from lazyarr.core.axis_numbers import normalize_axes
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import broadcast_shapes, broadcasts_to
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Node, node
from lazyarr.numpy_api import matrix_products, reduction_arguments, reductions, slicing
from lazyarr.numpy_api.library_calls import compute_now, library_node
from lazyarr.numpy_api.memory_order import in_order
from lazyarr.numpy_api.names import NAMESPACES
from lazyarr.numpy_api.ufunc_arguments import (
    accumulation_dtype,
    call_ufunc,
    mask_of,
    reduce_into,
    scan_into,
    store_all_into,
    ufunc_options,
)
from lazyarr.numpy_api.ufunc_signatures import check_casting, check_loop, signed_dtype
from lazyarr.ops.elementwise import BY_UFUNC
from lazyarr.ops.library import LIBRARY, library_function
from lazyarr.ops.markers import refuse_differentiated
from lazyarr.ops.scan import scan_of
from lazyarr.tracing import running

__all__ = ["array_function", "array_ufunc", "computing_function", "counterpart"]

_REDUCTIONS: dict[np.ufunc, Callable[..., Any]] = {
    np.add: reductions.sum,
    np.multiply: reductions.prod,
    np.minimum: reductions.min,
    np.maximum: reductions.max,
    np.logical_and: reductions.all,
    np.logical_or: reductions.any,
}


def array_ufunc(
    ufunc: np.ufunc, method: str, args: tuple[Any, ...], keywords: dict[str, Any]
) -> Any:
    """Return the result of a ufunc, or of one of its methods: ``LazyArray.__array_ufunc__``.

    Parameters
    ----------
    ufunc : numpy.ufunc
        The function.
    method : {"__call__", "reduce", "accumulate", "outer", "reduceat", "at"}
        The method that was called.
    args : tuple
        The positional arguments of the call.
    keywords : dict
        Its keywords; ``out`` is a tuple.

    Returns
    -------
    LazyArray, tuple of LazyArray, or NotImplemented
        The latter if an operand or output belongs to a library that answers itself.
    """
    if not keywords and method == "__call__":
        if ufunc in (np.equal, np.not_equal):
            left, right = args
            if is_no_number(left) or is_no_number(right):
                x, other = (right, left) if is_no_number(left) else (left, right)
                return x == other if ufunc is np.equal else x != other
        ops = BY_UFUNC.get(ufunc)
        if ops is not None and len(ops) == 1:
            for operand in args:
                if is_foreign(operand):
                    return NotImplemented
            return apply(ops[0], args)
    out = keywords.get("out")
    out = out if isinstance(out, tuple) else () if out is None else (out,)
    if any(part is Ellipsis for part in out):
        keywords = {**keywords, "out": None}
        out = ()
    # The places of ufunc.at are no operand.
    operands = (args[0], *args[2:]) if method == "at" else args
    if any(is_foreign(x) for x in (*operands, *out) if x is not None):
        return NotImplemented
    match method:
        case "__call__":
            return _call(ufunc, args, keywords)
        case "reduce":
            return _reduce(ufunc, *args, **keywords)
        case "accumulate":
            return _accumulate(ufunc, *args, **keywords)
        case "outer":
            return _outer(ufunc, args, keywords)
        case "reduceat":
            return _reduceat(ufunc, *args, **keywords)
        case "at":
            return _at(ufunc, *args)
        case _:
            return NotImplemented


def _call(ufunc: np.ufunc, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    out = keywords.get("out")
    signature = keywords.pop("signature", keywords.pop("sig", None))
    if ufunc.signature is not None and ufunc.__name__ in matrix_products.GENERALIZED:
        named = keywords if signature is None else {**keywords, "signature": signature}
        return matrix_products.GENERALIZED[ufunc.__name__](*args, **named)
    if ufunc.signature is not None and ufunc not in BY_UFUNC:
        named = keywords if signature is None else {**keywords, "signature": signature}
        return compute_now(ufunc, args, named)
    ufunc_options(ufunc.__name__, keywords)
    order = keywords.get("order", "K")
    dtype = keywords.get("dtype")
    if signature is not None:
        casting = keywords.get("casting", "same_kind")
        dtype = signed_dtype(signature, ufunc, args, casting)
    ops = BY_UFUNC.get(ufunc)
    if ops is None:
        return _unknown_ufunc(ufunc, args, keywords)
    check_casting(ufunc, args, dtype, keywords.get("casting", "same_kind"))
    result = call_ufunc(
        ops,
        args,
        out=out,
        where=keywords.get("where", True),
        dtype=dtype,
        casting=keywords.get("casting", "same_kind"),
    )
    return result if out is not None else in_order(result, order, args)


def _unknown_ufunc(ufunc: np.ufunc, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call a ufunc that has no row, such as SciPy's, lazily as a library function."""
    if keywords.get("where", True) is not True:
        raise ArgumentError(f"{ufunc.__name__} takes no where= here", origin=origin())
    operands = [as_operand(x) for x in args]
    operand_types = tuple(x.dtype if isinstance(x, Node) else type(x) for x in operands)
    operand_types = tuple(np.dtype(bool) if g is bool else g for g in operand_types)
    resolve: Callable[..., tuple[np.dtype[Any], ...]] = ufunc.resolve_dtypes
    try:
        dtypes = resolve((*operand_types, *(None,) * ufunc.nout))
    except TypeError as error:
        raise DTypeError(f"{ufunc.__name__}: {error}", origin=origin()) from None
    nodes = [
        build.cast(x, dtype) if isinstance(x, Node) else build.constant(x, dtype)
        for x, dtype in zip(operands, dtypes, strict=False)
    ]
    with build.located():
        shape = broadcast_shapes(*[x.shape for x in nodes])
    results = []
    for position in range(ufunc.nout):
        op = library_function(f"{ufunc.__name__}_{position}", _output(ufunc, position))
        result_dtype = build.as_dtype(dtypes[ufunc.nin + position])
        results.append(wrap(library_node(op, nodes, {}, shape, result_dtype)))
    outs = keywords.get("out")
    if outs is not None:
        outputs = store_all_into(tuple(results), outs)
        return outputs[0] if len(outputs) == 1 else outputs
    return results[0] if len(results) == 1 else tuple(results)


def _output(ufunc: np.ufunc, position: int) -> Callable[..., Any]:
    if ufunc.nout == 1:
        return ufunc

    def output(*args: Any) -> Any:
        return ufunc(*args)[position]

    return output


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
    if ufunc.nin != 2 or ufunc.nout != 1:
        raise ArgumentError("reduce only supported for binary functions", origin=origin())
    axes = reduction_arguments.axes_of(axis, x.ndim, lenient=True)
    if not isinstance(keepdims, bool):
        keepdims = bool(operator.index(keepdims))
    options: dict[str, Any] = {"axis": axes, "keepdims": keepdims}
    if dtype is not None:
        options["dtype"] = build.as_dtype(dtype)
    if initial is not reduction_arguments.NO_VALUE:  # None is another wish
        options["initial"] = initial
    if where is not True:
        options["where"] = wrap(mask_of(where))
    small = {key: value for key, value in options.items() if key != "axis"}
    if "where" in small:
        small["where"] = np.ones((1,) * x.ndim, bool)
    try:
        # NumPy judges a reduction over nothing, and one under a mask.
        sample = np.ones(tuple(min(n, 1) for n in x.shape), x.dtype)
        result = ufunc.reduce(sample, axis=axes, **small).dtype
    except TypeError as error:
        raise DTypeError(f"{ufunc.__name__}.reduce: {error}", origin=origin()) from None
    except ValueError as error:
        raise ArgumentError(str(error), origin=origin()) from None
    if keepdims:
        shape = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
    else:
        shape = tuple(n for k, n in enumerate(x.shape) if k not in axes)
    reduction = library_node(LIBRARY["reduce"], (ufunc, x), options, shape, build.as_dtype(result))
    return reduce_into(wrap(reduction), out, ufunc.__name__)


def _accumulate(
    ufunc: np.ufunc, array: Any, axis: int = 0, dtype: Any = None, out: Any = None
) -> Any:
    x = as_node(array)
    axis = reduction_arguments.one_axis(axis, x.ndim, "accumulate")
    is_truth = ufunc.types[0].endswith("->?")  # no output widens what it compares
    if dtype is not None or not is_truth:
        dtype = accumulation_dtype(x, dtype, out)
    requested = None if dtype is None else build.as_dtype(dtype)
    result = ufunc.accumulate(np.ones((1,) * x.ndim, x.dtype), axis=axis, dtype=requested).dtype
    scan = scan_of(ufunc)
    if scan is not None:
        scanned = node(scan, (build.cast(x, result),), result, x.shape, axis, origin())
    else:
        scanned = library_node(
            LIBRARY["accumulate"], (ufunc, x), {"axis": axis, "dtype": requested}, x.shape, result
        )
    return scan_into(wrap(scanned), out, ufunc.__name__)


def _outer(ufunc: np.ufunc, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    left, right = (asarray(x) for x in args)
    spread = left.reshape(left.shape + (1,) * right.ndim)
    return _call(ufunc, (spread, right), keywords)


def _reduceat(
    ufunc: np.ufunc,
    array: Any,
    indices: Any,
    axis: int = 0,
    dtype: Any = None,
    out: Any = None,
) -> Any:
    # Numbers are cut to integers; arrays have to be cast safely.
    places = asarray(indices, build.INT64 if holds_numbers(indices) else None)
    x, index = as_node(array), places._node
    if not index.size and isinstance(indices, (list, tuple)):
        index = build.cast(index, build.INT64)  # of an empty list no dtype is known
    if index.ndim != 1:
        depth = "too deep" if index.ndim else "of too small depth"
        raise ShapeError(f"object {depth} for desired array", origin=origin())
    build.check_cast(index.dtype, build.INT64, "safe")
    axis = reduction_arguments.one_axis(axis, x.ndim, "reduceat")
    requested = None if dtype is None else build.as_dtype(dtype)
    small = np.ones((1,) * x.ndim, x.dtype)
    result = ufunc.reduceat(small, [0], axis=axis, dtype=requested).dtype
    shape = (*x.shape[:axis], index.shape[0], *x.shape[axis + 1 :])
    accumulated = library_node(
        LIBRARY["reduceat"], (ufunc, x, index), {"axis": axis, "dtype": requested}, shape, result
    )
    return reduce_into(wrap(accumulated), out, ufunc.__name__)


def _at(ufunc: np.ufunc, array: Any, indices: Any, *values: Any) -> None:
    """Write to `array` what unbuffered ``ufunc.at`` does."""
    if not isinstance(array, LazyArray):
        lazy = [x._node for x in values if isinstance(x, LazyArray)]
        refuse_differentiated(lazy, f"{ufunc.__name__}.at on an ndarray")
        concrete = [
            x._value("ufunc.at") if isinstance(x, LazyArray) else x for x in (indices, *values)
        ]
        ufunc.at(array, *concrete)
        return
    if not running and write_called(ufunc.at, array, (indices, *values), {}, False):
        return
    x = array._node
    operands = [as_node(value) for value in values]
    places = _index(indices)
    _check_places(ufunc, array, places, operands)
    if ufunc is np.add:
        # As the kernel of sums at places takes them.
        operands = [_cast_to(value, x.dtype) for value in operands]
        if isinstance(places, (LazyArray, np.ndarray)) and kind_of(places.dtype) in "iu":
            places = wrap(_cast_to(as_node(places), np.dtype(np.int64)))
    array._become(
        library_node(LIBRARY["scatter"], (ufunc, x, places, *operands), {}, x.shape, x.dtype)
    )


@functools.cache
def _check_loop(ufunc: np.ufunc, *dtypes: np.dtype[Any]) -> None:
    check_loop(ufunc, tuple([np.empty(0, dtype) for dtype in dtypes]))


def _check_places(ufunc: np.ufunc, array: LazyArray, places: Any, operands: list[Node]) -> None:
    """Check an index of ``ufunc.at``, and that NumPy has a loop for what it changes."""
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


def _index(key: Any) -> Any:
    """Return a key whose lists are arrays, which a lazy call holds as its sources."""
    if isinstance(key, tuple):
        return tuple(_index(item) for item in key)
    if not isinstance(key, list):
        return key
    places = asarray(key)
    return places if places.size else places.astype(build.INT64)  # no dtype is known


# np.sum and the like: functions that are not ufuncs.

#: lazyarr's functions by NumPy's, as far as they were asked for.
_counterparts: dict[Callable[..., Any], Callable[..., Any] | None] = {}


def counterpart(function: Callable[..., Any]) -> Callable[..., Any] | None:
    """Return lazyarr's function of the same name as one of NumPy's, in the same namespace.

    Parameters
    ----------
    function : callable
        NumPy's, no ufunc.

    Returns
    -------
    callable or None
        The latter if there is none with a lazy form.
    """
    try:
        return _counterparts[function]
    except KeyError:
        mine = _counterparts[function] = _known().get(function) or _find(function)
        return mine


def _find(function: Callable[..., Any]) -> Callable[..., Any] | None:
    mine = None
    for space, namespace in NAMESPACES.items():
        theirs = sys.modules.get(space)  # a function of one that is not imported is not called
        members = {} if theirs is None else vars(theirs)
        names = [name for name, value in members.items() if value is function]
        names.sort(key=function.__name__.__eq__)  # its own name counts most, as of transpose
        module = namespace() if names else None
        for name in names:
            if name in vars(module).get("__all__", ()):
                mine = getattr(module, name)
    if mine is function:
        # np.shape and its kin are names of ours too, and read attributes alone.
        mine = getattr(function, "_implementation", function)
    return mine if callable(mine) else None


@functools.cache
def _known() -> dict[Callable[..., Any], Callable[..., Any]]:
    """Return functions of what is known beforehand, which lazyarr has from NumPy itself."""
    return {
        np.shape: _shape,
        np.size: _size,
        np.ndim: _ndim,
        np.result_type: _result_type,
        np.lib.stride_tricks.sliding_window_view: slicing.sliding_window_view,
    }


def _shape(a: Any) -> tuple[int, ...]:
    return asarray(a).shape


def _ndim(a: Any) -> int:
    return asarray(a).ndim


def _size(a: Any, axis: Any = None) -> int:
    x = asarray(a)
    if axis is None:
        return x.size
    with build.located():
        return build.size_over(x.shape, normalize_axes(axis, x.ndim))


def _result_type(*arguments: Any) -> np.dtype[Any]:
    """Return NumPy's answer, which needs the dtypes of arrays alone."""
    dtypes = [x.dtype if isinstance(x, LazyArray) else x for x in arguments]
    common: np.dtype[Any] = np.result_type(*dtypes)
    return common


def array_function(func: Callable[..., Any], types: Any, args: Any, keywords: Any) -> Any:
    """Return the result of a function of NumPy's: ``LazyArray.__array_function__``.

    Parameters
    ----------
    func : callable
        NumPy's function. One without a lazy form is computed at once.
    types : iterable of type
        Of the arguments that have the protocol.
    args : tuple
        The positional arguments of the call.
    keywords : dict
        Its keywords.

    Returns
    -------
    object
        The result; NotImplemented if an argument belongs to a library that answers itself.
    """
    for kind in types:
        if not issubclass(kind, (LazyArray, np.ndarray)) or (
            issubclass(kind, np.ndarray)
            and kind.__array_function__ is not np.ndarray.__array_function__
        ):
            return NotImplemented
    implementation = counterpart(func) or computing_function(func)
    if implementation is not None:
        return implementation(*args, **keywords)
    return compute_now(func, args, keywords)


def _namespace_of(function: Any) -> ModuleType:
    """Return the public namespace of NumPy's that a function is in."""
    is_algebra = getattr(np.linalg, function.__name__, None) is function
    return np.linalg if is_algebra else np


@functools.cache
def computing_function(function: Any) -> Callable[..., Any] | None:
    """Return a function of LazyArrays that calls one of NumPy's at once; None if it is not one."""
    if not hasattr(function, "_implementation"):
        return None

    @functools.wraps(function, updated=())
    def call(*args: Any, **keywords: Any) -> Any:
        return compute_now(function, args, keywords)

    theirs = _namespace_of(function)
    call.__module__ = theirs.__name__.replace("numpy", "lazyarr")
    row = row_of(theirs, function.__name__, call, computed=True)
    return call if row is None else called_at_once(call, row, LazyArray, function)
