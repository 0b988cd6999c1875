"""Runs of writes: after some, the value is computed, as the expression of a loop would grow."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.copies import filled, zeros
from lazyarr.arrays.immediate import limit
from lazyarr.builders import build
from lazyarr.core.config import get_config, is_gpu
from lazyarr.core.source_location import origin
from lazyarr.graph.device_leaf import DeviceLeaf, device_of
from lazyarr.graph.node import Early, Kind, Node, fresh_leaf
from lazyarr.ops.markers import is_differentiated
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import running, scope

Array = np.ndarray[Any, Any]

__all__ = ["MOST_WRITES", "computed", "computed_array"]

#: Writes to an array after which its value is computed. A loop that writes in every iteration then
#: computes expressions of this many iterations, which have one form and so one plan.
MOST_WRITES = tuning.row().writes
_EARLY = Early("a run of writes", "its expression would grow with every write")


def computed(value: Node) -> Node:
    """Return a leaf of an array's value after many writes, or the value itself, not computed.

    It may not be while a function is traced, where ``implicit`` forbids it, and where a derivative
    depends on it.
    """
    if running or scope() is not None or get_config().implicit != "allow":
        return value
    if not value.src or is_differentiated((value,)):
        return value
    # Imported here: expressions are built without the compiler.
    from lazyarr.compiler import pipeline

    # With it all that is in use: arrays that a loop writes to in turn are made of each other.
    pipeline.store_in_use(value)
    if value.stored is not None:
        return value.stored
    (result,) = pipeline.persist((value,))
    if isinstance(result, np.ndarray):
        return build.leaf(_read_only(result), _EARLY)
    return fresh_leaf(LEAF, result.dtype, result.shape, DeviceLeaf(result), origin())


def computed_array(value: Node) -> Array | None:
    """Return the value of an array in memory of its own; None if it may not be computed now.

    Parameters
    ----------
    value : Node
        Of the array.
    """
    if not limit() or scope() is not None or is_differentiated((value,)):
        return None
    source = value
    while source.op.kind in (Kind.VIEW, Kind.RESHAPE):
        source = source.src[0]
    if source.op.kind is Kind.CONSTANT and not source.shape:
        assert isinstance(source.attr, bytes)
        if not any(source.attr):
            return zeros(value.shape, value.dtype)
        return filled(value.shape, value.dtype, np.frombuffer(source.attr, source.dtype)[0])
    if is_gpu(device_of(value)):
        return None
    from lazyarr.compiler import pipeline

    result: Array
    (result,) = pipeline.evaluate((value,))
    return result


def _read_only(array: Array) -> Array:
    array.flags.writeable = False
    return array
