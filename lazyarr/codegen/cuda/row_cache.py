"""The row cache: terms of a row stored between passes, in registers or shared memory.

Registers are best as long as all iterations of a pass are written out, for they have no numbers
that a loop could count. Where that would be too much code, shared memory takes their place, each
thread reading what it has written itself; and where a block cannot have as much, local memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.scalar import register_dtype
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value

__all__ = ["RowCache", "RowShape"]


@dataclass(frozen=True, slots=True)
class RowShape:
    """The shape of a row: each of `lanes` threads takes `iterations` vectors of `width` elements.

    A block works on so many `rows` at once.
    """

    iterations: int
    lanes: int
    width: int
    rows: int = 1

    @property
    def elements(self) -> int:
        """The number of elements of a row that are cached."""
        return self.iterations * self.lanes * self.width


class RowCache:
    """The cached terms of a row kernel, and the code that stores and loads them.

    Parameters
    ----------
    low : DeviceLowering
        What is being lowered.
    full : sequence of bool
        For each term, whether it changes along the row.
    sinks : sequence of list of int
        The terms that each pass consumes. Nothing is cached if there are none.
    shape : RowShape
        How a row is spread over threads.
    sharing : bool
        Whether rows may lie in shared memory.

    Attributes
    ----------
    terms : set of int
        The cached terms.
    shared_bytes : int
        Shared memory that a block needs for it.
    """

    def __init__(
        self,
        low: DeviceLowering,
        full: Sequence[bool],
        sinks: Sequence[list[int]],
        shape: RowShape,
        sharing: bool,
    ) -> None:
        self.low = low
        self.shape = shape
        self.shared_bytes = 0
        self._full = full
        self._sinks = sinks
        self._arrays: dict[int, Pointer] = {}
        self._offsets: dict[int, int] = {}
        self._start: Operand = low.integer(0)
        self.terms = self._choose_terms()
        if sharing and self.terms and shape.iterations > 1 and shape.lanes >= WARP:
            self._choose_place()

    def _choose_terms(self) -> set[int]:
        """Return the terms that a later pass needs again and that are loaded or costly."""
        low, full = self.low, self._full
        cost: list[int] = []
        for k, term in enumerate(low.terms):
            own = term.node.op.cost if term.args and full[k] else 0
            cost.append(own + sum(cost[a] for a in term.args if full[a]))
        chosen: set[int] = set()
        done: set[int] = set()
        for number, sinks in enumerate(self._sinks):
            stack = list(sinks)
            seen: set[int] = set()
            while stack:
                k = stack.pop()
                if k in seen or k in chosen or not full[k]:
                    continue
                seen.add(k)
                earlier = k in done and low.analysis.level[k] < number
                if earlier and (low.terms[k].loaded or cost[k] >= tuning.row().row_keep_cost):
                    chosen.add(k)
                    continue
                stack.extend(low.terms[k].args)
            done |= seen
        return chosen

    def _choose_place(self) -> None:
        """Choose shared memory if registers take too much code and there is room, and where."""
        dtypes = [register_dtype(term.dtype) for term in self.low.terms]
        numbers = range(len(self._sinks))
        if all(
            self._copies(number, tuning.row().row_register_cost) == self.shape.iterations
            for number in numbers
        ):
            return
        # Each thread meets its own elements alone, so a term may lie where one was that is not
        # read any more.
        places: list[tuple[int, int]] = []  # bytes of an element, the pass that reads it last
        slots: dict[int, int] = {}
        uses = {k: [number for number in numbers if k in self._needed(number)] for k in self.terms}
        for k in sorted(self.terms, key=lambda k: uses[k][0]):
            size = dtypes[k].itemsize
            free = [n for n, (nbytes, last) in enumerate(places) if nbytes == size]
            free = [n for n in free if places[n][1] <= uses[k][0]]
            slots[k] = free[0] if free else len(places)
            places[slots[k] : slots[k] + 1] = [(size, uses[k][-1])]
        elements = self.shape.elements * self.shape.rows
        starts = [0, *accumulate(elements * size for size, _ in places)]
        if starts[-1] <= tuning.row().row_block_bytes:
            self.shared_bytes = starts[-1]
            self._offsets = {k: starts[place] for k, place in slots.items()}

    @property
    def in_registers(self) -> bool:
        """Whether threads keep terms in registers."""
        return bool(self.terms) and not self.shared_bytes

    def before(self, number: int) -> set[int]:
        """Return the cached terms that earlier passes have written."""
        cached: set[int] = set()
        for earlier in range(min(number, len(self._sinks))):
            needed = self.low.needed(self._sinks[earlier], cached)
            cached |= {k for k in needed if k in self.terms}
        return cached

    def _needed(self, number: int) -> list[int]:
        """Return the terms that a pass writes or reads, those cached before it among them."""
        return self.low.needed(self._sinks[number], self.before(number))

    def _computed(self, number: int) -> list[int]:
        """Return the terms that an iteration of a pass computes."""
        before = self.before(number)
        return [k for k in self._needed(number) if self._full[k] and k not in before]

    def _copies(self, number: int, most: int) -> int:
        """Return the unroll factor of a pass whose code may have these costs."""
        iterations, width = self.shape.iterations, self.shape.width
        return self.low.code.written_out(self._computed(number), iterations, width, most)

    def choose_unroll(self, number: int) -> int:
        """Return the unroll factor of a pass."""
        if not self.terms:
            shape = self.shape
            return self.low.code.overlapping(
                self._computed(number), shape.iterations, shape.width, tuning.row().row_share
            )
        if not self.shared_bytes:
            # Where all is too much, the cache lies in local memory, next to which it is little.
            iterations = self.shape.iterations
            return (
                iterations
                if self._copies(number, 2 * tuning.row().written_cost) == iterations
                else 1
            )
        # Loads are under way all at once.
        copies = self._copies(number, tuning.row().row_written_cost)
        return copies if number == 0 else min(copies, tuning.row().row_later_iterations)

    # -- code --------------------------------------------------------------------------------

    def declare(self, row: Operand) -> None:
        """Write where the terms are cached; `row` is the number of a thread's row in its block."""
        if self.shared_bytes and isinstance(row, Value):
            self._start = self.low.times(row, self.shape.elements)
        size = self.shape.iterations * self.shape.width
        for k in sorted(self.terms):
            dtype = register_dtype(self.low.terms[k].dtype)
            place = self._offsets.get(k)
            self._arrays[k] = self.low.device.array("row", dtype, size, place is not None, place)

    def reader(
        self, terms: Sequence[int], iteration: Operand, position: Operand
    ) -> Callable[[int], list[tuple[int, Operand]]]:
        """Return a function that writes the loads of one neighbour's terms and returns the values.

        Vectors of shared memory are loaded now, from `position` of the row on. Registers are
        named where they are used: what is written in another order takes layer norm 4 % longer.

        Parameters
        ----------
        terms : sequence of int
            What is loaded.
        iteration : Operand
            The iteration.
        position : Operand
            Of the first neighbour in the row.
        """
        low, arrays = self.low, self._arrays
        if self.shared_bytes:
            width = self.shape.width
            place = low.plus(self._start, position)
            vectors = {k: low.neighbours(arrays[k], place, width) for k in terms}
            return lambda lane: [(k, vector[lane]) for k, vector in vectors.items()]
        load = low.builder.load
        return lambda lane: [(k, load(arrays[k], self._register(iteration, lane))) for k in terms]

    def write(self, lane: int, values: Mapping[int, Operand], iteration: Operand) -> None:
        """Write the stores of one neighbour's terms, if they go to registers.

        Parameters
        ----------
        lane : int
            Which neighbour.
        values : mapping of int to Operand
            The values by term.
        iteration : Operand
            The iteration.
        """
        if not self.shared_bytes:
            for k, value in values.items():
                self.low.builder.store(self._arrays[k], self._register(iteration, lane), value)

    def write_vectors(self, values: Mapping[int, Sequence[Operand]], position: Operand) -> None:
        """Write the stores of all neighbours' terms, if they go to shared memory.

        Parameters
        ----------
        values : mapping of int to sequence of Operand
            Those of all neighbours, by term.
        position : Operand
            Of the first neighbour in the row.
        """
        if self.shared_bytes:
            place = self.low.plus(self._start, position)
            for k, vector in values.items():
                self.low.store_neighbours(self._arrays[k], place, vector)

    def _register(self, iteration: Operand, lane: int) -> Index:
        if self.shape.iterations == 1:
            return Index(lane)
        assert isinstance(iteration, Value)
        return Index(lane, ((self.shape.width, iteration),))
