"""The order in which groups run where exchanges between devices run beside other groups.

An exchange begins as soon as what it sends is computed, and what reads its result comes last: the
groups in between are computed meanwhile. All devices that exchange something must do so in one
order, or each would wait for another. So the order depends on the groups alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

__all__ = ["exchanges_early"]


def exchanges_early(
    order: Sequence[int], before: Sequence[int], exchanges: Sequence[int]
) -> list[int]:
    """Return an order in which exchanges come early, and the steps that read their results late.

    The exchange that needs the fewest groups comes first: in a backward pass that of the last
    layers' gradients. The groups that only it needs come before it, then what the next exchange
    needs, and so on. A group that no exchange needs follows the exchange that has its operands
    computed. What needs results of exchanges comes last, that of the last exchange behind all else.
    Otherwise groups keep the order in which they are given.

    Parameters
    ----------
    order : sequence of int
        An order that respects the dependencies of groups.
    before : sequence of int
        For each group the set, as a mask, of all that must run before it.
    exchanges : sequence of int
        The groups that are exchanges, at least one.

    Examples
    --------
    Group 0 makes what 1 and 2 read, 3 averages the result of 1, and 4 reads the average:

    >>> exchanges_early([0, 2, 1, 3, 4], [0b0, 0b1, 0b1, 0b11, 0b1011], [3])
    [0, 1, 3, 2, 4]
    """
    place = {group: at for at, group in enumerate(order)}
    ranked = sorted(exchanges, key=lambda group: (before[group].bit_count(), place[group]))
    stages: dict[int, int] = {}
    #: By stage, as masks: what exchanges need, and the other groups.
    needed = [0] * len(ranked)
    free = [0] * (len(ranked) + 1)
    known = 0
    for stage, group in enumerate(ranked):
        needed[stage] = (before[group] | 1 << group) & ~known
        known |= needed[stage]
        stages.update(dict.fromkeys(_members(needed[stage]), stage))
    averages = [1 << group for group in ranked]
    reached = 0
    for group in order:
        if group in stages:
            reached = max(reached, stages[group])
            continue
        awaited = _highest(averages, before[group])
        if awaited >= 0:
            stages[group] = len(free) + awaited
            continue
        if before[group]:
            stage = max(_highest(needed, before[group]) + 1, _highest(free, before[group]))
        else:  # it reads leaves: it stays behind what it came behind
            stage = reached + 1
        stages[group] = stage
        free[stage] |= 1 << group
    is_exchange = set(ranked)
    return sorted(order, key=lambda group: (stages[group], group in is_exchange, place[group]))


def _members(mask: int) -> Iterator[int]:
    """Yield the members of a set that is given as a mask."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def _highest(masks: Sequence[int], mask: int) -> int:
    """Return the highest number of a set that shares a member with another; -1 if none does."""
    return next((k for k in reversed(range(len(masks))) if masks[k] & mask), -1)
