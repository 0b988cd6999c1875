"""Functions that NumPy computes on whole arrays: order statistics, histograms, interpolation.

A row gives the rule for the result's shape. NumPy itself checks the arguments and gives the
dtype, on arrays of one element.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node, asarray
from lazyarr.builders import build
from lazyarr.core import tuning
from lazyarr.core.axis_numbers import list_axes, normalize_axes, normalize_axis, strict_axis
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.numpy_releases import KEEPS_LONE_ROWS
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from lazyarr.graph.node import Leaf
from lazyarr.numpy_api.creation import zeros
from lazyarr.numpy_api.library_calls import call_library
from lazyarr.numpy_api.moments import mean
from lazyarr.numpy_api.nan_reductions import nanmean
from lazyarr.numpy_api.order_statistics import FASTER
from lazyarr.numpy_api.reduction_arguments import axes_of, is_passed
from lazyarr.numpy_api.ufunc_arguments import reduce_into, store_into, store_positions, write_back
from lazyarr.ops.markers import is_differentiated, refuse_differentiated

__all__ = ["FUNCTIONS", "corrcoef", "cov", "polyval"]

Shape = tuple[int, ...]
Arguments = dict[str, Any]
Rule = Callable[[Arguments], Shape]


def _first(arguments: Arguments) -> LazyArray:
    array: LazyArray = next(iter(arguments.values()))
    return array


def _same(arguments: Arguments) -> Shape:
    return _first(arguments).shape


def _reduced(arguments: Arguments) -> Shape:
    shape, axis = _first(arguments).shape, arguments.get("axis")
    axes = normalize_axes(axis, len(shape))
    keepdims = arguments.get("keepdims")
    if is_passed(keepdims) and keepdims:
        return tuple(1 if k in axes else n for k, n in enumerate(shape))
    return tuple(n for k, n in enumerate(shape) if k not in axes)


def _quantiles(arguments: Arguments) -> Shape:
    return (*np.shape(arguments["q"]), *_reduced(arguments))


def _nan_quantiles(arguments: Arguments) -> Shape:
    """Return the shape of quantiles without NaN; NumPy puts the axes of a table of them apart."""
    q, axis, x = np.shape(arguments["q"]), arguments.get("axis"), _first(arguments)
    if len(q) < 2 or not isinstance(axis, tuple) or len(axis) == 1 or x.ndim == 1:
        return _quantiles(arguments)
    axes = normalize_axes(axis, x.ndim)
    rest = tuple([n for k, n in enumerate(x.shape) if k not in axes])
    values = np.broadcast_to(0, (*rest, *q))
    values = np.moveaxis(values, range(-1, len(q) - 1), range(len(q)))
    keepdims = arguments.get("keepdims")
    if is_passed(keepdims) and keepdims:
        dimensions = [np.newaxis if k in axes else slice(None) for k in range(x.ndim)]
        values = values[(..., *dimensions)]
    return values.shape


def _argument(arguments: Arguments) -> Shape:
    ndim, axis = _first(arguments).ndim, arguments.get("axis")
    if axis is not None:
        strict_axis(axis, max(ndim, 1))
    return _reduced(arguments) if ndim else ()


#: Methods that pick elements, which NumPy writes to an output as its function take does.
_PICKED = frozenset("lower higher nearest inverted_cdf closest_observation".split())
#: Other arguments through which derivatives pass.
_FOLLOWED = frozenset(("q", "left", "right"))


def _is_followed(value: LazyArray) -> bool:
    return is_differentiated((value._node,))


def _small(name: str, key: str, value: LazyArray) -> Any:
    if name in ("interp", "digitize") and key in ("xp", "fp", "bins"):
        return np.arange(2, dtype=value.dtype) if key != "fp" else np.zeros(2, value.dtype)
    return np.ones((1,) * value.ndim, value.dtype)


def _unchecked(arguments: Arguments) -> None:
    """Leave the arguments to NumPy."""


def _check_bins(arguments: Arguments) -> None:
    bins = arguments["bins"]
    if bins.ndim != 1:
        raise ShapeError(
            f"object {'too deep' if bins.ndim else 'of too small depth'} for desired array",
            origin=origin(),
        )
    if kind_of(asarray(arguments["x"]).dtype) == "c":
        raise DTypeError("x may not be complex", origin=origin())
    values = bins._node.attr
    # Bins that exist are looked at now; others are when the result is computed.
    if type(values) is Leaf and bins.size <= tuning.row().checked_bins:
        before, behind = values.array[:-1], values.array[1:]
        if (before > behind).any() and (before < behind).any():
            raise ArgumentError(
                "bins must be monotonically increasing or decreasing", origin=origin()
            )


def _check_empty(arguments: Arguments, name: str = "argmin") -> None:
    x, axis = _first(arguments), arguments.get("axis")
    if not build.size_over(x.shape, axes_of(axis, x.ndim, lenient=True)):
        raise ArgumentError(f"attempt to get {name} of an empty sequence", origin=origin())


def _fit(weights: Shape, shape: Shape, axis: Any) -> bool:
    """Whether weights are as long as the axes, in the order in which these are named."""
    return weights == tuple(shape[normalize_axis(k, len(shape))] for k in list_axes(axis))


def _check_weights(arguments: Arguments) -> None:
    """Check that weights have the shape of the values, or of the axes reduced over."""
    x, weights, axis = _first(arguments), arguments["weights"], arguments.get("axis")
    if weights.shape != x.shape and axis is None:
        raise ArgumentError(
            "Axis must be specified when shapes of a and weights differ.", origin=origin()
        )
    if weights.shape != x.shape and not _fit(weights.shape, x.shape, axis):
        raise ShapeError(
            "Shape of weights must be consistent with shape of a along specified axis.",
            origin=origin(),
        )

    _check_signs("Weights must be non-negative.", weights)


def _check_signs(message: str, weights: LazyArray) -> None:
    """Refuse weights below zero if they are in memory; others are refused when it is computed."""
    values = _in_memory(weights)
    if values is not None and (values < 0).any():
        raise ArgumentError(message, origin=origin())


def _in_memory(array: LazyArray) -> Any:
    """Return the values of an array that are in the host's memory; else None."""
    memory = array._node.attr
    if isinstance(memory, Leaf) and memory.is_on_host:
        return memory.array
    return None


