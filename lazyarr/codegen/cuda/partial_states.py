"""Partial states of chunks of rows, and their combination by the last block.

Squared deviations are taken about a number of the chunk's, with the sum of the deviations beside
them, from which the squares about the mean follow: about its first element, in float64. What that
cancels of float64's digits lies far below those of float32. Where float64 is asked for, it is the
mean of the chunk's first part, an eighth or more, which is swept beforehand: squares about it are
at most nine times those about the mean, so that three bits may be cancelled. Chunks are combined
about the number of the first one, and of float64 then about the mean of all. The formulas are those
of Chan, Golub and LeVeque (Algorithms for computing the sample variance, The American Statistician
37, 1983).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from lazyarr.codegen.chunked_reduction import reductions_of
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.block_reduction import State, deviation_of, state_of
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.reducers import Component
from lazyarr.loop_ir.kernel import Operand, Pointer, Value

__all__ = ["Parts", "Take", "first_part", "inverse", "inverse_of_part", "iterations_of_pass"]

Take = Callable[[int, Operand], None]
FLOAT64 = np.dtype(np.float64)


class Parts:
    """Memory of the chunks' states: an array for each component, indexed by chunk, then result.

    Attributes
    ----------
    deviations, early : list of int
        The reductions' terms: those of deviations, and the others.
    passes : int
        How often the deviations of a chunk are swept.
    """

    def __init__(self, low: DeviceLowering, chunks: int, results: int) -> None:
        self.low = low
        reductions = reductions_of(low)
        self.deviations = [k for k in reductions if deviation_of(low, k)]
        self.passes = 2 if any(low.terms[k].dtype == FLOAT64 for k in self.deviations) else 1
        # A sum that only stands for the mean of deviations is not taken.
        used = {k for k, _ in low.stores}
        for k, term in enumerate(low.terms):
            used.update(term.args[:1] if k in self.deviations else term.args)
        self.early = [k for k in reductions if k not in self.deviations and k in used]
        self.components: dict[int, tuple[Component, ...]] = {}
        self.offsets: dict[tuple[int, int], int] = {}
        at = 0
        for k in self.reductions:
            self.components[k] = state_of(low, k, k in self.deviations)
            for n, component in enumerate(self.components[k]):
                self.offsets[k, n] = at
                at += -(-chunks * results * component.dtype.itemsize // 256) * 256
        #: Where the numbers lie about which the deviations of chunks were taken.
        self.centre_offsets: dict[int, int] = {}
        for k in self.deviations:
            self.centre_offsets[k] = at
            at += -(-chunks * results * FLOAT64.itemsize // 256) * 256
        self.nbytes = at

    @property
    def reductions(self) -> list[int]:
        """The terms of all."""
        return self.early + self.deviations

    def pointer(self, k: int, n: int) -> Pointer:
        """Return the parameter of one component of a reduction's states.

        Parameters
        ----------
        k : int
            The reduction.
        n : int
            Which component of its state.
        """
        return self.low.part(("part", k, n), self.components[k][n].dtype, self.offsets[k, n])

    def store(self, k: int, values: Sequence[Operand], *place: Operand) -> None:
        """Write the state of a chunk.

        Parameters
        ----------
        k : int
            The reduction.
        values : sequence of Operand
            The components of the state.
        *place : Operand
            Numbers whose sum is the index of the chunk.
        """
        for n, value in enumerate(values):
            self.low.builder.store(self.pointer(k, n), self.low.at(*place), value)

    def centre_pointer(self, k: int) -> Pointer:
        """Return the parameter of the numbers about which deviations were taken."""
        return self.low.part(("centre", k), FLOAT64, self.centre_offsets[k])

    def store_centre(self, k: int, centre: Operand, *place: Operand) -> None:
        """Write the number about which the deviations of a chunk were taken.

        Parameters
        ----------
        k : int
            The reduction.
        centre : Operand
            The number, a float64.
        *place : Operand
            Numbers whose sum is the index of the chunk.
        """
        self.low.builder.store(self.centre_pointer(k), self.low.at(*place), centre)

    def load_centre(self, k: int, *place: Operand) -> Value:
        """Write the load of that number."""
        return self.low.builder.load(self.centre_pointer(k), self.low.at(*place))

    def state(self, k: int) -> State:
        """Write the state of no elements."""
        return State(self.low, k, drifting=k in self.deviations)

    def load_moved(self, k: int, centre: Operand, count: Operand, *place: Operand) -> list[Operand]:
        """Write the load of a chunk's deviations, squared and not, about another number.

        Parameters
        ----------
        k : int
            The reduction.
        centre : Operand
            The number.
        count : Operand
            The elements of the chunk.
        place : Operand
            Where it is.
        """
        b = self.low.builder
        away = b.call("subtract", self.load_centre(k, *place), centre)
        squares, drift = self.load(k, *place)
        far = b.call("multiply", away, count)
        between = b.call("add", b.call("add", drift, drift), far)
        return [
            b.call("add", squares, b.call("multiply", away, between)),
            b.call("add", drift, far),
        ]

    def write_pass(
        self,
        states: Mapping[int, Sequence[State]],
        centres: Mapping[int, Sequence[Value]],
        inverse: Callable[[], Operand],
        work: Callable[[Operand | None], None],
    ) -> None:
        """Write the passes over elements, or over chunks, that reductions need.

        Parameters
        ----------
        states : mapping of int to sequence of State
            The states of reductions, of no elements.
        centres : mapping of int to sequence of Value
            For each state of deviations the variable that says about what they are taken. After the
            first of two passes it becomes the mean.
        inverse : callable
            Writes one by the number of elements of that pass.
        work : callable
            Writes a pass, after which all threads know the sum of deviations. It is given the
            number of the pass, 0 or 1, if there are two.
        """
        b, device, low = self.low.builder, self.low.device, self.low
        if self.passes == 1:
            work(None)
            return
        factor = inverse()
        with device.count("p", low.integer(0), low.integer(2), unroll=1) as number:
            for k, variables in centres.items():
                for centre, state in zip(variables, states[k], strict=True):
                    step = b.call("multiply", b.snapshot(state.values[1]), factor)
                    b.update(centre, "add", centre, step)
            for several in states.values():
                for state in several:
                    state.reset()
            work(number)

    def pivots(
        self, width: int, evaluate: Callable[[Sequence[int], Take], None] | None
    ) -> dict[int, list[Value]]:
        """Write variables of the first pivots of deviations, from the beginning of the chunk.

        Parameters
        ----------
        width : int
            How many neighbours a thread has.
        evaluate : callable, optional
            Writes some terms there, and hands the neighbours on as :meth:`DeviceLowering.lanes`
            does; None: there is nothing.
        """
        low, b = self.low, self.low.builder
        zero = b.literal(0, FLOAT64)
        centres: dict[int, list[Operand]] = {k: [zero] * width for k in self.deviations}

        def take(lane: int, counter: Operand) -> None:
            for k, lanes in centres.items():
                value = low.value(low.terms[k].args[0])
                lanes[lane] = b.call("convert", value, dtype=FLOAT64)

        if centres and evaluate is not None:
            evaluate(low.needed([low.terms[k].args[0] for k in centres]), take)
        return {k: [b.declare("centre", pivot) for pivot in lanes] for k, lanes in centres.items()}

    def combine(
        self,
        base: Sequence[Operand],
        length: int,
        each_chunk: Callable[[Callable[..., None]], None],
        elements: Callable[[Operand], Operand],
        meet: Callable[[dict[int, list[State]], Operand | None], None],
        width: int = 1,
    ) -> dict[int, list[State]]:
        """Write the combining of chunks, and return the states of all.

        Parameters
        ----------
        base : sequence of Operand
            Where the first chunk lies.
        length : int
            Elements of all chunks.
        each_chunk : callable
            Writes a loop over a thread's chunks, with the number and the place of each.
        elements : callable
            Writes the number of elements of a chunk.
        meet : callable
            Writes that all threads get the states of all, given the number of the pass.
        width : int, optional
            Results side by side that a thread combines.
        """
        b = self.low.builder
        low, lanes = self.low, range(width)
        states = {k: [self.state(k) for _ in lanes] for k in self.reductions}
        centres = {
            k: [b.declare("centre", self.load_centre(k, *base, low.integer(n))) for n in lanes]
            for k in self.deviations
        }

        def work(number: Operand | None) -> None:
            about = {k: [b.snapshot(centre) for centre in centres[k]] for k in centres}

            def take(chunk: Operand, *place: Operand) -> None:
                for k, several in states.items():
                    for n, state in enumerate(several):
                        at = (*place, low.integer(n))
                        if k in about:
                            other = self.load_moved(k, about[k][n], elements(chunk), *at)
                        else:
                            other = self.load(k, *at)
                        state.merge(other, behind=True)

            each_chunk(take)
            meet(states, number)

        self.write_pass(states, centres, partial(inverse, self.low, length), work)
        return states

    def each_of(
        self,
        lines: tuple[Operand, int],
        chunks: tuple[Operand, int],
        most: int,
        take: Callable[[Operand], None],
    ) -> None:
        """Write a loop over the chunks that are a line's of those that combine them.

        Parameters
        ----------
        lines : (Operand, int)
            Which line it is, of how many.
        chunks : (Operand, int)
            The parameter that says how many chunks there are, and what it says.
        most : int
            Chunks that a thread loads at once.
        take : callable
            Writes what is done with one.
        """
        low, device = self.low, self.low.device
        (line, count), (n_chunks, number) = lines, chunks
        # Copies take NVRTC time, and one or two iterations are over soon.
        copies = 1 if number <= 2 * count else most
        each = count * copies
        rounded = device.arithmetic("+", n_chunks, low.integer(each - 1))
        iterations = device.arithmetic("/", rounded, low.integer(each))
        with device.count("c", low.integer(0), iterations, unroll=1) as c:
            first = low.plus(low.times(c, each), line)
            with device.count("j", low.integer(0), low.integer(copies), unroll=0) as j:
                chunk = low.plus(first, low.times(j, count))
                with low.builder.when(low.below(chunk, n_chunks)):
                    take(chunk)

    def about_mean(self, state: Sequence[Operand], length: int) -> Operand:
        """Write the squared deviations of all elements from their mean.

        Parameters
        ----------
        state : sequence of Operand
            The squares about any number, and the sum of the deviations from it.
        length : int
            The number of elements.
        """
        b = self.low.builder
        squares, drift = state
        mean = b.call("multiply", drift, inverse(self.low, length))
        return b.call("subtract", squares, b.call("multiply", drift, mean))

    def load(self, k: int, *place: Operand) -> list[Operand]:
        """Write the loads of a chunk's state.

        Parameters
        ----------
        k : int
            The number of the reduction.
        *place : Operand
            The indices of the chunk.
        """
        return [
            self.low.builder.load(self.pointer(k, n), self.low.at(*place))
            for n in range(len(self.components[k]))
        ]


def inverse(low: DeviceLowering, length: int) -> Value:
    """Return the parameter that passes one by a number of elements.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    length : int
        The number.
    """
    return low.real(("inverse", length), 1.0 / max(1, length))


def iterations_of_pass(
    low: DeviceLowering, number: Operand | None, part: int, whole: Value
) -> Operand:
    """Write the number of iterations of a pass: the first one takes a part of them.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    number : Operand or None
        Of the pass, if there are two.
    part : int
        Iterations of the first one.
    whole : Value
        Iterations of a chunk.
    """
    b = low.builder
    if number is None:
        return whole
    first = b.call("equal", number, low.integer(0))
    return b.call("select", first, low.number("first iterations", part, "n"), whole)


def inverse_of_part(
    low: DeviceLowering, sizes: tuple[int, int, int], chunk: Operand, chunks: Operand
) -> Operand:
    """Write one by the number of elements of the first part of a chunk.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    sizes : (int, int, int)
        Elements of all, of a chunk that is no last one, and of the first part of that.
    chunk, chunks : Operand
        Which one it is, of how many.
    """
    b = low.builder
    length, whole, part = sizes
    rest = length % whole
    if not 0 < rest < part:
        return inverse(low, part)
    of_last = low.real("inverse of the last", 1.0 / rest)
    if length < whole:
        return of_last
    is_last = b.call("equal", low.plus(chunk, low.integer(1)), chunks)
    return b.call("select", is_last, of_last, inverse(low, part))


def chunks_at_once(parts: Parts) -> int:
    """Return the number of chunks that a thread loads together to combine them."""
    loads = sum(map(len, parts.components.values())) + len(parts.deviations)
    return max(1, tuning.row().states_at_once // (1 << (loads - 1).bit_length()))


def first_part(iterations: int) -> int:
    """Return the iterations of a chunk over which the centre of its deviations is taken."""
    return min(iterations, max(tuning.row().first_iterations, iterations // 8))
