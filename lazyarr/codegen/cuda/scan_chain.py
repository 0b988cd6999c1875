"""Scans whose rows many blocks share: each piece goes on from those before it.

A piece announces its own total, and takes in those of its group and the total of the groups before,
always in order.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from lazyarr.codegen.cuda.scan_block import ScanBlock
from lazyarr.codegen.cuda.scan_piece import ScanPiece
from lazyarr.codegen.cuda.scan_states import ScanStates
from lazyarr.codegen.device_tilings import ScanTiling
from lazyarr.codegen.loop_nest import Frame
from lazyarr.loop_ir.cuda_kernel import WARP
from lazyarr.loop_ir.kernel import Index, Operand, Pointer, Value
from lazyarr.loop_ir.threads import Await, Barrier, LastBlock, Publish, Ticket

__all__ = ["ChainParts", "write_chain"]

BOOL = np.dtype(np.bool_)

#: Where the two counters of blocks lie; the flags follow.
TICKET, DONE, FLAGS = 0, 1, 2


class ChainParts:
    """Scratch memory for the totals of pieces, and of groups of pieces.

    Parameters
    ----------
    states : ScanStates
        The running values.
    tiling : ScanTiling
        How rows are cut.
    rows : int
        How many there are.

    Attributes
    ----------
    members, groups : int
        Pieces of a group, and groups of a row.
    offsets : dict of (str, int) to int
        Where the totals of pieces and of groups lie, by scan, in bytes.
    nbytes : int
        Of all of it; 0 where no blocks share a row.
    """

    def __init__(self, states: ScanStates, tiling: ScanTiling, rows: int) -> None:
        self.nbytes = 0
        self.members = tiling.threads * tiling.span
        self.groups = -(-tiling.pieces // self.members)
        self.offsets: dict[tuple[str, int], int] = {}
        if not tiling.chained:
            return
        for k, component in states.components.items():
            for name, count in (("total", rows * tiling.pieces), ("front", rows * self.groups)):
                self.offsets[name, k] = self.nbytes
                self.nbytes += -(-count * component.dtype.itemsize // 256) * 256


def write_chain(block: ScanBlock, parts: ChainParts, outer: Frame) -> int:
    """Write the work of a block on one piece, and return the number of blocks.

    Parameters
    ----------
    block : ScanBlock
        The threads.
    parts : ChainParts
        Where totals lie.
    outer : Frame
        The loops over rows.
    """
    low, device = block.low, block.low.device
    blocks = outer.size * block.tiling.pieces
    flags = blocks + outer.size * parts.groups
    counters = low.counters(FLAGS + flags)
    n_blocks = low.number("blocks", blocks, "n")
    order = device.fresh("order", low.index_dtype)
    device.emit(Ticket(order, counters, low.integer(TICKET), n_blocks))
    row: Operand = low.integer(0)
    number: Operand = order
    if outer.axes:
        n_pieces = low.number("pieces", block.tiling.pieces, "n")
        row = device.arithmetic("/", order, n_pieces)
        number = device.arithmetic("%", order, n_pieces)
    chain = _Chain(block, parts, outer, counters, row, number)
    with low.inside(outer, low.decode(row, outer) if outer.axes else ()):
        ScanPiece(block, low.times(number, block.tiling.piece)).write(chain.take)
    last = device.fresh("last", BOOL)
    device.emit(LastBlock(last, counters, low.integer(DONE), n_blocks))
    with low.builder.when(last):
        count = low.number("flags", flags, "n")
        iterations = device.arithmetic(
            "/",
            low.plus(count, low.integer(block.tiling.threads - 1)),
            low.integer(block.tiling.threads),
        )
        with device.count("f", low.integer(0), iterations, unroll=1) as f:
            flag = low.plus(low.times(f, block.tiling.threads), block.thread)
            with low.builder.when(low.below(flag, count)):
                clear = low.builder.literal(0, counters.dtype)
                low.builder.store(counters, Index(FLAGS, _term(flag)), clear)
    return blocks


class _Chain:
    """The pieces before one: the totals of each, and of whole groups of them.

    Parameters
    ----------
    block : ScanBlock
        The threads.
    parts : ChainParts
        Where totals lie.
    outer : Frame
        The loops over rows.
    counters : Pointer
        Where the flags of pieces are.
    row, number : Operand
        Which piece of which row.
    """

    def __init__(
        self,
        block: ScanBlock,
        parts: ChainParts,
        outer: Frame,
        counters: Pointer,
        row: Operand,
        number: Operand,
    ) -> None:
        self.block, self.totals, self.counters = block, parts, counters
        low, device = block.low, block.low.device
        self.number = number
        self.member = device.arithmetic("%", number, low.integer(self.totals.members))
        #: Positions of this piece among all, of its group's first one, and of its group.
        self.place: Operand = number
        self.group: Operand = device.arithmetic("/", number, low.integer(self.totals.members))
        if outer.axes:
            n_pieces = low.number("pieces", block.tiling.pieces, "n")
            self.place = low.plus(device.arithmetic("*", row, n_pieces), number)
            n_groups = low.number("groups", self.totals.groups, "n")
            self.group = low.plus(device.arithmetic("*", row, n_groups), self.group)
        self.base = device.arithmetic("-", self.place, self.member)
        self.group_flags = low.number("group flags", FLAGS + outer.size * block.tiling.pieces, "n")
        self.parts = {
            (name, k): low.part((name, k), block.states.components[k].dtype, offset)
            for (name, k), offset in parts.offsets.items()
        }
        self.shared = self.block.array_of_warps("parts")

    def take(self, totals: dict[int, Operand]) -> dict[int, Operand]:
        """Announce the sum of a piece, and write the sum of those before it."""
        block, low, b = self.block, self.block.low, self.block.low.builder
        device = low.device
        zero, one = low.integer(0), low.integer(1)
        thread = block.thread
        leader = b.call("equal", thread, zero)
        with b.when(leader):
            self._announce("total", self.place, Index(FLAGS, _term(self.place)), totals)
        # The first piece waits for nothing and finds that nothing lies before it.
        parts = {k: b.declare("part", block.states.empty(k)) for k in block.scans}
        grouped = device.arithmetic("/", self.number, low.integer(self.totals.members))
        with b.when(b.call("and", leader, b.call("less", zero, grouped))):
            self._await(parts, "front", self.group, low.at(self.group_flags, self.group))
        first = low.times(thread, block.tiling.span)
        for step in range(block.tiling.span):
            mine = low.plus(first, low.integer(step))
            with b.when(b.call("less", mine, self.member)):
                piece = low.plus(self.base, mine)
                self._await(parts, "total", piece, Index(FLAGS, _term(piece)))
        device.emit(Barrier())  # else compilers write each shuffle for lanes that came apart, too
        lane = device.arithmetic("%", thread, low.integer(WARP))
        result: dict[int, Operand] = {}
        values = {k: b.snapshot(part) for k, part in parts.items()}
        for k, upto in block.states.upto(values, lane, WARP).items():
            result[k] = device.shuffle(upto, low.integer(WARP - 1), "lane", WARP)
        if block.tiling.warps > 1:
            sums = block.across_warps(result, self.shared)
            result = {k: total for k, (_, total) in sums.items()}
        if self.totals.groups > 1:
            closing = b.call("equal", self.member, low.integer(self.totals.members - 1))
            with b.when(b.call("and", leader, closing)):
                behind = {k: block.states.plus(k, result[k], totals[k]) for k in block.scans}
                following = low.plus(self.group, one)
                self._announce("front", following, low.at(self.group_flags, following), behind)
        return result

    def _announce(
        self, name: str, place: Operand, flag: Index, values: Mapping[int, Operand]
    ) -> None:
        """Write values for other blocks, then the flag that says so."""
        for k, value in values.items():
            self.block.low.builder.store(self.parts[name, k], self.block.low.at(place), value)
        self.block.low.device.emit(Publish(self.counters, flag))

    def _await(self, parts: dict[int, Value], name: str, place: Operand, flag: Index) -> None:
        """Wait for a flag, then take in the values that it stands for."""
        b = self.block.low.builder
        self.block.low.device.emit(Await(self.counters, flag))
        for k, part in parts.items():
            value = b.load(self.parts[name, k], self.block.low.at(place))
            b.assign(part, self.block.states.plus(k, b.snapshot(part), value))


def _term(place: Operand) -> tuple[tuple[int, Value], ...]:
    assert isinstance(place, Value)
    return ((1, place),)