def _check_points(arguments: Arguments) -> None:
    """Check the points of an interpolation as NumPy does."""
    points, values = arguments["xp"], arguments["fp"]
    if points.ndim != 1 or values.ndim != 1:
        raise ShapeError("Data points must be 1-D sequences", origin=origin())
    if not points.size:
        raise ShapeError("array of sample points is empty", origin=origin())
    if points.size != values.size:
        raise ShapeError("fp and xp are not of the same length.", origin=origin())
    if arguments.get("period") == 0:
        raise ArgumentError("period must be a non-zero value", origin=origin())


def _check_nothing(arguments: Arguments, name: str) -> None:
    """Raise NumPy's error of a quantile of no elements, which does not depend on them."""
    x = arguments["a"]
    axis = arguments.get("axis")
    with build.located():
        axes = normalize_axes(None if axis is None else axis, x.ndim)
    shares = arguments["q"]
    if build.size_over(x.shape, axes) or isinstance(shares, LazyArray):
        return
    named = {key: arguments[key] for key in ("method", "weights") if key in arguments}
    if isinstance(named.get("weights"), LazyArray):
        return
    try:
        getattr(np, name)(np.zeros(x.shape, x.dtype), shares, axis=axis, **named)
    except IndexError as error:
        raise IndexingError(str(error), origin=origin()) from None


@dataclass(frozen=True, slots=True)
class _Row:
    """A function that NumPy computes.

    Attributes
    ----------
    rule : callable
        Returns the shape of the result.
    arrays : tuple of str
        The arguments that are arrays.
    check : callable, optional
        Raises NumPy's errors of arguments.
    is_comparing : bool, optional
        Whether the arrays are compared with each other, in the dtype that they promote to.
    is_mean_of_empty : bool, optional
        Whether NumPy computes it of no elements as `nanmean`, and in its shape.
    """

    rule: Rule
    arrays: tuple[str, ...] = ("a",)
    check: Callable[[Arguments], None] = _unchecked
    is_comparing: bool = False
    is_mean_of_empty: bool = False


_ROWS = {
    "median": _Row(_reduced),
    "nanmedian": _Row(_reduced, is_mean_of_empty=True),
    "percentile": _Row(_quantiles, check=functools.partial(_check_nothing, name="percentile")),
    "quantile": _Row(_quantiles, check=functools.partial(_check_nothing, name="quantile")),
    "nanpercentile": _Row(_nan_quantiles, is_mean_of_empty=True),
    "nanquantile": _Row(_nan_quantiles, is_mean_of_empty=True),
    "nanargmin": _Row(_argument, check=_check_empty),
    "nanargmax": _Row(_argument, check=functools.partial(_check_empty, name="argmax")),
    "interp": _Row(_same, ("x", "xp", "fp"), _check_points),
    "digitize": _Row(_same, ("x", "bins"), _check_bins, is_comparing=True),
    "i0": _Row(_same, ("x",)),
    "sort_complex": _Row(_same),
}
"""The functions that NumPy computes, by name."""


