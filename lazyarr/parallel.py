"""Training on several devices at once: each takes a part of the batch, and gradients are averaged.

Devices are workers of this process so far: threads, each of which computes with a share of the
processors. What they exchange goes through :func:`mean`, in the order of the devices, so that
results are the same bits on all of them and in every run.
"""

from __future__ import annotations

import contextvars
import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.core import tuning
from lazyarr.core.config import CPU, config, get_config
from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DeviceError, DTypeError, ShapeError
from lazyarr.function_transforms import Jitted, jit
from lazyarr.function_transforms.static_arguments import arguments_named
from lazyarr.graph.node import node
from lazyarr.numpy_api.joining import concatenate
from lazyarr.ops.library import Call, Slot, library_op
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.tracing import recorded
from lazyarr.tracing.pytree import Unknown, flatten, is_array, unflatten

__all__ = ["DataParallel", "data_parallel", "mean"]

Array = np.ndarray[Any, Any]
T = TypeVar("T")


class _Left(Exception):
    """Another device failed, or returned, where this one waits for it."""


class _Group:
    """The devices of one call, and what they exchange.

    Parameters
    ----------
    size : int
        Number of devices.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self._changed = threading.Condition()
        self._arrived: dict[int, Array] = {}
        self._mean: Array | None = None
        self._round = 0
        self._is_broken = False
        self._has_left = False

    def mean(self, rank: int, value: Array) -> Array:
        """Return the mean of the values of all devices, once all have come here.

        Parameters
        ----------
        rank : int
            Number of the device.
        value : numpy.ndarray
            Its own value; the others' have the same shape and dtype.

        Returns
        -------
        numpy.ndarray
            Read-only, since it is that of all devices.
        """
        with self._changed:
            if self._is_broken or self._has_left:
                self._is_broken = True
                self._changed.notify_all()
                raise _Left
            self._arrived[rank] = value
            if len(self._arrived) == self.size:
                # The others wait, so that their values stay what they are.
                self._mean = _mean_of([self._arrived[k] for k in range(self.size)])
                self._arrived = {}
                self._round += 1
                self._changed.notify_all()
            else:
                here = self._round
                self._changed.wait_for(lambda: self._round != here or self._is_broken)
                if self._round == here:
                    raise _Left
            assert self._mean is not None
            return self._mean

    def leave(self, *, failed: bool) -> None:
        """Note that a device is done; whoever waits for it goes on with an error.

        Parameters
        ----------
        failed : bool
            Whether it raised an exception.
        """
        with self._changed:
            self._has_left = True
            if failed or self._arrived:
                self._is_broken = True
                self._changed.notify_all()


def _mean_of(values: Sequence[Array]) -> Array:
    """Return the mean of arrays, added in their order; float16 and bfloat16 in float32."""
    dtype = values[0].dtype
    wide = np.dtype(np.float32) if is_narrow(dtype) else dtype
    total = values[0].astype(wide)
    for value in values[1:]:
        total += value
    total /= len(values)
    result = np.asarray(total.astype(dtype, copy=False))
    result.flags.writeable = False
    return result


#: The devices of a thread's call and its number among them.
_here: contextvars.ContextVar[tuple[_Group, int] | None] = contextvars.ContextVar(
    "lazyarr_parallel", default=None
)


def _averaged(value: Array) -> Array:
    """Return the mean of a value over the devices of this thread's call."""
    place = _here.get()
    if place is None:
        return value
    group, rank = place
    return group.mean(rank, value)


_ALL_MEAN = library_op("all_mean", _averaged)


