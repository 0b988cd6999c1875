"""Averages over the devices that take a step together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, TypeVar

from lazyarr.arrays.lazy_array import LazyArray, as_lazy
from lazyarr.core import tuning
from lazyarr.core.device_group import current_group
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.graph.node import node
from lazyarr.numpy_api.joining import concatenate
from lazyarr.ops.library import ALL_MEAN, Call, Slot
from lazyarr.tracing import recorded
from lazyarr.tracing.pytree import Unknown, flatten, is_array, unflatten

__all__ = ["device_count", "mean"]

T = TypeVar("T")


def device_count() -> int:
    """Return the number of devices that take this step together: 1 outside of such a step.

    Examples
    --------
    >>> device_count()
    1
    """
    place = current_group.get()
    return 1 if place is None else place[0].size


def _all_mean(value: LazyArray, number: int, count: int) -> LazyArray:
    # By their numbers devices see that they are about to exchange the same.
    call = Call((Slot(0),), note=f"waits for the other devices, {number} of {count}")
    return LazyArray(node(ALL_MEAN, (value._node,), value.dtype, value.shape, call, origin()))


@recorded
def mean(tree: T) -> T:
    """Return the means over all devices of the arrays of a container.

    Outside of a step of :func:`data_parallel` there is one device, and they are what they were.

    Parameters
    ----------
    tree : container of array_like
        Such as gradients: floating-point arrays, the same shapes on each device.

    Returns
    -------
    container of LazyArray
        Like `tree`: the same bits on each device. Small arrays are averaged together.

    Raises
    ------
    DTypeError
        If an array has no floating-point or complex dtype.
    """
    leaves: list[Any] = []
    try:
        structure = flatten(tree, is_array, leaves)
    except Unknown as error:
        raise ArgumentError(
            f"mean got an object of type {error}, which is not an array or a container",
            origin=origin(),
        ) from None
    arrays = [as_lazy(leaf) for leaf in leaves]
    for array in arrays:
        if kind_of(array.dtype) not in "fc":
            raise DTypeError(
                f"mean takes floating-point arrays, got {array.dtype}", origin=origin()
            )
    averaged: dict[int, LazyArray] = {}
    buckets = _buckets(arrays)
    for number, bucket in enumerate(buckets, 1):
        if len(bucket) == 1:
            averaged[bucket[0]] = _all_mean(arrays[bucket[0]], number, len(buckets))
            continue
        joined = concatenate([arrays[k].reshape(-1) for k in bucket])
        whole = _all_mean(joined, number, len(buckets))
        ends = list(itertools.accumulate(arrays[k].size for k in bucket))
        for k, end in zip(bucket, ends, strict=True):
            averaged[k] = whole[end - arrays[k].size : end].reshape(arrays[k].shape)
    result: T = unflatten(structure, iter([averaged[k] for k in range(len(arrays))]))
    return result


def _buckets(arrays: Sequence[LazyArray]) -> list[list[int]]:
    """Return the numbers of arrays that are averaged together: the last ones come first.

    The gradients of the last layers are known first, and their exchange runs beside the rest of the
    backward pass. So there are several buckets unless they would be small.
    """
    row = tuning.row()
    totals: dict[Any, int] = {}
    for array in arrays:
        totals[array.dtype] = totals.get(array.dtype, 0) + array.nbytes
    buckets: list[list[int]] = []
    open_ones: dict[Any, tuple[list[int], int]] = {}
    for k in reversed(range(len(arrays))):
        array = arrays[k]
        bucket, nbytes = open_ones.get(array.dtype, ([], 0))
        enough = max(row.least_bucket_bytes, totals[array.dtype] // row.buckets)
        fits = nbytes + array.nbytes // 2 < enough and nbytes + array.nbytes <= row.bucket_bytes
        if not (bucket and fits):
            bucket, nbytes = [], 0
            buckets.append(bucket)
        bucket.append(k)
        open_ones[array.dtype] = bucket, nbytes + array.nbytes
    return buckets
