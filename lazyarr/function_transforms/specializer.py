"""Traces and launches of one function, made for structures, types and layouts as they come."""

from __future__ import annotations

import contextlib
import functools
import itertools
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, cast

from lazyarr.arrays.lazy_array import as_lazy
from lazyarr.builders import build
from lazyarr.compiler import pipeline
from lazyarr.core import tuning
from lazyarr.core.config import Config, Settings, config, device_kind, get_config, is_gpu
from lazyarr.core.shapes import permute_view
from lazyarr.core.source_location import Origin
from lazyarr.errors import LazyarrError
from lazyarr.function_transforms.call_tables import put
from lazyarr.function_transforms.donation import give_away
from lazyarr.function_transforms.retracing import (
    INLINED_CALLS,
    RETRACES,
    Retrace,
    TraceInfo,
    retrace,
    warn,
    warn_of_inlined_calls,
)
from lazyarr.function_transforms.specialization import Launch, Transposed
from lazyarr.function_transforms.tape import Recorder
from lazyarr.function_transforms.trace import Arguments, Lazy, Traced, trace
from lazyarr.function_transforms.trace_lock import trace_lock
from lazyarr.graph.device_leaf import placed
from lazyarr.graph.node import Kind, Node, walk
from lazyarr.graph.storage import layout_of
from lazyarr.runtime import run_log
from lazyarr.tracing import Mismatch, Placeholder
from lazyarr.tracing.pytree import Branch, Unknown, flatten, is_array, unflatten

if TYPE_CHECKING:
    from lazyarr.compiler.program import Program

__all__ = ["Specializer", "invoke"]


def invoke(function: Callable[..., Any], structure: Branch, leaves: Sequence[Any]) -> Any:
    """Return the result of a function for arguments.

    Parameters
    ----------
    function : callable
        The function.
    structure : Branch
        Of the arguments: those by position, then those by name.
    leaves : sequence
        Of the arguments.
    """
    values = iter(leaves)
    items = [unflatten(item, values) for item in structure.items]
    count = len(items) - len(structure.names)
    names: Any = structure.names
    keywords = dict(zip(names, items[count:], strict=True))
    return function(*items[:count], **keywords)


