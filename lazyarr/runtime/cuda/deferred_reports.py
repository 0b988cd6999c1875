"""Reports of kernels that are read later: the host goes on while a stream works.

Each array knows the ticket that its stream gave out when it was queued. A report that turns out to
be of an error makes all arrays suspect that were queued between the work that reports and the time
when that was known: nobody can tell which of them were computed of wrong values. Who reads such an
array, or computes with it, gets the error. Arrays from before and after are what they were.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable
from typing import TypeAlias

__all__ = ["DeferredReports", "Look"]

#: Reads a report whose work is done, and raises what it says.
Look: TypeAlias = Callable[[], None]


class _Pending:
    """Work whose report is not read yet: between which tickets it was queued."""

    __slots__ = ("after", "before", "look")

    def __init__(self, after: int, before: int, look: Look) -> None:
        self.after = after
        self.before = before
        self.look = look


class DeferredReports:
    """The reports of one stream. Thread-safe.

    Parameters
    ----------
    ticket : callable
        Returns a number that is larger than those given out for what was queued before.

    Attributes
    ----------
    pending : dict
        The work whose reports are not read yet, by what has the memory of the report.
    failures : list of (int, int, IndexError)
        The errors, each with the tickets between which arrays are suspect.
    """

    __slots__ = ("_lock", "_ticket", "failures", "pending")

    def __init__(self, ticket: Callable[[], int]) -> None:
        self.pending: dict[object, _Pending] = {}
        self.failures: list[tuple[int, int, IndexError]] = []
        self._ticket = ticket
        self._lock = threading.Lock()

    def add(self, key: object, after: int, look: Look) -> int:
        """Note work that was queued just now.

        Parameters
        ----------
        key : object
            Has the memory of the report; all work that reports there is looked at together.
        after : int
            A ticket from before it was queued.
        look : callable
            Reads the report.

        Returns
        -------
        int
            The ticket of its results: however soon the report is read, they are suspect then.
        """
        with self._lock:
            before = self._ticket()
            known = self.pending.get(key)
            if known is None:
                self.pending[key] = _Pending(after, before, look)
            else:
                known.before = before
            return before

    def settle(self, reached: int) -> None:
        """Read the reports of work that is done.

        Parameters
        ----------
        reached : int
            A ticket: what was queued before it is done.
        """
        with self._lock:
            done = {key: work for key, work in self.pending.items() if work.before <= reached}
            for key in done:
                del self.pending[key]
            errors = []
            for work in done.values():
                try:
                    work.look()
                except IndexError as error:
                    errors.append((work.after, self._ticket(), copy.copy(error)))
            self.failures += errors

    def refuse(self, ticket: int) -> None:
        """Raise the error that an array may have come of.

        Parameters
        ----------
        ticket : int
            Of the array.

        Raises
        ------
        IndexError
            An index was out of bounds.
        """
        for after, known, error in self.failures:
            if after < ticket <= known:
                raise copy.copy(error)  # whose traceback must not keep the frames of each refusal
