"""Code of loops inside a kernel: one element at a time, or many elements side by side.

LLVM makes vectors of innermost loops alone, and the iterations of a loop depend on each other. So
where a kernel runs over elements, a block of them goes through the loop together: states lie in
local memory of constant size, each iteration is a loop over the block's elements, and that loop
becomes a few vector instructions whose registers stay occupied until the last iteration. Several
vectors are under way at a time, which hides how long each operation takes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import NamedTuple, Protocol

import numpy as np

from lazyarr.codegen import shared_tuning
from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Loop, Node
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import AxisKind, Index, Literal, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.index_terms import Term

__all__ = ["ElementLoop", "KernelBody", "elements", "write_loop"]

INT64 = np.dtype(np.int64)
BOOL = np.dtype(np.bool_)
ZERO = Literal(0, INT64)


Known = dict[Node, Operand]


class KernelBody(Protocol):
    """The code of one kernel while it is written, as loops need it: terms and their values."""

    @property
    def builder(self) -> Builder:
        """The builder that statements are appended to."""

    @property
    def terms(self) -> Sequence[Term]:
        """The terms of the kernel, operands first."""

    def compute(
        self, node: Node, operands: Sequence[Operand], going: Operand | None = None, part: int = 0
    ) -> Operand:
        """Write one element of a constant or an elementwise node, given its operands.

        Parameters
        ----------
        node : Node
            A constant, or an elementwise node.
        operands : sequence of Operand
            Its operands, a complex one as two values.
        going : Operand, optional
            A bool: whether the value is used; default: it is.
        part : int, optional
            Of a complex result, the part to return: 0 real, 1 imaginary.
        """

    def get(self, k: int) -> Operand | None:
        """Return a term's value if it was written in a scope that is still open."""

    def put(self, k: int, value: Operand) -> None:
        """Make `value` the value of a term in the current scope.

        Parameters
        ----------
        k : int
            The term.
        value : Operand
            Of the term's register dtype.
        """

    def value(self, k: int) -> Operand:
        """Return the value of a term that was written."""

    def written_loop(self, key: object) -> tuple[Value, ...] | None:
        """Return the last states of a loop that was written in a scope that is still open."""

    def keep_loop(self, key: object, states: tuple[Value, ...]) -> None:
        """Keep the last states of a loop for the current scope.

        Parameters
        ----------
        key : hashable
            The loop and its operands.
        states : tuple of Value
            The states.
        """

    def write(self, terms: Iterable[int]) -> None:
        """Write the code of terms; their operands come first or are known."""

    def needed(self, sinks: Iterable[int], known: Iterable[int] = ()) -> list[int]:
        """Return the terms that `sinks` need, in order, without entering the `known` ones.

        Parameters
        ----------
        sinks : iterable of int
            Terms; they are among the result.
        known : iterable of int
            Terms whose operands are not needed.
        """

    def spans(self, k: int, axes: Iterable[int]) -> bool:
        """Whether a term's own index map moves along any of the axes.

        Parameters
        ----------
        k : int
            The term.
        axes : iterable of int
            Axes of the domain.
        """

    def integer(self, value: int) -> Literal:
        """Return an index of the source text."""

    def least(self, a: Operand, c: Operand) -> Operand:
        """Write the smaller of two integers.

        Parameters
        ----------
        a, c : Operand
            Two of the dtype of indices.
        """

    def scope(self) -> AbstractContextManager[None]:
        """Forget the values computed inside when the block ends."""


def write_loop(low: KernelBody, loop: Loop, operands: Sequence[Operand]) -> tuple[Value, ...]:
    """Write a loop over the states of one element, and return the last ones.

    Parameters
    ----------
    low : KernelBody
        The kernel.
    loop : Loop
        The states, their updates, and what ends them.
    operands : sequence of Operand
        The number of iterations where that is known, the initial states, and the invariants.
    """
    b = low.builder
    key = (loop, *map(repr, operands))
    written = low.written_loop(key)
    if written is not None:
        return written
    count, initial, invariants = loop.split(operands)
    fixed = dict(zip(loop.invariants, invariants, strict=True))
    states = [b.declare("state", value) for value in initial]

    def present() -> Known:
        return fixed | dict(zip(loop.states, map(b.snapshot, states), strict=True))

    if count is not None:
        with b.loop("t", ZERO, count) as iteration, low.scope():
            known = present()
            if loop.index is not None:
                known[loop.index] = iteration
            for state, new in zip(states, _iteration(low, known, loop.updates), strict=True):
                b.assign(state, new)
    else:
        assert loop.condition is not None
        (going,) = _iteration(low, present(), (loop.condition,))
        more = b.declare("more", going)
        with b.repeat(more), low.scope():
            known = present()
            for state, new in zip(states, _iteration(low, known, loop.updates), strict=True):
                b.assign(state, new)
            (going,) = _iteration(low, present(), (loop.condition,))
            b.assign(more, going)
    result = tuple(map(b.snapshot, states))
    low.keep_loop(key, result)
    return result


