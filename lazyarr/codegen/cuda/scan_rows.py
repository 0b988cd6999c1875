"""Scans along rows on GPUs: a row, or a piece of one, is loaded once and stays in registers.

Each thread takes vectors in turn, a warp a stretch of them, and what lies before a thread's
elements comes by shuffles, before a warp's through shared memory. A row that is longer than a
block can hold is taken in pieces: one after another by one block where there are rows enough, else
by as many blocks, in one pass over memory, as Merrill and Garland do (Single-pass Parallel Prefix
Scan with Decoupled Look-back, 2016). Theirs adds what happens to be known already, which differs
from run to run. Here each piece announces its own total, and takes in those of its group and the
total of the groups before, always in order: the result has the same bits in every run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.index_context import power_of_two
from lazyarr.codegen.cuda.scan_states import ScanStates
from lazyarr.codegen.loop_nest import Frame
from lazyarr.codegen.scalar import register_dtype
from lazyarr.codegen.tiling import ScanTiling
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Index, Literal, Operand, Pointer, Value
from lazyarr.loop_ir.threads import Await, Barrier, LastBlock, Publish, Ticket

__all__ = ["RowScan"]

DType = np.dtype[Any]
Take = Callable[[dict[int, Operand]], dict[int, Operand]]
BOOL = np.dtype(np.bool_)

#: Where the two counters of blocks lie; the flags follow.
TICKET, DONE, FLAGS = 0, 1, 2


class RowScan:
    """The code of a scan along rows.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    outer, line : Frame
        The loops over rows, and that along a row.
    """

    def __init__(self, low: DeviceLowering, outer: Frame, line: Frame) -> None:
        self.low = low
        self.outer, self.line = outer, line
        self.states = ScanStates(low)
        self.scans = self.states.scans
        self.wanted = low.needed(low.terms[k].args[0] for k in self.scans)
        stores = range(len(low.stores))
        self.width = low.code.width(line.axes[-1], self.wanted, stores, ragged=True)
        #: Elements in whole vectors; what is behind the last one is scanned at the end.
        self.length = line.size // self.width * self.width
        self.components = self.states.components
        self._choose_threads()
        self.chained = self.pieces > 1 and outer.size < tuning.row().scan_rows
        self._place_parts()

    def _choose_threads(self) -> None:
        """Choose how many threads work on a row, and how many vectors each takes."""
        vectors = -(-self.length // self.width)
        size = sum(self._dtype(k).itemsize for k in self.scans)
        kept, most_warps = tuning.row().scan_elements // len(self.scans), tuning.row().scan_warps
        if (
            self.outer.size < tuning.row().scan_rows
            and self.length > kept * WARP * tuning.row().scan_piece_warps
        ):
            kept, most_warps = tuning.row().scan_piece_bytes // size, tuning.row().scan_piece_warps
        # Each of a thread's elements has code of its own.
        most = self.low.code.overlapping(
            self.wanted, max(1, kept // self.width), self.width, tuning.row().scan_share
        )
        self.lanes = min(WARP, power_of_two(vectors))
        self.warps = min(most_warps, power_of_two(-(-vectors // (self.lanes * most))))
        self.turns = min(most, max(1, -(-vectors // (self.lanes * self.warps))))
        self.piece = self.lanes * self.warps * self.turns * self.width
        self.pieces = max(1, -(-self.length // self.piece))
        self.exact = self.length % self.piece == 0
        self.tiling = ScanTiling(self.lanes, self.warps, self.turns, self.width, self.pieces)
        self.per_row = self.lanes * self.warps
        self.threads = max(tuning.row().scan_row_threads, self.per_row)
        if self.pieces > 1:
            self.threads = self.per_row

    def _place_parts(self) -> None:
        """Find scratch memory for the totals of pieces, and of groups of pieces."""
        self.nbytes = 0
        self.members = self.threads * tuning.row().scan_span
        self.groups = -(-self.pieces // self.members)
        self.offsets: dict[tuple[str, int], int] = {}
        if not self.chained:
            return
        rows = self.outer.size
        for k, component in self.components.items():
            for name, count in (("total", rows * self.pieces), ("front", rows * self.groups)):
                self.offsets[name, k] = self.nbytes
                self.nbytes += -(-count * component.dtype.itemsize // 256) * 256

    def write(self) -> int:
        """Write the kernel and return its number of blocks."""
        low, device = self.low, self.low.device
        block = device.builtin("block")
        self.thread = device.builtin("thread")
        if not self.length:
            return 0
        self.size = low.number("length", self.length, "n")
        self.lane = device.arithmetic("%", self.thread, low.integer(self.lanes))
        own = self.thread
        row: Operand = block
        self.inside_rows: Value | None = None
        together = self.threads // self.per_row
        rows = self.outer.size
        if together > 1:
            per_row = low.integer(self.per_row)
            row = low.plus(low.times(block, together), device.arithmetic("/", own, per_row))
            own = device.arithmetic("%", own, per_row)
            # All threads take part in the shuffles: those without a row redo the last one.
            if rows % together:
                total = low.number("rows", rows, "n")
                self.inside_rows = low.below(row, total)
                row = low.least(row, device.arithmetic("-", total, low.integer(1)))
        #: The first vector of this thread in a piece.
        self.first: Operand = self.lane
        if self.warps > 1:
            stretch = device.arithmetic("/", own, low.integer(WARP))
            self.first = low.plus(low.times(stretch, self.turns * WARP), self.lane)
        self.shared = self._shared("warps")
        if self.chained:
            return self._chain()
        with low.inside(self.outer, low.decode(row, self.outer)):
            if self.pieces == 1:
                self._piece(low.integer(0), None)
            else:
                self._one_after_another()
        return -(-rows // together)

    # -- pieces ------------------------------------------------------------------------------------

    def _one_after_another(self) -> None:
        """Write the loop of a block over the pieces of its row."""
        low, b, device = self.low, self.low.builder, self.low.device
        carries = {k: b.declare("carry", self.states.empty(k)) for k in self.scans}

        def take(totals: dict[int, Operand]) -> dict[int, Operand]:
            found: dict[int, Operand] = {k: b.snapshot(carry) for k, carry in carries.items()}
            for k, carry in carries.items():
                b.assign(carry, self.states.plus(k, found[k], totals[k]))
            return found

        with device.count("p", low.integer(0), low.number("pieces", self.pieces, "n")) as p:
            self._piece(low.times(p, self.piece), take)
            device.emit(Barrier())  # shared memory is free again

    def _chain(self) -> int:
        """Write the work of a block on one piece, in the order in which blocks start."""
        low, device = self.low, self.low.device
        blocks = self.outer.size * self.pieces
        flags = blocks + self.outer.size * self.groups
        counters = low.counters(FLAGS + flags)
        n_blocks = low.number("blocks", blocks, "n")
        order = device.fresh("order", low.index_dtype)
        device.emit(Ticket(order, counters, low.integer(TICKET), n_blocks))
        row: Operand = low.integer(0)
        number: Operand = order
        if self.outer.axes:
            n_pieces = low.number("pieces", self.pieces, "n")
            row = device.arithmetic("/", order, n_pieces)
            number = device.arithmetic("%", order, n_pieces)
        chain = _Chain(self, counters, row, number)
        with low.inside(self.outer, low.decode(row, self.outer) if self.outer.axes else ()):
            self._piece(low.times(number, self.piece), chain.take)
        last = device.fresh("last", BOOL)
        device.emit(LastBlock(last, counters, low.integer(DONE), n_blocks))
        with low.builder.when(last):
            count = low.number("flags", flags, "n")
            turns = device.arithmetic(
                "/", low.plus(count, low.integer(self.threads - 1)), low.integer(self.threads)
            )
            with device.count("f", low.integer(0), turns, unroll=1) as f:
                flag = low.plus(low.times(f, self.threads), self.thread)
                with low.builder.when(low.below(flag, count)):
                    clear = low.builder.literal(0, counters.dtype)
                    low.builder.store(counters, Index(FLAGS, _term(flag)), clear)
        return blocks

    def _piece(self, start: Operand, take: Take | None) -> None:
        """Write the scan of one piece; `take` gives what lies before it for what it adds up to."""
        low, b, device = self.low, self.low.builder, self.low.device
        zero = low.integer(0)
        arrays = {
            k: device.array("row", self._dtype(k), self.turns * self.width, False)
            for k in self.scans
        }
        lasts = {
            k: device.array("sum", self.components[k].dtype, self.turns, False) for k in self.scans
        }

        copies = low.code.written_out(
            self.wanted, self.turns, self.width, 2 * tuning.row().written_cost
        )

        def each(body: Callable[[Operand], None], copies: int = self.turns) -> None:
            """Write something for each of a thread's vectors, given its turn."""
            if self.turns == 1:
                body(zero)
                return
            unroll = 0 if copies == self.turns else 1
            with device.count("t", zero, low.integer(self.turns), unroll=unroll) as turn:
                body(turn)

        def place(turn: Operand) -> Operand:
            vector = (
                low.plus(self.first, low.times(turn, self.lanes)) if turn != zero else self.first
            )
            return low.plus(start, low.times(vector, self.width))

        def turned(body: Callable[[Operand, Operand], None], copies: int = self.turns) -> None:
            each(lambda turn: body(turn, place(turn)), copies)

        def load(turn: Operand, at: Operand, inside: Operand | None = None) -> None:
            sums: dict[int, Operand] = {k: self.states.empty(k) for k in self.scans}

            def consume(lane: int, counter: Operand) -> None:
                for k in self.scans:
                    value = low.value(low.terms[k].args[0])
                    b.store(arrays[k], self._at(turn, self.width, lane), value)
                    sums[k] = self.states.step(k, sums[k], value)

            low.lanes(self.line, [at], self.width, self.wanted, [], consume)
            for k, total in sums.items():
                if inside is not None:
                    total = b.call("select", inside, total, self.states.empty(k))
                b.store(lasts[k], self._at(turn), total)

        def load_inside(turn: Operand, at: Operand) -> None:
            for k in self.scans:
                b.store(lasts[k], self._at(turn), self.states.empty(k))
            with b.when(low.below(at, self.size)):
                load(turn, at)

        def load_or_last(turn: Operand, at: Operand) -> None:
            # What lies beyond the row is its last vector once more, of which nothing is used.
            last = device.arithmetic("-", self.size, low.integer(self.width))
            load(turn, low.least(at, last), low.below(at, self.size))

        if self.exact:
            turned(load, copies)
        elif self.pieces == 1:
            turned(load_inside, copies)
        elif (
            low.code.overlapping(self.wanted, self.turns, self.width, tuning.row().scan_share / 2)
            < self.turns
        ):
            turned(load_or_last, copies)  # code that NVRTC takes long for is there once
        else:
            # Without a condition between them, the loads of all turns overlap.
            whole = b.call("less_equal", low.plus(start, low.integer(self.piece)), self.size)
            with b.when(whole):
                turned(load, copies)
            with b.when(b.call("not", whole)):
                turned(load_inside, copies)

        def further(distance: Operand, reached: Operand) -> None:
            def step(turn: Operand) -> None:
                for k in self.scans:
                    own = b.load(lasts[k], self._at(turn))
                    upto = self.states.further(k, own, distance, reached, self.lanes)
                    b.store(lasts[k], self._at(turn), upto)

            each(step)

        # A warp with a row of its own meets no other: it scans one vector while others arrive.
        alone = self.warps == 1
        if not alone:
            self.states.steps(self.lane, self.lanes, further)

        bases = {k: b.declare("base", self.states.empty(k)) for k in self.scans}

        def across(turn: Operand) -> None:
            for k, base in bases.items():
                upto = b.load(lasts[k], self._at(turn))
                if alone:
                    upto = self.states.unrolled_steps(k, upto, self.lane, self.lanes)
                before, total = self.states.around(k, upto, self.lane, self.lanes)
                held = b.snapshot(base)
                b.store(lasts[k], self._at(turn), self.states.plus(k, held, before))
                b.assign(base, self.states.plus(k, held, total))

        each(across)
        fronts: dict[int, Operand] = {k: self.states.empty(k) for k in self.scans}
        totals: dict[int, Operand] = {k: b.snapshot(base) for k, base in bases.items()}
        if self.warps > 1:
            for k, found in self._across_warps(totals, self.shared).items():
                fronts[k], totals[k] = found
        ragged = self.length < self.line.size
        if take is not None:
            for k, carry in take(totals).items():
                fronts[k] = self.states.plus(k, carry, fronts[k])
                if ragged:
                    totals[k] = self.states.plus(k, carry, totals[k])

        def finished(turn: Operand, at: Operand) -> None:
            runs = {}
            for k in self.scans:
                before = self.states.plus(k, fronts[k], b.load(lasts[k], self._at(turn)))
                runs[k] = b.declare("run", before)

            def prepare(lane: int) -> None:
                for k, run in runs.items():
                    value = b.load(arrays[k], self._at(turn, self.width, lane))
                    b.assign(run, self.states.step(k, b.snapshot(run), value))
                    low.put(k, self.states.result(k, b.snapshot(run)))

            low.lanes(self.line, [at], self.width, [], range(len(low.stores)), None, prepare)

        def finished_inside(turn: Operand, at: Operand) -> None:
            inside: Operand = low.below(at, self.size)
            if self.inside_rows is not None:
                inside = b.call("and", inside, self.inside_rows)
            with b.when(inside):
                finished(turn, at)

        turned(finished if self.exact and self.inside_rows is None else finished_inside)
        if ragged:
            self._rest(start, totals)

    def _rest(self, start: Operand, totals: dict[int, Operand]) -> None:
        """Write that one thread scans what is behind the last whole vector.

        Parameters
        ----------
        start : Operand
            Where the piece begins.
        totals : dict of int to Operand
            What all comes to up to the end of the piece.
        """
        low, b = self.low, self.low.builder
        end = low.number("end", self.line.size, "n")
        is_last = b.call("less_equal", self.size, low.plus(start, low.integer(self.piece)))
        first = b.call("equal", self.thread, low.integer(0))
        with b.when(b.call("and", is_last, first)):
            runs = {k: b.declare("run", total) for k, total in totals.items()}

            def consume(lane: int, counter: Operand) -> None:
                for k, run in runs.items():
                    value = low.value(low.terms[k].args[0])
                    b.assign(run, self.states.step(k, b.snapshot(run), value))
                    low.put(k, self.states.result(k, b.snapshot(run)))

            with low.device.count("e", self.size, end, unroll=1) as at:
                low.lanes(self.line, [at], 1, self.wanted, range(len(low.stores)), consume)

    # -- one thread after another ------------------------------------------------------------------

    def _across_warps(
        self, totals: dict[int, Operand], shared: dict[int, Pointer]
    ) -> dict[int, tuple[Operand, Operand]]:
        """Write what lies before the warp of a thread in its row, and what the row adds up to."""
        low, b, device = self.low, self.low.builder, self.low.device
        warp = device.arithmetic("/", self.thread, low.integer(WARP))
        with b.when(b.call("equal", self.lane, low.integer(0))):
            for k, total in totals.items():
                b.store(shared[k], low.at(warp), total)
        device.emit(Barrier())
        place = device.arithmetic("%", self.thread, low.integer(self.warps))
        mine: Operand = warp
        first: Operand = low.integer(0)
        if self.threads > self.per_row:
            mine = device.arithmetic("%", warp, low.integer(self.warps))
            first = device.arithmetic("-", warp, mine)
        held = {k: b.load(pointer, low.at(first, place)) for k, pointer in shared.items()}
        result: dict[int, tuple[Operand, Operand]] = {}
        for k, upto in self.states.upto(held, place, self.warps).items():
            before = device.shuffle(
                upto, device.arithmetic("-", mine, low.integer(1)), "lane", self.warps
            )
            started = b.call("less", low.integer(0), mine)
            total = device.shuffle(upto, low.integer(self.warps - 1), "lane", self.warps)
            result[k] = b.call("select", started, before, self.states.empty(k)), total
        return result

    # -- values ------------------------------------------------------------------------------------

    def _dtype(self, k: int) -> DType:
        return register_dtype(self.low.terms[k].source_dtype)

    def _shared(self, name: str) -> dict[int, Pointer]:
        if self.warps == 1:
            return {}
        return {
            k: self.low.device.array(name, c.dtype, self.threads // WARP, True)
            for k, c in self.components.items()
        }

    def _at(self, turn: Operand, factor: int = 1, constant: int = 0) -> Index:
        if isinstance(turn, Literal):
            return Index(constant)
        return Index(constant, ((factor, turn),))


class _Chain:
    """The pieces before one: what each adds up to, and what whole groups of them do.

    Parameters
    ----------
    scan : RowScan
        Whose pieces.
    counters : Pointer
        Where their flags are.
    row, number : Operand
        Which piece of which row.
    """

    def __init__(self, scan: RowScan, counters: Pointer, row: Operand, number: Operand) -> None:
        self.scan, self.counters = scan, counters
        low, device = scan.low, scan.low.device
        self.number = number
        self.member = device.arithmetic("%", number, low.integer(scan.members))
        #: Positions of this piece among all, of its group's first one, and of its group.
        self.place: Operand = number
        self.group: Operand = device.arithmetic("/", number, low.integer(scan.members))
        if scan.outer.axes:
            n_pieces = low.number("pieces", scan.pieces, "n")
            self.place = low.plus(device.arithmetic("*", row, n_pieces), number)
            n_groups = low.number("groups", scan.groups, "n")
            self.group = low.plus(device.arithmetic("*", row, n_groups), self.group)
        self.base = device.arithmetic("-", self.place, self.member)
        self.group_flags = low.number("group flags", FLAGS + scan.outer.size * scan.pieces, "n")
        self.parts = {
            (name, k): low.part((name, k), scan.components[k].dtype, offset)
            for (name, k), offset in scan.offsets.items()
        }
        self.shared = scan._shared("parts")

    def take(self, totals: dict[int, Operand]) -> dict[int, Operand]:
        """Announce what a piece adds up to, and write what lies before it."""
        scan, low, b, device = self.scan, self.scan.low, self.scan.low.builder, self.scan.low.device
        zero, one = low.integer(0), low.integer(1)
        thread = scan.thread
        leader = b.call("equal", thread, zero)
        with b.when(leader):
            self._announce("total", self.place, Index(FLAGS, _term(self.place)), totals)
        # The first piece waits for nothing and finds that nothing lies before it.
        parts = {k: b.declare("part", scan.states.empty(k)) for k in scan.scans}
        grouped = device.arithmetic("/", self.number, low.integer(scan.members))
        with b.when(b.call("and", leader, b.call("less", zero, grouped))):
            self._await(parts, "front", self.group, low.at(self.group_flags, self.group))
        first = low.times(thread, tuning.row().scan_span)
        for step in range(tuning.row().scan_span):
            mine = low.plus(first, low.integer(step))
            with b.when(b.call("less", mine, self.member)):
                piece = low.plus(self.base, mine)
                self._await(parts, "total", piece, Index(FLAGS, _term(piece)))
        device.emit(Barrier())  # else compilers write each shuffle for lanes that came apart, too
        lane = device.arithmetic("%", thread, low.integer(WARP))
        result: dict[int, Operand] = {}
        held = {k: b.snapshot(part) for k, part in parts.items()}
        for k, upto in scan.states.upto(held, lane, WARP).items():
            result[k] = device.shuffle(upto, low.integer(WARP - 1), "lane", WARP)
        if scan.warps > 1:
            found = scan._across_warps(result, self.shared)
            result = {k: total for k, (_, total) in found.items()}
        if scan.groups > 1:
            closing = b.call("equal", self.member, low.integer(scan.members - 1))
            with b.when(b.call("and", leader, closing)):
                behind = {k: scan.states.plus(k, result[k], totals[k]) for k in scan.scans}
                following = low.plus(self.group, one)
                self._announce("front", following, low.at(self.group_flags, following), behind)
        return result

    def _announce(
        self, name: str, place: Operand, flag: Index, values: Mapping[int, Operand]
    ) -> None:
        """Write values for other blocks, then the flag that says so."""
        for k, value in values.items():
            self.scan.low.builder.store(self.parts[name, k], self.scan.low.at(place), value)
        self.scan.low.device.emit(Publish(self.counters, flag))

    def _await(self, parts: dict[int, Value], name: str, place: Operand, flag: Index) -> None:
        """Wait for a flag, then take in the values that it stands for."""
        b = self.scan.low.builder
        self.scan.low.device.emit(Await(self.counters, flag))
        for k, part in parts.items():
            value = b.load(self.parts[name, k], self.scan.low.at(place))
            b.assign(part, self.scan.states.plus(k, b.snapshot(part), value))


def _term(place: Operand) -> tuple[tuple[int, Value], ...]:
    assert isinstance(place, Value)
    return ((1, place),)
