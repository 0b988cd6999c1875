"""Plans whose parts run on different devices, one part after the other.

A part is a plan of its own over the leaves of the whole expression, and over values that earlier
parts have left in memory, which are leaves behind those. What a part leaves is where it was
computed; the part that reads it copies it, if it runs elsewhere.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.compiler.device_choice import fused
from lazyarr.compiler.plan_cache import CachedPlan
from lazyarr.core.config import CPU, CUDA
from lazyarr.core.frozen import dataclass, replace
from lazyarr.core.shapes import contiguous_strides
from lazyarr.execution.executor import Donated, Executor
from lazyarr.execution.fp_errors.diagnosis import Diagnosis
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Early, Kind, Leaf, Node, fresh_leaf, node, replace_sources, walk
from lazyarr.ops.movement import LEAF
from lazyarr.passes.canonicalize import PARAMETER, Bindings, Canonical
from lazyarr.placement.dataflow import memory_of, operands_of
from lazyarr.placement.partition import runs_of
from lazyarr.schedule.cost import eager_elements
from lazyarr.schedule.groups import Fusion

if TYPE_CHECKING:
    from lazyarr.compiler.program import Program
    from lazyarr.compiler.request import Request

__all__ = ["Part", "PartSpec", "PartedExecutor", "build_parts", "split"]

Array = np.ndarray[Any, Any]
_PART = Early("a part of a plan", "the next part runs on another device")


@dataclass(frozen=True, eq=False, slots=True)
class PartSpec:
    """A part before it is compiled.

    Attributes
    ----------
    on_gpu : bool
        Where it runs.
    roots : tuple of Node
        What it computes, over parameters: results of the plan, then what it leaves.
    results : tuple of int
        Which results of the plan the first roots are.
    left : tuple of int
        Which parameters the others are, for later parts.
    reads : frozenset of int
        Numbers of the parameters that it reads.
    """

    on_gpu: bool
    roots: tuple[Node, ...]
    results: tuple[int, ...]
    left: tuple[int, ...]
    reads: frozenset[int]


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """A part of a plan with its executor."""

    spec: PartSpec
    executor: Executor


def split(fusion: Fusion, on_gpu: Sequence[bool], leaf_count: int) -> list[PartSpec]:
    """Return the parts of a plan in the order in which they run.

    Parameters
    ----------
    fusion : Fusion
        The groups of the whole expression.
    on_gpu : sequence of bool
        Whether each group runs on the GPU.
    leaf_count : int
        Leaves of the expression.
    """
    runs = runs_of(on_gpu, operands_of(fusion))
    run_of = {group: number for number, run in enumerate(runs) for group in run}
    computed_in: dict[Node, int] = {}
    for number, group in enumerate(fusion.groups):
        for output in group.outputs:
            for value in (output.node, output.layout.owner):
                computed_in[value] = max(computed_in.get(value, 0), run_of[number])
    left: list[dict[Node, int]] = [{} for _ in runs]
    crossing: dict[Node, Node] = {}
    for number, group in enumerate(fusion.groups):
        for value in group.inputs:
            stored = memory_of(fusion, value)
            before = computed_in.get(stored)
            if before is not None and before < run_of[number] and stored not in crossing:
                place = leaf_count + len(crossing)
                attr = ("leaf", place, contiguous_strides(stored.shape))
                crossing[stored] = node(PARAMETER, (), stored.dtype, stored.shape, attr)
                left[before][stored] = place
    results: list[list[int]] = [[] for _ in runs]
    for number, root in enumerate(fusion.roots):
        results[computed_in[memory_of(fusion, root)]].append(number)
    specs = []
    for number, run in enumerate(runs):
        known = {v: leaf for v, leaf in crossing.items() if computed_in[v] < number}
        ends = [*[fusion.roots[k] for k in results[number]], *left[number]]
        roots = _over(ends, known)
        specs.append(
            PartSpec(
                on_gpu[run[0]],
                roots,
                tuple(results[number]),
                tuple(left[number].values()),
                frozenset(_parameters(roots)),
            )
        )
    return [spec for spec in specs if spec.roots]


def build_parts(
    request: Request,
    canonical: Canonical,
    positions: dict[Node, int],
    build: Callable[..., tuple[Executor, Program]],
) -> CachedPlan:
    """Return the compiled plan of a request whose groups run on different devices.

    Parameters
    ----------
    request : Request
        Placed by a calibration.
    canonical : Canonical
        The expression over parameters.
    positions : dict of Node to int
        Which of the user's nodes, by position in the bindings, a placeholder stands for.
    build : callable
        Compiles a canonical expression on the device of some settings.
    """
    assert request.placement is not None and request.placement.parts is not None
    leaf_count = len(request.bindings.leaves)
    specs = split(fused(canonical), request.placement.parts, leaf_count)
    every = leaf_count + sum(len(spec.left) for spec in specs)
    parts, computed = [], 0
    for spec in specs:
        settings = replace(request.settings, device=CUDA if spec.on_gpu else CPU)
        own = Canonical(spec.roots, canonical.originals)
        started = time.perf_counter()
        executor, program = build(spec.roots, own, request, settings, positions, every, started)
        parts.append(Part(spec, executor))
        computed += program.computed
    eager = eager_elements(canonical.originals.values())
    return CachedPlan.of(PartedExecutor(parts, leaf_count, len(canonical.roots)), computed, eager)


def _over(roots: Iterable[Node], known: Mapping[Node, Node]) -> tuple[Node, ...]:
    """Return expressions with parameters in the place of values that are known."""
    ends = tuple(roots)
    present = dict(known)
    for value in walk(ends, stop=known.__contains__):
        if value not in present:
            present[value] = replace_sources(value, tuple([present[s] for s in value.src]))
    return tuple([present[end] for end in ends])


def _parameters(roots: Iterable[Node]) -> Iterable[int]:
    for value in walk(roots):
        if value.op.kind is Kind.PARAMETER and isinstance(value.attr, tuple):
            if value.attr[0] == "leaf":
                yield value.attr[1]


#: Stands for a leaf that a part does not read.
_UNREAD = fresh_leaf(LEAF, np.dtype(np.uint8), (1,), Leaf(np.zeros(1, np.uint8)), None)


class PartedExecutor(Executor):
    """Runs the parts of a plan, each on its device.

    Parameters
    ----------
    parts : sequence of Part
        In order.
    leaf_count : int
        Leaves of the expression.
    result_count : int
        Results of the plan.
    """

    #: A launch takes more than addresses and numbers.
    by_address = mixed = None
    sole_call = None
    #: Results do not lie in memory of leaves.
    donated = ()

    def __init__(self, parts: Sequence[Part], leaf_count: int, result_count: int) -> None:
        self.parts = parts
        self._leaf_count, self._result_count = leaf_count, result_count
        self._crossing = sum(len(part.spec.left) for part in parts)

    @classmethod
    def of_one(cls, executor: Executor, leaf_count: int, result_count: int) -> PartedExecutor:
        """Return the executor of a plan on a GPU, all of whose runs may read the host's arrays.

        Parameters
        ----------
        executor : Executor
            What runs it.
        leaf_count, result_count : int
            Of the plan.
        """
        everything = frozenset(range(leaf_count))
        spec = PartSpec(True, (), tuple(range(result_count)), (), everything)
        return cls([Part(spec, executor)], leaf_count, result_count)

    @property
    def peak_bytes(self) -> int:
        """Bytes of buffers that the parts have, as if none gave anything back."""
        return sum(part.executor.peak_bytes for part in self.parts)

    def diagnose_by(self, diagnosis: Diagnosis) -> None:
        """Do nothing: each part has its diagnosis."""

    def _run(
        self, bindings: Bindings, compute: Callable[[Part, Bindings], tuple[list[Any], list[Leaf]]]
    ) -> list[Any]:
        """Return the results of the parts.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars of the expression.
        compute : callable
            Returns the results of a part, and leaves of what it leaves to others.
        """
        results: list[Any] = [None] * self._result_count
        leaves: list[Node] = [*bindings.leaves, *([_UNREAD] * self._crossing)]
        for part in self.parts:
            spec = part.spec
            own = [leaf if k in spec.reads else _UNREAD for k, leaf in enumerate(leaves)]
            filled = Bindings(bindings.order, own, bindings.scalars, bindings.lines)
            values, left = compute(part, filled)
            for number, value in zip(spec.results, values, strict=True):
                results[number] = value
            roots = spec.roots[len(spec.results) :]
            for place, root, memory in zip(spec.left, roots, left, strict=True):
                leaves[place] = fresh_leaf(LEAF, root.dtype, root.shape, memory, root.origin)
        return results

    def run(self, bindings: Bindings, outs: Sequence[Array | None] | None = None) -> list[Array]:
        """Return the results in the host's memory.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write the results.
        """

        def compute(part: Part, own: Bindings) -> tuple[list[Any], list[Leaf]]:
            targets = None if outs is None else [outs[k] for k in part.spec.results]
            return part.executor.run_and_keep(own, len(part.spec.results), targets, _PART)

        return self._run(bindings, compute)

    def run_over(self, bindings: Bindings, donated: Donated) -> list[Array]:
        """Return the results in the host's memory; no leaf is overwritten.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        donated : mapping of int to numpy.ndarray, optional
            None.
        """
        assert not donated
        return self.run(bindings)

    def persist(self, bindings: Bindings) -> list[Any]:
        """Return the results where they are computed."""

        def compute(part: Part, own: Bindings) -> tuple[list[Any], list[Leaf]]:
            values = list(part.executor.persist(own))
            count = len(part.spec.results)
            return values[:count], [_leaf_of(value) for value in values[count:]]

        return self._run(bindings, compute)

    def run_and_keep(
        self, bindings: Bindings, count: int, outs: Sequence[Array | None] | None, early: Early
    ) -> tuple[list[Array], list[Leaf]]:
        """Return the first results on the host, and leaves of the others.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        count : int
            How many results were asked for.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write these.
        early : Early
            Why the others are computed.
        """
        targets = None
        if outs is not None:
            targets = [*outs, *([None] * (self._result_count - count))]
        values = self.run(bindings, targets)
        return values[:count], [_leaf_of(value) for value in values[count:]]

    def repeat(self, bindings: Bindings) -> tuple[list[Array], Callable[[], object]]:
        """Return the results in the host's memory, and a function that computes them again."""
        results = self.run(bindings)
        return results, lambda: self.run(bindings, results)


def _leaf_of(value: Any) -> Leaf:
    if not isinstance(value, np.ndarray):
        return DeviceLeaf(value)
    value.flags.writeable = False
    return Leaf(value)
