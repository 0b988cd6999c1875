"""Groups of devices that compute the same step together and exchange values."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from contextvars import ContextVar
from typing import Any, Protocol, TypeAlias

import numpy as np

from lazyarr.core.dtypes import is_narrow

__all__ = [
    "DeferredChecks",
    "DeviceGroup",
    "DifferentWays",
    "Left",
    "agree",
    "averaged",
    "current_group",
    "exchange_identity",
]

Array = np.ndarray[Any, Any]
Call: TypeAlias = Callable[[], object]


class Left(Exception):
    """Another device failed, or returned, where this one waits for it."""


class DifferentWays(Exception):
    """The devices are about to exchange different things."""


class DeferredChecks:
    """Checks of devices' queued work, made once it is done, or its results are read.

    So that the host queues a step while the devices do the one before. Safe to use from many
    threads at once.

    Parameters
    ----------
    size : int
        Number of devices.
    """

    def __init__(self, size: int) -> None:
        self._pending: list[deque[tuple[object, Call]]] = [deque() for _ in range(size)]
        self._lock = threading.Lock()

    def add(self, rank: int, key: object, check: Call) -> None:
        """Record a check, which waits for the device's work and raises its errors.

        Parameters
        ----------
        rank : int
            Number of the device.
        key : object
            What is checked: it is not queued again before that.
        check : callable
            The check.
        """
        with self._lock:
            self._pending[rank].append((key, check))

    def settle(self, rank: int, key: object) -> None:
        """Make the checks of a device that are due before it queues more: all but the last.

        Parameters
        ----------
        rank : int
            Number of the device.
        key : object
            What it queues next; checks of the same are due, too.
        """
        pending = self._pending[rank]
        while True:
            with self._lock:
                if not pending or (len(pending) == 1 and pending[0][0] is not key):
                    return
                _, check = pending.popleft()
            check()

    def settle_all(self) -> None:
        """Run all checks, as results are read; raise the error of the first that fails."""
        with self._lock:
            due = [check for pending in self._pending for _, check in pending]
            for pending in self._pending:
                pending.clear()
        errors = []
        for check in due:
            try:
                check()
            except IndexError as error:  # an index that is out of bounds
                errors.append(error)
        if errors:
            raise errors[0]


class _Communicators(Protocol):
    """The communicators of GPUs."""

    #: Differs from that of all others of the process.
    identity: bytes
    #: What of their work is still to be checked.
    checks: DeferredChecks

    def handle(self, rank: int) -> Any:
        """Return the communicator of a device."""

    def abort(self) -> None:
        """End the exchanges in which devices wait for each other."""


class DeviceGroup:
    """The devices of one call, and their exchanges.

    Parameters
    ----------
    size : int
        Number of devices.
    communicators : Communicators, optional
        What GPUs exchange arrays through.

    Attributes
    ----------
    size, communicators
        As given.
    """

    def __init__(self, size: int, communicators: _Communicators | None = None) -> None:
        self.size = size
        self.communicators = communicators
        self._changed = threading.Condition()
        self._arrived: dict[int, Any] = {}
        self._answer: Any = None
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
        mean: Array = self._exchange(rank, value, _mean_of)
        return mean

    def agree(self, rank: int, agenda: Hashable, consents: bool) -> bool:
        """Return whether all devices consent, once all are about to exchange the same.

        Parameters
        ----------
        rank : int
            Number of the device.
        agenda : hashable
            What it is about to exchange.
        consents : bool
            Its own consent.

        Raises
        ------
        DifferentWays
            If the agendas differ.
        """
        votes = self._exchange(rank, (agenda, consents), list)
        if len({its for its, _ in votes}) != 1:
            raise DifferentWays
        return all(yes for _, yes in votes)

    def together(
        self, rank: int, call: Call, run_all: Callable[[Sequence[Call]], object] | None = None
    ) -> None:
        """Call a function of each device, all from one thread with nothing in between.

        What a device then waits for is queued already on the others, whatever their threads do.

        Parameters
        ----------
        rank : int
            Number of the device.
        call : callable
            Its own function.
        run_all : callable, optional
            Calls the functions of all devices; default: one after another.
        """
        self._exchange(rank, call, run_all or _one_by_one)

    def _exchange(self, rank: int, value: Any, combine: Any) -> Any:
        """Return the value of a function of the values of all devices, in their order."""
        with self._changed:
            if self._is_broken or self._has_left:
                self._is_broken = True
                self._changed.notify_all()
                raise Left
            self._arrived[rank] = value
            if len(self._arrived) == self.size:
                # The others wait, so that their values stay what they are.
                values = [self._arrived[k] for k in range(self.size)]
                try:
                    self._answer = combine(values)
                except BaseException:
                    self._is_broken = True
                    self._changed.notify_all()
                    raise
                self._arrived = {}
                self._round += 1
                self._changed.notify_all()
            else:
                here = self._round
                self._changed.wait_for(lambda: self._round != here or self._is_broken)
                if self._round == here:
                    raise Left
            return self._answer

    def leave(self, *, failed: bool) -> None:
        """Record that a device is done; devices that wait for it continue with an error.

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


def _one_by_one(calls: Sequence[Call]) -> None:
    for call in calls:
        call()


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
current_group: ContextVar[tuple[DeviceGroup, int] | None] = ContextVar(
    "lazyarr_device_group", default=None
)


def averaged(value: Array) -> Array:
    """Return the mean of a value over the devices of this thread's call."""
    place = current_group.get()
    if place is None:
        return value
    group, rank = place
    return group.mean(rank, value)


def agree(agenda: Hashable, consents: bool) -> bool:
    """Return whether all devices of this thread's call consent; see :meth:`DeviceGroup.agree`.

    Parameters
    ----------
    agenda : hashable
        What this thread's device is about to exchange.
    consents : bool
        Its own consent.
    """
    place = current_group.get()
    if place is None:
        return consents
    group, rank = place
    return group.agree(rank, agenda, consents)


def exchange_identity() -> bytes:
    """Return the identity of the communicators of this thread's call; empty without any."""
    place = current_group.get()
    communicators = None if place is None else place[0].communicators
    return b"" if communicators is None else communicators.identity
