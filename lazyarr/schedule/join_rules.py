"""Why a stored value cannot share a kernel with a group."""

from __future__ import annotations

from math import prod

from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.drafts import Candidate, Draft, Drafts, is_sum_of_products, terms_of
from lazyarr.schedule.index_terms import domain_view, outer_view
from lazyarr.schedule.materialization import Placement

__all__ = ["refusal"]

#: Why a kernel of some template cannot go on with what it has reduced.
_FINISHED = {
    "columns": "needs the finished reduction, which runs down the columns",
    "split": "needs the finished reduction, and the rows are too long to be read again from cache",
}


def refusal(planner: Placement, drafts: Drafts, candidate: Candidate, index: int) -> str | None:
    """Return the reason why a value cannot join a group, None if it can.

    Parameters
    ----------
    planner : Placement
        What is stored, and the machine.
    drafts : Drafts
        The groups.
    candidate : Candidate
        The value.
    index : int
        The number of the group.
    """
    machine, node = planner.machine, candidate.node
    domain, reduced = candidate.domain, candidate.reduced
    loaded = candidate.loaded
    draft = drafts.groups[index]
    if draft.library:
        return "its source is computed by a library call"
    if draft.scan and not _goes_on(planner, candidate):
        return (
            "its source accumulates along an axis, in a kernel that goes on with cheap operations"
        )
    # Of a group that need not run before the value nothing is read.
    precedes = candidate.before >> index & 1
    is_same = domain == draft.domain
    needs: set[Node] = set()
    if precedes and (is_same or draft.reduced):
        home = drafts.home
        needs = {n for n in loaded if home.get(n) == index}
    epilogue = bool(draft.reduced and not reduced and needs and domain == draft.outer)
    if not (is_same or epilogue):
        return f"different iteration space: {domain} against {draft.domain}"
    if not epilogue and (draft.sums_products or is_sum_of_products(node)):
        return "a matrix product has a kernel of its own"
    if reduced and draft.reduced and reduced != draft.reduced:
        return f"reduces axes {reduced}, not {draft.reduced}"
    if is_same and epilogue and domain == draft.outer:
        epilogue = not set(draft.domain) - {1}
    order = candidate.order
    if order is not None and draft.order not in (None, order):
        return f"adds {order} in another order than {draft.order}"
    if _are_too_long(planner, draft, candidate, 2 * machine.costs.max_operations):
        return "the kernel would be too long to compile quickly"
    read = len(draft.reads) + len([node for node in loaded if node not in draft.reads])
    if read + len(draft.members) > machine.costs.max_operands:
        return "the kernel would touch too many arrays"
    if not precedes:
        return None
    for source in loaded - needs if index in candidate.writers else ():
        if index in drafts.written_by(source):
            return "the value is read through a reshape or a concatenation"
    # What must run before a group includes what must run before that in turn.
    for other in candidate.writers:
        if other != index and drafts.groups[other].before >> index & 1:
            return "another kernel must run between them"
    if not needs:
        return None
    return _dependent_refusal(planner, draft, candidate, epilogue, needs)


def _are_too_long(planner: Placement, draft: Draft, candidate: Candidate, most: int) -> bool:
    """Whether the code of a group and of one more value, less what they share, exceeds a bound.

    What a cut stores is computed by one kernel: the first of its values stands for all.
    """
    operations = candidate.operations
    cut = planner.cuts.get(candidate.node)
    if cut is not None and not any(value in draft.members for value in cut.stored):
        operations = max(operations, cut.operations)
        return draft.operations + operations > most
    if draft.operations + operations <= most:
        return False
    code = draft.code
    further = sum([size for value, size in candidate.code.items() if value not in code])
    return draft.operations + further > most


def _goes_on(planner: Placement, candidate: Candidate) -> bool:
    """Whether a scan's kernel computes a value of its elements: one after another, no vectors.

    Parameters
    ----------
    planner : Placement
        What is stored, and the machine.
    candidate : Candidate
        The value.
    """
    if candidate.reduced or candidate.node.op.kind is not Kind.ELEMENTWISE:
        return False
    expensive = planner.machine.costs.expensive
    traced, _ = terms_of(planner, candidate.node, candidate.domain, domain_view(candidate.domain))
    computed = [term for term in traced.terms if not term.loaded]
    plain = all(term.base is None and term.node.op.loop is None for term in computed)
    costs = [term.node.op.cost for term in computed]
    return plain and max(costs) <= expensive and sum(costs) <= 2 * expensive


def _dependent_refusal(
    planner: Placement,
    draft: Draft,
    candidate: Candidate,
    epilogue: bool,
    needs: set[Node],
) -> str | None:
    """Return the reason why a value that reads `needs` of a group cannot join it."""
    node, axes = candidate.node, candidate.reduced or draft.reduced
    template = planner.machine.choose_template(draft.domain, axes)
    full = domain_view(draft.domain)
    outer = outer_view(draft.domain, axes)
    start = outer if epilogue or node.op.kind is Kind.REDUCE else full
    traced, loads = terms_of(planner, node, draft.domain, start)
    deviation = node.op.reducer is not None and node.op.reducer.centred
    gathered = {t.base for t in traced.terms}
    if epilogue and prod(draft.outer) > 1:
        if any(t.node.op.loop is not None and not t.loaded for t in traced.terms):
            return "a loop over the reduced values is faster in a kernel of its own"
    for k in loads:
        term = traced.terms[k]
        if term.node not in needs:
            continue
        if k in gathered:
            return "elements of it are read at computed positions"
        if term.node.op.kind is Kind.REDUCE:
            if term.view != outer:
                return "the reduced value is read at other positions"
            direct = deviation and term.node is node.src[1]
            if not epilogue and not direct and template != "rows":
                return _FINISHED[template]
        elif term.node.shape == draft.outer and draft.reduced and term.view == outer:
            if not epilogue and template != "rows":
                return _FINISHED[template]
        elif term.view != full or epilogue:
            return "the value is read at other positions than the one being computed"
    return None
