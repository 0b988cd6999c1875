"""From drafts to groups: their order, and the values that each stores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyarr.core.frozen import replace
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.drafts import Drafts
from lazyarr.schedule.groups import Group, Output, layout_of
from lazyarr.schedule.index_terms import KernelTerms, sink_view
from lazyarr.schedule.materialization import Placement

__all__ = ["FinishedGroups"]


class FinishedGroups:
    """Drafts with their consumers, which determine their order and their results.

    Parameters
    ----------
    planner : Placement
        What is stored, and the machine.
    drafts : Drafts
        The drafts of all values.
    extra : mapping of int to sequence of Output
        The outputs of groups beside their members, by the groups' numbers.

    Attributes
    ----------
    groups : tuple of Group
        The groups of the drafts by their numbers, without position and with the first template.
    """

    def __init__(
        self, planner: Placement, drafts: Drafts, extra: Mapping[int, Sequence[Output]]
    ) -> None:
        self._planner = planner
        self._drafts = drafts
        self._groups = drafts.groups
        self._extra = extra
        self._readers: dict[Node, set[int]] = {}
        self._result_owners: set[Node] = set()
        self._find_readers()
        self.groups = tuple(map(self._finish, range(len(self._groups))))

    def in_order(self) -> tuple[Group, ...]:
        """Return the groups, in an order in which they can run, and each with its template."""
        machine, owners = self._planner.machine, self._planner.owners
        result = []
        for position, index in enumerate(self._sorted()):
            group = self.groups[index]
            is_kernel = group.kind == "kernel"
            template = machine.refine_template(group, owners) if is_kernel else group.template
            result.append(replace(group, name=f"k{position}_{group.name}", template=template))
        return tuple(result)

    def _sorted(self) -> list[int]:
        """Return the groups in an order that respects their dependencies, early ones first."""
        done = 0
        order: list[int] = []
        waiting = list(range(len(self._groups)))
        while waiting:
            rest = []
            for index in waiting:
                if self._groups[index].before & ~done:
                    rest.append(index)
                else:
                    order.append(index)
                    done |= 1 << index
            assert len(rest) < len(waiting), "groups depend on each other"
            waiting = rest
        # In longer plans, looking for another order would take longer than it saves.
        most = self._planner.machine.costs.reordered_groups
        order = self._smallest(order) if 2 < len(order) <= most else order
        exchanges = [k for k in order if self._is_beside(k)]
        if not exchanges:
            return order
        # Imported here: most plans exchange nothing.
        from lazyarr.schedule.exchange_order import exchanges_early

        return exchanges_early(order, [draft.before for draft in self._groups], exchanges)

    def _is_beside(self, index: int) -> bool:
        """Whether a group runs beside those that follow it."""
        draft, machine = self._groups[index], self._planner.machine
        return draft.library and machine.overlaps_exchanges and draft.members[0].op.exchanges

    def _smallest(self, order: list[int]) -> list[int]:
        """Return an order of groups that needs less memory, if there is one."""
        # Imported here: most plans have one group or two.
        from lazyarr.schedule.group_order import smallest_order

        owners = self._planner.owners
        readers: dict[Node, set[int]] = {}
        for base, groups in self._readers.items():
            if base in owners:
                readers.setdefault(owners[base].owner, set()).update(groups)
        waits = [
            {k for k in range(draft.before.bit_length()) if draft.before >> k & 1}
            for draft in self._groups
        ]
        return smallest_order(order, waits, self._drafts.writers, readers, self._result_owners)

    def _finish(self, index: int) -> Group:
        draft = self._groups[index]
        owners, machine = self._planner.owners, self._planner.machine
        if draft.library:
            node = draft.members[0]
            return Group(
                node.op.name,
                "library",
                "library",
                node.shape,
                (),
                (node,),
                node.src,
                (Output(node, owners[node]),),
                (node,),
                None,
                self._is_beside(index),
            )
        members = frozenset(draft.members)
        leaving = self._leaving(index)
        outputs = [Output(m, owners[m]) for m in draft.members if m in leaving]
        outputs += self._extra.get(index, [])
        sinks = [(m, sink_view(m, draft.domain, draft.reduced)) for m in draft.members]
        sinks += [(o.node, sink_view(o.node, draft.domain, draft.reduced)) for o in outputs]
        if len(dict.fromkeys(sinks)) == 1:  # as it was traced for other decisions
            node, view = sinks[0]
            traced = self._planner.terms.of_all(((node, view),), draft.domain, members)
            nodes = self._planner.nodes_of(traced)
            traced = KernelTerms(traced.terms, traced.sinks * len(sinks))
        else:
            traced = self._planner.terms.of_all(tuple(sinks), draft.domain, members)
            nodes = self._planner.nodes_of(traced)
        label = next((o.node.op.name for o in reversed(outputs)), "copy")
        return Group(
            label,
            "kernel",
            "scan" if draft.scan else machine.choose_template(draft.domain, draft.reduced),
            draft.domain,
            draft.reduced,
            nodes.computed,
            nodes.loaded,
            tuple(outputs),
            tuple(draft.members),
            traced,
        )

    def _find_readers(self) -> None:
        """Collect the groups that read each stored value, and the owners of the results' memory."""
        for index, draft in enumerate(self._groups):
            for node in draft.reads:
                base = node
                while base not in self._drafts.home and base.op.kind in (Kind.VIEW, Kind.RESHAPE):
                    base = base.src[0]
                self._readers.setdefault(base, set()).add(index)
        for root in self._planner.roots:
            layout = layout_of(root, self._planner.owners)
            assert layout is not None, root
            self._result_owners.add(layout.owner)

    def _leaving(self, index: int) -> set[Node]:
        """Return the members of a group that anything outside it reads."""
        result = set()
        for member in self._groups[index].members:
            owner = self._planner.owners[member].owner
            outside = self._readers.get(member, set()) - {index}
            if owner in self._result_owners or owner is not member or outside:
                result.add(member)
        return result
