"""Calls of ufuncs: their operands, masks, outputs and options."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.coercion import check_order
from lazyarr.arrays.lazy_array import LazyArray, apply, as_node, wrap
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, ShapeError
from lazyarr.graph.node import Node, Op
from lazyarr.numpy_api.ufunc_arguments import check_outputs, is_array, mask_of, store_all_into
from lazyarr.ops.elementwise import ELEMENTWISE

__all__ = ["call_ufunc", "ufunc_options"]

Shape = tuple[int, ...]


def call_ufunc(
    ops: tuple[Op, ...],
    operands: tuple[Any, ...],
    *,
    out: Any = None,
    where: Any = True,
    dtype: Any = None,
    casting: str = "same_kind",
) -> Any:
    """Return the results of a ufunc: one array, or a tuple with one for each output.

    Parameters
    ----------
    ops : tuple of Op
        One row of the op table for each output.
    operands : tuple
        Arrays and numbers.
    out : ndarray, LazyArray, tuple or None
        The user's argument.
    where : array_like of bool or True
        Elements where it is false keep what the output held; without an output they are zero.
    dtype : dtype, optional
        To compute in.
    casting : str
        Rule for conversions.
    """
    loop_dtype = None if dtype is None else build.loop_dtype(dtype)
    if out is Ellipsis:  # an array in any case, which results are
        out = None
    if out is not None and len(ops) > 1 and not isinstance(out, tuple):
        raise ArgumentError("'out' must be a tuple of arrays", origin=origin())
    masks = [] if where is True else [mask_of(where)]
    chosen = operands
    try:
        for mask in masks:
            chosen = tuple([_chosen(operand, mask) for operand in operands])
        if out is not None:
            # Before anything is computed, which may meet floating-point exceptions.
            _check_casts(ops, operands, out, loop_dtype, casting)
        results = _applied(ops, chosen, loop_dtype, casting)
    except ShapeError:
        _check_casts(ops, operands, out, loop_dtype, casting)
        if out is not None or masks:
            check_outputs(list(map(_shape_of, operands)), out, [mask.shape for mask in masks])
        raise
    outs: tuple[Any, ...]
    if out is None:
        outs = (None,) * len(results)
    else:
        outs = out if isinstance(out, tuple) else (out,)
        if any(is_array(target) and target.shape != results[0].shape for target in outs):
            _check_casts(ops, operands, out, loop_dtype, casting)
            check_outputs(list(map(_shape_of, operands)), out, [mask.shape for mask in masks])
            shape = next(target.shape for target in outs if is_array(target))
            results = tuple([wrap(build.broadcast_to(x._node, shape)) for x in results])
    if where is not True:
        results = tuple(
            _merged(result, mask, target, casting, op.name)
            for result, target, op in zip(results, outs, ops, strict=True)
        )
    if out is not None:
        outputs = store_all_into(results, outs, casting, tuple([op.name for op in ops]))
        return outputs[0] if len(outputs) == 1 else outputs
    return results[0] if len(results) == 1 else results


def _applied(
    ops: tuple[Op, ...], operands: tuple[Any, ...], dtype: np.dtype[Any] | None, casting: str
) -> tuple[LazyArray, ...]:
    """Return the results of a ufunc, of whose faults each is reported once.

    Both results of an integer `divmod` meet the same division by zero, and those of a float one
    the same invalid value; those computed at once are computed one after the other.
    """
    first = apply(ops[0], operands, dtype, casting)
    if len(ops) == 1:
        return (first,)
    quiet: dict[str, Any] = {}
    memory = memory_of(first)
    if memory is not None and kind_of(first.dtype) in "iu":
        quiet = {"divide": "ignore"}
    elif memory is not None and len(operands) == 2 and _is_invalid(memory, operands):
        quiet = {"invalid": "ignore"}
    with np.errstate(**quiet):
        return (first, *[apply(op, operands, dtype, casting) for op in ops[1:]])


def _is_invalid(result: Any, operands: tuple[Any, ...]) -> bool:
    """Return whether an operation on two operands in memory gave a NaN that neither of them has."""
    invalid = np.isnan(result)
    if not invalid.any():
        return False
    for operand in operands:
        invalid &= ~np.isnan(np.asarray(operand))
    return bool(invalid.any())


def ufunc_options(name: str, keywords: dict[str, Any]) -> dict[str, Any]:
    """Return the keywords of a ufunc that :func:`call_ufunc` takes; the others have no effect.

    Parameters
    ----------
    name : str
        The function's name in messages.
    keywords : dict
        The keywords of a call.

    Returns
    -------
    dict
        Those of ``out``, ``where``, ``dtype`` and ``casting`` that were passed.

    Raises
    ------
    TypeError
        If there is no such keyword.
    ArgumentError
        If ``order=`` is no order, or ``subok=`` is no boolean.
    """
    options = dict(keywords)
    check_order(options.pop("order", None))
    if not isinstance(options.pop("subok", True), bool):
        raise ArgumentError("'subok' must be a boolean", origin=origin())
    signature = options.pop("signature", options.pop("sig", None))
    if signature is not None:
        options["dtype"] = signature
    for key in options:
        if key not in ("out", "where", "dtype", "casting"):
            raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")
    return options


def _check_casts(
    ops: tuple[Op, ...], operands: tuple[Any, ...], out: Any, loop: Any, casting: str
) -> None:
    """Raise NumPy's error if an output is of a wrong dtype; that of its shape comes second."""
    outs = out if isinstance(out, tuple) else (out,)
    for op, target in zip(ops, outs, strict=False):
        if is_array(target):
            dtype = _result_dtype(op, operands, loop, casting)
            build.check_cast(dtype, build.as_dtype(target.dtype), casting, ufunc=op.name)


