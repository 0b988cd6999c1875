"""NumPy's protocols: dispatch of ``np.sin(x)``, ``np.add.reduce(x)`` and ``np.concatenate``."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np

from lazyarr.arrays.coercion import holds_others, is_no_number, is_numpys_subclass
from lazyarr.arrays.lazy_array import LazyArray, apply, as_operand, asarray, wrap
from lazyarr.arrays.native_calls import Row
from lazyarr.arrays.native_functions import called_at_once
from lazyarr.arrays.native_rows import row_of
from lazyarr.arrays.operators import is_foreign
from lazyarr.builders import build
from lazyarr.core.axis_numbers import normalize_axes
from lazyarr.core.shapes import broadcast_shapes
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.graph.node import Node
from lazyarr.numpy_api import matrix_products, slicing
from lazyarr.numpy_api.computed_forms import form_of
from lazyarr.numpy_api.library_calls import compute_now, library_node
from lazyarr.numpy_api.memory_order import in_order
from lazyarr.numpy_api.names import NAMESPACES
from lazyarr.numpy_api.ufunc_arguments import check_outputs, is_array, store_all_into
from lazyarr.numpy_api.ufunc_calls import call_ufunc, ufunc_options
from lazyarr.numpy_api.ufunc_methods import METHODS, check_binary, outer_operands
from lazyarr.numpy_api.ufunc_signatures import check_casting, signed_dtype
from lazyarr.numpy_api.view_making import windows_in_memory
from lazyarr.ops.elementwise import BY_UFUNC
from lazyarr.ops.library import library_function

_OF_SUBCLASSES = "NumPy computes with masked arrays and matrices"

__all__ = ["array_function", "array_ufunc", "computing_function", "counterpart"]


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
            x, other = (left, right) if isinstance(left, LazyArray) else (right, left)
            if is_no_number(other) or holds_others(other):
                return x == other if ufunc is np.equal else x != other
        ops = BY_UFUNC.get(ufunc)
        if ops is not None and len(ops) == 1:
            if any(map(is_foreign, args)):
                return _left_to_others(ufunc, args, {})
            return apply(ops[0], args)
    out = keywords.get("out")
    out = out if isinstance(out, tuple) else () if out is None else (out,)
    if any(part is Ellipsis for part in out):
        keywords = {**keywords, "out": None}
        out = ()
    # The places of ufunc.at are no operand.
    operands = (args[0], *args[2:]) if method == "at" else args
    if any(is_foreign(x) for x in (*operands, *out) if x is not None):
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return _left_to_others(function, args, keywords)
    if not isinstance(ufunc, np.ufunc):
        named = getattr(ufunc, "_theirs", None)  # of a function of lazyarr's
        if not isinstance(named, np.ufunc):
            if not callable(ufunc):
                raise DTypeError(f"{ufunc!r} is not a ufunc", origin=origin())
            # Another library's function that takes the protocol, as those of numba.vectorize do.
            function = ufunc if method == "__call__" else getattr(ufunc, method)
            return compute_now(function, args, keywords)
        ufunc = named
    if getattr(np, ufunc.__name__, None) is ufunc:
        counterpart(ufunc)  # enters its calls into the compiled form, which answers from now on
    if ufunc not in BY_UFUNC and method != "at" and set("".join(ufunc.types)) <= set("O->"):
        function = ufunc if method == "__call__" else getattr(ufunc, method)
        return compute_now(function, args, keywords, "its results have dtype object")
    if method == "__call__":
        return _call(ufunc, args, keywords)
    check_binary(ufunc, method)
    if method == "outer":
        return _call(ufunc, outer_operands(args), keywords)
    if method not in METHODS:
        raise AttributeError(f"{ufunc!r} has no method {method!r}")
    return METHODS[method](ufunc, *args, **keywords)


def _left_to_others(function: Any, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Return NumPy's result for masked arrays and matrices; NotImplemented for other operands.

    Their classes leave the answer to NumPy, which needs the values of the lazy operands.
    """
    options = dict(keywords)
    out = options.pop("out", None)
    outs = out if isinstance(out, tuple) else () if out is None else (out,)
    others = [x for x in (*args, *outs) if x is not None and is_foreign(x)]
    plain = [isinstance(x, np.ndarray) and is_numpys_subclass(type(x)) for x in others]
    if not all(plain) or any(isinstance(x, LazyArray) for x in outs):
        return NotImplemented

    @functools.wraps(function, updated=())
    def call(*values: Any, **named: Any) -> Any:
        return function(*values, **named) if out is None else function(*values, out=out, **named)

    call.__module__ = "numpy"
    return compute_now(call, args, options, _OF_SUBCLASSES)