class Specializer:
    """The traces and launches of one function.

    Parameters
    ----------
    function : callable
        The function.
    name : str
        Its name, for errors.

    Attributes
    ----------
    name : str
        Of the function.
    traces : dict
        Traces by device, structure and types.
    launches : dict
        Launches by settings, structure, types and layouts.
    traced, planned : int
        How often the function was traced, and how often a plan was made.
    retraces : deque of Retrace
        The last reasons for tracing again.
    """

    def __init__(self, function: Callable[..., Any], name: str) -> None:
        self._function = function
        self.name = name
        self.traces: dict[Any, tuple[Traced, ...]] = {}
        self.launches: dict[Any, tuple[Launch, ...]] = {}
        self.traced = 0
        self.planned = 0
        self.retraces: deque[Retrace] = deque(maxlen=tuning.row().traces)
        self._by_line: dict[Origin | None, int] = {}
        self._inlined = 0

    def run(
        self,
        structure: Branch,
        leaves: Sequence[Any],
        how: Callable[..., Any],
        donated: Sequence[int] = (),
    ) -> tuple[Any, Launch]:
        """Return the result of a launch for these leaves, and the launch, prepared now if need be.

        Parameters
        ----------
        structure : Branch
            Of the arguments.
        leaves : sequence
            Of the arguments.
        how : callable
            The method of :class:`Launch` that runs it.
        donated : sequence of int
            Numbers of the leaves that the caller needs no more; they are refused afterwards.
        """
        arguments = Arguments(leaves, donated)
        settings = get_config()
        kinds = (device_kind(settings.device), structure, arguments.types)
        key = (settings, structure, arguments.types, arguments.layout)
        for launch in self.launches.get(key, ()):
            try:
                returned = how(launch, arguments.arrays, arguments.numbers, arguments.generators)
            except Mismatch:
                continue
            arguments.write_to_originals(launch.written)
            if donated:
                give_away([leaves[k] for k in donated], self.name)
            return returned, launch
        with trace_lock():
            launch = self._prepare(kinds, key, arguments)
            if not launch.holds(arguments.numbers):
                # A number that is made of the arguments fits no more, or does not exist.
                launch = self._prepare(kinds, key, arguments, anew=True)
        returned = how(launch, arguments.arrays, arguments.numbers, arguments.generators)
        arguments.write_to_originals(launch.written)
        if donated:
            give_away([leaves[k] for k in donated], self.name)
        return returned, launch

    def _prepare(
        self,
        kinds: tuple[Any, ...],
        key: tuple[Any, ...],
        arguments: Arguments,
        anew: bool = False,
    ) -> Launch:
        """Return a launch for these arguments: of a trace that holds for them, or of a new one."""
        for launch in self.launches.get(key, ()):
            # Another thread was here first.
            if launch.holds(arguments.numbers):
                return launch
        with _where(arguments) as settings:
            traced, roots = self.find_trace(kinds, arguments, anew)
        executable = shell = None
        computed = itertools.count()
        results = [next(computed) if type(x) is Lazy else x for x in traced.results]
        if roots:
            if not arguments.donated and not is_gpu(settings.device):
                roots = _along_memory(roots, results, settings)
            executable, shell = pipeline.prepare(roots, settings, _donated(roots, arguments))
        launch = Launch(traced.trace, executable, shell, traced.structure, results)
        self.planned += 1
        put(self.launches, key, launch, tuning.row().launches)
        return launch

    def find_trace(
        self, kinds: tuple[Any, ...], arguments: Arguments, anew: bool = False
    ) -> tuple[Traced, tuple[Node, ...]]:
        """Return a trace and the roots of its results for these arguments.

        Parameters
        ----------
        kinds : tuple
            Device, structure and types.
        arguments : Arguments
            The leaves.
        anew : bool, optional
            Whether a trace of before does not do.
        """
        for traced in self.traces.get(kinds, ()):
            if not anew and traced.holds(arguments):
                try:
                    return traced, traced.roots_for(arguments)
                except Mismatch:
                    continue
                except LazyarrError:
                    # The function raises it too, where the user can see why.
                    break
        reason = retrace(self._function, kinds, arguments, self.traces) if self.traces else None
        traced = trace(functools.partial(invoke, self._function, kinds[1]), arguments, self.name)
        self.traced += 1
        put(self.traces, kinds, traced, tuning.row().traces)
        if reason is not None:
            self._note(reason)
        return traced, traced.roots

    def _note(self, reason: Retrace) -> None:
        """Keep the reason of a trace, and warn if one line was the reason of several."""
        self.retraces.append(reason)
        count = self._by_line[reason.origin] = self._by_line.get(reason.origin, 0) + 1
        record = run_log.RetraceRecord(self.name, reason.reason, reason.origin, reason.hint)
        run_log.publish_retrace(record)
        # Static values and other forms of a call are meant to have traces of their own.
        if count == RETRACES and reason.kind not in ("static", "structure"):
            warn(self.name, reason, count)

    def note_inlined(self, returned: Any) -> None:
        """Count a call that built the function's expression, and warn if that was one of many.

        Parameters
        ----------
        returned : object
            What the call returned.
        """
        self._inlined += 1
        if self._inlined == INLINED_CALLS:
            leaves: list[Any] = []
            with contextlib.suppress(Unknown):  # what is no array is none of the expression
                flatten(returned, is_array, leaves)
            warn_of_inlined_calls(self.name, [as_lazy(leaf)._node for leaf in leaves])

    def info(self) -> TraceInfo:
        """Return the counts of traces and plans, and why the function was traced again."""
        with trace_lock():
            return TraceInfo(
                sum(map(len, self.traces.values())),
                sum(map(len, self.launches.values())),
                self.traced,
                self.planned,
                tuple(self.retraces),
            )

    def analyse(self, structure: Branch, leaves: Sequence[Any], donated: Sequence[int]) -> Program:
        """Return the compiler's view of the results, not computed.

        Parameters
        ----------
        structure : Branch
            Of the arguments.
        leaves : sequence
            Of the arguments.
        donated : sequence of int
            Numbers of the leaves that results may overwrite.
        """
        arguments = Arguments(leaves, donated)
        kinds = (device_kind(get_config().device), structure, arguments.types)
        with trace_lock(), _where(arguments) as settings:
            _, roots = self.find_trace(kinds, arguments)
            # Imported here: a call needs a plan, and no description of it.
            from lazyarr.compiler.compilation import analyse

            return analyse(roots, settings, _donated(roots, arguments))

    def roots(self, structure: Branch, leaves: Sequence[Any]) -> tuple[Node, ...]:
        """Return the roots of the results, not computed.

        Parameters
        ----------
        structure : Branch
            Of the arguments.
        leaves : sequence
            Of the arguments.
        """
        arguments = Arguments(leaves)
        kinds = (device_kind(get_config().device), structure, arguments.types)
        with trace_lock(), _where(arguments):
            _, roots = self.find_trace(kinds, arguments)
        return roots


