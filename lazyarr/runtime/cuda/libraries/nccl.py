"""NCCL: exchange between the GPUs of one process, a thread for each."""

from __future__ import annotations

import atexit
import functools
import itertools
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from lazyarr.core.device_group import DeferredChecks, Left, current_group
from lazyarr.core.dtypes import code_of, is_bfloat16, kind_of
from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["Communicators", "all_mean", "communicators", "refuse"]

#: The numbers of ncclDataType_t, and of ncclRedOp_t.
_DATA_TYPES = {"f2": 6, "f4": 7, "f8": 8, "c8": 7, "c16": 8, "bfloat16": 9}
_OPERATIONS = {"average": 4}


#: One step of an iterator, so that threads cannot come between.
_count = itertools.count(1)


class _Device(Protocol):
    """A GPU."""

    number: int

    def close_graphs(self) -> None:
        """Give back the graphs of all streams, once all work is done."""


class Communicators:
    """Communicators of GPUs, one for each.

    Parameters
    ----------
    devices : sequence of Device
        The GPUs; the rank of each is its place here.
    bindings : module
        ``nccl.bindings.nccl``.

    Attributes
    ----------
    identity : bytes
        Differs from that of all others of the process.
    checks : DeferredChecks
        What of the GPUs' work is still to be checked.
    """

    def __init__(self, devices: Sequence[_Device], bindings: Any) -> None:
        self.identity = next(_count).to_bytes(8, "little")
        self._devices = devices
        self._bindings = bindings
        self._lock = threading.Lock()
        self._handles = list(_started(bindings, [device.number for device in devices]))
        self.checks = DeferredChecks(len(devices))
        self._ending: list[threading.Thread] = []

    @property
    def is_usable(self) -> bool:
        """Whether they have not been aborted."""
        return bool(self._handles)

    def handle(self, rank: int) -> Any:
        """Return the communicator of a GPU.

        Parameters
        ----------
        rank : int
            The place of the GPU.

        Raises
        ------
        Left
            If an error on another GPU has ended the exchange.
        """
        with self._lock:
            if not self._handles:
                raise Left
            return self._handles[rank]

    def abort(self) -> None:
        """End the exchanges between GPUs, done or not; then all of them are unusable."""
        # NCCL waits for graphs that hold them, which go when their plans come across others.
        self._end(self._bindings.comm_abort)

    def close(self) -> None:
        """Give them back at the end of the process, with the graphs that hold them."""
        for device in self._devices:
            device.close_graphs()
        self._end(self._bindings.comm_destroy)
        for thread in self._ending:
            thread.join(tuning.row().nccl_patience)

    def _end(self, end: Callable[[Any], object]) -> None:
        with self._lock:
            handles, self._handles = self._handles, []
        # At once: each waits for the others. A GPU that is gone may not answer at all.
        threads = [threading.Thread(target=end, args=(one,), daemon=True) for one in handles]
        for thread in threads:
            thread.start()
        self._ending += threads


def _started(bindings: Any, numbers: Sequence[int]) -> Sequence[Any]:
    try:
        handles: Sequence[Any] = bindings.comm_init_all(len(numbers), list(numbers))
    except Exception as error:  # of a class of the bindings'
        raise DeviceError(f"NCCL cannot connect the GPUs {list(numbers)}: {error}") from error
    return handles


_lock = threading.Lock()
_known: dict[tuple[int, ...], Communicators] = {}


def communicators(devices: Sequence[_Device], bindings: Callable[[], Any]) -> Communicators:
    """Return the communicators of GPUs, connected when first asked for.

    Parameters
    ----------
    devices : sequence of Device
        The GPUs.
    bindings : callable
        Returns NCCL's bindings.

    Raises
    ------
    DeviceError
        If NCCL is not installed, or cannot connect them.
    """
    key = tuple([device.number for device in devices])
    with _lock:
        known = _known.get(key)
        if known is None or not known.is_usable:
            if not _known:
                atexit.register(_close)  # before the devices, which are open, are closed
            known = _known[key] = Communicators(devices, bindings())
        return known


def _close() -> None:
    with _lock:
        for known in _known.values():
            known.close()
        _known.clear()


def refuse(out: Strided, value: Strided) -> str | None:
    """Return the reason why NCCL does not average such values; None: it does.

    Parameters
    ----------
    out : Strided
        Where the mean goes.
    value : Strided
        The values of one device.
    """
    return None if kind_of(value.dtype) in "fc" else "NCCL averages floating-point numbers"


def all_mean(work: Work, out: Strided, value: Strided) -> None:
    """Queue the mean over the GPUs of this thread's group, beside the steps that follow.

    Parameters
    ----------
    work : Work
        Where to queue it.
    out : Strided
        Where the mean goes.
    value : Strided
        The values of this thread's GPU.
    """
    place = current_group.get()
    if place is None:
        work.copy(value, out)
        return
    group, rank = place
    assert group.communicators is not None
    source = work.contiguous(value)
    dtype = value.dtype
    kind = _DATA_TYPES["bfloat16" if is_bfloat16(dtype) else code_of(dtype)]
    count = value.size * (2 if kind_of(dtype) == "c" else 1)
    libraries = work.libraries
    bindings = libraries.module("nccl")
    call = functools.partial(
        bindings.all_reduce,
        source.address,
        out.address,
        count,
        kind,
        _OPERATIONS["average"],
        group.communicators.handle(rank),
        work.beside(source, out),
    )
    if libraries.recording:
        _queue_all(bindings, [call])  # nothing runs yet
    else:
        group.together(rank, call, functools.partial(_queue_all, bindings))


def _queue_all(bindings: Any, calls: Sequence[Callable[[], object]]) -> None:
    """Queue an operation of each device together."""
    try:
        bindings.group_start()
        try:
            for call in calls:
                call()
        finally:
            bindings.group_end()
    except Exception as error:  # of a class of the bindings'
        raise DeviceError(f"NCCL failed: {error}") from error
