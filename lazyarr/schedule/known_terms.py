"""Terms of single values, which several decisions about one plan ask for again."""

from __future__ import annotations

from collections.abc import Mapping

from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.groups import Layout
from lazyarr.schedule.index_terms import KernelTerms, trace

__all__ = ["KnownTerms"]


@dataclass(frozen=True, eq=False, slots=True)
class _Known:
    """A trace, and for each node that was asked for whether it was stored."""

    trace: KernelTerms
    stored: dict[Node, bool]


class KnownTerms:
    """The terms of values by their index maps, kept as long as the same values are stored.

    Parameters
    ----------
    owners : mapping of Node to Layout
        What is stored; it may change.
    """

    __slots__ = ("_known", "_owners")

    def __init__(self, owners: Mapping[Node, Layout]) -> None:
        self._owners = owners
        self._known: dict[tuple[Node, View, Shape, bool], _Known] = {}

    def of(self, node: Node, view: View, domain: Shape, *, computed: bool) -> KernelTerms:
        """Return the terms of one value.

        Parameters
        ----------
        node : Node
            The value.
        view : View
            From the domain to it.
        domain : tuple of int
            Sizes of the iteration space.
        computed : bool
            Whether the value itself is computed, though it is stored.
        """
        key = (node, view, domain, computed)
        known = self._known.get(key)
        if known is None or any(
            self._is_stored(other) is not was for other, was in known.stored.items()
        ):
            stored: dict[Node, bool] = {}

            def is_loaded(other: Node) -> bool:
                if computed and other is node:
                    return False
                answer = stored.get(other)
                if answer is None:
                    answer = stored[other] = self._is_stored(other)
                return answer

            known = _Known(trace(((node, view),), domain, is_loaded), stored)
            self._known[key] = known
        return known.trace

    def _is_stored(self, node: Node) -> bool:
        """Whether a value lies in memory when a kernel starts."""
        return node in self._owners or node.op.kind is Kind.RESHAPE
