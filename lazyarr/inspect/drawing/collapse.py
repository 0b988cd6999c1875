"""Collapsing of large graphs: nodes that share one box. An acyclic graph stays acyclic."""

from __future__ import annotations

from collections.abc import Sequence

from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Kind

__all__ = ["Item", "Part", "collapse"]


@dataclass(frozen=True, slots=True)
class Item:
    """A node as collapsing sees it: its kind, distinct operands by index, and cluster."""

    kind: Kind
    sources: tuple[int, ...]
    cluster: int | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """Items drawn as one box, in order."""

    items: tuple[int, ...]
    cluster: int | None = None


def collapse(items: Sequence[Item], results: set[int], limit: int) -> list[Part]:
    """Partition `items` into at most about `limit` parts, in topological order.

    Three steps, each taken only while there are too many parts: the inner nodes of chains of
    single-use elementwise nodes become one; whatever only such a chain uses joins it; and the
    middle of what is left becomes one.

    Parameters
    ----------
    items : sequence of Item
        Operands before users; the items of a cluster are not interleaved with another's.
    results : set of int
        Items that are asked for, and so never joined to others by the first two steps.
    limit : int
        Parts that a reader can take in.
    """
    if len(items) <= limit:
        return [Part((at,), item.cluster) for at, item in enumerate(items)]
    users: list[list[int]] = [[] for _ in items]
    for at, item in enumerate(items):
        for source in item.sources:
            users[source].append(at)
    owner = list(range(len(items)))  # an item's part is named by one of the part's items
    chains = _chains(items, users, results)
    for chain in chains:
        for at in chain:
            owner[at] = chain[-1]
    collapsed = {chain[-1] for chain in chains}
    for kept in ((Kind.LEAF, Kind.PARAMETER), ()):  # inputs only if need be
        if len(set(owner)) > limit:
            _absorb(items, users, results | _of_kinds(items, kept), owner, collapsed)
    return _halve(items, _parts(items, owner), limit)


def _chains(
    items: Sequence[Item], users: Sequence[Sequence[int]], results: set[int]
) -> list[list[int]]:
    """Return the insides of all chains: without their first and last node."""
    length = [1] * len(items)
    previous = [-1] * len(items)
    taken = [False] * len(items)
    for at, item in enumerate(items):
        if item.kind is not Kind.ELEMENTWISE:
            continue
        for source in item.sources:
            before = items[source]
            if (
                before.kind is Kind.ELEMENTWISE
                and before.cluster == item.cluster
                and len(users[source]) == 1
                and source not in results
                and length[source] >= length[at]
            ):
                length[at] = length[source] + 1
                previous[at] = source
        if previous[at] >= 0:
            taken[previous[at]] = True
    chains = []
    for at in range(len(items)):
        if length[at] >= 4 and not taken[at]:
            inside = []
            current = previous[at]
            while previous[current] >= 0:
                inside.append(current)
                current = previous[current]
            chains.append(inside[::-1])
    return chains


def _of_kinds(items: Sequence[Item], kinds: Sequence[Kind]) -> set[int]:
    return {at for at, item in enumerate(items) if item.kind in kinds}


def _absorb(
    items: Sequence[Item],
    users: Sequence[Sequence[int]],
    kept: set[int],
    owner: list[int],
    collapsed: set[int],
) -> None:
    """Join to a collapsed chain each item that nothing else uses, but those in `kept`."""
    for at in range(len(items) - 1, -1, -1):
        if owner[at] != at or at in collapsed or at in kept or not users[at]:
            continue
        owners = {owner[user] for user in users[at]}
        if len(owners) == 1 and owners <= collapsed:
            owner[at] = owners.pop()


def _parts(items: Sequence[Item], owner: Sequence[int]) -> list[Part]:
    members: dict[int, list[int]] = {}
    for at, name in enumerate(owner):
        members.setdefault(name, []).append(at)
    # Only a part's last item has users outside, so ordering by it is topological.
    ordered = sorted(members.values(), key=lambda part: part[-1])
    return [Part(tuple(part), items[part[-1]].cluster) for part in ordered]


def _halve(items: Sequence[Item], parts: list[Part], limit: int) -> list[Part]:
    """Replace the middle of a long list by one part: an interval of a topological order."""
    if len(parts) <= limit:
        return parts
    kept = max(limit // 3, 1)
    middle = parts[kept:-kept]
    clusters = {items[at].cluster for part in middle for at in part.items} - {None}
    # A middle inside one kernel stays in it. One that spans kernels stands outside, and cannot
    # close a cycle: what is kept before it and what is kept after it are different kernels.
    cluster = clusters.pop() if len(clusters) == 1 else None
    joined = Part(tuple(sorted(at for part in middle for at in part.items)), cluster)
    return [*parts[:kept], joined, *parts[-kept:]]
