"""The running values of scans on GPUs: one after another, and those of neighbouring threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.reducers import (
    Component,
    components_of,
    finish,
    merge_states,
    reducer_of,
    step_state,
)
from lazyarr.codegen.scans import scans_of
from lazyarr.loop_ir.kernel import Literal, Operand, Value
from lazyarr.loop_ir.reducer import as_dtype

__all__ = ["ScanStates"]


class ScanStates:
    """Writes the running values of a group's scans: one, or the two parts of complex numbers.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.

    Attributes
    ----------
    scans : list of int
        The terms.
    components : dict of int to Component
        The number that each keeps.
    """

    def __init__(self, low: DeviceLowering) -> None:
        self.low = low
        self.scans = scans_of(low)
        self.components: dict[int, Component] = {
            k: components_of(low.terms[k])[0] for k in self.scans
        }

    # -- one after another -------------------------------------------------------------------------

    def empty(self, k: int) -> Literal:
        """Return the running value before the first element."""
        component = self.components[k]
        return self.low.builder.literal(component.initial, component.dtype)

    def step(self, k: int, state: Operand, value: Operand) -> Operand:
        """Write a running value followed by an element.

        Parameters
        ----------
        k : int
            The scan.
        state : Operand
            The running value.
        value : Operand
            The element.
        """
        b, reducer = self.low.builder, reducer_of(self.low.terms[k])
        if reducer.is_fold:
            return self.plus(k, state, value)
        (new,) = step_state(b, self.low.terms[k], [state], value, value)
        return new

    def plus(self, k: int, state: Operand, later: Operand) -> Operand:
        """Write a running value followed by that of later elements.

        Parameters
        ----------
        k : int
            The scan.
        state, later : Operand
            The two running values.
        """
        b = self.low.builder
        same = as_dtype(b, later, self.components[k].dtype)
        if state == self.empty(k):
            return same
        (new,) = merge_states(b, self.low.terms[k], [state], [same])
        return new

    def result(self, k: int, state: Operand) -> Operand:
        """Write the element of the result that a running value amounts to.

        Parameters
        ----------
        k : int
            The scan.
        state : Operand
            The running value.
        """
        b, term = self.low.builder, self.low.terms[k]
        return finish(b, term, reducer_of(term).finish(b, [state]))

    # -- one thread after another ------------------------------------------------------------------

    def around(self, k: int, upto: Operand, lane: Operand, lanes: int) -> tuple[Operand, Operand]:
        """Write the sum of a thread's neighbours before it, and that of all of them.

        Parameters
        ----------
        k : int
            The scan.
        upto : Operand
            What neighbours up to the thread and with it add up to.
        lane : Operand
            The number of the thread among its neighbours.
        lanes : int
            How many there are: a power of two, 32 at most.
        """
        low, b, device = self.low, self.low.builder, self.low.device
        if lanes == 1:
            return self.empty(k), upto
        assert isinstance(upto, Value)
        before = device.shuffle(upto, low.integer(1), "up", lanes)
        started = b.call("less", low.integer(0), lane)
        total = device.shuffle(upto, low.integer(lanes - 1), "lane", lanes)
        return b.call("select", started, before, self.empty(k)), total

    def upto(self, states: Mapping[int, Operand], lane: Operand, lanes: int) -> dict[int, Value]:
        """Write the sum of neighbours up to a thread, its own value included.

        Parameters
        ----------
        states : mapping of int to Operand
            What each thread has.
        lane : Operand
            The number of the thread among its neighbours.
        lanes : int
            How many there are: a power of two, 32 at most.
        """
        b = self.low.builder
        variables = {k: b.declare("upto", own) for k, own in states.items()}

        def further(distance: Operand, reached: Operand) -> None:
            for k, upto in variables.items():
                own = b.snapshot(upto)
                b.assign(upto, self.further(k, own, distance, reached, lanes))

        self.steps(lane, lanes, further)
        return {k: b.snapshot(upto) for k, upto in variables.items()}

    def steps(self, lane: Operand, lanes: int, further: Callable[[Operand, Operand], None]) -> None:
        """Write the steps of an inclusive scan over lanes.

        They are a loop: written out, those of all of a thread's vectors are most of the kernel's
        code. `further` writes one step: from lanes how far away, and whether there is such a lane.

        Parameters
        ----------
        lane : Operand
            The number of the thread among its neighbours.
        lanes : int
            How many there are: a power of two, 32 at most.
        further : callable
            Writes one step, given the distance to the other lane and whether there is one.
        """
        low, b, device = self.low, self.low.builder, self.low.device
        if lanes == 1:
            return
        steps = low.integer(lanes.bit_length() - 1)
        with device.count("s", low.integer(0), steps, unroll=1) as step:
            distance = device.arithmetic("<<", low.integer(1), step)
            further(distance, b.call("greater_equal", lane, distance))

    def unrolled_steps(self, k: int, own: Value, lane: Operand, lanes: int) -> Value:
        """Write the sum of neighbours up to a thread, its own value included, step by step.

        Parameters
        ----------
        k : int
            The scan.
        own : Value
            What the thread has.
        lane : Operand
            The number of the thread among its neighbours.
        lanes : int
            How many there are: a power of two, 32 at most.
        """
        low, b = self.low, self.low.builder
        for step in range(lanes.bit_length() - 1):
            distance = low.integer(1 << step)
            reached = b.call("greater_equal", lane, distance)
            own = self.further(k, own, distance, reached, lanes)
        return own

    def further(self, k: int, own: Value, distance: Operand, reached: Operand, lanes: int) -> Value:
        """Write the state of a lane after a step: its own behind that of another lane.

        Parameters
        ----------
        k : int
            The scan.
        own : Value
            The state of the lane.
        distance : Operand
            To the other lane, below it.
        reached : Operand
            Whether there is such a lane.
        lanes : int
            How many there are: a power of two, 32 at most.
        """
        other = self.low.device.shuffle(own, distance, "up", lanes)
        return self.low.builder.call("select", reached, self.plus(k, other, own), own)
