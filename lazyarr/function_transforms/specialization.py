"""Traced functions with their plan for arrays of one layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.evaluation import held
from lazyarr.builders import nodes as build
from lazyarr.core.addresses import address_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, TracingError
from lazyarr.execution.cpu import Executable
from lazyarr.execution.cpu_fast_path import Direct, converter
from lazyarr.function_transforms.tape import Recorder
from lazyarr.graph.node import Leaf, Node
from lazyarr.passes.canonicalize import Shell
from lazyarr.random import Generator
from lazyarr.random.counters import Given
from lazyarr.runtime import run_log as record
from lazyarr.runtime.cpu.fp_flags import Signals
from lazyarr.tracing import (
    SYMBOL,
    Drawn,
    Held,
    Mismatch,
    Number,
    Placeholder,
    Symbol,
    exact,
    scope,
)
from lazyarr.tracing.pytree import Leaf as Place
from lazyarr.tracing.pytree import Structure, unflatten

__all__ = ["Launch"]

Array = np.ndarray[Any, Any]
Argument = Array | Node
#: Numbers and keys of the draws of a call.
Draws = Sequence[tuple[int, int]]

UINT64 = np.dtype(np.uint64)


@dataclass(frozen=True, slots=True)
class _Number:
    """A scalar that is a number of the call, or made of such."""

    symbol: Symbol
    dtype: np.dtype[Any]

    def node(self, numbers: Sequence[Number]) -> Node:
        try:
            return build.constant(self.symbol.evaluate(numbers), self.dtype)
        except OverflowError:
            raise Mismatch from None


@dataclass(frozen=True, slots=True)
class _Draw:
    """A scalar that is the number (part 0) or the key (part 1) of a draw."""

    index: int
    part: int


class Launch:
    """A traced function for arrays of certain shapes and strides.

    Parameters
    ----------
    trace : Recorder
        Of the function.
    executable : Executable, optional
        What computes its results; None if it returns no arrays.
    found : Shell, optional
        The leaves and scalars of the results.
    structure : Structure
        How the results are put together.
    results : sequence of object
        For each leaf of the result: its position among those computed, a symbol, a scalar of
        NumPy's, or an array that every call gets a copy of.
    """

    def __init__(
        self,
        trace: Recorder,
        executable: Executable | None,
        found: Shell | None,
        structure: Structure,
        results: Sequence[int | Symbol | Array | np.generic],
    ) -> None:
        self.trace = trace
        self.guards = tuple(trace.guards.values())
        self._executable = executable
        self._structure = structure
        self._results = tuple(results)
        self._single = isinstance(structure, Place) and type(self._results[0]) is int
        self._shell = Shell((), [], [], []) if found is None else found.without_nodes()
        self._sources: list[int | Node] = []
        self._strides: dict[int, tuple[int, ...]] = {}
        for leaf in self._shell.leaves:
            held = leaf.attr
            if isinstance(held, Placeholder):
                if held.trace is not trace:
                    raise _leaked()
                self._sources.append(held.position)
                self._strides[held.position] = held.strides
            else:
                self._sources.append(leaf)
        self._draws = [(draw.source, draw.count) for draw in trace.draws]
        order = {draw: k for k, draw in enumerate(trace.draws)}
        self._scalars: list[_Number | _Draw | Node] = []
        for scalar in self._shell.scalars:
            if scalar.op is not SYMBOL:
                self._scalars.append(scalar)
            elif isinstance(scalar.attr, Drawn):
                if scalar.attr.draw not in order:
                    raise _leaked()
                self._scalars.append(_Draw(order[scalar.attr.draw], scalar.attr.part))
            else:
                assert isinstance(scalar.attr, Held)
                self._scalars.append(_Number(scalar.attr.symbol, scalar.dtype))
        #: Numbers of a call on a GPU, and the scalars made of them.
        self._last_numbers: tuple[list[Number], list[Node]] | None = None
        #: What computes arrays and leaves them where they are.
        self._on_device = getattr(executable, "run_on_device", getattr(executable, "run", None))
        self._direct = None if executable is None else executable.direct
        self._addresses: list[tuple[int, int]] = []
        self._numbers: list[tuple[Symbol | int | None, Any]] = []
        if self._direct is not None and not self._find_direct():
            self._direct = None

    def _find_direct(self) -> bool:
        """Prepare calls of the kernels themselves; return whether that is possible."""
        for scalar in self._scalars:
            if isinstance(scalar, Node):
                assert isinstance(scalar.attr, bytes)
                self._numbers.append((None, np.frombuffer(scalar.attr, scalar.dtype)[0].item()))
                continue
            if isinstance(scalar, _Draw):
                self._numbers.append((scalar.index, scalar.part))
                continue
            convert = converter(scalar.symbol.kind, scalar.dtype)
            if convert is None:
                return False
            self._numbers.append((scalar.symbol, convert))
        for source, leaf in zip(self._sources, self._shell.leaves, strict=True):
            if isinstance(source, int):
                self._addresses.append((source, leaf.dtype.alignment - 1))
            else:
                assert isinstance(source.attr, Leaf)
                self._addresses.append((-1, source.attr.address))
        return True

    def run(
        self,
        arrays: Sequence[Argument],
        numbers: Sequence[Number],
        generators: Sequence[Generator] = (),
    ) -> Any:
        """Return what the function returns for other contents and numbers.

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
        direct = self._direct
        if direct is not None and not record.listening():
            addresses = []
            for source, unaligned in self._addresses:
                if source < 0:
                    addresses.append(unaligned)  # of an array captured
                    continue
                address = address_of(arrays[source])  # type: ignore[arg-type]
                if address & unaligned:
                    break
                addresses.append(address)
            else:
                return self._run_directly(direct, addresses, arrays, numbers, generators)
        return self._put_together(self._run(arrays, numbers, generators), numbers)

    def _run_directly(
        self,
        direct: Direct,
        addresses: list[int],
        arrays: Sequence[Argument],
        numbers: Sequence[Number],
        generators: Sequence[Generator],
    ) -> Any:
        """Call the kernels themselves."""
        drawn = self._drawn(generators) if self._draws else ()
        scalars = [self._scalar(symbol, value, numbers, drawn) for symbol, value in self._numbers]
        computed = direct.run(
            addresses, scalars, lambda signals: self._diagnose(arrays, numbers, drawn, signals)
        )
        return computed[0] if self._single else self._put_together(computed, numbers)

    @staticmethod
    def _scalar(
        symbol: Symbol | int | None, value: Any, numbers: Sequence[Number], drawn: Draws
    ) -> Any:
        """Return a scalar for a call of the kernels themselves."""
        if type(symbol) is Symbol:
            try:
                return value(symbol.evaluate(numbers))
            except OverflowError:
                raise Mismatch from None
        return value if symbol is None else drawn[symbol][value]  # type: ignore[index]

    def _drawn(self, generators: Sequence[Generator]) -> Draws:
        """Take the draws of a call one after another, as the function itself would."""
        found = []
        for source, count in self._draws:
            if isinstance(source, Given):
                source = generators[source.position].stream
            found.append(source.take(count))
        return found

    def persist(
        self,
        arrays: Sequence[Argument],
        numbers: Sequence[Number],
        generators: Sequence[Generator] = (),
        notes: dict[object, object] | None = None,
    ) -> Any:
        """Return what the function returns, its arrays left where they were computed.

        Takes and raises what :meth:`run` does. In `notes` is afterwards, by the stream, what
        computes the same again for arrays at these places and these numbers, if something does.
        """
        for symbol, value in self.guards:
            if exact(symbol.evaluate(numbers)) != value:
                raise Mismatch
        if self._draws and (scope() is not None or not self.holds(numbers)):
            raise Mismatch
        leaves = self._leaves(arrays)
        drawn = self._drawn(generators) if self._draws else ()
        if self._executable is None:
            return self._put_together([], numbers, hold=True)
        known, shell = self._last_numbers, self._shell
        if drawn:
            found = self._filled(leaves, numbers, drawn)
        elif known is not None and known[0] == numbers:
            found = Shell(shell.key, [], leaves, known[1], shell.lines, notes)
        else:
            found = self._filled(leaves, numbers, (), notes)
            # Equal numbers of these types have equal bits, unless they are 0.
            if all([type(n) in (int, float) and n for n in numbers]):  # noqa: C419 - faster
                self._last_numbers = list(numbers), found.scalars
        on_device: Any = self._on_device
        return self.held(on_device(found), numbers)

    def held(self, computed: Sequence[Any], numbers: Sequence[Number]) -> Any:
        """Return what the function returns, of computed arrays that stay where they are."""
        where = origin(2)  # who calls this is called by a method of Jitted
        if self._single:
            return held(computed[0], where)
        return self._put_together([held(x, where) for x in computed], numbers, hold=True)

    def bind(
        self,
        arrays: Sequence[Argument],
        numbers: Sequence[Number],
        generators: Sequence[Generator] = (),
    ) -> tuple[Any, Callable[[], object]]:
        """Return what :meth:`persist` does, and what computes it again in the same memory.

        Takes and raises what :meth:`run` does.

        Raises
        ------
        ArgumentError
            If the function draws random numbers, or an array is not where it runs.
        """
        if self._draws:
            raise ArgumentError(
                "a bound call computes the same again, and this function draws random numbers",
                origin=origin(),
                hint="call it by persist, which draws anew each time",
            )
        for symbol, value in self.guards:
            if exact(symbol.evaluate(numbers)) != value:
                raise Mismatch
        if self._executable is None:
            return self._put_together([], numbers, hold=True), _nothing
        found = self._filled(self._leaves(arrays), numbers, ())
        computed, again = self._executable.repeat(found)
        # A view is made read-only, not what is written again.
        values = [held(x.view() if isinstance(x, np.ndarray) else x) for x in computed]
        return self._put_together(values, numbers, hold=True), again

    def holds(self, numbers: Sequence[Number]) -> bool:
        """Whether the function would do the same for these numbers."""
        try:
            for scalar in self._scalars:
                if isinstance(scalar, _Number):
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
    ) -> list[Array]:
        """Compute the arrays in the general way."""
        leaves = self._leaves(arrays)
        drawn = self._drawn(generators)
        if self._executable is None:
            return []
        return self._executable.run(self._filled(leaves, numbers, drawn))

    def _diagnose(
        self, arrays: Sequence[Argument], numbers: Sequence[Number], drawn: Draws, signals: Signals
    ) -> None:
        assert self._executable is not None
        self._executable.reports.follow(self._filled(self._leaves(arrays), numbers, drawn), signals)

    def _leaves(self, arrays: Sequence[Argument]) -> list[Node]:
        """Return the leaves of a call."""
        leaves: list[Node] = []
        for source in self._sources:
            if not isinstance(source, int):
                leaves.append(source)
                continue
            given = arrays[source]
            if type(given) is Node:
                leaves.append(given)  # where it is, as it is
                continue
            leaf = build.leaf(given)  # type: ignore[arg-type]
            assert isinstance(leaf.attr, Leaf)
            if leaf.attr.strides != self._strides[source]:
                raise Mismatch  # a copy had to be made
            leaves.append(leaf)
        return leaves

    def _filled(
        self,
        leaves: list[Node],
        numbers: Sequence[Number],
        drawn: Draws,
        notes: dict[object, object] | None = None,
    ) -> Shell:
        """Return the leaves and scalars of a call."""
        scalars = []
        for scalar in self._scalars:
            if isinstance(scalar, _Number):
                scalars.append(scalar.node(numbers))
            elif isinstance(scalar, _Draw):
                scalars.append(build.constant(drawn[scalar.index][scalar.part], UINT64))
            else:
                scalars.append(scalar)
        shell = self._shell
        return Shell(shell.key, [], leaves, scalars, shell.lines, notes)

    def _put_together(
        self, computed: Sequence[Any], numbers: Sequence[Number], hold: bool = False
    ) -> Any:
        leaves: list[Any] = []
        for result in self._results:
            if isinstance(result, int) and type(result) is int:
                leaves.append(computed[result])
            elif type(result) is Symbol:
                leaves.append(result.evaluate(numbers))
            elif isinstance(result, np.generic):
                leaves.append(result)
            else:
                leaves.append(held(np.array(result)) if hold else np.array(result))
        return unflatten(self._structure, iter(leaves))


def _nothing() -> None:
    """Compute no array."""


def _leaked() -> TracingError:
    return TracingError(
        "a result of a function given to lazyarr.jit is made of an array of another call",
        hint="pass every array that the function needs as an argument, and keep none",
    )