def _iteration(
    low: KernelBody, known: Known, results: Sequence[Node], going: Operand | None = None
) -> list[Operand]:
    """Write one iteration; where `going` is false, it cannot make NumPy warn."""
    values = dict(known)
    stack = list(reversed(results))
    while stack:
        current = stack[-1]
        if current in values:
            stack.pop()
            continue
        missing = [source for source in current.src if source not in values]
        if missing:
            stack.extend(reversed(missing))
            continue
        stack.pop()
        values[current] = low.compute(current, [values[s] for s in current.src], going)
    return [values[node] for node in results]


# -- many elements side by side ----------------------------------------------------------------


class ElementLoop(NamedTuple):
    """A loop over elements of the domain.

    Attributes
    ----------
    prefix : str
        Of the counter's name.
    start, stop : Operand
        Limits of the counter.
    place : callable
        Gives the counters of the frames for a counter, as the body of the loop does itself.
    axes : iterable of int
        The domain axes along which the element changes with the counter.
    size : int
        How many elements there are at most.
    """

    prefix: str
    start: Operand
    stop: Operand
    place: Callable[[Value], AbstractContextManager[None]]
    axes: Iterable[int]
    size: int


class _Known(NamedTuple):
    """The terms that need no code in a block: written before it, or in local memory."""

    written: Sequence[int]
    buffers: dict[int, Pointer]

    def terms(self, low: KernelBody) -> list[int]:
        """Return these terms, with those that have a value at this place of the code."""
        valued = (k for k in range(len(low.terms)) if low.get(k) is not None)
        return [*self.written, *valued, *self.buffers]


class _Block(NamedTuple):
    """Elements of a loop that go through inner loops together.

    Attributes
    ----------
    loop : ElementLoop
        The loop.
    first, size : Operand
        The counter of the first element, and the number of elements.
    is_full : bool
        Whether there are as many elements as lanes.
    """

    loop: ElementLoop
    first: Operand
    size: Operand
    is_full: bool


@dataclass(frozen=True, eq=False, slots=True)
class _Run:
    """One loop of a kernel: the terms of its operands, and the terms that are its states."""

    loop: Loop
    args: tuple[int, ...]
    results: dict[int, int]


@contextmanager
def elements(
    low: KernelBody,
    loop: ElementLoop,
    sinks: Sequence[int],
    assigned_terms: Iterable[int] = (),
    kind: AxisKind = AxisKind.SERIAL,
) -> Iterator[Value]:
    """Open a loop over elements, in which the loops that `sinks` need have been run already.

    Parameters
    ----------
    low : KernelBody
        What is being lowered.
    loop : ElementLoop
        The loop over elements.
    sinks : sequence of int
        The terms that the body will ask for.
    assigned_terms : iterable of int
        Terms to which the loop's `place` gives values.
    kind : AxisKind
        What to make of the loop where no other runs before it.

    Yields
    ------
    Value
        The counter.
    """
    b, start, stop = low.builder, loop.start, loop.stop
    written = [k for k in range(len(low.terms)) if low.get(k) is not None]
    written += [k for k in assigned_terms if k not in written]
    terms = low.needed(sinks, written)
    along = tuple(loop.axes)
    moving = {
        k: low.spans(k, along) or any(low.spans(j, along) for j in low.needed([k], written))
        for k in terms
    }
    runs = _runs(low, [k for k in terms if moving[k] and k not in written])
    if not runs:
        with b.loop(loop.prefix, start, stop, kind) as counter:
            yield counter
        return
    low.write(k for k in terms if not moving[k] and low.get(k) is None)
    lanes = _lanes(low, runs, loop.size)
    width = low.integer(lanes)
    rounded = b.call("add", b.call("subtract", stop, start), low.integer(lanes - 1))
    with b.loop("b", low.integer(0), b.call("divide", rounded, width)) as block:
        first = b.call("add", start, b.call("multiply", block, width))
        count = low.least(width, b.call("subtract", stop, first))
        buffers: dict[int, Pointer] = {}
        known = _Known(written, buffers)
        full_block, part = _Block(loop, first, width, True), _Block(loop, first, count, False)
        full = b.call("equal", count, width)
        for number, run in enumerate(runs):
            later = [k for r in runs[number + 1 :] for k in r.args] + list(sinks)
            states = [b.local("state", register_dtype(s.dtype), lanes) for s in run.loop.states]
            buffered = _buffered(low, run, known, later, lanes, moving)
            _, initial, _ = run.loop.split(run.args)
            stores = [*zip(initial, states, strict=True), *buffered.items()]
            with b.when(full):
                _fill(low, stores, known, full_block)
            with b.when(b.call("not", full)):
                _fill(low, stores, known, part)
                # Elements that are missing from the last block repeat its first one.
                with b.loop("l", count, width) as lane:
                    for _, pointer in stores:
                        b.store(pointer, _at(lane), b.load(pointer, Index()))
            buffers.update(buffered)
            _run(low, run, states, buffers, lanes)
            buffers.update((k, states[output]) for k, output in run.results.items())
        with b.loop("l", low.integer(0), count) as lane, low.scope():
            _recall(low, buffers, lane)
            yield b.call("add", first, lane)


