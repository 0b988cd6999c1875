"""Evaluation: evaluate and persist."""

from __future__ import annotations

from typing import Any, overload

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.copies import copied
from lazyarr.arrays.early_evaluation import compiler
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import limit
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.arrays.needed_values import cheap_value, is_one_pass, memory_may_stand
from lazyarr.core.config import config, get_config, is_gpu
from lazyarr.core.source_location import Origin, origin
from lazyarr.errors import (
    ArgumentError,
    DTypeError,
    ShapeError,
)
from lazyarr.graph import elements
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Leaf, Node, fresh_leaf
from lazyarr.graph.streamed_leaf import is_sink
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import refuse_value, running

__all__ = ["evaluate", "persist", "result_array"]

Array = np.ndarray[Any, Any]

#: Of results in memory that the compiled form copies.
_RESULT_BYTES = tuning.row().result_bytes


@overload
def evaluate(
    expr: Any, /, *, out: Any = None, device: str | None = None, max_memory: int | None = None
) -> Array: ...
@overload
def evaluate(
    expr: Any,
    second: Any,
    /,
    *exprs: Any,
    out: Any = None,
    device: str | None = None,
    max_memory: int | None = None,
) -> tuple[Array, ...]: ...
def evaluate(
    *exprs: Any, out: Any = None, device: str | None = None, max_memory: int | None = None
) -> Array | tuple[Array, ...]:
    """Compute expressions together and return their values.

    Parameters
    ----------
    *exprs : LazyArray
        What to compute. What they share is computed once.
    out : numpy.ndarray or sequence of (numpy.ndarray or None), optional
        Where to write: one array for one expression, else one entry for each. Shape and dtype
        must be those of the expression. A dataset of h5py or Zarr, or an
        object with shape, dtype and slices that can be assigned to, is written piece by piece.
    device : {"cpu", "cuda"}, optional
        Where to compute; default: the setting of that name.
    max_memory : int, optional
        Bytes that the plan may need; default: the setting of that name. What needs more is
        computed tile by tile, with the same bits.

    Returns
    -------
    numpy.ndarray or tuple of numpy.ndarray
        One array for one expression, a tuple for several: fresh and writable, or `out`.

    Raises
    ------
    ArgumentError
        If an argument is not a LazyArray.
    ShapeError, DTypeError
        If `out` does not fit; nothing is written then.
    MemoryLimitError
        If the plan needs more than `max_memory`, and cannot be cut; nothing is computed then.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.asarray([1.0, 2.0, 3.0])
    >>> la.evaluate(x + 1, x.sum())
    (array([2., 3., 4.]), array(6.))
    """
    if not exprs:
        raise ArgumentError("evaluate needs at least one expression", origin=origin())
    if out is None and device is None and max_memory is None and not running:
        fresh: Any = None if COMPILED is None else COMPILED.copies(exprs, _RESULT_BYTES)
        if fresh is not None:
            result: Array | tuple[Array, ...] = fresh[0] if len(fresh) == 1 else fresh
            return result
        passed = _passed_over(exprs[0]) if len(exprs) == 1 else None
        if passed is not None:
            return passed
        values: list[Any] = [_copy_in_memory(x) for x in exprs]
        pending = [x for x, value in zip(exprs, values, strict=True) if value is None]
        if len(pending) < len(exprs):
            # Plans are those of the others alone.
            computed = iter(_computed(pending))
            values = [next(computed) if value is None else value for value in values]
            return values[0] if len(values) == 1 else tuple(values)
    roots = tuple([_root(expr) for expr in exprs])
    outs = None if out is None else _check_outs(roots, out)
    changes: dict[str, Any] = {}
    if device is not None:
        changes["device"] = device
    if max_memory is not None:
        changes["max_memory"] = max_memory
    pipeline = compiler()
    evaluate_roots, options = pipeline.evaluate, {"expensive": False}
    if outs is not None and not all(out is None or isinstance(out, np.ndarray) for out in outs):
        evaluate_roots, options = pipeline.evaluate_in_tiles, {}
    if changes:
        with config(**changes):
            results = evaluate_roots(roots, outs, **options)
    else:
        results = evaluate_roots(roots, outs, **options)
    return results[0] if len(results) == 1 else tuple(results)


def _passed_over(x: Any) -> Array | None:
    """Return the value of an expression that NumPy computes in one pass; None of any other."""
    if type(x) is not LazyArray or x._array is not None or x._alias is not None:
        return None
    value = x._current
    if not value.src or not value.shape or value.stored is not None or value.memo is not None:
        return None
    if COMPILED is not None and elements.COMPILED is not None:
        return None if get_config().max_memory else COMPILED.value_of_one_pass(x)
    if not limit() or get_config().max_memory or not is_one_pass(value):
        return None
    result = cheap_value(value) if memory_may_stand(value) else None
    return result if result is not None and result.flags.c_contiguous else None


