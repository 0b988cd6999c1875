"""Rehearsals of library functions: which kernels they ask for, before anything is queued.

A library function finds its kernels when it is queued, one after another. Rehearsed first, all of a
plan are compiled side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NoReturn

import numpy as np

from lazyarr.core.config import Config
from lazyarr.loop_ir.source import Source

__all__ = ["NotRehearsed", "Rehearsal"]


class NotRehearsed(Exception):
    """A function needs a device from here on: a handle of a library, or an element's value."""


class _NoMemory:
    """Memory that is never accessed; aligned like memory of a pool."""

    address: ClassVar[int] = 0


class Rehearsal:
    """Stands for a stream while a function is rehearsed: notes sources, and queues nothing.

    Attributes
    ----------
    sources : dict of Source to None
        The kernels that were asked for, in order.
    """

    def __init__(self) -> None:
        self.sources: dict[Source, None] = {}

    @property
    def pool(self) -> Rehearsal:
        """The memory pool of the stream."""
        return self

    @property
    def libraries(self) -> NoReturn:
        """Refuse: handles are of a device."""
        raise NotRehearsed

    def compile(self, source: Source, settings: Config) -> Source:
        """Note a kernel, and return a stand-in for its function.

        Parameters
        ----------
        source : Source
            In CUDA C++.
        settings : Config
            Not used.
        """
        self.sources[source] = None
        return source

    def allocate(
        self, nbytes: int, limit: int = 0, origin: tuple[str, int] | None = None
    ) -> _NoMemory:
        """Return a stand-in for memory.

        Parameters
        ----------
        nbytes, limit, origin
            Not used.
        """
        return _NoMemory()

    def launch(self, function: Source, blocks: int, threads: int, args: Sequence[Any]) -> None:
        """Do nothing.

        Parameters
        ----------
        function, blocks, threads, args
            Not used.
        """

    def copy(self, to: int, source: int, nbytes: int) -> None:
        """Do nothing.

        Parameters
        ----------
        to, source, nbytes
            Not used.
        """

    def clear(self, address: int, nbytes: int) -> None:
        """Do nothing.

        Parameters
        ----------
        address, nbytes
            Not used.
        """

    def counters(self, count: int) -> int:
        """Return a stand-in for the address of counters.

        Parameters
        ----------
        count : int
            Not used.
        """
        return 0

    def upload(self, address: int, host: np.ndarray[Any, Any]) -> NoReturn:
        """Refuse: the host's values are not known yet.

        Parameters
        ----------
        address, host
            Not used.
        """
        raise NotRehearsed

    def download(self, host: np.ndarray[Any, Any], address: int) -> NoReturn:
        """Refuse: no value is known.

        Parameters
        ----------
        host, address
            Not used.
        """
        raise NotRehearsed

    def synchronize(self) -> NoReturn:
        """Refuse: there is no work to wait for."""
        raise NotRehearsed

    def seconds(self, series: Sequence[Callable[[], None]]) -> NoReturn:
        """Refuse: no work is timed.

        Parameters
        ----------
        series
            Not used.
        """
        raise NotRehearsed
