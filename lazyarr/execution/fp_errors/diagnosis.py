"""From kernels' reports to NumPy's warnings: which operations met which faults."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.codegen.launch import Status
from lazyarr.codegen.scalar import fallible, possible_faults
from lazyarr.core.config import Config
from lazyarr.execution.fp_errors.policy import FAULTS, Fault
from lazyarr.graph.node import Kind, Node, Op, WarningText
from lazyarr.ops.movement import CONCATENATE
from lazyarr.passes.canonicalize import Bindings
from lazyarr.passes.simplify import constant_value
from lazyarr.schedule.fusion import Group

if TYPE_CHECKING:
    from lazyarr.execution.fp_errors.predicates import Site

__all__ = ["Diagnosis", "Written", "always_fails", "written_as"]

#: For each computed node the operations, and their places among the user's nodes, that it is.
Written = dict[Node, tuple[tuple[Op, int], ...]]
Evaluate = Callable[[Bindings], Sequence[np.ndarray[Any, Any]]]


def written_as(final: Mapping[Node, Node], positions: Mapping[Node, int]) -> Written:
    """Return the user's operations that each computed node stands for.

    Parameters
    ----------
    final : mapping of Node to Node
        What simplification made of each placeholder of the user's nodes, and of what value each
        part is one that is computed by itself.
    positions : mapping of Node to int
        Which of the user's nodes a placeholder is.
    """
    operations: dict[Node, list[tuple[Op, int]]] = {}
    for placeholder, position in positions.items():
        became = final.get(placeholder)
        if became is None or not became.src:
            continue
        # What vanished into its operand computes nothing of its own.
        if all(final.get(source) is not became for source in placeholder.src):
            operations.setdefault(became, []).append((placeholder.op, position))
    # A part may be one of several values; others have been cut again.
    of_parts: dict[Node, list[tuple[Op, int]]] = {}
    for whole, written in operations.items():
        own = [(op, position) for op, position in written if op is not CONCATENATE]
        stack = [*whole.src] if own and whole.op is CONCATENATE else []
        while stack:
            part = stack.pop()
            if part.op is CONCATENATE:
                stack += part.src
            elif part not in operations:
                of_parts.setdefault(part, []).extend(own)
    for part, whole in final.items():
        if part not in positions and part not in operations and whole in operations:
            of_parts.setdefault(part, operations[whole])
    operations |= of_parts
    return {node: tuple(ops) for node, ops in operations.items()}


def always_fails(group: Group) -> bool:
    """Whether a kernel computes a constant of which NumPy warns; compilers set no flag then."""
    return any(
        value.src
        and all(constant_value(s) is not None for s in value.src)
        and fallible(value)
        and _may_fail(value)
        for value in group.nodes
    )


def _may_fail(value: Node) -> bool:
    """Whether an operation on constants meets a fault, as far as that is known."""
    numbers = [constant_value(source) for source in value.src]
    if value.op.kind is not Kind.ELEMENTWISE or not (value.op.ufunc or value.op.converts):
        return True
    try:
        with np.errstate(all="raise"):
            if value.op.ufunc is None:
                value.op.evaluate(value, *map(np.asarray, numbers))
            else:
                value.op.ufunc(*numbers)
    except FloatingPointError:
        return True
    return False


def _called(op: Op, position: int, node: Node) -> tuple[object, object]:
    """Return the function that an operation is of, and a key of the call of it."""
    if op.ufunc is not None and op.ufunc.nout > 1:
        return op.ufunc, node.src  # each result is an operation
    return op.name, position if position >= 0 else node


class Diagnosis:
    """Finds the faults of one plan.

    Parameters
    ----------
    groups : sequence of Group
        Those of the plan, in order.
    written : Written
        The user's operations.
    settings : Config
        Those of the plan.
    compiler : callable
        From results over the plan's parameters, and settings, to a function that computes them.
    """

    def __init__(
        self,
        groups: Sequence[Group],
        written: Written,
        settings: Config,
        compiler: Callable[[tuple[Node, ...], Config], Evaluate],
    ) -> None:
        self.groups = tuple(groups)
        self.written = written
        self.settings = settings
        self.compiler = compiler
        #: Steps that are followed up whatever their flags say.
        self.certain = frozenset(
            k for k, group in enumerate(groups) if group.kind == "kernel" and always_fails(group)
        )
        #: Flags of steps that say nothing, as no operation of theirs that NumPy would warn of can
        #: have set them.
        self.moot: dict[int, frozenset[str]] = {}
        self._checks: dict[object, tuple[list[Site], Evaluate]] = {}

    def faults(
        self,
        bindings: Bindings,
        flagged: Mapping[int, frozenset[str]],
        noticed: Iterable[Status],
        asked: frozenset[str],
    ) -> list[Fault]:
        """Return the faults of an evaluation, in the order in which NumPy would report them.

        Parameters
        ----------
        bindings : Bindings
            The arrays and scalars of the evaluation.
        flagged : mapping of int to frozenset of str
            The steps whose kernels set flags, and which.
        noticed : iterable of Status
            What kernels noticed themselves.
        asked : frozenset of str
            What ``np.errstate`` does not ignore.
        """
        from lazyarr.execution.fp_errors.predicates import message_name  # most runs meet none

        flagged = dict(flagged)
        for status in noticed:
            if status.fault == Status.SUSPECT:
                for step, group in enumerate(self.groups):
                    if any(node.op is status.op for node in group.nodes):
                        flagged[step] = frozenset(FAULTS)
        kinds = frozenset(kind for step in flagged.values() for kind in step) & asked
        steps = tuple(sorted(k for k, step in flagged.items() if step & asked))
        happened: set[tuple[int, str, Op, Node]] = set()
        for status in noticed:
            if status.fault == Status.WARNING:
                assert status.node is not None
                happened |= self._operations(status.node, status.fault)
            elif status.fault in asked:
                happened |= self._where(status)
        if steps:
            checked, evaluate = self._check(steps, kinds)
            if not checked:
                self.moot |= {
                    k: self.moot.get(k, frozenset()) | (flagged[k] & kinds) for k in steps
                }
            # Library steps warned already.
            with np.errstate(all="ignore"):
                answers = evaluate(bindings)
            met = [site for site, answer in zip(checked, answers, strict=True) if answer]
            # Another operation that met the same fault accounts for the flag.
            known = {site.fault for site in met if not site.overwritten}
            for site in met:
                if not site.overwritten or site.fault not in known:
                    happened |= self._operations(site.node, site.fault)
        order = [*FAULTS, Status.WARNING]
        # An operation that is computed in parts says once what several of them may have met.
        once = {
            (fault, *_called(op, position, node)): (position, fault, op, node)
            for position, fault, op, node in happened
        }
        faults = [
            Fault(
                fault,
                message_name(node, op, fault),
                bindings.origin(position) if position >= 0 else node.origin,
                node.attr.text
                if node.op.emits_warning and isinstance(node.attr, WarningText)
                else None,
            )
            for position, fault, op, node in sorted(
                once.values(), key=lambda one: (one[0], order.index(one[1]))
            )
        ]
        # A function says once what several of its values may have met.
        texts = {(fault.text, fault.origin): fault for fault in reversed(faults)}
        return [f for f in faults if f.text is None or f is texts[f.text, f.origin]]

    def _check(self, steps: tuple[int, ...], kinds: frozenset[str]) -> tuple[list[Site], Evaluate]:
        known = self._checks.get((steps, kinds))
        if known is None:
            from lazyarr.execution.fp_errors.check import Check
            from lazyarr.execution.fp_errors.predicates import sites

            checked = sites([self.groups[k] for k in steps], kinds)
            results = tuple(site.root for site in checked)
            check = Check(self.settings, partial(self.compiler, results))
            known = self._checks[steps, kinds] = checked, check
        return known

    def _operations(self, node: Node, fault: str) -> set[tuple[int, str, Op, Node]]:
        """Return the user's operations that a node computes."""
        node = self._whole(node)
        written = self.written.get(node, ())
        # A power that NumPy takes as a square goes by that name, a quotient taken as a product
        # does not; and what only moves a value has no name at all.
        named = {
            (position, fault, node.op if op.operator_varies else op, node)
            for op, position in written
            if op.faults is not None or op.reducer is not None
        }
        if named:
            return named
        position = min((position for _, position in written), default=-1)
        return {(position, fault, node.op, node)}

    def _whole(self, node: Node) -> Node:
        """Return the matrix product of which a node is a term; a node that is none itself."""
        from lazyarr.ops.product import ADDED_TERM, TERM  # most expressions have no products

        terms = (TERM, ADDED_TERM)
        if node in self.written or node.op not in terms:
            return node
        for whole in self.written:
            parts = [whole] if whole.op is ADDED_TERM else []
            while parts:
                part = parts.pop()
                if part is node:
                    return whole
                if part.op is ADDED_TERM:
                    parts += [source for source in part.src if source.op in terms]
        return node

    def _where(self, status: Status) -> set[tuple[int, str, Op, Node]]:
        """Return the first operation that can have met a fault of integers."""
        places = [
            place
            for group in self.groups
            for node in group.nodes
            if node.op is status.op and status.fault in possible_faults(node) - fallible(node)
            for place in self._operations(node, status.fault)
        ]
        if not places:
            # It is in the iterations of a loop.
            places = [
                (position, fault, status.op, node)
                for group in self.groups
                for node in group.nodes
                if node.op.loop is not None
                and any(step.op is status.op for step in node.op.loop.steps)
                for position, fault, _, _ in self._operations(node, status.fault)
            ]
        return {min(places, key=lambda place: place[0])}
