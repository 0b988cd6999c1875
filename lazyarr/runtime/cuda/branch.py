"""Branches: work in a second stream beside that of a run, from a fork to a join.

The second stream waits for what the run has queued when it forks, and the run waits for the second
one where it joins. Where a graph is recorded, the same calls make branches of the graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress

from lazyarr.runtime.cuda.interfaces import DriverStream
from lazyarr.runtime.cuda.marks import Mark

__all__ = ["Branch"]


class Branch:
    """The work of one run that goes on beside its other work. The device's context is current.

    As a context manager it is joined at the end, so that memory of the run that is given back
    afterwards is not in use any more.

    Parameters
    ----------
    main : object
        The driver's stream of the run.
    side : callable
        Returns the driver's stream beside it.
    record : callable
        Returns the mark behind all that is queued in a stream of the driver's.
    """

    __slots__ = ("_is_forked", "_left", "_main", "_record", "_side", "_used")

    def __init__(
        self,
        main: DriverStream,
        side: Callable[[], DriverStream],
        record: Callable[[DriverStream], Mark],
    ) -> None:
        self._main = main
        self._side = side
        self._record = record
        self._is_forked = False
        self._used: list[object] = []
        self._left: dict[object, tuple[Mark, list[object]]] = {}

    def fork(self, *used: object) -> int:
        """Return the handle of the stream beside, where work may be queued behind the run's so far.

        Parameters
        ----------
        *used : object
            What keeps temporary memory that the work uses.
        """
        side = self._side()
        side.wait_for_event(self._record(self._main).event)
        self._is_forked = True
        self._used += used
        return int(side.handle)

    def leave(self, key: object) -> None:
        """End the work since the fork, if there was one.

        Parameters
        ----------
        key : hashable
            The name by which it is joined.
        """
        if self._is_forked:
            self._left[key] = self._record(self._side()), self._used
            self._is_forked, self._used = False, []

    def join(self, keys: Iterable[object]) -> None:
        """Let the run's later work wait for work that was queued beside it.

        Parameters
        ----------
        keys : iterable of hashable
            The names of the work; what was not forked, or was joined before, is left out.
        """
        for key in keys:
            left = self._left.pop(key, None)
            if left is not None:
                self._main.wait_for_event(left[0].event)

    def __enter__(self) -> Branch:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            self.join(list(self._left))
            return
        # What has failed the run may fail this, and is the error to be raised.
        with suppress(Exception):
            self.leave(self)
            self.join(list(self._left))
