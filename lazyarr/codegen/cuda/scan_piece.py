"""The scan of one piece of a row by the threads of a block."""

from __future__ import annotations

from collections.abc import Callable

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.scan_block import ScanBlock
from lazyarr.codegen.scans import epilogue_of
from lazyarr.loop_ir.kernel import Operand

__all__ = ["ScanPiece", "Take"]

Take = Callable[[dict[int, Operand]], dict[int, Operand]]


class ScanPiece:
    """The code of a piece: each thread keeps its elements until it knows what lies before them.

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
        """Write the scan; `take` writes what lies before the piece, given what it adds up to."""
        block, tiling, start = self._block, self._tiling, self._start
        low, b, device = self._low, self._low.builder, self._low.device
        zero = low.integer(0)
        arrays = {
            k: device.array("row", block.dtype(k), tiling.iterations * tiling.width, False)
            for k in block.scans
        }
        lasts = {
            k: device.array("sum", block.states.components[k].dtype, tiling.iterations, False)
            for k in block.scans
        }

        share = tuning.row().scan_share / 2
        limit = 2 * tuning.row().written_cost
        copies = low.code.written_out(block.operands, tiling.iterations, tiling.width, limit)

        def each(body: Callable[[Operand], None], copies: int = tiling.iterations) -> None:
            """Write something for each of a thread's vectors, given its iteration."""
            if tiling.iterations == 1:
                body(zero)
                return
            unroll = 0 if copies == tiling.iterations else 1
            with device.count(
                "t", zero, low.integer(tiling.iterations), unroll=unroll
            ) as iteration:
                body(iteration)

        def place(iteration: Operand) -> Operand:
            vector = (
                low.plus(block.first, low.times(iteration, tiling.lanes))
                if iteration != zero
                else block.first
            )
            return low.plus(start, low.times(vector, tiling.width))

        def each_vector(
            body: Callable[[Operand, Operand], None], copies: int = tiling.iterations
        ) -> None:
            each(lambda iteration: body(iteration, place(iteration)), copies)

        def load(iteration: Operand, at: Operand, inside: Operand | None = None) -> None:
            sums: dict[int, Operand] = {k: block.states.empty(k) for k in block.scans}

            def consume(lane: int, counter: Operand) -> None:
                for k in block.scans:
                    value = low.value(low.terms[k].args[0])
                    b.store(arrays[k], block.at(iteration, tiling.width, lane), value)
                    sums[k] = block.states.step(k, sums[k], value)

            low.lanes(block.line, [at], tiling.width, block.operands, [], consume)
            for k, total in sums.items():
                if inside is not None:
                    total = b.call("select", inside, total, block.states.empty(k))
                b.store(lasts[k], block.at(iteration), total)

        def load_inside(iteration: Operand, at: Operand) -> None:
            for k in block.scans:
                b.store(lasts[k], block.at(iteration), block.states.empty(k))
            with b.when(low.below(at, block.size)):
                load(iteration, at)

        def load_or_last(iteration: Operand, at: Operand) -> None:
            # What lies beyond the row is its last vector once more, of which nothing is used.
            last = device.arithmetic("-", block.size, low.integer(tiling.width))
            load(iteration, low.least(at, last), low.below(at, block.size))

        if block.exact:
            each_vector(load, copies)
        elif tiling.pieces == 1:
            each_vector(load_inside, copies)
        elif (
            low.code.overlapping(block.operands, tiling.iterations, tiling.width, share)
            < tiling.iterations
        ):
            each_vector(load_or_last, copies)  # code that NVRTC takes long for is there once
        else:
            # Without a condition between them, the loads of all iterations overlap.
            whole = b.call("less_equal", low.plus(start, low.integer(tiling.piece)), block.size)
            with b.when(whole):
                each_vector(load, copies)
            with b.when(b.call("not", whole)):
                each_vector(load_inside, copies)

        def further(distance: Operand, reached: Operand) -> None:
            def step(iteration: Operand) -> None:
                for k in block.scans:
                    own = b.load(lasts[k], block.at(iteration))
                    upto = block.states.further(k, own, distance, reached, tiling.lanes)
                    b.store(lasts[k], block.at(iteration), upto)

            each(step)

        # A warp with a row of its own meets no other: it scans one vector while others arrive.
        alone = tiling.warps == 1
        if not alone:
            block.states.steps(block.lane, tiling.lanes, further)

        bases = {k: b.declare("base", block.states.empty(k)) for k in block.scans}

        def across(iteration: Operand) -> None:
            for k, base in bases.items():
                upto = b.load(lasts[k], block.at(iteration))
                if alone:
                    upto = block.states.unrolled_steps(k, upto, block.lane, tiling.lanes)
                before, total = block.states.around(k, upto, block.lane, tiling.lanes)
                before_all = b.snapshot(base)
                b.store(lasts[k], block.at(iteration), block.states.plus(k, before_all, before))
                b.assign(base, block.states.plus(k, before_all, total))

        each(across)
        fronts: dict[int, Operand] = {k: block.states.empty(k) for k in block.scans}
        totals: dict[int, Operand] = {k: b.snapshot(base) for k, base in bases.items()}
        if tiling.warps > 1:
            for k, (before, total) in block.across_warps(totals, block.shared).items():
                fronts[k], totals[k] = before, total
        ragged = block.length < block.line.size
        if take is not None:
            for k, carry in take(totals).items():
                fronts[k] = block.states.plus(k, carry, fronts[k])
                if ragged:
                    totals[k] = block.states.plus(k, carry, totals[k])

        epilogue = epilogue_of(low)

        def finished(iteration: Operand, at: Operand) -> None:
            runs = {}
            for k in block.scans:
                before = block.states.plus(k, fronts[k], b.load(lasts[k], block.at(iteration)))
                runs[k] = b.declare("run", before)

            def prepare(lane: int) -> None:
                for k, run in runs.items():
                    value = b.load(arrays[k], block.at(iteration, tiling.width, lane))
                    b.assign(run, block.states.step(k, b.snapshot(run), value))
                    low.put(k, block.states.result(k, b.snapshot(run)))

            low.lanes(
                block.line, [at], tiling.width, epilogue, range(len(low.stores)), None, prepare,
                block.scans,
            )  # fmt: skip

        def finished_inside(iteration: Operand, at: Operand) -> None:
            inside: Operand = low.below(at, block.size)
            if block.inside_rows is not None:
                inside = b.call("and", inside, block.inside_rows)
            with b.when(inside):
                finished(iteration, at)

        each_vector(finished if block.exact and block.inside_rows is None else finished_inside)
        if ragged:
            self._rest(totals)

    def _rest(self, totals: dict[int, Operand]) -> None:
        """Write that one thread scans what is behind the last whole vector.

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
                low.lanes(block.line, [at], 1, block.operands, range(len(low.stores)), consume)