def _result_dtype(op: Op, operands: tuple[Any, ...], loop: Any, casting: Any) -> np.dtype[Any]:
    """Return the dtype of an operation's result before it is computed."""
    ufunc = op.ufunc
    kinds = [_kind_of(operand) for operand in operands]
    if ufunc is not None and ufunc.nout == 1 and loop is None and None not in kinds:
        try:
            resolved = ufunc.resolve_dtypes((*kinds, None), casting=casting)
        except TypeError:
            pass  # lazyarr refuses it below
        else:
            return resolved[-1]
    arrays = [as_node(x) if isinstance(x, (list, tuple)) else x for x in operands]
    samples = tuple([np.zeros((), x.dtype) if hasattr(x, "dtype") else x for x in arrays])
    with np.errstate(all="ignore"):
        return apply(op, samples, loop, casting).dtype


def _kind_of(value: Any) -> np.dtype[Any] | type[Any] | None:
    """Return the dtype of an array, and the type of a number; None of anything else."""
    if isinstance(value, (LazyArray, np.ndarray)):
        return value.dtype
    return type(value) if type(value) in (int, float, complex) else None


def _chosen(operand: Any, mask: Node) -> Any:
    """Return an operand, of which only the elements that a mask chooses may cause warnings."""
    if not isinstance(operand, (LazyArray, np.ndarray)):
        return operand
    selected = wrap(build.selected(as_node(operand), mask))
    if kind_of(operand.dtype) != "c":
        return selected
    # Functions of complex numbers may be NumPy's own, which computes all elements: of the others
    # that of a number where no function has a pole and none overflows.
    return apply(ELEMENTWISE["where"], (wrap(mask), selected, 0.5))


def _merged(result: LazyArray, mask: Node, target: Any, casting: str, ufunc: str) -> LazyArray:
    """Return a result under a mask; elsewhere the elements of its output, or zero without one."""
    if isinstance(target, (LazyArray, np.ndarray)):
        dtype = build.as_dtype(target.dtype)
        build.check_cast(result.dtype, dtype, casting, ufunc=ufunc)
        build.warn_of_discarding(result.dtype, dtype)
        build.warn_of_discarding(dtype, result.dtype)  # NumPy reads the output as well
        kept = as_node(target)
    else:
        dtype = result.dtype
        kept = build.constant(0, dtype)
    # A result in memory has numbers in the other places, too, whose cast nobody asks for.
    value = build.cast(build.selected(result._node, mask), dtype)
    return apply(ELEMENTWISE["where"], (wrap(mask), wrap(value), wrap(kept)))


def _shape_of(operand: Any) -> Shape:
    if is_array(operand):
        shape: Shape = operand.shape
        return shape
    return () if np.isscalar(operand) else as_node(operand).shape
