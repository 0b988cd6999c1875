"""Steps that several devices take together, each with a part of the batch."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.config import CPU, CUDA, config, device_name, get_config, is_gpu
from lazyarr.core.device_group import DeviceGroup, DifferentWays, Left, current_group
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DeviceError, ShapeError
from lazyarr.function_transforms import Jitted, jit
from lazyarr.function_transforms.static_arguments import arguments_named
from lazyarr.parallel.replicas import Divided, Replicas, on_gpu
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.tracing.pytree import flatten, is_array, unflatten

__all__ = ["DataParallel", "data_parallel"]


class DataParallel:
    """A step that several devices take together; made by :func:`data_parallel`.

    Parameters
    ----------
    step : callable
        The step of one device.
    devices : sequence of str
        Their names: all "cpu", or different GPUs.
    batch : int, str, or iterable of these
        Positions and names of the arguments that are divided.
    """

    def __init__(self, step: Callable[..., Any], devices: Sequence[str], batch: Any) -> None:
        entries = (batch,) if isinstance(batch, (int, str)) else tuple(batch)
        positions = [entry for entry in entries if not isinstance(entry, str)]
        names = [entry for entry in entries if isinstance(entry, str)]
        function = step.__wrapped__ if isinstance(step, Jitted) else step
        self._positions, self._names = arguments_named(
            function, positions, names, ("batch", "batch")
        )
        jitted = step if isinstance(step, Jitted) else jit(step)
        self._devices = tuple(devices)
        self._count = len(self._devices)
        self._replicas = Replicas(self._devices) if is_gpu(devices[0]) else None
        #: What is donated is given away once all devices have taken the step.
        self._donating = jitted if jitted.donates and self._replicas is not None else None
        self._step = jitted if self._donating is None else jitted.keeping()
        self._workers = ThreadPoolExecutor(self._count, thread_name_prefix="lazyarr-device")
        self._is_checked = False

    def __call__(self, /, *args: Any, **keywords: Any) -> Any:
        """Return the results of the step: those of the first device, which all have.

        GPUs keep theirs, for the next step to take up: arrays come as LazyArrays that the first
        GPU holds.
        """
        calls = [self._arguments(rank, args, keywords) for rank in range(self._count)]
        if self._count == 1:
            (own, named), *_ = calls
            with config(device=self._devices[0]):
                alone = self._take_step(own, named)
            self._give_away((own, named))
            return alone
        group = DeviceGroup(self._count, self._communicators())
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
        if any(errors):
            self._fail(errors)
        results = [future.result() for future in futures]
        if not self._is_checked:
            _check_equal(results)
            self._is_checked = True
        if self._replicas is not None:
            self._replicas.note(results)
            self._give_away(calls[0])
        return results[0]

    def _give_away(self, call: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
        """Refuse donated arguments from now on: results were returned in their place."""
        if self._donating is not None and self._replicas is not None:
            gone = self._donating.give_away(call)
            self._replicas.forget(gone)

    def divide(self, *batch: Any) -> Any:
        """Return a batch in equal parts, copied to the devices while they do other work.

        In a thread of its own, that gives the next step its batch while a step is done.

        Parameters
        ----------
        *batch : container of array_like
            Arguments that are divided.

        Returns
        -------
        tuple
            What takes the place of each argument, in calls of this object alone.

        Raises
        ------
        ShapeError
            If a first axis has no equal parts.
        """
        divided = [Divided(self, [self._part(x, k) for k in range(self._count)]) for x in batch]
        if self._replicas is None:
            return tuple(divided)
        # Imported here: most processes never see a GPU.
        from lazyarr.interop.streams import Stream
        from lazyarr.runtime.cuda import driver

        for rank, name in enumerate(self._devices):
            with Stream.beside(driver.device(name)):
                for each in divided:
                    each.parts[rank] = on_gpu(each.parts[rank], name)
        return tuple(divided)

    def _communicators(self) -> Any:
        """Return the communicators of GPUs; None on the processors."""
        if self._replicas is None:
            return None
        # Imported here: most processes never see a GPU.
        from lazyarr.runtime.cuda import driver
        from lazyarr.runtime.cuda.libraries.nccl import communicators

        devices = [driver.device(name) for name in self._devices]
        bindings = functools.partial(devices[0].main.libraries.module, "nccl")
        return communicators(devices, bindings)

    def _fail(self, errors: Sequence[BaseException | None]) -> None:
        """Raise the first error of the devices."""
        for error in errors:
            if error is not None and not _is_of(error, (Left, DifferentWays)):
                raise error
        raise ArgumentError(
            "the devices called lazyarr.parallel.mean different numbers of times in one step",
            origin=origin(),
            hint="call it equally often on all devices, whatever their part of the batch contains",
        )

    def _run(
        self,
        group: DeviceGroup,
        rank: int,
        threads: int,
        args: tuple[Any, ...],
        keywords: dict[str, Any],
    ) -> Any:
        """Take the step of one device."""
        current_group.set((group, rank))
        failed = True
        try:
            with config(threads=threads, device=self._devices[rank]):
                result = self._take_step(args, keywords)
            failed = False
            return result
        except DeviceError as error:
            if group.communicators is not None and not _is_of(error, (Left, DifferentWays)):
                # What the other GPUs have queued may wait for this one, and would for ever.
                group.communicators.abort()
                forget_plans()  # their graphs have these communicators
            raise
        finally:
            group.leave(failed=failed)

    def _take_step(self, args: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
        """Return the results of the step on the device of the settings."""
        # What GPUs return stays there for the next step.
        step = self._step if self._replicas is None else self._step.persist
        return step(*args, **keywords)

    def _arguments(
        self, rank: int, args: tuple[Any, ...], keywords: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the arguments of one device: parts of batches, and all of the others."""
        own = [
            self._own(value, rank) if k in self._positions else self._whole(value, rank)
            for k, value in enumerate(args)
        ]
        named = {
            name: self._own(value, rank) if name in self._names else self._whole(value, rank)
            for name, value in keywords.items()
        }
        return tuple(own), named

    def _own(self, batch: Any, rank: int) -> Any:
        """Return the part of a batch, divided before or not, that one device gets."""
        if not isinstance(batch, Divided):
            return self._part(batch, rank)
        if batch.owner is not self:
            raise ArgumentError("this batch was divided for other devices", origin=origin())
        return batch.parts[rank]

    def _whole(self, tree: Any, rank: int) -> Any:
        """Return an argument that every device gets, as one has it."""
        if self._replicas is None:
            return tree
        leaves: list[Any] = []
        structure = flatten(tree, is_array, leaves)
        return unflatten(structure, iter([self._replicas.of(leaf, rank) for leaf in leaves]))

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
                    hint="use a batch size that is divisible by the number of devices",
                )
            size = shape[0] // self._count
            part = leaf[rank * size : (rank + 1) * size]
            if type(part) is LazyArray and self._replicas is not None:
                part = part.to_device(self._devices[rank])
            parts.append(part)
        return unflatten(structure, iter(parts))


