"""Terms of values, which several decisions about one plan ask for again."""

from __future__ import annotations

from collections.abc import Mapping, Set

from lazyarr.core.shapes import Shape, View
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.groups import Layout
from lazyarr.schedule.index_terms import KernelTerms, trace

__all__ = ["KnownTerms"]


_Sinks = tuple[tuple[Node, View], ...]


class _Known:
    """A trace, and the nodes that it depends on.

    Attributes
    ----------
    trace : KernelTerms
        The terms.
    stored : dict of Node to bool
        Whether a node is stored, of each that decided about the terms.
    choice : int
        The number of the choice of stored values with which these were compared last.
    """

    __slots__ = ("choice", "stored", "trace")

    def __init__(self, trace: KernelTerms, stored: dict[Node, bool], choice: int) -> None:
        self.trace, self.stored, self.choice = trace, stored, choice


class KnownTerms:
    """The terms of values by their index maps, kept as long as the same values are stored.

    Parameters
    ----------
    owners : mapping of Node to Layout
        What is stored; after changes of its keys :meth:`choice_changed` has to be called.
    """

    __slots__ = ("_choice", "_known", "_owners")

    def __init__(self, owners: Mapping[Node, Layout]) -> None:
        self._owners = owners
        self._known: dict[tuple[_Sinks, Shape, Set[Node]], _Known] = {}
        self._choice = 0

    def choice_changed(self) -> None:
        """Note that other values are stored than before."""
        self._choice += 1

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
        return self.of_all(((node, view),), domain, frozenset((node,) if computed else ()))

    def of_all(self, sinks: _Sinks, domain: Shape, computed: Set[Node]) -> KernelTerms:
        """Return the terms of several values.

        Parameters
        ----------
        sinks : tuple of (Node, View)
            The values, each at its map from the domain.
        domain : tuple of int
            Sizes of the iteration space.
        computed : set of Node
            The values that are computed, though they are stored.
        """
        key = (sinks, domain, computed)
        known = self._known.get(key)
        if known is not None and known.choice != self._choice:
            if all(self._is_stored(other) is was for other, was in known.stored.items()):
                known.choice = self._choice
            else:
                known = None
        if known is None:
            stored: dict[Node, bool] = {}

            def is_loaded(other: Node) -> bool:
                if other in computed:
                    return False
                answer = stored.get(other)
                if answer is None:
                    answer = stored[other] = self._is_stored(other)
                return answer

            known = _Known(trace(sinks, domain, is_loaded), stored, self._choice)
            self._known[key] = known
        return known.trace

    def _is_stored(self, node: Node) -> bool:
        """Whether a value lies in memory when a kernel starts."""
        return node in self._owners or node.op.kind is Kind.RESHAPE