def _function(name: str, row: _Row) -> Callable[..., Any]:
    rule, arrays = row.rule, row.arrays
    function: Callable[..., Any] = getattr(np, name)
    computing = FASTER.get(function, function)
    signature = inspect.signature(function)

    def call(*args: Any, **keywords: Any) -> Any:
        arguments = dict(signature.bind(*args, **keywords).arguments)
        out = arguments.pop("out", None)
        arguments.pop("overwrite_input", None)  # no more than a wish
        for key, value in arguments.items():
            if key in arrays or (key == "weights" and value is not None):
                arguments[key] = as_lazy(value)
            elif key in _FOLLOWED and isinstance(value, LazyArray) and _is_followed(value):
                continue
            elif isinstance(value, LazyArray):
                refuse_differentiated((value._node,), f"the argument {key} of {name}")
                arguments[key] = value._value(name)
            elif key == "q" and not isinstance(value, (int, float)):
                # A Python number leaves the dtype as it is.
                arguments[key] = np.asarray(value)
        with build.located():
            shape = rule(arguments)
        if row.is_mean_of_empty and not arguments["a"].size:
            # NumPy checks the quantiles, and the method only beside weights.
            weighted = arguments.get("weights") is not None
            checked = arguments if weighted else {k: v for k, v in arguments.items() if k == "q"}
            one = np.ones(1, complex if kind_of(arguments["a"].dtype) == "c" else float)
            function(**{**checked, "a": one, "axis": None})
            known = {key: arguments[key] for key in ("a", "axis", "keepdims") if key in arguments}
            return nanmean(out=out, **known)
        small = {
            key: _small(name, key, value) if isinstance(value, LazyArray) else value
            for key, value in arguments.items()
        }
        if isinstance(arguments.get("weights"), LazyArray):
            _check_weights(arguments)
            small["weights"] = np.ones(small["a"].shape, small["weights"].dtype)
        row.check(arguments)
        if row.is_comparing:
            common = build.promote(*[as_node(arguments[key]) for key in arrays])
            arguments |= {key: arguments[key].astype(common) for key in arrays}
        with np.errstate(all="ignore"):
            dtype = np.asarray(function(**small)).dtype
        result = call_library(name, computing, (), shape, dtype, **arguments)
        if rule is _nan_quantiles:  # copied to the output by NumPy
            return store_into(result, out, "unsafe")
        if rule is _quantiles:
            if arguments.get("method") in _PICKED and arguments.get("weights") is None:
                return write_back(result, out, "take")
            return store_into(result, out, ufunc="add")
        if rule is _argument:
            return store_positions(result, out, name)
        if name == "nanmedian" and (arguments.get("axis") is None or arguments["a"].ndim == 1):
            return store_into(result, out, "unsafe")  # copied to the output by NumPy
        return reduce_into(result, out, "add" if name == "median" else name)

    call.__name__ = call.__qualname__ = name
    vars(call)["__signature__"] = signature
    call.__module__ = "lazyarr"
    call.__doc__ = f"Return ``numpy.{name}`` of the arguments, computed by NumPy when evaluated.\n"
    return call


FUNCTIONS: dict[str, Callable[..., Any]] = {
    name: _function(name, row) for name, row in _ROWS.items()
}
"""The functions of the table."""


