"""NCCL's bindings between emulated devices, with the signatures of nccl4py.

What is queued in a group runs once all ranks have come to it; the streams of those that came early
wait for the others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import numpy as np

from lazyarr.runtime.cuda import driver
from tests.support.library_memory import vector

DTYPES = {6: np.float16, 7: np.float32, 8: np.float64}


class Comm:
    """A communicator of one rank."""

    def __init__(self, group: Group, rank: int, device: Any) -> None:
        self.group = group
        self.rank = rank
        self.device = device
        self.is_open = True
        self.count = 0  # of the exchanges that were queued


class Group:
    """The communicators of a group of ranks, and the exchanges that they are at."""

    def __init__(self) -> None:
        self.comms: list[Comm] = []
        self.exchanges: dict[int, Exchange] = {}

    def exchange(self, number: int) -> Exchange:
        return self.exchanges.setdefault(number, Exchange(self))


class Exchange:
    """One exchange of a group: its values by rank, and the streams in which it is queued."""

    def __init__(self, group: Group) -> None:
        self.group = group
        self.values: dict[int, tuple[Any, Any]] = {}
        self.works: dict[int, Any] = {}
        self.is_done = False

    def come(self, rank: int, source: Any, target: Any) -> bool:
        """Note a rank's part; once all have come, write the results. Whether that is done."""
        comms = self.group.comms
        if self.is_done or not comms[rank].is_open:
            return True
        self.values[rank] = source, target
        for other, work in list(self.works.items()):
            while other not in self.values and work.step():
                pass
        if self.is_done or len(self.values) < len(comms):
            return self.is_done
        pairs = [self.values[k] for k in range(len(comms))]
        assert len({(x.size, x.dtype) for x, _ in pairs}) == 1, "ranks exchange different arrays"
        mean = np.add.reduce([x.astype(np.float64) for x, _ in pairs]) / len(comms)
        for _, out in pairs:
            out[...] = mean
        self.is_done = True
        self.let_go_on()
        return True

    def let_go_on(self) -> None:
        """Let devices whose work runs at once do what has waited for this."""
        drivers = [comm.device.driver for comm in self.group.comms]
        works = [work for one in drivers if one.random is None for work in one.streams]
        while any(work.run() for work in works):
            pass


class Nccl:
    """The bindings; `calls` are the sizes of the arrays that were averaged."""

    calls: ClassVar[list[int]] = []
    #: The streams of the first rank in which that was.
    streams: ClassVar[list[int]] = []
    aborts = 0
    queued: ClassVar[list[tuple[Any, Callable[[], object]]]] = []
    #: Whether its functions queue what they do in a stream, also as parts of a graph.
    queues = True

    def comm_init_all(self, count: int, devices: Sequence[int]) -> list[Comm]:
        assert count == len(devices)
        group = Group()
        known = [driver._devices[number] for number in devices]
        group.comms = [Comm(group, rank, device) for rank, device in enumerate(known)]
        return group.comms

    def comm_abort(self, comm: Comm) -> None:
        Nccl.aborts += 1
        comm.is_open = False

    def comm_destroy(self, comm: Comm) -> None:
        comm.is_open = False

    def group_start(self) -> None:
        assert not Nccl.queued

    def group_end(self) -> None:
        queued, Nccl.queued = Nccl.queued, []
        for work, function in queued:
            work.put(function)

    def all_reduce(
        self, source: int, target: int, count: int, kind: int, op: int, comm: Comm, stream: int
    ) -> None:
        """Queue an exchange."""
        assert op == 4 and comm.is_open
        if comm.rank == 0:
            Nccl.calls.append(count)
            Nccl.streams.append(stream)
        dtype = np.dtype(DTYPES[kind])
        work = next(work for work in comm.device.driver.streams if work.handle == stream)
        exchange = comm.group.exchange(comm.count)
        comm.count += 1
        exchange.works[comm.rank] = work
        values = vector(source, count, dtype), vector(target, count, dtype)
        Nccl.queued.append((work, lambda: exchange.come(comm.rank, *values)))