def _along_memory(roots: Sequence[Node], results: list[Any], settings: Config) -> tuple[Node, ...]:
    """Return the roots to compute for results that lie in memory as NumPy's would.

    Parameters
    ----------
    roots : sequence of Node
        The arrays of results, then those written to.
    results : list
        Of a launch. Positions of arrays that lie in another order than that of C are replaced by
        `Transposed` ones: their root is computed along its axes in the order of their strides.
    settings : Config
        Those in force.
    """
    computed = list(roots)
    orders: Sequence[tuple[int, ...] | None] | None = None
    for place, position in enumerate(results):
        if type(position) is not int or len(roots[position].shape) < 2:
            continue
        root = roots[position]
        order: tuple[int, ...] | None = layout_of(root).order
        is_plain = order == tuple(range(len(root.shape)))
        if _may_be_turned(root, is_plain):
            if orders is None:
                # Imported here: few functions return such arrays.
                from lazyarr.compiler.orders_of_results import orders_of_results

                orders = orders_of_results(roots, settings)
            order = orders[position]
        elif is_plain or not (
            root.op.kind is Kind.ELEMENTWISE or isinstance(root.attr, Placeholder)
        ):
            continue
        if order is not None:
            shape = tuple([root.shape[axis] for axis in order])
            computed[position] = build.view(root, permute_view(order), shape)
            axes = tuple(sorted(range(len(order)), key=order.__getitem__))
            results[place] = Transposed(position, axes)
    return tuple(computed)


def _may_be_turned(root: Node, is_plain: bool) -> bool:
    """Return whether a result may be computed as another array whose axes are then moved.

    Parameters
    ----------
    root : Node
        The result.
    is_plain : bool
        Whether NumPy's array would be in C order.
    """
    if root.op.kind is Kind.REDUCE:
        return not is_plain
    return root.op.kind is Kind.VIEW and root.size == root.src[0].size


def _donated(roots: Sequence[Node], arguments: Arguments) -> list[Node]:
    """Return the placeholders of donated arguments, in their order."""
    if not arguments.donated:
        return []
    placeholders: dict[int, Node] = {}
    for leaf in walk(roots):
        # Arguments that the function writes to have what it wrote there afterwards.
        if isinstance(leaf.attr, Placeholder):
            trace = cast("Recorder", leaf.attr.trace)
            if leaf.attr.position in arguments.donated and leaf.attr.position not in trace.written:
                placeholders[leaf.attr.position] = leaf
    return [placeholders[position] for position in sorted(placeholders)]


def _where(arguments: Arguments) -> AbstractContextManager[Config]:
    """Return the context in which a call runs on the device of its arguments."""
    device = placed(arguments.nodes, get_config())
    changes: Settings = {"device": device} if is_gpu(device) else {}
    return config(**changes)