def cov(
    m: Any,
    y: Any = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: Any = None,
    aweights: Any = None,
    *,
    dtype: Any = None,
) -> LazyArray:
    """Return the covariance matrix of variables in rows (or columns).

    Parameters
    ----------
    m, y : array_like
        Observations, with at most two axes.
    rowvar : bool
        Whether each row is a variable.
    bias : bool
        Divide by n instead of n - 1.
    ddof : int, optional
        Divide by n - ddof.
    fweights, aweights : array_like, optional
        Weights; with them NumPy computes.
    dtype : dtype, optional
        To compute in; default: at least float64.

    Returns
    -------
    LazyArray
        Square, 0-d for one variable.
    """
    from lazyarr.numpy_api.joining import concatenate

    def variables(values: Any, name: str, lone: bool) -> LazyArray:
        x = as_lazy(values)
        if x.ndim > 2:
            raise ShapeError(f"{name} has more than 2 dimensions: {x.shape}", origin=origin())
        if x.ndim < 2:
            return x.reshape((1, -1))
        return x if rowvar or (lone and x.shape[0] == 1) else x.T

    if ddof is not None and ddof != int(ddof):
        raise ArgumentError(f"ddof must be integer, got {ddof!r}", origin=origin())
    x = variables(m, "m", KEEPS_LONE_ROWS)
    if not x.shape[0]:
        return zeros((0, 0))
    if y is not None:
        x = as_lazy(concatenate([x, variables(y, "y", True)], axis=0))
    weights = {"fweights": fweights, "aweights": aweights}
    named = {key: as_lazy(value) for key, value in weights.items() if value is not None}
    _check_observations(x, named)
    loop = build.promote(as_node(x), np_float()) if dtype is None else build.as_dtype(dtype)
    if kind_of(loop) in "biu":  # means are subtracted in place
        build.check_cast(np_float().dtype, loop, "same_kind", ufunc="subtract")
    x = x.astype(loop)
    free = ddof if ddof is not None else int(bias == 0)
    if named:
        size = x.shape[0]
        shape = () if size == 1 else (size, size)
        result = np.promote_types(loop, np_float().dtype)  # weights are float64
        return call_library("cov", _weighted_cov, (x,), shape, result, ddof=free, **named)
    centered = x - mean(x, axis=1, keepdims=True)
    other = centered.T.conj() if kind_of(loop) == "c" else centered.T
    left = x.shape[1] - free
    product: LazyArray = centered @ other
    if left <= 0:
        warn_user("Degrees of freedom <= 0 for slice")
        # Written so that it warns as NumPy does.
        covariance = (product * (1.0 / zeros(()))).astype(product.dtype)
    else:
        covariance = product / float(left)
    return as_lazy(covariance.squeeze())


def _weighted_cov(x: Any, **options: Any) -> Any:
    """Return the covariances of variables whose means are subtracted in their own dtype."""
    return np.cov(x, dtype=x.dtype, **options)


def _check_observations(x: LazyArray, named: dict[str, LazyArray]) -> None:
    """Check the weights of observations as NumPy does: values only of arrays in memory."""
    for key, array in named.items():
        known = _in_memory(array)
        if key == "fweights" and known is not None and (known != np.around(known)).any():
            raise DTypeError("fweights must be integer", origin=origin())
        if array.ndim > 1:
            raise RuntimeError(f"cannot handle multidimensional {key}")
        if array.shape[0] != x.shape[1]:
            raise RuntimeError("incompatible numbers of samples and " + key)
        _check_signs(f"{key} cannot be negative", array)


def np_float() -> Any:
    """Return a node that promotes to at least float64."""
    return build.constant(0.0, build.FLOAT64)


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, *, dtype: Any = None) -> LazyArray:
    """Return the correlation coefficients of variables in rows (or columns).

    Parameters
    ----------
    x, y, rowvar, dtype
        As for :func:`lazyarr.cov`, with `x` in the place of `m`.

    Returns
    -------
    LazyArray
        ``C[i, j] / sqrt(C[i, i] * C[j, j])`` of the covariances, real ones limited to [-1, 1].
    """
    c = cov(x, y, rowvar, dtype=dtype)
    if c.ndim == 0:
        return c / c
    scale = c.diagonal().real ** 0.5
    coefficients = c / scale[:, None] / scale[None, :]
    if kind_of(coefficients.dtype) == "c":
        return as_lazy(coefficients)
    return as_lazy(coefficients.clip(-1, 1))


def polyval(p: Any, x: Any) -> LazyArray:
    """Return the value of a polynomial, with its coefficients from the highest power down.

    Parameters
    ----------
    p : array_like
        Coefficients, along the first axis.
    x : array_like
        Arguments.

    Returns
    -------
    LazyArray
        By Horner's rule, of the shape of `x`; a polynomial of a polynomial is a
        :class:`numpy.poly1d`.
    """
    if isinstance(x, np.poly1d):
        composed: Any = np.polyval(np.asarray(p), x)
        return composed  # type: ignore[no-any-return]
    coefficients = as_lazy(p)
    place = as_lazy(x)
    if not coefficients.ndim:
        raise DTypeError("iteration over a 0-d array", origin=origin())
    value = zeros(place.shape, place.dtype)
    for k in range(coefficients.shape[0]):
        value = value * place + coefficients[k]
    return value