def _copy_in_memory(x: Any) -> Array | None:
    """Return a copy of the memory of an array; None of anything else."""
    if type(x) is not LazyArray or x._array is None:
        return None
    # A view has none any more where its owner has become an expression.
    if COMPILED is not None:
        fresh: tuple[Array] | None = COMPILED.copies((x,), _RESULT_BYTES)
        if fresh is not None:
            return fresh[0]
    memory = memory_of(x)
    return None if memory is None else copied(np.asarray(memory))


def _computed(pending: list[Any]) -> list[Array]:
    """Return the values of expressions that are computed together."""
    passed = _passed_over(pending[0]) if len(pending) == 1 else None
    if passed is not None:
        return [passed]
    roots = tuple([_root(x) for x in pending])
    results: list[Array] = compiler().evaluate(roots, None, expensive=False) if pending else []
    return results


@overload
def persist(expr: Any, /) -> LazyArray: ...
@overload
def persist(expr: Any, second: Any, /, *exprs: Any) -> tuple[LazyArray, ...]: ...
def persist(*exprs: Any) -> Any:
    """Compute expressions and return LazyArrays that hold the values, where they were computed.

    Parameters
    ----------
    *exprs : LazyArray
        What to compute, together.

    Returns
    -------
    LazyArray or tuple of LazyArray
        One for one expression, a tuple for several.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.persist(la.arange(3) * 2)
    >>> (x + 1).compute()
    array([1, 3, 5])
    """
    if not exprs:
        raise ArgumentError("persist needs at least one expression", origin=origin())
    if len(exprs) == 1:
        expr = exprs[0]
        if type(expr) is LazyArray and expr._array is not None and not running:
            memory = None if is_gpu(get_config().device) else memory_of(expr)
            if memory is not None:
                return result_array(copied(np.asarray(memory), "C"))
        value = compiler().persist((_root(expr),))[0]
        if isinstance(value, np.ndarray):
            return result_array(value)
        leaf = DeviceLeaf(value)
        return LazyArray(fresh_leaf(LEAF, value.dtype, value.shape, leaf, origin(1)))
    where = origin(1)
    values = compiler().persist(tuple([_root(expr) for expr in exprs]))
    return tuple([result_array(value, where) for value in values])


def result_array(value: Any, where: Origin | None = None) -> LazyArray:
    """Return a LazyArray of a result in memory.

    Parameters
    ----------
    value : numpy.ndarray or DeviceArray
        The result. An ndarray becomes read-only.
    where : tuple of (str, int), optional
        The user's line that asked for it; by default the current one.
    """
    if not isinstance(value, np.ndarray):
        # Nothing else can name its memory yet, so no other node stands for it.
        memory = DeviceLeaf(value)
        return LazyArray(fresh_leaf(LEAF, value.dtype, value.shape, memory, where or origin()))
    value = value.view()  # who donates it gives away what lies behind, which stays writable
    value.flags.writeable = False
    # No other node stands for it: that of a donated argument had the same memory.
    return LazyArray(fresh_leaf(LEAF, value.dtype, value.shape, Leaf(value), where or origin()))


def _root(expr: Any) -> Node:
    if type(expr) is LazyArray and not running:
        # As its property does, for an array that shares its elements with no other.
        return expr._current if expr._alias is None else expr._node
    if not isinstance(expr, LazyArray):
        raise ArgumentError(
            f"evaluate takes LazyArrays, got {type(expr).__name__}",
            origin=origin(),
            hint="unpack it: lazyarr.evaluate(*arrays)"
            if isinstance(expr, (list, tuple))
            else "wrap it with lazyarr.asarray",
        )
    if running:
        refuse_value(expr._node, "evaluating an expression")
    if type(expr) is LazyArray:
        return expr._node
    from lazyarr.arrays.masked_selection import MaskedSelection  # few programs have one

    return expr.asked() if isinstance(expr, MaskedSelection) else expr._node


def _check_outs(roots: tuple[Node, ...], out: Any) -> tuple[Array | None, ...]:
    outs = tuple(out) if isinstance(out, (list, tuple)) else (out,)
    if len(outs) != len(roots):
        raise ArgumentError(
            f"got {len(outs)} out= arrays for {len(roots)} expressions", origin=origin()
        )
    for root, target in zip(roots, outs, strict=True):
        if target is None:
            continue
        is_array = isinstance(target, np.ndarray)
        if not is_array and not is_sink(target):
            raise ArgumentError(
                "out= must be a numpy.ndarray, a dataset of h5py or Zarr, or an object with "
                f"shape, dtype and slices that can be assigned to, got {type(target).__name__}",
                origin=origin(),
            )
        if tuple(target.shape) != root.shape:
            raise ShapeError(
                f"out= has shape {target.shape}, the expression {root.shape}", origin=origin()
            )
        if target.dtype != root.dtype:
            raise DTypeError(
                f"out= has dtype {target.dtype}, the expression {root.dtype}", origin=origin()
            )
        if is_array and not target.flags.writeable:
            raise ArgumentError("out= is read-only", origin=origin())
    return outs