def _all_mean(value: LazyArray) -> LazyArray:
    call = Call((Slot(0),), note="waits for the other devices")
    return LazyArray(node(_ALL_MEAN, (value._node,), value.dtype, value.shape, call, origin()))


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
            f"mean got an object of type {error}, which is neither array nor container",
            origin=origin(),
        ) from None
    arrays = [asarray(leaf) for leaf in leaves]
    for array in arrays:
        if kind_of(array.dtype) not in "fc":
            raise DTypeError(
                f"mean takes floating-point arrays, got {array.dtype}", origin=origin()
            )
    averaged: dict[int, LazyArray] = {}
    for bucket in _buckets(arrays):
        if len(bucket) == 1:
            averaged[bucket[0]] = _all_mean(arrays[bucket[0]])
            continue
        whole = _all_mean(concatenate([arrays[k].reshape(-1) for k in bucket]))
        ends = list(itertools.accumulate(arrays[k].size for k in bucket))
        for k, end in zip(bucket, ends, strict=True):
            averaged[k] = whole[end - arrays[k].size : end].reshape(arrays[k].shape)
    result: T = unflatten(structure, iter([averaged[k] for k in range(len(arrays))]))
    return result


def _buckets(arrays: Sequence[LazyArray]) -> list[list[int]]:
    """Return the numbers of arrays that are averaged together: the last ones come first.

    The gradients of the last layers are known first.
    """
    buckets: list[list[int]] = []
    open_ones: dict[Any, tuple[list[int], int]] = {}
    for k in reversed(range(len(arrays))):
        array = arrays[k]
        bucket, nbytes = open_ones.get(array.dtype, ([], tuning.row().bucket_bytes))
        if nbytes + array.nbytes > tuning.row().bucket_bytes:
            bucket, nbytes = [], 0
            buckets.append(bucket)
        bucket.append(k)
        open_ones[array.dtype] = bucket, nbytes + array.nbytes
    return buckets


