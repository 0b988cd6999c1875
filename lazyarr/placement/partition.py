"""The partition of a plan's groups between processor and GPU, by a minimum cut.

A group is a vertex. Cutting it off from one side costs its time on the other side; a value whose
producer and readers are on different sides costs one copy, however many readers there are. That
is exact: no other choice of devices has a smaller sum.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lazyarr.core.frozen import dataclass
from lazyarr.core.max_flow import END, START, FlowNetwork

__all__ = ["Value", "cheapest_devices", "cost_of", "runs_of"]

#: Vertices in front of those of the groups.
_FIRST = 2
#: Times are cut as whole nanoseconds.
_SECOND = 1e9


@dataclass(frozen=True, slots=True)
class Value:
    """A value in memory, and the costs of its copies.

    Attributes
    ----------
    producers : tuple of int
        The groups that write it, which are on one device; none for an array of the host.
    readers : tuple of int
        The groups that read it.
    is_result : bool
        Whether the host asks for it.
    upload, download : float
        Seconds of a copy into the GPU's memory and out of it.
    """

    producers: tuple[int, ...]
    readers: tuple[int, ...]
    is_result: bool
    upload: float
    download: float


def cheapest_devices(
    processor: Sequence[float], gpu: Sequence[float | None], values: Sequence[Value]
) -> tuple[bool, ...]:
    """Return for each group whether it runs on the GPU, so that all seconds together are fewest.

    Parameters
    ----------
    processor, gpu : sequence of (float or None)
        Seconds of each group there; None: it cannot run there.
    values : sequence of Value
        What the groups read and write.
    """
    endless = 1 + _whole(
        sum(processor) + sum(s or 0.0 for s in gpu) + sum(v.upload + v.download for v in values)
    )
    count = len(processor)
    network = FlowNetwork(_FIRST + count + 2 * len(values))
    for group, (here, there) in enumerate(zip(processor, gpu, strict=True), _FIRST):
        network.connect(START, group, endless if there is None else _whole(there))
        network.connect(group, END, _whole(here))
    for number, value in enumerate(values):
        sent = _FIRST + count + 2 * number
        fetched = sent + 1
        first = value.producers[0] + _FIRST if value.producers else START
        for other in value.producers[1:]:
            network.connect(first, other + _FIRST, endless)
            network.connect(other + _FIRST, first, endless)
        network.connect(first, sent, _whole(value.upload))
        network.connect(fetched, first, _whole(value.download))
        for reader in value.readers:
            network.connect(sent, reader + _FIRST, endless)
            network.connect(reader + _FIRST, fetched, endless)
        if value.is_result:
            network.connect(START, fetched, endless)
    _, distance = network.saturate()
    return tuple(distance[group] < 0 for group in range(_FIRST, _FIRST + count))


def _whole(seconds: float) -> int:
    return round(seconds * _SECOND)


def cost_of(
    on_gpu: Sequence[bool],
    processor: Sequence[float],
    gpu: Sequence[float | None],
    values: Sequence[Value],
) -> float:
    """Return the seconds of all groups and copies; infinite if a group cannot run where it is.

    Parameters
    ----------
    on_gpu : sequence of bool
        Whether each group runs on the GPU.
    processor, gpu : sequence of (float or None)
        Seconds of each group there.
    values : sequence of Value
        What the groups read and write.
    """
    total = 0.0
    for there, here, beyond in zip(on_gpu, processor, gpu, strict=True):
        seconds = beyond if there else here
        if seconds is None:
            return float("inf")
        total += seconds
    for value in values:
        is_there = bool(value.producers) and on_gpu[value.producers[0]]
        readers = [on_gpu[reader] for reader in value.readers]
        if is_there and (value.is_result or not all(readers)):
            total += value.download
        if not is_there and any(readers):
            total += value.upload
    return total


def runs_of(on_gpu: Sequence[bool], operands: Sequence[Iterable[int]]) -> list[list[int]]:
    """Return the groups in runs of one device each, as few as going on as long as possible gives.

    Parameters
    ----------
    on_gpu : sequence of bool
        Whether each group runs on the GPU.
    operands : sequence of iterable of int
        Of each group those that come before it.
    """
    waiting = [set(before) for before in operands]
    left = list(range(len(on_gpu)))
    best: list[list[int]] | None = None
    for first in (False, True):
        runs = _alternating(first, on_gpu, waiting, left)
        if best is None or len(runs) < len(best):
            best = runs
    assert best is not None
    return best


def _alternating(
    first: bool, on_gpu: Sequence[bool], waiting: Sequence[set[int]], left: Sequence[int]
) -> list[list[int]]:
    """Return the runs that begin on one of the devices."""
    done: set[int] = set()
    there, rest, runs = first, list(left), []
    while rest:
        run, later = [], []
        for group in rest:
            if on_gpu[group] == there and waiting[group] <= done:
                run.append(group)
                done.add(group)
            else:
                later.append(group)
        if run:
            runs.append(run)
        rest, there = later, not there
    return runs
