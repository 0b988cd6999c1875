"""Members by name: the family, the seed, and the elements of the largest operand."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.families import collective, elementwise, positions, rearranged
from benchmarks.families.gradients import GRADIENTS
from benchmarks.families.member import Choice, Member

FAMILIES = {
    generator.__name__: generator
    for family in (elementwise, collective, positions, rearranged)
    for generator in family.FAMILIES
}


def member(name: str) -> Member:
    """Return a member.

    Parameters
    ----------
    name : str
        ``family:seed:largest``.
    """
    family, seed, largest = name.split(":")
    return (FAMILIES | GRADIENTS)[family](Choice(int(seed), int(largest)))


def members(seeds: range, families: Sequence[str], largest: int) -> list[Member]:
    """Return a member for each seed, of the families in turn.

    Parameters
    ----------
    seeds : range
        Of the members.
    families : sequence of str
        Of which they are.
    largest : int
        Elements of the largest operand at most.
    """
    return [member(f"{families[seed % len(families)]}:{seed}:{largest}") for seed in seeds]
