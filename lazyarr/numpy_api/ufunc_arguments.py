"""Arguments that functions share: out=, where=, dtype=."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import is_writeable
from lazyarr.arrays.coercion import holds_numbers
from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.builders import build
from lazyarr.builders.build import BOOL, INT64
from lazyarr.core import shapes
from lazyarr.core.numpy_releases import CASTS_TAKEN_OUTPUTS
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.graph.node import Node
from lazyarr.ops.markers import refuse_differentiated
from lazyarr.tracing import refuse_value, running

__all__ = [
    "accumulation_dtype",
    "check_outputs",
    "is_array",
    "mask_of",
    "reduce_into",
    "scan_into",
    "store_into",
    "store_positions",
    "store_product",
    "write_back",
]

Array = np.ndarray[Any, Any]

_OF_OTHER_KIND = (
    "Implicit casting of output to a different kind is deprecated. In a future version, this will "
    "result in an error. (Deprecated NumPy 2.5)"
)
DType = np.dtype[Any]
Shape = tuple[int, ...]


def store_into(
    result: LazyArray, out: Any, casting: str = "same_kind", ufunc: str | None = None
) -> Any:
    """Return a result, or ``out=`` after the result is stored into it.

    Parameters
    ----------
    result : LazyArray
        The value.
    out : ndarray, LazyArray, tuple of one, or None
        The user's argument.
    casting : str
        Rule for the conversion to the dtype of `out`.
    ufunc : str, optional
        Name of NumPy's ufunc whose result it is, for messages.

    Returns
    -------
    LazyArray or ndarray
        `result` if there is no output, else the output.
    """
    outs = out if isinstance(out, tuple) else (out,)
    if len(outs) == 1 and (outs[0] is None or outs[0] is Ellipsis):
        return result
    return store_all_into((result,), outs, casting, (ufunc,))[0]


def reduce_into(result: LazyArray, out: Any, name: str, casting: str = "unsafe") -> Any:
    """Return the result of a reduction, or ``out=`` after the result is stored into it.

    NumPy's reductions do not broadcast to their output, and cast to it however narrow it is.

    Parameters
    ----------
    result : LazyArray
        The value.
    out : ndarray, LazyArray, tuple of one, or None
        The user's argument.
    name : str
        The reduction's name in messages.
    casting : str
        Rule for the conversion to the dtype of `out`.

    Returns
    -------
    LazyArray or ndarray
        `result` if there is no output, else the output.

    Raises
    ------
    ShapeError
        If the shapes differ.
    """
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if target is None or target is Ellipsis:
        return result
    if isinstance(target, (LazyArray, np.ndarray)) and target.shape != result.shape:
        if target.ndim != result.ndim:
            raise ShapeError(
                f"output parameter for reduction operation {name} has the wrong number of "
                f"dimensions: Found {target.ndim} but expected {result.ndim}",
                origin=origin(),
            )
        raise ShapeError(
            f"output parameter for reduction operation {name} has the wrong shape: Found "
            f"{target.shape} but expected {result.shape}",
            origin=origin(),
        )
    return store_into(result, target, casting)


def scan_into(result: LazyArray, out: Any, name: str) -> Any:
    """Return the result of a scan, or ``out=`` after the result is stored into it.

    Parameters
    ----------
    result, out, name
        As for :func:`reduce_into`.

    Returns
    -------
    LazyArray or ndarray
        `result` if there is no output, else the output.

    Raises
    ------
    ShapeError
        If the shapes differ.
    """
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if target is not None and target is not Ellipsis and not is_array(target):
        raise ArgumentError(
            f"output must be an array, got {type(target).__name__}"
            if name.startswith(("cumsum", "cumprod"))
            else f"return arrays must be of ArrayType, got {type(target).__name__}",
            origin=origin(),
        )
    if is_array(target) and target.shape != result.shape:
        pairs = [2 * (shapes.text_of(shape),) for shape in (target.shape, result.shape)]
        raise ShapeError(
            "provided out is the wrong size for the accumulation."
            if result.ndim == 1
            else "operands could not be broadcast together with remapped shapes "
            "[original->remapped]: " + " ".join(map("->".join, pairs)),
            origin=origin(),
        )
    return reduce_into(result, out, name)


def store_product(product: LazyArray, out: Any) -> Any:
    """Return a product, or ``out=`` of :func:`dot` after it is stored there.

    Parameters
    ----------
    product : LazyArray
        The value.
    out : ndarray, LazyArray or None
        The user's argument: an array in C order, of the same shape and dtype.
    """
    if isinstance(out, (LazyArray, np.ndarray)):
        same = (out.dtype, out.ndim) == (product.dtype, product.ndim)
        if not same or not out.flags.c_contiguous:
            raise ArgumentError(
                "output array is not acceptable (must have the right datatype, number of "
                "dimensions, and be a C-Array)",
                origin=origin(),
            )
        if out.shape != product.shape:
            raise ShapeError("output array has wrong dimensions", origin=origin())
    elif out is not None:
        raise ArgumentError("'out' must be an array", origin=origin())
    return product if out is None else store_into(product, out)


def store_positions(result: LazyArray, out: Any, name: str) -> Any:
    """Return positions along an axis, or ``out=`` after they are stored into it.

    Parameters
    ----------
    result : LazyArray
        The positions, int64.
    out : ndarray, LazyArray, tuple of one, or None
        The user's argument; its dtype has to fit into that of positions.
    name : str
        The function's name in messages.

    Raises
    ------
    ArgumentError
        If the shapes differ.
    """
    if isinstance(out, (LazyArray, np.ndarray)):
        if out.shape != result.shape:
            raise ArgumentError(
                f"output array does not match result of np.{name.removeprefix('nan')}.",
                origin=origin(),
            )
        build.check_cast(out.dtype, INT64, "safe")
    return reduce_into(result, out, name)


def write_back(result: LazyArray, out: Any, name: str) -> Any:
    """Return elements of an array, or ``out=`` after they are stored into it.

    NumPy lets these functions write to a copy of the output, which it casts to and from their
    dtype: to it safely (before 2.5), from it however narrow the output is (with a warning since).

    Parameters
    ----------
    result : LazyArray
        The elements.
    out : ndarray, LazyArray or None
        The user's argument.
    name : str
        The function's name in messages.

    Returns
    -------
    LazyArray or ndarray
        `result` if there is no output, else the output.

    Raises
    ------
    ArgumentError
        If the shapes differ.

    Warns
    -----
    DeprecationWarning
        Beside NumPy 2.5 and later, if the output is of a lesser kind.
    """
    if not isinstance(out, (LazyArray, np.ndarray)):
        return store_into(result, out)
    check_taken_output(out, result.shape, result.dtype, name)
    if not CASTS_TAKEN_OUTPUTS and not np.can_cast(result.dtype, out.dtype, "same_kind"):
        warn_user(_OF_OTHER_KIND, DeprecationWarning)
    return store_into(result, out, "unsafe")


def check_taken_output(out: Any, shape: Shape, dtype: DType, name: str) -> None:
    """Raise NumPy's error for an ``out=`` that does not take elements of an array on.

    Parameters
    ----------
    out : ndarray, LazyArray or None
        The user's argument.
    shape : tuple of int
        Of the elements.
    dtype : numpy.dtype
        Of the elements.
    name : str
        The function's name in messages.

    Raises
    ------
    ArgumentError
        If the shapes differ.
    DTypeError
        Beside NumPy before 2.5, if the output is of a greater kind.
    """
    if not isinstance(out, (LazyArray, np.ndarray)):
        return
    if out.shape != shape:
        raise ArgumentError(
            f"output array does not match result of ndarray.{name}: {out.shape} and {shape}",
            origin=origin(),
        )
    if CASTS_TAKEN_OUTPUTS:
        build.check_cast(out.dtype, dtype, "safe")


def accumulation_dtype(x: Node, dtype: Any, out: Any) -> Any:
    """Return the dtype in which to accumulate, as ``dtype=`` and ``out=`` determine it.

    Parameters
    ----------
    x : Node
        The array to accumulate.
    dtype : dtype or None
        The user's argument; it wins.
    out : ndarray, LazyArray, tuple of one, or None
        The user's output.

    Returns
    -------
    dtype or None
        None for NumPy's default.
    """
    target = out[0] if isinstance(out, tuple) and len(out) == 1 else out
    if isinstance(target, (LazyArray, np.ndarray)):
        if dtype is None:
            return np.result_type(target.dtype, x.dtype)
        # NumPy casts the output to this dtype and back.
        build.warn_of_discarding(target.dtype, build.as_dtype(dtype))
    return dtype


def store_all_into(
    results: tuple[LazyArray, ...],
    outs: tuple[Any, ...],
    casting: str = "same_kind",
    ufuncs: tuple[str | None, ...] = (),
) -> tuple[Any, ...]:
    """Return outputs after results are stored into them.

    A LazyArray takes the value on, and all that share its elements with it; an ndarray is evaluated
    into at once. Results are broadcast to an output's shape and cast to its dtype under `casting`.

    Parameters
    ----------
    results : tuple of LazyArray
        The values.
    outs : tuple of (ndarray, LazyArray or None)
        One for each result; None has no output.
    casting : str
        Rule for the conversion to the dtype of an output.
    ufuncs : tuple of (str or None)
        For each result the name of NumPy's ufunc that has it, for messages.

    Returns
    -------
    tuple
        Each output, or the result itself where there is none.

    Raises
    ------
    ShapeError
        If a result does not broadcast to the shape of its output.
    ArgumentError
        If an output is no array, or read-only.
    """
    if len(outs) != len(results):
        raise ArgumentError(
            "The 'out' tuple must have exactly one entry per ufunc output: got "
            f"{len(outs)} for {len(results)}",
            origin=origin(),
        )
    targets: list[tuple[Node, Array]] = []
    outputs: list[Any] = []
    for result, out, ufunc in zip(results, outs, ufuncs or (None,) * len(outs), strict=True):
        if out is None:
            outputs.append(result)
            continue
        outputs.append(out)
        if out is Ellipsis:
            raise ArgumentError(
                "must use `...` as `out=...` and not per-operand/in a tuple", origin=origin()
            )
        if not isinstance(out, (LazyArray, np.ndarray)):
            raise ArgumentError(
                f"return arrays must be of ArrayType, got {type(out).__name__}", origin=origin()
            )
        build.check_cast(result.dtype, out.dtype, casting, ufunc=ufunc)
        build.warn_of_discarding(result.dtype, out.dtype)
        if result.shape != out.shape:
            check_outputs([result.shape], (out,))
        value = build.cast(as_node(result), build.as_dtype(out.dtype))
        value = build.broadcast_to(value, out.shape)
        if not (is_writeable(out) if isinstance(out, LazyArray) else out.flags.writeable):
            raise ArgumentError("output array is read-only", origin=origin())
        if isinstance(out, LazyArray):
            out._become(value)
        else:
            targets.append((value, out))
    if targets:
        from lazyarr.compiler import pipeline

        refuse_differentiated([value for value, _ in targets], "out= with an ndarray")
        if running:
            for value, _ in targets:
                refuse_value(value, "out= with an ndarray")
        pipeline.evaluate(tuple(value for value, _ in targets), tuple(out for _, out in targets))
    return tuple(outputs)


def check_outputs(operands: list[Shape], out: Any, masks: Iterable[Shape] = ()) -> None:
    """Raise NumPy's error unless operands, outputs and masks broadcast to the outputs' shape.

    Parameters
    ----------
    operands : list of tuple of int
        Their shapes.
    out : object
        The user's argument.
    masks : iterable of tuple of int
        Shapes of what ``where=`` gives.

    Raises
    ------
    ShapeError
        If they do not.
    """
    outs = [x for x in (out if isinstance(out, tuple) else (out,)) if is_array(x)]
    together = [*operands, *(x.shape for x in outs), *masks]
    try:
        common = shapes.broadcast_shapes(*together)
    except ShapeError as error:
        raise ShapeError(
            "operands could not be broadcast together with shapes "
            + " ".join(map(shapes.text_of, together)),
            origin=origin(),
            hint=error.hint,
        ) from None
    for target in outs:
        if target.shape != common:
            raise ShapeError(
                f"non-broadcastable output operand with shape {shapes.text_of(target.shape)} "
                f"doesn't match the broadcast shape {shapes.text_of(common)}",
                origin=origin(),
            )


def is_array(value: Any) -> bool:
    """Return whether a value is an array, lazy or not."""
    return isinstance(value, (LazyArray, np.ndarray))


def mask_of(where: Any) -> Node:
    """Return the mask that ``where=`` gives.

    Parameters
    ----------
    where : array_like of bool
        The user's argument. Numbers are converted; arrays have to be boolean.

    Returns
    -------
    Node
        Of booleans.

    Raises
    ------
    DTypeError
        If it is an array of another dtype.
    """
    is_number = where is None or holds_numbers(where)
    mask = as_node(np.asarray(where, bool) if is_number else where)
    build.check_cast(mask.dtype, BOOL, "safe")
    return mask
