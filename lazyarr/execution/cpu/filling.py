"""Plans over symbols, filled with the lengths of one expression: no stage of the compiler runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lazyarr.codegen.launch import Lowered
from lazyarr.core.config import Config
from lazyarr.core.frozen import replace
from lazyarr.core.shapes import View
from lazyarr.core.symbolic_integers import SymbolicInteger, SymbolTrace
from lazyarr.execution.arguments import Bases, UserLines
from lazyarr.execution.cpu.calls import call_of, compiled_functions
from lazyarr.execution.cpu.executor import CpuExecutor
from lazyarr.execution.cpu.kernel_sequence import Call
from lazyarr.execution.cpu.library_launches import library_calls
from lazyarr.execution.fp_errors.status import DeferredReports, Reports
from lazyarr.execution.launch import RunReporter
from lazyarr.execution.plan import CompiledPlan, CompiledStep, LoweredPlan, result_views
from lazyarr.graph.node import Node, unique_node, walk
from lazyarr.ops import library
from lazyarr.ops.gather import Gathered
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.cpu.fp_flags import SignalPool, Signals
from lazyarr.schedule.fusion import Group, Layout, Output
from lazyarr.schedule.memory import Plan

__all__ = ["GenericPlan"]


class _Filling:
    """The substitution of a plan's nodes, layouts and numbers for given values of its symbols.

    Parameters
    ----------
    number : callable
        Returns the value of a SymbolicInteger.
    layouts : mapping of Node to Layout
        Where stored values lie.
    """

    def __init__(
        self, number: Callable[[SymbolicInteger], int], layouts: Mapping[Node, Layout]
    ) -> None:
        self._number = number
        self._layouts = layouts
        self.nodes: dict[Node, Node] = {}

    def number(self, value: Any) -> Any:
        """Return a number; a SymbolicInteger's value."""
        return self._number(value) if type(value) is SymbolicInteger else value

    def numbers(self, values: Sequence[Any]) -> tuple[Any, ...]:
        """Return several numbers."""
        return tuple([self.number(value) for value in values])

    def _view(self, view: View) -> View:
        rows = tuple([self.numbers(row) for row in view.coefficients])
        return View(self.numbers(view.offsets), rows)

    def _attr(self, attr: Any) -> Any:
        if type(attr) is View:
            return self._view(attr)
        if type(attr) is Gathered:
            return replace(attr, view=self._view(attr.view))
        if type(attr) is tuple and attr and attr[0] == "leaf":
            return (*attr[:2], self.numbers(attr[2]))
        if type(attr) is library.Call:  # a pass has put lengths among its arguments
            return self._arguments(attr)
        return attr

    def _arguments(self, call: library.Call) -> library.Call:
        named = [(key, self._argument(value)) for key, value in call.keywords]
        outputs = [(self.numbers(shape), dtype) for shape, dtype in call.outputs]
        return replace(
            call,
            args=tuple([self._argument(value) for value in call.args]),
            keywords=tuple(named),
            outputs=tuple(outputs),
        )

    def _argument(self, value: Any) -> Any:
        match value:
            case library.Items(items, is_list):
                return library.Items(tuple([self._argument(item) for item in items]), is_list)
            case library.Range(start, stop, step):
                return library.Range(*self.numbers((start, stop, step)))
        return self.number(value)

    def node(self, value: Node, *, whole: bool = False) -> Node:
        """Return the node of a value.

        Parameters
        ----------
        value : Node
            A stored value, whose operands are left out.
        whole : bool, optional
            Whether the operands, as far as the stored ones, are those of a library call.
        """
        known = self.nodes.get(value)
        if known is not None and (known.src or not whole):
            return known
        if not whole:
            filled = self.nodes[value] = self._made(value, ())
            return filled

        def is_stored(other: Node) -> bool:
            return other in self._layouts and other is not value

        for current in walk((value,), stop=is_stored):
            if is_stored(current):
                self.node(current)
            else:
                src = tuple([self.nodes[source] for source in current.src])
                self.nodes[current] = self._made(current, src)
        return self.nodes[value]

    def _made(self, value: Node, src: tuple[Node, ...]) -> Node:
        shape = self.numbers(value.shape)
        return unique_node(value.op, src, value.dtype, shape, self._attr(value.attr), value.origin)

    def layout(self, layout: Layout) -> Layout:
        """Return a layout."""
        owner = self.node(layout.owner)
        return Layout(owner, self.number(layout.offset), self.numbers(layout.strides))

    def call(self, call: Call) -> Call:
        """Return a launch."""
        template = call.template
        addresses = tuple([(at, base, self.number(by)) for at, base, by in template.addresses])
        values = [self.number(value) for value in template.values]
        scratch = call.scratch
        return Call(
            call.function,
            replace(template, values=values, addresses=addresses),
            self.number(call.count),
            self.number(call.chunk),
            None if scratch is None else (self.number(scratch[0]), scratch[1]),
            self.number(call.blas_work),
        )

    def library(self, group: Group) -> Group:
        """Return the group of a library call."""
        (output,) = group.outputs
        member = self.node(group.members[0], whole=True)
        output = Output(member, self.layout(output.layout))
        return replace(
            group,
            domain=member.shape,
            nodes=(member,),
            inputs=member.src,
            outputs=(output,),
            members=(member,),
        )

    def memory(self, memory: Plan) -> Plan:
        """Return buffers; steps are left out."""
        buffers = tuple(
            replace(
                buffer,
                nbytes=self.number(buffer.nbytes),
                offset=self.number(buffer.offset),
                values=tuple([self.node(value) for value in buffer.values[-1:]]),
            )
            for buffer in memory.buffers
        )
        home = {self.node(owner): index for owner, index in memory.home.items()}
        sizes = self.numbers((memory.arena_bytes, memory.scratch_bytes, memory.peak_bytes))
        return Plan((), buffers, home, *sizes)