def _is_of(error: BaseException, kinds: tuple[type[BaseException], ...]) -> bool:
    return isinstance(error, kinds) or isinstance(error.__cause__, kinds)


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
                    "the devices returned different results: each processed only its part of the "
                    "batch",
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
        Names of GPUs, such as ``["cuda:0", "cuda:1"]``, or a number of workers on the processors,
        which may be written as ``["cpu", "cpu"]``. With ``device="cuda"`` in the settings a number
        is one of GPUs.
    batch : int, str, or sequence of these
        Positions and names of the arguments whose arrays are divided along their first axis.

    Returns
    -------
    DataParallel
        Takes the arguments of `step`, with whole batches.

    Raises
    ------
    DeviceError
        If a device is not there, or named twice, or NCCL is not installed.
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
    names = _names(devices)
    if not names:
        raise ArgumentError("data_parallel needs at least one device", origin=origin())
    _check_donated(step, names)
    return DataParallel(step, names, batch)


def _names(devices: int | Sequence[str]) -> list[str]:
    """Return the names of devices, as settings have them."""
    if isinstance(devices, int):
        if not is_gpu(get_config().device):
            return [CPU] * devices
        devices = [f"{CUDA}:{k}" for k in range(devices)]
    names = []
    for device in devices:
        name = device_name(device)
        if name is None:
            raise DeviceError(
                f"data_parallel does not support device {device!r}",
                origin=origin(),
                hint='devices=2, ["cpu", "cpu"] or ["cuda:0", "cuda:1"]',
            )
        names.append(name)
    gpus = [name for name in names if is_gpu(name)]
    if gpus and (len(gpus) < len(names) or len(set(gpus)) < len(gpus)):
        raise DeviceError(
            f"data_parallel cannot use the devices {names} together",
            origin=origin(),
            hint="name each GPU once, or use CPU workers only",
        )
    if gpus:
        from lazyarr.runtime.cuda import driver

        for name in gpus:
            driver.device(name)  # an error where it is not there
    return names


def _check_donated(step: Callable[..., Any], names: Sequence[str]) -> None:
    """Raise ArgumentError if workers would overwrite operands of other workers."""
    if isinstance(step, Jitted) and step.donates and len(names) > 1 and not is_gpu(names[0]):
        raise ArgumentError(
            "CPU workers share their arguments, so arguments cannot be donated",
            origin=origin(),
            hint="jit the step without donate=",
        )
