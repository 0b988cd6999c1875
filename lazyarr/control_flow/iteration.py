"""One iteration of a loop as a compiled call, which is made again and again.

The body is planned over placeholders of the operands' layouts. A call then binds memory and
launches, by addresses alone where :mod:`lazyarr.execution.cpu.small_calls` takes the plan: an
iteration of some thousand elements costs what such a call of a jitted function does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from lazyarr.arrays.evaluation import evaluate
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.builders import build
from lazyarr.compiler import pipeline
from lazyarr.core import tuning
from lazyarr.core.addresses import address_of
from lazyarr.core.config import NAN, Config, get_config, is_gpu
from lazyarr.errors import MemoryLimitError
from lazyarr.execution.arguments import scalar_of
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.execution.cpu.mixed_calls import mixed_call
from lazyarr.execution.cpu.small_calls import (
    NO_RECORDS,
    Interface,
    PackedLoop,
    Records,
    SmallCall,
    is_call_of,
    iterated,
    packed_loop,
    small_call,
)
from lazyarr.execution.executor import Executor
from lazyarr.graph.node import Leaf, Node
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.run_log import listeners
from lazyarr.tracing import Placeholder, placeholder
from lazyarr.tracing.context import Trace

__all__ = ["Body", "Iteration", "Iterations", "iterate", "last_states"]

Array = np.ndarray[Any, Any]
#: Returns the results of an iteration for its operands: states, invariants and the index.
Body: TypeAlias = Callable[[Sequence[Node]], tuple[Node, ...]]
_Layouts: TypeAlias = tuple[tuple[np.dtype[Any], tuple[int, ...], tuple[int, ...]], ...]


class Iteration:
    """The compiled iteration for operands of some layouts.

    Parameters
    ----------
    body : callable
        The iteration.
    operands : sequence of numpy.ndarray
        Those of a call.
    settings : Config
        Those in force.
    """

    def __init__(self, body: Body, operands: Sequence[Array], settings: Config) -> None:
        trace = Trace()
        roots = body([_placeholder(trace, k, array) for k, array in enumerate(operands)])
        executor, bindings = pipeline.prepare(roots, settings)
        self._settings = settings
        self._executor: Executor = executor
        self._shell = bindings.without_nodes()
        self._scalars = [scalar_of(scalar) for scalar in bindings.scalars]
        self._sources: list[int | Node] = [
            leaf.attr.position if isinstance(leaf.attr, Placeholder) else leaf
            for leaf in bindings.leaves
        ]
        self._addresses: list[tuple[int, int]] = []
        for source in self._sources:
            if isinstance(source, int):
                self._addresses.append((source, operands[source].dtype.alignment - 1))
            else:
                assert isinstance(source.attr, Leaf)
                self._addresses.append((-1, source.attr.address))
        self._strategy = executor.by_address or executor.mixed
        self._call: SmallCall | None = None
        self._is_first = True
        #: Results that are transposed views of what the plan computes: the same in every call.
        self._views: list[int] = []

    def __call__(self, operands: Sequence[Array]) -> Sequence[Array]:
        """Return the results for other operands of these layouts, in C order.

        Parameters
        ----------
        operands : sequence of numpy.ndarray
            States, invariants and the index.
        """
        if self._call is not None and not listeners():
            results: Sequence[Array] | None = self._call(*operands)
            if results is not None:
                return self._in_order(results) if self._views else results
        computed = self._launched(operands)
        if self._is_first:
            self._is_first = False
            self._views = [k for k, x in enumerate(computed) if not x.flags.c_contiguous]
            self._call = self._small_call(operands)
        return self._in_order(computed) if self._views else computed

    def fits(self, operands: tuple[Array, ...], settings: Config) -> bool:
        """Return whether its call in C is one of such operands in such settings.

        Parameters
        ----------
        operands : tuple of numpy.ndarray
            As of a call.
        settings : Config
            Those in force.
        """
        return settings is self._settings and is_call_of(self._call, operands)

    def repeat(
        self,
        numbers: tuple[int, int],
        operands: tuple[Array, ...],
        width: int,
        records: Records = NO_RECORDS,
        *,
        is_conditional: bool = False,
    ) -> tuple[int, Sequence[Array], bool]:
        """Run iterations in C as far as that goes; as :func:`small_calls.iterated`.

        Parameters
        ----------
        numbers, operands, width, records, is_conditional
            As of that.
        """
        if self._call is None or self._views or listeners():
            return numbers[0], operands[:width], True
        return iterated(
            self._call,
            numbers,
            operands,
            width,
            records,
            is_conditional=is_conditional,
        )

    def pack(
        self, count: int, operands: tuple[Array, ...], width: int, packed: PackedLoop
    ) -> tuple[int, Sequence[Array]]:
        """Run a loop in C as far as that goes; as :func:`small_calls.packed_loop`.

        Parameters
        ----------
        count, operands, width, packed
            As of that.
        """
        if self._call is None or self._views:
            return 0, operands[:width]
        return packed_loop(self._call, count, operands, width, packed)

    def is_of(self, settings: Config) -> bool:
        """Return whether it was compiled in such settings.

        Parameters
        ----------
        settings : Config
            Those in force.
        """
        return settings is self._settings

    def _in_order(self, results: Sequence[Array]) -> Sequence[Array]:
        """Return results in C order, as the operands of the next iteration are."""
        ordered = list(results)
        for k in self._views:
            ordered[k] = np.ascontiguousarray(ordered[k])
        return ordered

    def _launched(self, operands: Sequence[Array]) -> Sequence[Array]:
        """Return the results, by addresses alone where the plan can be launched so."""
        strategy = self._strategy
        if strategy is not None:
            addresses = [
                value if number < 0 else address_of(operands[number])
                for number, value in self._addresses
            ]
            again = partial(self._bindings_of, operands)
            results: Sequence[Array] | None = strategy.launch(addresses, self._scalars, again, None)
            if results is not None:
                return results
        return self._executor.run(self._bindings_of(operands))

    def _small_call(self, operands: Sequence[Array]) -> SmallCall | None:
        """Return the call in C, which returns all results; None if there is none."""
        sequence = self._strategy
        if sequence is None:
            return None
        leaves, scalars = tuple(self._addresses), tuple(self._scalars)
        interface = Interface(leaves, scalars, self._bindings_of, tuple)
        layouts = interface.layouts(operands)
        if isinstance(sequence, KernelSequence):
            return small_call(sequence, layouts, interface)
        return mixed_call(sequence, layouts, interface)

    def _bindings_of(self, operands: Sequence[Array]) -> Bindings:
        """Return the leaves and scalars of a call as nodes."""
        leaves = [
            build.leaf(operands[source]) if isinstance(source, int) else source
            for source in self._sources
        ]
        return Bindings([], leaves, self._shell.scalars, self._shell.lines)


def _placeholder(trace: Trace, position: int, array: Array) -> Node:
    strides = tuple(step // array.itemsize for step in array.strides)
    return placeholder(trace, position, array.dtype, array.shape, strides)


class Iterations:
    """The compiled iterations of a loop, one for each layout of its operands.

    Parameters
    ----------
    body : callable
        The iteration.
    """

    def __init__(self, body: Body) -> None:
        self._body = body
        self._lock = Lock()
        self._compiled: dict[tuple[Config, _Layouts], Iteration] = {}
        self._last: Iteration | None = None

    def pack(
        self, count: int, operands: tuple[Array, ...], width: int, packed: PackedLoop
    ) -> tuple[int, Sequence[Array]]:
        """Run a loop in C as far as the last compiled iteration goes; as :meth:`Iteration.pack`.

        Parameters
        ----------
        count, operands, width, packed
            As of that.
        """
        last = self._last
        if count and last is not None and last.is_of(get_config()) and not listeners():
            return last.pack(count, operands, width, packed)
        return 0, operands[:width]

    def compiled(self, operands: tuple[Array, ...]) -> Iteration | None:
        """Return the compiled iteration for some operands.

        None where runs are observed, bounded or elsewhere: each iteration is an evaluation then.

        Parameters
        ----------
        operands : tuple of numpy.ndarray
            States, in C order as the next ones are, invariants and the index.
        """
        settings = get_config()
        last = self._last
        if last is not None and last.fits(operands, settings) and not listeners():
            return last
        if is_gpu(settings.device) or settings.max_memory or settings.debug == NAN or listeners():
            return None
        if not all(map(_is_plain, operands)):
            return None
        key = (settings, tuple([(x.dtype, x.shape, x.strides) for x in operands]))
        iteration = self._compiled.get(key)
        if iteration is None:
            try:
                iteration = Iteration(self._body, operands, settings)
            except MemoryLimitError:
                return None
            with self._lock:
                if len(self._compiled) >= tuning.row().launches:
                    self._compiled.clear()
                self._compiled[key] = iteration
        self._last = iteration
        return iteration


def _is_plain(array: Array) -> bool:
    """Return whether a plan reads the memory of an array as it is."""
    steps = [step % array.itemsize for step in array.strides]
    return array.flags.aligned and array.dtype.isnative and not any(steps)


def last_states(
    iteration: Iteration,
    count: int,
    states: Sequence[Array],
    invariants: Sequence[Array],
    begun: int = 0,
) -> Sequence[Array]:
    """Return the states after so many iterations.

    Parameters
    ----------
    iteration : Iteration
        What computes the next states.
    count : int
        The number of iterations.
    states : sequence of numpy.ndarray
        The first states; what is returned shares no memory with them.
    invariants : sequence of numpy.ndarray
        The invariants, and last the index, a scalar int64, which is overwritten.
    begun : int, optional
        The number of the first iteration.
    """
    index = invariants[-1]
    first = states
    number, width = begun, len(states)
    while number < count:
        number, states, _ = iteration.repeat((number, count), (*states, *invariants), width)
        if number < count:
            index[...] = number
            states = iteration((*states, *invariants))
            number += 1
    if count:
        return states
    return [state.copy() for state in first]


def iterate(
    compiled: Iterations,
    body: Body,
    operands: Sequence[Array],
    width: int,
    records: Records,
    begun: int = 0,
) -> Sequence[Array]:
    """Run a loop and record values of each iteration; return the last states.

    Parameters
    ----------
    compiled : Iterations
        The compiled body.
    body : callable
        Builds the next states and the recorded values that are no states, where each iteration has
        to be an evaluation.
    operands : sequence of numpy.ndarray
        The first states and the invariants.
    width : int
        The number of states.
    records : Records
        The values that are recorded, at least one of each iteration.
    begun : int, optional
        The number of the first iteration.
    """
    count = len(records.stacks[0][0])
    present = [np.asarray(x, order="C") for x in operands[:width]]
    index = np.zeros((), np.int64)
    fixed = (*operands[width:], index)
    iteration = compiled.compiled((*present, *fixed))
    of_states = [(s, k) for s, k in records.stacks if k >= 0]
    of_body = [s for s, k in records.stacks if k < 0]
    number = begun
    while number < count:
        if iteration is not None:
            numbers = number, count
            number, states, _ = iteration.repeat(numbers, (*present, *fixed), width, records)
            present = list(states)
            if number == count:
                break
        index[...] = number
        row = count - 1 - number if records.is_backward else number
        for stack, place in of_states:
            stack[row] = present[place]
        if iteration is not None:
            results = iteration((*present, *fixed))
        else:
            leaves = [build.leaf(np.asarray(x)) for x in (*present, *fixed[:-1], index.copy())]
            following: Any = evaluate(*map(LazyArray, body(leaves)))
            results = following if isinstance(following, tuple) else [following]
        present = list(results[:width])
        for stack, value in zip(of_body, results[width:], strict=True):
            stack[row] = value
        number += 1
    return present
