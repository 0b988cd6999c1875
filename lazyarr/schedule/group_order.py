"""In which order groups run: as written, unless another order needs less memory.

Groups come in the order in which a walk from the results meets them. Of a function and its
gradient that is all cotangents first and what is made of them afterwards, so that all are held at
once. The other order takes next, of the groups that can run, the one after which the least is held.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from lazyarr.graph.node import Node

__all__ = ["smallest_order"]


class _Memory:
    """The groups that write and read each value in memory.

    Attributes
    ----------
    written, read : list of list of Node
        By group.
    readers : dict of Node to int
        How many groups read a value; of a result one more, as it stays.
    users : dict of Node to set of int
        These groups.
    """

    def __init__(
        self,
        count: int,
        writers: Mapping[Node, set[int]],
        readers: Mapping[Node, set[int]],
        results: set[Node],
    ) -> None:
        self.written: list[list[Node]] = [[] for _ in range(count)]
        self.read: list[list[Node]] = [[] for _ in range(count)]
        self.readers: dict[Node, int] = {}
        self.users: dict[Node, set[int]] = {}
        for owner, groups in writers.items():
            for group in groups:
                self.written[group].append(owner)
            users = readers.get(owner, set())
            for group in users:
                self.read[group].append(owner)
            self.users[owner] = users
            self.readers[owner] = len(users) + (owner in results)

    def peak(self, order: Sequence[int]) -> int:
        """Return the most bytes held while groups run in an order."""
        left = dict(self.readers)
        live: set[Node] = set()
        now = most = 0
        for group in order:
            for owner in self.written[group]:
                if owner not in live:
                    live.add(owner)
                    now += owner.nbytes
            most = max(most, now)
            for owner in self.read[group]:
                left[owner] -= 1
                if not left[owner]:
                    now -= owner.nbytes
        return most

    def greedy(self, waits: Sequence[set[int]]) -> list[int]:
        """Return the greedy order with the least live memory; early groups first."""
        left = dict(self.readers)
        live: set[Node] = set()
        missing = [len(groups) for groups in waits]
        followers: list[list[int]] = [[] for _ in waits]
        for group, before in enumerate(waits):
            for other in before:
                followers[other].append(group)

        def growth(group: int) -> int:
            new = sum(owner.nbytes for owner in self.written[group] if owner not in live)
            return new - sum(owner.nbytes for owner in self.read[group] if left[owner] == 1)

        ready = [(growth(group), group) for group, count in enumerate(missing) if not count]
        heapify(ready)
        order: list[int] = []
        done: set[int] = set()
        while ready:
            known, group = heappop(ready)
            if group in done:
                continue
            now = growth(group)
            if now > known:
                heappush(ready, (now, group))
                continue
            done.add(group)
            order.append(group)
            live.update(self.written[group])
            for owner in self.read[group]:
                left[owner] -= 1
                if left[owner] == 1:
                    # Its last reader now frees it.
                    for other in self.users[owner]:
                        if other not in done and not missing[other]:
                            heappush(ready, (growth(other), other))
            for other in followers[group]:
                missing[other] -= 1
                if not missing[other]:
                    heappush(ready, (growth(other), other))
        return order


def smallest_order(
    written: Sequence[int],
    waits: Sequence[set[int]],
    writers: Mapping[Node, set[int]],
    readers: Mapping[Node, set[int]],
    results: set[Node],
) -> list[int]:
    """Return an order in which groups can run.

    Parameters
    ----------
    written : sequence of int
        An order that respects their dependencies.
    waits : sequence of set of int
        For each group those that must run before it.
    writers, readers : mapping of Node to set of int
        For each value in memory the groups that write and read it.
    results : set of Node
        Values that stay.
    """
    memory = _Memory(len(waits), writers, readers, results)
    other = memory.greedy(waits)
    return other if memory.peak(other) < memory.peak(written) else list(written)