def _call(ufunc: np.ufunc, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    out = keywords.get("out")
    signature = keywords.pop("signature", keywords.pop("sig", None))
    if ufunc.signature is not None and ufunc.__name__ in matrix_products.GENERALIZED:
        named = keywords if signature is None else {**keywords, "signature": signature}
        return matrix_products.GENERALIZED[ufunc.__name__](*args, **named)
    if ufunc.signature is not None and ufunc not in BY_UFUNC:
        named = keywords if signature is None else {**keywords, "signature": signature}
        return _generalized(ufunc, args, named)
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


def _generalized(ufunc: np.ufunc, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call a generalized ufunc of another library immediately, with the shapes of its outputs."""
    operands, outs = args[: ufunc.nin], args[ufunc.nin :]
    named = keywords.pop("out", None)
    if named is not None:
        outs = named if isinstance(named, tuple) else (named,)
    if all(target is None for target in outs):
        return compute_now(ufunc, operands, keywords)

    @functools.wraps(ufunc, updated=())
    def filled(targets: Any, *values: Any, **options: Any) -> Any:
        copies = tuple(target if target is None else target.copy() for target in targets)
        return ufunc(*values, out=copies, **options)

    filled.__module__ = getattr(ufunc, "__module__", None) or "numpy"
    results = compute_now(filled, (outs, *operands), keywords)
    stored = store_all_into(results if isinstance(results, tuple) else (results,), outs)
    return stored[0] if len(stored) == 1 else stored


def _unknown_ufunc(ufunc: np.ufunc, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """Call a ufunc that has no row, such as SciPy's, lazily as a library function."""
    if keywords.get("where", True) is not True:
        raise ArgumentError(
            f"{ufunc.__name__} does not support where= for LazyArrays", origin=origin()
        )
    operands = [as_operand(x) for x in args]
    operand_types = tuple(x.dtype if isinstance(x, Node) else type(x) for x in operands)
    operand_types = tuple(np.dtype(bool) if g is bool else g for g in operand_types)
    resolve: Callable[..., tuple[np.dtype[Any], ...]] = ufunc.resolve_dtypes
    try:
        dtypes = resolve((*operand_types, *(None,) * ufunc.nout))
    except TypeError as error:
        raise DTypeError(str(error), origin=origin()) from None
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
        check_outputs([x.shape for x in nodes], outs)
        shape = next((target.shape for target in outs if is_array(target)), shape)
        results = [wrap(build.broadcast_to(result._node, shape)) for result in results]
        outputs = store_all_into(tuple(results), outs)
        return outputs[0] if len(outputs) == 1 else outputs
    return results[0] if len(results) == 1 else tuple(results)


def _output(ufunc: np.ufunc, position: int) -> Callable[..., Any]:
    if ufunc.nout == 1:
        return ufunc

    def output(*args: Any) -> Any:
        return ufunc(*args)[position]

    return output


# np.sum and the like: functions that are not ufuncs.

_WINDOWS = np.lib.stride_tricks.sliding_window_view
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
    """Return functions of shapes and dtypes, which lazyarr takes from NumPy."""
    windows = windows_in_memory, slicing.sliding_window_view
    row = Row(*windows, "total", places=3, copies=True, quiet=True)
    return {
        np.shape: _shape,
        np.size: _size,
        np.ndim: _ndim,
        np.result_type: _result_type,
        _WINDOWS: called_at_once(slicing.sliding_window_view, row, LazyArray, _WINDOWS),
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
    if any(issubclass(kind, np.ndarray) and is_numpys_subclass(kind) for kind in types):
        return compute_now(func, args, keywords, _OF_SUBCLASSES)
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
    """Return a function of LazyArrays that calls one of NumPy's immediately; None if not one."""
    if not hasattr(function, "_implementation"):
        return None

    theirs = _namespace_of(function)
    # Those of other modules, such as numpy.emath.power, are no functions of that name there.
    is_public = getattr(theirs, function.__name__, None) is function

    @functools.wraps(function, updated=())
    def call(*args: Any, **keywords: Any) -> Any:
        is_main = is_public and theirs is np
        form = form_of(function.__name__, args, keywords) if is_main else None
        result = NotImplemented if form is None else form(*args, **keywords)
        return compute_now(function, args, keywords) if result is NotImplemented else result

    call.__module__ = theirs.__name__.replace("numpy", "lazyarr")
    row = row_of(theirs, function.__name__, call, computed=True) if is_public else None
    return call if row is None else called_at_once(call, row, LazyArray, function)