class DataParallel:
    """A step that several devices take together; made by :func:`data_parallel`.

    Parameters
    ----------
    step : callable
        The step of one device.
    count : int
        Number of devices.
    batch : int, str, or iterable of these
        Positions and names of the arguments that are divided.
    """

    def __init__(self, step: Callable[..., Any], count: int, batch: Any) -> None:
        entries = (batch,) if isinstance(batch, (int, str)) else tuple(batch)
        positions = [entry for entry in entries if not isinstance(entry, str)]
        names = [entry for entry in entries if isinstance(entry, str)]
        function = step.__wrapped__ if isinstance(step, Jitted) else step
        self._positions, self._names = arguments_named(
            function, positions, names, ("batch", "batch")
        )
        self._step = step if isinstance(step, Jitted) else jit(step)
        self._count = count
        self._workers = ThreadPoolExecutor(count, thread_name_prefix="lazyarr-device")
        self._is_checked = False

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        """Return the results of the step: those of the first device, which all have."""
        calls = [self._arguments(rank, args, keywords) for rank in range(self._count)]
        group = _Group(self._count)
        threads = get_config().threads or default_threads()
        share = max(1, threads // self._count)
        futures = [
            self._workers.submit(
                contextvars.copy_context().run,
                functools.partial(self._run, group, rank, share, *calls[rank]),
            )
            for rank in range(self._count)
        ]
        errors = [future.exception() for future in futures]
        for error in errors:
            if error is not None and not _is_left(error):
                raise error
        if any(errors):
            raise ArgumentError(
                "the devices took different numbers of averages: the step has gone different ways",
                origin=origin(),
                hint="call lazyarr.parallel.mean equally often, whatever the batch holds",
            )
        results = [future.result() for future in futures]
        if not self._is_checked:
            _check_equal(results)
            self._is_checked = True
        return results[0]

    def _run(
        self,
        group: _Group,
        rank: int,
        threads: int,
        args: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> Any:
        """Take the step of one device."""
        _here.set((group, rank))
        failed = True
        try:
            with config(threads=threads):
                result = self._step(*args, **keywords)
            failed = False
            return result
        finally:
            group.leave(failed=failed)

    def _arguments(
        self, rank: int, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of one device: parts of batches, and all of the others."""
        own = [
            self._part(value, rank) if k in self._positions else value
            for k, value in enumerate(args)
        ]
        named = {
            name: self._part(value, rank) if name in self._names else value
            for name, value in keywords.items()
        }
        return tuple(own), named

    def _part(self, tree: Any, rank: int) -> Any:
        """Return the part of a batch that one device gets."""
        leaves: list[Any] = []
        structure = flatten(tree, is_array, leaves)
        parts = []
        for leaf in leaves:
            shape = np.shape(leaf)
            if not shape or shape[0] % self._count:
                raise ShapeError(
                    f"a batch of shape {shape} cannot be divided among {self._count} devices",
                    origin=origin(),
                    hint="the mean of equal parts is that of the whole batch: leave out the rest",
                )
            size = shape[0] // self._count
            parts.append(leaf[rank * size : (rank + 1) * size])
        return unflatten(structure, iter(parts))


def _is_left(error: BaseException | None) -> bool:
    return isinstance(error, _Left) or isinstance(getattr(error, "__cause__", None), _Left)


def _check_equal(results: Sequence[Any]) -> None:
    """Raise ArgumentError if the devices' results have different bits."""
    flat: list[list[Any]] = []
    for result in results:
        leaves: list[Any] = []
        flatten(result, is_array, leaves)
        flat.append([np.asarray(leaf) for leaf in leaves])
    for other in flat[1:]:
        for mine, its in zip(flat[0], other, strict=True):
            if mine.tobytes() != its.tobytes():
                raise ArgumentError(
                    "the devices' results differ: each saw its part of the batch alone",
                    origin=origin(),
                    hint="return lazyarr.parallel.mean of the loss, and update by that of the "
                    "gradients",
                )


def data_parallel(
    step: Callable[..., Any], *, devices: int | Sequence[str], batch: Any
) -> DataParallel:
    """Return a step that several devices take together, each with a part of the batch.

    The step calls :func:`mean` of what depends on the batch: gradients, the loss. Everything else
    each device computes alike, so that parameters are the same bits everywhere; the first call
    checks that. The gradient of a mean over equal parts is that over the whole batch.

    Parameters
    ----------
    step : callable
        Takes and returns arrays in containers, as a function for :func:`lazyarr.jit`.
    devices : int or sequence of str
        Number of workers on the processors, or ``["cpu", "cpu"]``.
    batch : int, str, or sequence of these
        Positions and names of the arguments whose arrays are divided along their first axis.

    Returns
    -------
    DataParallel
        Takes the arguments of `step`, with whole batches.

    Raises
    ------
    DeviceError
        If a device is not there.
    ArgumentError, ShapeError
        From a call: if the devices' results differ, or a batch has no equal parts.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> def step(w, x, y):
    ...     loss, slope = la.value_and_grad(lambda w: ((x @ w - y) ** 2).mean())(w)
    ...     loss, slope = la.parallel.mean((loss, slope))
    ...     return loss, w - 0.1 * slope
    >>> together = la.parallel.data_parallel(step, devices=2, batch=("x", "y"))
    >>> x = np.arange(8.0).reshape(4, 2)
    >>> loss, w = together(np.zeros(2), x, x.sum(axis=1))
    >>> bool(np.allclose(w, la.jit(step)(np.zeros(2), x, x.sum(axis=1))[1]))
    True
    """
    if not callable(step):
        raise ArgumentError(
            f"data_parallel takes a function, got {type(step).__name__}", origin=origin()
        )
    if isinstance(devices, int):
        names = [CPU] * devices
    else:
        names = list(devices)
    for name in names:
        if name != CPU:
            raise DeviceError(
                f"data_parallel cannot use {name!r}: it runs on workers of the processors alone",
                origin=origin(),
                hint='devices=2, or ["cpu", "cpu"]',
            )
    if not names:
        raise ArgumentError("data_parallel needs a device", origin=origin())
    return DataParallel(step, len(names), batch)


def __dir__() -> list[str]:
    return sorted(__all__)
