"""NCCL's bindings between emulated devices, with the signatures of nccl4py.

What is queued in a group runs once all ranks have come to it. A rank that replays a graph goes on
with the rest of it then.
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

    def __init__(self, group: Round, rank: int, device: Any) -> None:
        self.group = group
        self.rank = rank
        self.device = device
        self.is_open = True


class Round:
    """The exchange that the ranks of a group are at.

    Attributes
    ----------
    rest : list of callable
        What ranks that came early have to do afterwards.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.values: dict[int, tuple[Any, Any]] = {}
        self.rest: list[Callable[[], None]] = []

    def come(self, rank: int, source: Any, target: Any) -> bool:
        """Note what a rank has; the last one writes what all get. Return whether that is done."""
        assert rank not in self.values, "a rank came twice"
        self.values[rank] = source, target
        if len(self.values) < self.size:
            return False
        pairs = [self.values[k] for k in range(self.size)]
        assert len({(x.size, x.dtype) for x, _ in pairs}) == 1, "ranks exchange different arrays"
        mean = np.add.reduce([x.astype(np.float64) for x, _ in pairs]) / self.size
        for _, out in pairs:
            out[...] = mean
        self.values = {}
        rest, self.rest = self.rest, []
        for go_on in rest:
            go_on()
        return True


class Nccl:
    """The bindings; `calls` are the sizes of the arrays that were averaged."""

    calls: ClassVar[list[int]] = []
    aborts = 0
    queued: ClassVar[list[tuple[Any, Callable[[], None]]]] = []

    def comm_init_all(self, count: int, devices: Sequence[int]) -> list[Comm]:
        assert count == len(devices)
        group = Round(count)
        known = [driver._devices[number] for number in devices]
        return [Comm(group, rank, device) for rank, device in enumerate(known)]

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
    ) -> Callable[[Callable[[], None]], bool] | None:
        """Queue an exchange; in a graph's replay return what comes to it, given what follows."""
        assert op == 4 and comm.is_open
        if comm.rank == 0:
            Nccl.calls.append(count)
        dtype = np.dtype(DTYPES[kind])

        def come() -> bool:
            return comm.group.come(
                comm.rank, vector(source, count, dtype), vector(target, count, dtype)
            )

        if comm.device.driver.replaying:

            def come_and(go_on: Callable[[], None]) -> bool:
                is_done = come()
                if not is_done:
                    comm.group.rest.append(go_on)
                return is_done

            return come_and
        work = next(work for work in comm.device.driver.streams if work.handle == stream)
        Nccl.queued.append((work, lambda: come() and None))
        return None
