"""The scan of one piece of a row by the threads of a block."""

from __future__ import annotations

from collections.abc import Callable

from lazyarr.codegen.cuda.context import LateTerms, Neighbours
from lazyarr.codegen.cuda.scan_block import ScanBlock
from lazyarr.codegen.scans import epilogue_of
from lazyarr.loop_ir.kernel import Operand

__all__ = ["ScanPiece", "Take"]

Take = Callable[[dict[int, Operand]], dict[int, Operand]]


class ScanPiece:
    """The code of a piece: each thread keeps its elements until it has the preceding total.

    Parameters
    ----------
    block : ScanBlock
        The threads.
    start : Operand
        Where in the row the piece begins.
    """

    def __init__(self, block: ScanBlock, start: Operand) -> None:
        self._low = block.low
        self._block = block
        self._tiling = block.tiling
        self._start = start

    def write(self, take: Take | None) -> None:
        """Append the scan to the kernel.

        Parameters
        ----------
        take : callable, optional
            Returns the running values before the piece, given the totals of the piece.
        """
        block, tiling = self._block, self._tiling
        self._declare_arrays()
        self._load()
        # A warp with a row of its own meets no other: it scans one vector while others arrive.
        if tiling.warps > 1:
            block.states.steps(block.lane, tiling.lanes, self._step_vectors)
        totals = self._scan_across_lanes()
        fronts: dict[int, Operand] = {k: block.states.empty(k) for k in block.scans}
        if tiling.warps > 1:
            for k, (before, total) in block.across_warps(totals, block.shared).items():
                fronts[k], totals[k] = before, total
        is_ragged = block.length < block.line.size
        if take is not None:
            for k, carry in take(totals).items():
                fronts[k] = block.states.plus(k, carry, fronts[k])
                if is_ragged:
                    totals[k] = block.states.plus(k, carry, totals[k])
        self._store(fronts)
        if is_ragged:
            self._rest(totals)

    def _declare_arrays(self) -> None:
        """Declare a thread's registers: its elements, and the total of each of its vectors."""
        block, tiling, device = self._block, self._tiling, self._low.device
        self._elements = {
            k: device.array("row", block.dtype(k), tiling.iterations * tiling.width, False)
            for k in block.scans
        }
        self._lasts = {
            k: device.array("sum", block.states.components[k].dtype, tiling.iterations, False)
            for k in block.scans
        }

    def _each(self, body: Callable[[Operand], None], unrolled: bool = True) -> None:
        """Append a loop over a thread's vectors.

        Parameters
        ----------
        body : callable
            Appends the code of one iteration, whose number it is given.
        unrolled : bool, optional
            Whether all iterations are written out.
        """
        iterations, low = self._tiling.iterations, self._low
        zero = low.integer(0)
        if iterations == 1:
            body(zero)
            return
        unroll = 0 if unrolled else 1
        with low.device.count("t", zero, low.integer(iterations), unroll=unroll) as iteration:
            body(iteration)

    def _each_vector(self, body: Callable[[Operand, Operand], None], unrolled: bool = True) -> None:
        """Append a loop as :meth:`_each` does, whose body takes the vector's first element too."""
        low, block, tiling = self._low, self._block, self._tiling

        def place(iteration: Operand) -> Operand:
            vector = block.first
            if iteration != low.integer(0):
                vector = low.plus(block.first, low.times(iteration, tiling.lanes))
            return low.plus(self._start, low.times(vector, tiling.width))

        self._each(lambda iteration: body(iteration, place(iteration)), unrolled)

    def _load(self) -> None:
        """Append the loads of all vectors, and the total of each."""
        block, tiling, low = self._block, self._tiling, self._low
        unrolled = tiling.unrolled_loads
        if block.exact:
            self._each_vector(self._load_vector, unrolled)
        elif tiling.pieces == 1:
            self._each_vector(self._load_inside, unrolled)
        elif tiling.loads_once:
            # Code that NVRTC takes long for is there once.
            self._each_vector(self._load_or_repeat, unrolled)
        else:
            # Without a condition between them, the loads of all iterations overlap.
            end = low.plus(self._start, low.integer(tiling.piece))
            whole = low.builder.call("less_equal", end, block.size)
            with low.builder.when(whole):
                self._each_vector(self._load_vector, unrolled)
            with low.builder.when(low.builder.call("not", whole)):
                self._each_vector(self._load_inside, unrolled)

    def _load_vector(self, iteration: Operand, at: Operand, inside: Operand | None = None) -> None:
        """Append the loads of a vector.

        Parameters
        ----------
        iteration, at : Operand
            Its number in the thread, and its first element.
        inside : Operand, optional
            Whether it counts; default: it does.
        """
        block, tiling, low = self._block, self._tiling, self._low
        sums: dict[int, Operand] = {k: block.states.empty(k) for k in block.scans}

        def consume(lane: int, counter: Operand) -> None:
            for k in block.scans:
                value = low.value(low.terms[k].args[0])
                low.builder.store(self._elements[k], block.at(iteration, tiling.width, lane), value)
                sums[k] = block.states.step(k, sums[k], value)

        elements = Neighbours(block.line, [at], tiling.width)
        low.write_neighbours(elements, block.operands, [], consume)
        for k, total in sums.items():
            if inside is not None:
                total = low.builder.call("select", inside, total, block.states.empty(k))
            low.builder.store(self._lasts[k], block.at(iteration), total)

    def _load_inside(self, iteration: Operand, at: Operand) -> None:
        """Append the loads of a vector that may lie beyond the row, by a condition."""
        block, low = self._block, self._low
        for k in block.scans:
            low.builder.store(self._lasts[k], block.at(iteration), block.states.empty(k))
        with low.builder.when(low.below(at, block.size)):
            self._load_vector(iteration, at)

    def _load_or_repeat(self, iteration: Operand, at: Operand) -> None:
        """Append the loads of a vector; beyond the row the last one again, which does not count."""
        block, low = self._block, self._low
        last = low.device.arithmetic("-", block.size, low.integer(self._tiling.width))
        self._load_vector(iteration, low.least(at, last), low.below(at, block.size))

    def _step_vectors(self, distance: Operand, reached: Operand) -> None:
        """Append one step of the scan across lanes, for each of a thread's vectors.

        Parameters
        ----------
        distance, reached : Operand
            How many lanes away the other total is, and whether there is such a lane.
        """
        block, b = self._block, self._low.builder

        def step(iteration: Operand) -> None:
            for k in block.scans:
                own = b.load(self._lasts[k], block.at(iteration))
                upto = block.states.further(k, own, distance, reached, self._tiling.lanes)
                b.store(self._lasts[k], block.at(iteration), upto)

        self._each(step)

    def _scan_across_lanes(self) -> dict[int, Operand]:
        """Append the scan of vectors' totals in a warp; return the total of each scan.

        Afterwards a vector's entry is the running value before it.
        """
        block, tiling, b = self._block, self._tiling, self._low.builder
        bases = {k: b.declare("base", block.states.empty(k)) for k in block.scans}

        def across(iteration: Operand) -> None:
            for k, base in bases.items():
                upto = b.load(self._lasts[k], block.at(iteration))
                if tiling.warps == 1:
                    upto = block.states.unrolled_steps(k, upto, block.lane, tiling.lanes)
                before, total = block.states.around(k, upto, block.lane, tiling.lanes)
                before_all = b.snapshot(base)
                running = block.states.plus(k, before_all, before)
                b.store(self._lasts[k], block.at(iteration), running)
                b.assign(base, block.states.plus(k, before_all, total))

        self._each(across)
        return {k: b.snapshot(base) for k, base in bases.items()}

    def _store(self, fronts: dict[int, Operand]) -> None:
        """Append the running values of all elements, and the operations on them.

        Parameters
        ----------
        fronts : dict of int to Operand
            The running value of each scan before the warp's part of the piece.
        """
        block, tiling, low, b = self._block, self._tiling, self._low, self._low.builder
        epilogue = epilogue_of(low)

        def store(iteration: Operand, at: Operand) -> None:
            runs = {}
            for k in block.scans:
                before = b.load(self._lasts[k], block.at(iteration))
                runs[k] = b.declare("run", block.states.plus(k, fronts[k], before))

            def put_running(lane: int) -> None:
                for k, run in runs.items():
                    value = b.load(self._elements[k], block.at(iteration, tiling.width, lane))
                    b.assign(run, block.states.step(k, b.snapshot(run), value))
                    low.put(k, block.states.result(k, b.snapshot(run)))

            elements = Neighbours(block.line, [at], tiling.width)
            late = LateTerms(put_running, block.scans)
            low.write_neighbours(elements, epilogue, range(len(low.stores)), late=late)

        def store_inside(iteration: Operand, at: Operand) -> None:
            inside: Operand = low.below(at, block.size)
            if block.inside_rows is not None:
                inside = b.call("and", inside, block.inside_rows)
            with b.when(inside):
                store(iteration, at)

        self._each_vector(store if block.exact and block.inside_rows is None else store_inside)

    def _rest(self, totals: dict[int, Operand]) -> None:
        """Append the scan of the elements after the last whole vector, by one thread.

        Its running values go on from those at the end of the piece.
        """
        block, start = self._block, self._start
        low, b = self._low, self._low.builder
        end = low.number("end", block.line.size, "n")
        is_last = b.call("less_equal", block.size, low.plus(start, low.integer(self._tiling.piece)))
        first = b.call("equal", block.thread, low.integer(0))
        epilogue = epilogue_of(low)
        with b.when(b.call("and", is_last, first)):
            runs = {k: b.declare("run", total) for k, total in totals.items()}

            def consume(lane: int, counter: Operand) -> None:
                for k, run in runs.items():
                    value = low.value(low.terms[k].args[0])
                    b.assign(run, block.states.step(k, b.snapshot(run), value))
                    low.put(k, block.states.result(k, b.snapshot(run)))
                low.write(epilogue)

            with low.device.count("e", block.size, end, unroll=1) as at:
                element = Neighbours(block.line, [at], 1)
                low.write_neighbours(element, block.operands, range(len(low.stores)), consume)
