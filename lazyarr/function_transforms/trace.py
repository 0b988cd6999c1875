"""Tracing: running a function once to record its computation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from lazyarr.arrays.aliasing import memory_of
from lazyarr.arrays.lazy_array import LazyArray, as_node
from lazyarr.builders import build
from lazyarr.core.dtypes import kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.function_transforms.tape import Recorder, Tape, fetch
from lazyarr.graph.leaf import SharedLeaf
from lazyarr.graph.node import Leaf, Node, node, walk
from lazyarr.random import Generator
from lazyarr.random.counters import ArgumentStream
from lazyarr.tracing import (
    Mismatch,
    Number,
    Placeholder,
    Symbol,
    SymbolKey,
    Trace,
    exact,
    placeholder,
    tracing,
)
from lazyarr.tracing.pytree import NUMBERS, Structure, Unknown, flatten

__all__ = ["Arguments", "Lazy", "Traced", "trace"]

Array = np.ndarray[Any, Any]


def _of_donated(array: LazyArray, value: Node) -> Node:
    """Return a leaf of memory that results may take, with the value of an array in memory.

    It becomes the array's value, so that the array is refused afterwards. Small arrays are copied.
    """
    memory = value.attr
    assert isinstance(memory, Leaf)
    leaf = build.leaf(memory.array if type(memory) is SharedLeaf else np.array(memory.array))
    if array._alias is None:
        array._node = leaf
    return leaf


class Arguments:
    """The leaves of a call's arguments.

    Attributes
    ----------
    arrays : list of (numpy.ndarray or Node)
        The arrays, in memory that kernels can read; nodes for those of a device.
    numbers : list of number
        The Python numbers.
    generators : list of Generator
        The generators of random numbers.
    types : tuple
        What a trace is made for: the leaves in order, each the type of a number or generator, or
        an array's dtype, number of axes, whether a device has it and whether it is an index that
        gives views.
    layout : tuple
        What a plan is made for besides: shape and strides in elements of each array.
    donated : frozenset of int
        Positions of the arrays whose memory results may take.
    """

    def __init__(self, leaves: Sequence[Any], donated: Sequence[int] = ()) -> None:
        positions: list[int] = []
        self.arrays: list[Array | Node] = []
        self.numbers: list[Number] = []
        self.generators: list[Generator] = []
        self.nodes: list[Node] = []
        self._originals: list[Any] = []
        types: list[object] = []
        layout: list[object] = []
        for number, leaf in enumerate(leaves):
            if type(leaf) in NUMBERS:
                self.numbers.append(leaf)
                types.append(type(leaf))
                continue
            if isinstance(leaf, Generator):
                self.generators.append(leaf)
                types.append(Generator)
                continue
            value = np.asarray(leaf) if isinstance(leaf, np.generic) else leaf
            # The memory of the argument itself, which may be donated or written to.
            argument = build.leaf(value) if type(value) is np.ndarray else as_node(value)
            if number in donated and isinstance(value, LazyArray) and memory_of(value) is not None:
                argument = _of_donated(value, argument)
            memory = argument.attr
            assert isinstance(memory, Leaf)
            on_device = hasattr(memory, "device_array")
            if number in donated:
                positions.append(len(self.nodes))
            self.nodes.append(argument)
            self._originals.append(leaf)
            self.arrays.append(argument if on_device else memory.array)
            types += (argument.dtype, len(argument.shape), on_device, _is_index(leaf, argument))
            layout += (argument.shape, memory.strides)
        self.types = tuple(types)
        self.donated = frozenset(positions)
        self.layout = tuple(layout)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        """Shapes of the arrays."""
        return tuple(argument.shape for argument in self.nodes)

    def write_to_originals(self, written: Sequence[int]) -> None:
        """Copy results back to the arguments that kernels could not access directly."""
        for position in written:
            original, array = self._originals[position], self.arrays[position]
            if not isinstance(original, np.ndarray) or isinstance(array, Node):
                continue
            if not np.may_share_memory(original, array):
                np.copyto(original, array)

    def placeholders(self, trace: Trace) -> list[Node]:
        """Return the nodes that stand for the arrays."""
        nodes = []
        for position, argument in enumerate(self.nodes):
            assert isinstance(argument.attr, Leaf)
            memory = argument.shape, argument.attr.strides
            is_index = _is_index(self._originals[position], argument)
            nodes.append(placeholder(trace, position, argument.dtype, *memory, is_index))
        return nodes

    def symbols(self) -> list[Symbol]:
        """Return the symbols of the numbers."""
        return [Symbol(number, None, (k,)) for k, number in enumerate(self.numbers)]

    def drawers(self) -> list[Generator]:
        """Return the generators of a trace, in place of those of the call."""
        return [Generator(ArgumentStream(k)) for k in range(len(self.generators))]

    def filled(
        self,
        arrays: Sequence[LazyArray],
        numbers: Sequence[Symbol],
        generators: Sequence[Generator],
    ) -> list[Any]:
        """Return the leaves in order.

        Parameters
        ----------
        arrays : sequence of LazyArray
            In place of the arrays.
        numbers : sequence of Symbol
            In place of the numbers.
        generators : sequence of Generator
            In place of the generators.
        """
        waiting = iter(arrays), iter(numbers), iter(generators)
        leaves: list[Any] = []
        position = 0
        while position < len(self.types):
            kind = self.types[position]
            which = 2 if kind is Generator else int(kind in NUMBERS)
            leaves.append(next(waiting[which]))
            position += 1 if which else 4
        return leaves


def _is_index(leaf: Any, argument: Node) -> bool:
    """Return whether an argument is an integer that gives views as an index.

    An ndarray without axes gives copies. Of LazyArrays without axes most are numbers in NumPy.
    """
    is_integer = not argument.shape and kind_of(argument.dtype) in "iu"
    return is_integer and not isinstance(leaf, np.ndarray)


@dataclass(frozen=True, slots=True)
class Lazy:
    """An array among the results: its place on the tape."""

    spec: Any


@dataclass(frozen=True, eq=False, slots=True)
class Traced:
    """A trace that is done.

    Attributes
    ----------
    trace : Recorder
        Its guards.
    shapes : tuple, optional
        Of the arrays that it was made for; None where it holds for all.
    tape : Tape
        The calls that it made.
    structure : Structure
        How its results are put together.
    results : tuple
        Leaves of the results: each a `Lazy`, a symbol, or an array.
    roots : tuple of Node
        The arrays computed, for the arguments of the trace: results, then arguments written to.
    """

    trace: Recorder
    shapes: tuple[tuple[int, ...], ...] | None
    tape: Tape
    structure: Structure
    results: tuple[Any, ...]
    roots: tuple[Node, ...]

    @property
    def written(self) -> tuple[int, ...]:
        """Positions of the arguments that the function writes to."""
        return tuple(self.trace.written)

    def holds(self, arguments: Arguments) -> bool:
        """Whether the function would do the same for these arguments."""
        if self.shapes is not None and self.shapes != arguments.shapes:
            return False
        try:
            return all(
                exact(symbol.evaluate(arguments.numbers)) == value
                for symbol, value in self.trace.guards.values()
            )
        except Mismatch:
            return False

    def roots_for(self, call: Arguments) -> tuple[Node, ...]:
        """Return the arrays computed, for arguments for which the trace holds.

        Raises
        ------
        Mismatch
            If the function may do something else for them.
        """
        arguments = call.placeholders(self.trace)
        if self.shapes is not None:
            return _with_arguments(self.roots, arguments)
        arrays = self.tape.replay([LazyArray(argument) for argument in arguments], self.trace)
        results = [fetch(x.spec, arrays)._node for x in self.results if type(x) is Lazy]
        return (*results, *(arrays[position]._node for position in self.written))


def _with_arguments(roots: Sequence[Node], arguments: Sequence[Node]) -> tuple[Node, ...]:
    """Return expressions with arguments of other strides."""
    became: dict[Node, Node] = {}
    for old in walk(roots):
        if isinstance(old.attr, Placeholder):
            became[old] = arguments[old.attr.position]
        else:
            src = tuple(became[source] for source in old.src)
            became[old] = node(old.op, src, old.dtype, old.shape, old.attr, old.origin)
    return tuple(became[root] for root in roots)


def trace(function: Callable[[Sequence[Any]], Any], arguments: Arguments, name: str) -> Traced:
    """Run a function once, on arrays and numbers that stand for any.

    Parameters
    ----------
    function : callable
        Takes the leaves of the arguments.
    arguments : Arguments
        What the leaves are like.
    name : str
        Of the function, for errors.
    """
    recorder = Recorder()
    try:
        return _traced(function, arguments, name, recorder)
    finally:
        recorder.close()


def _traced(
    function: Callable[[Sequence[Any]], Any], arguments: Arguments, name: str, recorder: Recorder
) -> Traced:
    with tracing(recorder):
        arrays = [LazyArray(argument) for argument in arguments.placeholders(recorder)]
        recorder.begin(arrays)
        leaves = arguments.filled(arrays, arguments.symbols(), arguments.drawers())
        values: list[Any] = []
        try:
            structure = flatten(function(leaves), _is_result, values)
        except Unknown as error:
            raise ArgumentError(
                f"{name} returns an object of type {error}, which is not an array, a number or a "
                "container",
                origin=origin(),
                hint="return arrays in tuples, lists, dictionaries or dataclasses",
            ) from None
        results: list[Any] = []
        roots: list[Node] = []
        for value in values:
            if type(value) is Symbol or not isinstance(value, LazyArray):
                results.append(value)
            else:
                results.append(Lazy(recorder.result(value)))
                roots.append(value._node)
        roots += [arrays[position]._node for position in recorder.written]
    _require_integers(recorder, roots)
    shapes = arguments.shapes if recorder.is_sized else None
    return Traced(recorder, shapes, recorder.tape(), structure, tuple(results), tuple(roots))


def _require_integers(recorder: Recorder, roots: Sequence[Node]) -> None:
    """Let a trace hold only for numbers that fit, also where the results do without them.

    Those that the results need are converted at each call, which raises.
    """
    needed = {
        (id(value.attr.symbol), value.dtype)
        for value in walk(roots)
        if type(value.attr) is SymbolKey
    }
    for (identity, dtype), symbol in recorder.integers.items():
        if (identity, dtype) not in needed:
            recorder.pin(symbol.apply(functools.partial(_fits, np.iinfo(dtype))))


def _fits(limits: np.iinfo[Any], number: Number) -> bool:
    return int(limits.min) <= cast("int", number) <= int(limits.max)


def _is_result(value: Any) -> bool:
    return type(value) is Symbol or isinstance(value, (LazyArray, np.ndarray, np.generic))
