"""Traced functions with their plan for arrays of one layout."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.evaluation import result_array
from lazyarr.builders import build
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, TracingError
from lazyarr.execution.cpu.small_calls import SmallCall
from lazyarr.execution.executor import Donated, Executor
from lazyarr.function_transforms.direct_call import (
    DirectCall,
    Draws,
    DrawScalar,
    NumberScalar,
    ScalarSource,
)
from lazyarr.function_transforms.donation import losing, memory_for_results, span
from lazyarr.function_transforms.tape import Recorder
from lazyarr.function_transforms.written_arguments import (
    check_written,
    refuse_written,
    write_back,
)
from lazyarr.graph.node import Leaf, Node
from lazyarr.passes.canonicalize import Bindings
from lazyarr.random import Generator
from lazyarr.random.counters import ArgumentStream
from lazyarr.runtime import run_log
from lazyarr.tracing import (
    SYMBOL,
    Drawn,
    Mismatch,
    Number,
    Placeholder,
    Symbol,
    SymbolKey,
    exact,
    scope,
)
from lazyarr.tracing.known_structure import builder
from lazyarr.tracing.pytree import Place, Structure

__all__ = ["Launch", "Transposed"]

Array = np.ndarray[Any, Any]
Argument = Array | Node
UINT64 = np.dtype(np.uint64)


@dataclass(frozen=True, slots=True)
class Transposed:
    """A computed array among the results, with its axes in another order.

    Attributes
    ----------
    position : int
        Among those computed.
    axes : tuple of int
        For each axis of the result the one of the array computed.
    """

    position: int
    axes: tuple[int, ...]

    def of(self, computed: Sequence[Any]) -> Any:
        """Return the result of the arrays computed."""
        return computed[self.position].transpose(self.axes)


class Launch:
    """A traced function for arrays of certain shapes and strides.

    Parameters
    ----------
    trace : Recorder
        Of the function.
    executor : Executor, optional
        What computes its results; None if it returns no arrays.
    bindings : Bindings, optional
        The leaves and scalars of the results.
    structure : Structure
        How the results are put together.
    results : sequence of object
        For each leaf of the result: its position among those computed, which may be transposed, a
        symbol, a scalar of NumPy's, or an array that every call gets a copy of.
    """

    def __init__(
        self,
        trace: Recorder,
        executor: Executor | None,
        bindings: Bindings | None,
        structure: Structure,
        results: Sequence[int | Transposed | Symbol | Array | np.generic],
    ) -> None:
        self.trace = trace
        #: Positions of the arguments that the function writes to.
        self.written = tuple(trace.written)
        self.guards = tuple(trace.guards.values())
        self._executor = executor
        self._build = builder(structure)
        self._results = tuple(results)
        self._is_sole = isinstance(structure, Place) and not self.written
        self._single = self._is_sole and type(self._results[0]) is int
        self._shell = Bindings([], [], []) if bindings is None else bindings.without_nodes()
        self._sources: list[int | Node] = []
        self._strides: dict[int, tuple[int, ...]] = {}
        for leaf in self._shell.leaves:
            memory = leaf.attr
            if isinstance(memory, Placeholder):
                if memory.trace is not trace:
                    raise _leaked()
                self._sources.append(memory.position)
                self._strides[memory.position] = memory.strides
            else:
                self._sources.append(leaf)
        self._draws = [(draw.source, draw.count) for draw in trace.draws]
        order = {draw: k for k, draw in enumerate(trace.draws)}
        self._scalars: list[ScalarSource] = []
        for scalar in self._shell.scalars:
            if scalar.op is not SYMBOL:
                self._scalars.append(scalar)
            elif isinstance(scalar.attr, Drawn):
                if scalar.attr.draw not in order:
                    raise _leaked()
                self._scalars.append(DrawScalar(order[scalar.attr.draw], scalar.attr.part))
            else:
                assert isinstance(scalar.attr, SymbolKey)
                self._scalars.append(NumberScalar(scalar.attr.symbol, scalar.dtype))
        #: By leaves that results overwrite, the positions of the arguments.
        self.overwritten = {
            leaf: source
            for leaf, source in enumerate(self._sources)
            if executor is not None and leaf in executor.donated and isinstance(source, int)
        }
        self._captured = [source for source in self._sources if not isinstance(source, int)]
        #: Numbers of a call on a GPU, and the scalars made of them.
        self._last_numbers: tuple[list[Number], list[Node]] | None = None
        self._direct = None
        strategy = None if executor is None else executor.by_address or executor.mixed
        if strategy is not None:
            self._direct = DirectCall.of(strategy, self._sources, self._shell.leaves, self._scalars)
        self._sole = None if executor is None or self._draws else executor.sole_call

    def run(
        self,
        arrays: Sequence[Argument],
        numbers: Sequence[Number],
        generators: Sequence[Generator] = (),
    ) -> Any:
        """Return the function's result for other contents and numbers.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray or Node
            The array arguments, laid out as those that this was made for.
        numbers : sequence of number
            The Python numbers, of the types that this was made for.
        generators : sequence of Generator
            The generators of random numbers.

        Raises
        ------
        Mismatch
            If the function may do something else for these numbers; nothing was drawn then.
        """
        for symbol, value in self.guards:
            if exact(symbol.evaluate(numbers)) != value:
                raise Mismatch
        if self._draws and (scope() is not None or not self.holds(numbers)):
            raise Mismatch
        if self.written:
            check_written(arrays, self.trace.written)
        if not self.overwritten:
            computed = self._computed(arrays, numbers, generators, None)
        else:
            memory = memory_for_results(arrays, self.overwritten, self._captured)
            with losing(arrays, self.overwritten):
                computed = self._computed(arrays, numbers, generators, memory)
        if self._single:
            return computed[0]
        write_back(arrays, self.written, computed)
        return self._put_together(computed, numbers)

    def small_call(self, arrays: Sequence[Array]) -> SmallCall | None:
        """Return such calls in C; None if they are long, or there is more to them.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            The arguments of a call that this has served.
        """
        if self.guards or self._draws or self.written or not self._direct:
            return None
        sole = self._results[0] if self._is_sole else None
        finish = None if self._single else _finish(sole, self._put_together)
        protected = list(map(span, self._captured)) if self.overwritten else ()
        return self._direct.small_call(arrays, self._bindings_of, finish, protected)

    def _computed(
        self,
        arrays: Sequence[Argument],
        numbers: Sequence[Number],
        generators: Sequence[Generator],
        donated: Donated,
    ) -> Sequence[Array]:
        """Return the computed arrays: results, then arguments that were written to."""
        direct, sole = self._direct, self._sole
        if sole is not None and donated is None and not run_log.listeners():
            operands = _operands(arrays, self._sources)
            if operands is not None:
                again = functools.partial(self._bindings_of, arrays, numbers)
                return [sole.run(operands, again)]
        if direct is not None and not run_log.listeners():
            addresses = direct.addresses(arrays)
            if addresses is not None:
                drawn = _drawn(self._draws, generators) if self._draws else ()
                again = functools.partial(self._bindings_of, arrays, numbers, drawn)
                return direct.launch(addresses, numbers, drawn, again, donated)
        return self._run(arrays, numbers, generators, donated)

    def persist(
        self,
        arrays: Sequence[Argument],
        numbers: Sequence[Number],
        generators: Sequence[Generator] = (),
        notes: dict[object, object] | None = None,
    ) -> Any:
        """Return the function's result, its arrays left where they were computed.

        Parameters
        ----------
        arrays, numbers, generators
            As those of :meth:`run`, which raises the same errors.
        notes : dict, optional
            Filled, by the stream, with the function that computes the same again for arrays at
            these places and these numbers, if there is one.
        """
        for symbol, value in self.guards:
            if exact(symbol.evaluate(numbers)) != value:
                raise Mismatch
        if self._draws and (scope() is not None or not self.holds(numbers)):
            raise Mismatch
        refuse_written("persist", self.trace.written)
        leaves = _leaves(arrays, self._sources, self._strides)
        drawn = _drawn(self._draws, generators) if self._draws else ()
        if self._executor is None:
            return self._put_together([], numbers, hold=True)
        known, shell = self._last_numbers, self._shell
        if drawn:
            bindings = self._filled(leaves, numbers, drawn)
        elif known is not None and known[0] == numbers:
            bindings = Bindings([], leaves, known[1], shell.lines, notes)
        else:
            bindings = self._filled(leaves, numbers, (), notes)
            # Equal numbers of these types have equal bits, unless they are 0.
            if all([type(n) in (int, float) and n for n in numbers]):  # noqa: C419 - faster
                self._last_numbers = list(numbers), bindings.scalars
        if self.overwritten:
            memory = memory_for_results(arrays, self.overwritten, self._captured)
            with losing(arrays, self.overwritten):
                computed = self._executor.run_over(bindings, memory)
            return self.wrap(computed, numbers)
        return self.wrap(self._executor.persist(bindings), numbers)

    def wrap(self, computed: Sequence[Any], numbers: Sequence[Number]) -> Any:
        """Return the function's result, of computed arrays that stay where they are.

        Parameters
        ----------
        computed : sequence of (numpy.ndarray or DeviceArray)
            The arrays, in the order of the plan's results.
        numbers : sequence of number
            Of the call.
        """
        where = origin(2)  # who calls this is called by a method of Jitted
        if self._single:
            return result_array(computed[0], where)
        return self._put_together([result_array(x, where) for x in computed], numbers, hold=True)

    def bind(
        self,
        arrays: Sequence[Argument],
        numbers: Sequence[Number],
        generators: Sequence[Generator] = (),
    ) -> tuple[Any, Callable[[], object]]:
        """Return the result of :meth:`persist`, and the function that computes it again in place.

        Parameters
        ----------
        arrays, numbers, generators
            As those of :meth:`run`, which raises the same errors.

        Raises
        ------
        ArgumentError
            If the function draws random numbers, or an array is not where it runs.
        """
        refuse_written("bind", self.trace.written)
        if self._draws:
            raise ArgumentError(
                "a function that draws random numbers cannot be bound: each call would draw the "
                "same numbers",
                origin=origin(),
                hint="use persist, which draws new numbers in each call",
            )
        for symbol, value in self.guards:
            if exact(symbol.evaluate(numbers)) != value:
                raise Mismatch
        if self._executor is None:
            return self._put_together([], numbers, hold=True), _nothing
        bindings = self._filled(_leaves(arrays, self._sources, self._strides), numbers, ())
        computed, again = self._executor.repeat(bindings)
        # A view is made read-only, not what is written again.
        values = [result_array(x.view() if isinstance(x, np.ndarray) else x) for x in computed]
        return self._put_together(values, numbers, hold=True), again

    def holds(self, numbers: Sequence[Number]) -> bool:
        """Whether the function would do the same for these numbers."""
        try:
            for scalar in self._scalars:
                if isinstance(scalar, NumberScalar):
                    scalar.node(numbers)
            for result in self._results:
                if type(result) is Symbol:
                    result.evaluate(numbers)
            return all(exact(symbol.evaluate(numbers)) == value for symbol, value in self.guards)
        except Mismatch:
            return False

    def _run(
        self,
        arrays: Sequence[Argument],
        numbers: Sequence[Number],
        generators: Sequence[Generator],
        donated: Donated,
    ) -> list[Array]:
        """Compute the arrays in the general way."""
        leaves = _leaves(arrays, self._sources, self._strides)
        drawn = _drawn(self._draws, generators)
        if self._executor is None:
            return []
        bindings = self._filled(leaves, numbers, drawn)
        if donated is not None:
            return self._executor.run_over(bindings, donated)
        return self._executor.run(bindings)

    def _bindings_of(
        self, arrays: Sequence[Argument], numbers: Sequence[Number] = (), drawn: Draws = ()
    ) -> Bindings:
        """Return the leaves and scalars of a call as nodes."""
        return self._filled(_leaves(arrays, self._sources, self._strides), numbers, drawn)

    def _filled(
        self,
        leaves: list[Node],
        numbers: Sequence[Number],
        drawn: Draws,
        notes: dict[object, object] | None = None,
    ) -> Bindings:
        """Return the leaves and scalars of a call."""
        scalars = [_scalar(scalar, numbers, drawn) for scalar in self._scalars]
        shell = self._shell
        return Bindings([], leaves, scalars, shell.lines, notes)

    def _put_together(
        self, computed: Sequence[Any], numbers: Sequence[Number], hold: bool = False
    ) -> Any:
        return self._build(_result_leaves(self._results, computed, numbers, hold))


def _finish(sole: object, put_together: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """Return the function that makes the result of the arrays that a call in C computes."""
    if isinstance(sole, Transposed):
        return sole.of
    return functools.partial(put_together, numbers=())


def _result_leaves(
    results: Sequence[object], computed: Sequence[Any], numbers: Sequence[Number], hold: bool
) -> Iterator[Any]:
    """Yield the leaves of a function's result."""
    for result in results:
        if isinstance(result, int) and type(result) is int:
            yield computed[result]
        elif type(result) is Transposed:
            yield result.of(computed)
        elif type(result) is Symbol:
            yield result.evaluate(numbers)
        elif isinstance(result, np.generic):
            yield result
        else:
            yield result_array(np.array(result)) if hold else np.array(result)