def _runs(low: KernelBody, terms: Iterable[int]) -> list[_Run]:
    """Return the loops among terms, those that others need first."""
    runs: dict[tuple[Loop, tuple[int, ...]], _Run] = {}
    for k in terms:
        term = low.terms[k]
        loop = term.node.op.loop
        if loop is not None and not term.loaded:
            run = runs.setdefault((loop, term.args), _Run(loop, term.args, {}))
            run.results[k] = term.node.op.output
    return list(runs.values())


def _lanes(low: KernelBody, runs: Sequence[_Run], size: int) -> int:
    """Return the number of elements that go through the loops together: a power of two."""
    most = max(sum(register_dtype(s.dtype).itemsize for s in run.loop.states) for run in runs)
    longest = max(
        1, *(len(run.loop.steps) for run in runs)
    )  # an iteration may only exchange states
    lanes = max(
        shared_tuning.row().lanes_least,
        min(
            shared_tuning.row().lanes_most,
            shared_tuning.row().lane_bytes // most,
            shared_tuning.row().lane_operations // longest,
        ),
    )
    while lanes // 2 >= max(size, 1):
        lanes //= 2
    return 1 << (lanes.bit_length() - 1)


def _buffered(
    low: KernelBody,
    run: _Run,
    known: _Known,
    later: Sequence[int],
    lanes: int,
    moving: dict[int, bool],
) -> dict[int, Pointer]:
    """Return local memory for loop-carried values, and for expensive values that are reused."""
    b, buffers = low.builder, known.buffers
    _, initial, invariant = run.loop.split(run.args)
    terms = [k for k in invariant if k not in buffers and moving.get(k, False)]
    done = known.terms(low)
    here = set(low.needed([*terms, *initial], done))
    again = set(low.needed(later, [*done, *terms, *run.results]))
    terms += [
        k
        for k in sorted(here & again)
        if k not in terms
        and k not in buffers
        and moving.get(k, False)
        and low.terms[k].args
        and low.terms[k].node.op.cost >= shared_tuning.row().loop_keep_cost
    ]
    return {
        k: b.local("held", register_dtype(low.terms[k].dtype), lanes) for k in dict.fromkeys(terms)
    }


def _fill(
    low: KernelBody, stores: Sequence[tuple[int, Pointer]], known: _Known, block: _Block
) -> None:
    """Write the values of terms for the elements of a block into local memory."""
    b = low.builder
    kind = AxisKind.LANES if block.is_full else AxisKind.SERIAL
    with b.loop("l", low.integer(0), block.size, kind) as lane, low.scope():
        _recall(low, known.buffers, lane)
        with block.loop.place(b.call("add", block.first, lane)):
            needed = low.needed([k for k, _ in stores], known.terms(low))
            low.write(k for k in needed if low.get(k) is None)
            for k, pointer in stores:
                b.store(pointer, _at(lane), low.value(k))


def _recall(low: KernelBody, buffers: dict[int, Pointer], lane: Value) -> None:
    """Let terms have their values from local memory."""
    for k, pointer in buffers.items():
        if low.get(k) is None:
            low.put(k, low.builder.load(pointer, _at(lane)))


def _at(lane: Value) -> Index:
    return Index(0, ((1, lane),))


def _run(
    low: KernelBody, run: _Run, states: Sequence[Pointer], buffers: dict[int, Pointer], lanes: int
) -> None:
    """Write the iterations of a loop for a block."""
    b = low.builder
    loop = run.loop
    width = low.integer(lanes)
    count, _, invariant = loop.split(run.args)

    def value(k: int, lane: Value) -> Operand:
        return b.load(buffers[k], _at(lane)) if k in buffers else low.value(k)

    def present(lane: Value) -> Known:
        known: Known = {n: value(k, lane) for n, k in zip(loop.invariants, invariant, strict=True)}
        for node, state in zip(loop.states, states, strict=True):
            known[node] = b.load(state, _at(lane))
        return known

    if count is not None:
        with b.loop("t", ZERO, low.value(count)) as iteration:
            with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
                known = present(lane)
                if loop.index is not None:
                    known[loop.index] = iteration
                for new, state in zip(_iteration(low, known, loop.updates), states, strict=True):
                    b.store(state, _at(lane), new)
    else:
        assert loop.condition is not None
        more = b.declare("more", Literal(True, BOOL))
        with b.repeat(more):
            b.assign(more, Literal(False, BOOL))
            with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
                known = present(lane)
                (going,) = _iteration(low, known, (loop.condition,))
                news = _iteration(low, known, loop.updates, going)
                for node, new, state in zip(loop.states, news, states, strict=True):
                    b.store(state, _at(lane), b.call("select", going, new, known[node]))
                b.update(more, "or", more, going)
