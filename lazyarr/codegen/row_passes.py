"""Passes over a row: the reductions and stores of each, for every target's row kernels."""

from __future__ import annotations

from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Kind

__all__ = ["RowPasses", "find_row_passes"]


@dataclass(frozen=True, eq=False, slots=True)
class RowPasses:
    """The assignment of a row kernel's terms to its passes.

    Attributes
    ----------
    full : list of bool
        For each term, whether it changes along the row.
    reductions : dict of int to list of int
        The reductions that each pass takes, by term.
    full_stores : dict of int to list of int
        The stores of whole rows that each pass writes, by position.
    row_stores : list of int
        The stores of one value a row, by position.
    count : int
        Number of passes.
    """

    full: list[bool]
    reductions: dict[int, list[int]]
    full_stores: dict[int, list[int]]
    row_stores: list[int]
    count: int

    def sinks(self, group: GroupTerms, number: int) -> list[int]:
        """Return the terms whose values a pass reduces or stores.

        Parameters
        ----------
        group : GroupTerms
            The group.
        number : int
            Of the pass.
        """
        terms = [group.terms[k].args[0] for k in self.reductions.get(number, [])]
        return terms + [group.stores[p][0] for p in self.full_stores.get(number, [])]


def find_row_passes(group: GroupTerms) -> RowPasses:
    """Assign the reductions and stores of a group to passes over the row."""
    reduced = group.reduced
    full: list[bool] = []
    reductions: dict[int, list[int]] = {}
    for k, term in enumerate(group.terms):
        if not term.loaded and term.node.op.kind is Kind.REDUCE:
            full.append(False)
            reductions.setdefault(group.level[k] - 1, []).append(k)
        else:
            full.append(group.spans(k, reduced) or any(full[a] for a in term.args))
    full_stores: dict[int, list[int]] = {}
    row_stores: list[int] = []
    for position, (k, place) in enumerate(group.stores):
        if full[k] or any(place.strides[axis] for axis in reduced):
            full_stores.setdefault(group.level[k], []).append(position)
        else:
            row_stores.append(position)
    count = max([*reductions, *full_stores], default=-1) + 1
    return RowPasses(full, reductions, full_stores, row_stores, count)