class GenericPlan:
    """A plan with its code whose lengths are symbols.

    Parameters
    ----------
    lowered : LoweredPlan
        The plan and its sources, which are compiled now.
    trace : SymbolTrace
        The symbols, from now on closed.
    computed : int or SymbolicInteger
        Elements that a run computes.
    threads : int
        Threads of one evaluation.
    settings : Config
        How to compile.
    """

    def __init__(
        self,
        lowered: LoweredPlan,
        trace: SymbolTrace,
        computed: Any,
        threads: int,
        settings: Config,
    ) -> None:
        self._lowered = lowered
        self._threads = threads
        self._computed = computed
        memory = lowered.memory
        bases = Bases(lowered.leaf_count, len(memory.buffers), memory.home)
        self._lines = UserLines(lowered.positions)
        self._status = Reports(len(memory.steps), self._lines.of)
        functions = compiled_functions(lowered.sources, settings)
        code = {
            kernel.group: tuple(
                call_of(launch, functions[source], kernel, index, bases, self._status)
                for launch, source in zip(kernel.launches, sources, strict=True)
            )
            for index, kernel, sources in _in_steps(lowered)
        }
        for index, step in enumerate(memory.steps):
            if step.group.kind == "library":
                code[step.group] = library_calls(
                    step.group, index, lowered.layouts, bases, self._status, threads
                )
        self._steps = tuple((step.group, code[step.group]) for step in memory.steps)
        self._results = result_views(lowered, bases)
        self._signals = SignalPool(self._status.nbytes) if self._status.any else None
        seen: dict[SymbolicInteger, None] = {}

        def note(integer: SymbolicInteger) -> int:
            seen[integer] = None
            return 1

        self._plan(_Filling(note, lowered.layouts), self._status)
        _Filling(note, lowered.layouts).number(computed)
        self._integers = tuple(seen)
        self._values = trace.value_function(self._integers)
        trace.close()

    def fill(
        self, values: Sequence[int], exact: Callable[[Bindings], CpuExecutor]
    ) -> tuple[CpuExecutor, int]:
        """Return an executor of the plan for values of its symbols, and the elements it computes.

        Parameters
        ----------
        values : sequence of int
            One a symbol; the plan's guards hold for them.
        exact : callable
            From bindings to an executor of a plan for the same lengths, which names what kernels
            report and whose runs may be profiled.
        """

        def follow(bindings: Bindings, signals: Signals) -> None:
            exact(bindings).plan.status.follow(bindings, signals)

        numbers = dict(zip(self._integers, self._values(*values), strict=True))
        filling = _Filling(numbers.__getitem__, self._lowered.layouts)
        plan = self._plan(filling, DeferredReports(self._status, follow))
        reporter = RunReporter(plan.memory.peak_bytes, 0.0)
        executor = CpuExecutor(plan, self._threads, self._signals, reporter, exact)
        return executor, filling.number(self._computed)

    def _plan(self, filling: _Filling, status: Reports) -> CompiledPlan[Call]:
        lowered = self._lowered
        steps: list[CompiledStep[Call]] = []
        for group, calls in self._steps:
            if not calls:
                steps.append(CompiledStep(filling.library(group), ()))
            else:
                steps.append(CompiledStep(group, tuple([filling.call(call) for call in calls])))
        results = tuple(
            [
                replace(
                    result, root=filling.node(result.root), layout=filling.layout(result.layout)
                )
                for result in self._results
            ]
        )
        memory = filling.memory(lowered.memory)
        layouts: Mapping[Node, Layout] = {}
        if any(not step.calls for step in steps):
            layouts = {
                filled: filling.layout(lowered.layouts[value])
                for value, filled in list(filling.nodes.items())
                if value in lowered.layouts
            }
        positions = {
            filled: lowered.positions[value]
            for value, filled in filling.nodes.items()
            if value in lowered.positions
        }
        bases = Bases(lowered.leaf_count, len(memory.buffers), memory.home)
        return CompiledPlan(
            tuple(steps), layouts, results, memory, bases, UserLines(positions), status
        )


def _in_steps(
    lowered: LoweredPlan,
) -> list[tuple[int, Lowered, tuple[Any, ...]]]:
    """Return the kernels of a plan with the numbers of their steps and their sources."""
    steps = {step.group: index for index, step in enumerate(lowered.memory.steps)}
    pairs: Any = zip(lowered.lowered, lowered.sources, strict=True)
    return [(steps[kernel.group], kernel, sources) for kernel, sources in pairs]