def _operands(arrays: Sequence[Argument], sources: Sequence[int | Node]) -> list[Array] | None:
    """Return the leaves of a call as arrays; None if one is not in the host's memory."""
    operands = []
    for source in sources:
        value = arrays[source] if isinstance(source, int) else source
        if isinstance(value, Node):
            if type(value.attr) is not Leaf:
                return None
            value = value.attr.array
        operands.append(value)
    return operands


def _leaves(
    arrays: Sequence[Argument],
    sources: Sequence[int | Node],
    strides: Mapping[int, tuple[int, ...]],
) -> list[Node]:
    """Return the leaves of a call."""
    return [
        source if isinstance(source, Node) else _leaf(arrays[source], strides[source])
        for source in sources
    ]


def _leaf(array: Argument, strides: tuple[int, ...]) -> Node:
    """Return the leaf of an array argument, which lies as `strides` say."""
    if isinstance(array, Node):
        return array  # where it is, as it is
    leaf = build.leaf(array)
    assert isinstance(leaf.attr, Leaf)
    if leaf.attr.strides != strides:
        raise Mismatch  # a copy had to be made
    return leaf


def _scalar(source: ScalarSource, numbers: Sequence[Number], drawn: Draws) -> Node:
    """Return a scalar of a call."""
    if isinstance(source, NumberScalar):
        return source.node(numbers)
    if isinstance(source, DrawScalar):
        return build.constant(drawn[source.index][source.part], UINT64)
    return source


def _drawn(draws: Sequence[tuple[Any, int]], generators: Sequence[Generator]) -> Draws:
    """Take the draws of a call one after another, as the function itself would."""
    draws_taken = []
    for source, count in draws:
        if isinstance(source, ArgumentStream):
            source = generators[source.position].stream
        draws_taken.append(source.take(count))
    return draws_taken


def _nothing() -> None:
    """Compute no array."""


def _leaked() -> TracingError:
    return TracingError(
        "a result of a function traced by lazyarr.jit depends on an array of another call",
        hint="pass every array that the function needs as an argument, and keep none",
    )
