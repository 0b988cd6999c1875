"""Lowering of elementwise kernels whose innermost loops are short: several become one loop.

A row of two or three elements fills no vector, and a function of the mathematics library takes as
long for it as for a whole one. So neighbouring loops are joined to one long loop. Operands that lie
there as one line are read as they are. Those that lack some of the axes (broadcasts), or step
otherwise, are copied to a tile first, where they lie as the result does; copies cost a load and a
store, and those that no other tile changes are made once a call.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod

from lazyarr.codegen.context import Lowering
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.function_lanes import lanes_of_functions, write_blocks
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Lowered
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.processor_tilings import JoinTiling, MapTiling
from lazyarr.core.frozen import dataclass, replace
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.kernel import Index, Literal, Operand, Pointer, Value
from lazyarr.loop_ir.primitives import register_dtype
from lazyarr.schedule.index_terms import position_of

__all__ = ["copies_ns", "is_line", "joined_tilings", "lower_joined", "steps_of"]


@dataclass(frozen=True, eq=False, slots=True)
class JoinedLoops:
    """The innermost loops of an elementwise kernel, joined to one.

    Attributes
    ----------
    outer : Frame
        The loops around.
    parts : Frame
        The loops that are joined.
    loop : LoopAxis
        What they become.
    moves : dict of int to frozenset of int
        For each term, the domain axes along which its value changes.
    copied : tuple of int
        The terms that are copied to a tile.
    """

    outer: Frame
    parts: Frame
    loop: LoopAxis
    moves: dict[int, frozenset[int]]
    copied: tuple[int, ...]

    @classmethod
    def of(cls, group: GroupTerms, count: int) -> JoinedLoops | None:
        """Return the joined loops of a group; None if a value of it needs separate loops.

        Parameters
        ----------
        group : GroupTerms
            What is computed.
        count : int
            Loops to join.
        """
        frame = group.frame(range(len(group.domain)))
        parts = frame.axes[-count:]
        if any(not is_line(place.strides, parts) for _, place in group.stores):
            return None
        terms = group.needed([k for k, _ in group.stores])
        looked_up = {k for k in terms if _is_gather(group, k)}
        if any(_has_own_loop(group, k) for k in terms) or (
            looked_up and not _has_functions(group)  # a copy takes what joined loops gain
        ):
            return None
        loop = LoopAxis(prod(part.size for part in parts), sum([part.axes for part in parts], ()))
        moves: dict[int, frozenset[int]] = {}
        apart = set(looked_up)
        for k in terms:
            steps = steps_of(group, k)
            if not is_line(steps, parts) and any(steps[axis] for axis in loop.axes):
                apart.add(k)
            own = {
                axis
                for axis, step in enumerate(steps)
                if (step or k in looked_up) and group.domain[axis] > 1
            }
            moves[k] = frozenset(own).union(*(moves[a] for a in group.terms[k].args))
        if parts[-1].size <= tuning.row().repeated_stores and all(
            moves[k].isdisjoint(parts[-1].axes) for k, _ in group.stores
        ):
            return None  # a vector of rows is computed, and interleaved with itself
        whole = {axis for axis in loop.axes if group.domain[axis] > 1}
        copied = _choose_copied(group, terms, apart, moves, frozenset(whole), looked_up)
        return cls(Frame(frame.axes[:-count]), Frame(parts), loop, moves, copied)

    @property
    def row(self) -> int:
        """Elements of one iteration of the outermost of the joined loops."""
        return prod(part.size for part in self.parts.axes[1:])

    def is_repeated(self, k: int, written_out: int) -> bool:
        """Whether a copied term is the same along the innermost loop, which is not written out.

        Parameters
        ----------
        k : int
            The term.
        written_out : int
            Most elements of a loop that is.
        """
        last = self.parts.axes[-1]
        return last.size > written_out and self.moves[k].isdisjoint(last.axes)

    def is_kept(self, k: int, tiling: MapTiling) -> bool:
        """Whether a copied term has the same values in all tiles.

        Parameters
        ----------
        k : int
            The term.
        tiling : MapTiling
            How the joined loop is cut.
        """
        around = [axis for loop in self.outer.axes for axis in loop.axes]
        if tiling.blocks > 1:
            around += self.parts.axes[0].axes
        return self.moves[k].isdisjoint(around)


def is_line(strides: Sequence[int], parts: Sequence[LoopAxis]) -> bool:
    """Whether an access moves along some loops as along one.

    Parameters
    ----------
    strides : sequence of int
        Of the access, one a domain axis.
    parts : sequence of LoopAxis
        The loops, outermost first.
    """
    steps = [part.stride(strides) for part in parts]
    return all(
        step == inner * part.size
        for step, inner, part in zip(steps, steps[1:], parts[1:], strict=False)
    )


def _has_own_loop(group: GroupTerms, k: int) -> bool:
    term = group.terms[k]
    return not term.loaded and term.node.op.loop is not None


def _is_gather(group: GroupTerms, k: int) -> bool:
    """Whether a term looks up where it is read, which may be anywhere."""
    term = group.terms[k]
    return not term.loaded and term.node.op.kind is Kind.GATHER


def steps_of(group: GroupTerms, k: int) -> Sequence[int]:
    """Return the steps of a term itself along the axes of the domain; 0: it does not move.

    Parameters
    ----------
    group : GroupTerms
        Of the term.
    k : int
        The term.
    """
    if k in group.accesses:
        return group.accesses[k].strides
    if group.terms[k].node.op.kind is Kind.GENERATE:
        return position_of(group.terms[k], group.domain)[1]
    return (0,) * len(group.domain)


def _choose_copied(
    group: GroupTerms,
    terms: Sequence[int],
    apart: set[int],
    moves: dict[int, frozenset[int]],
    whole: frozenset[int],
    looked_up: set[int],
) -> tuple[int, ...]:
    """Return the terms to copy: of fewer axes if they took a function, and all that lie apart.

    Of what is looked up the element is copied, and not its place.
    """
    special = tuning.row().special_cost
    expensive: dict[int, bool] = {}
    for k in terms:
        term = group.terms[k]
        own = not term.loaded and bool(term.args) and term.node.op.cost >= special
        expensive[k] = own or any(expensive[a] for a in term.args)
    stored = {k for k, _ in group.stores}
    users: dict[int, list[int]] = {k: [] for k in terms}
    for k in terms:
        for a in group.terms[k].args:
            users[a].append(k)

    def is_part(k: int) -> bool:
        along = moves[k] & whole
        return bool(along) and along != whole

    copied = {
        k
        for k in terms
        if is_part(k)
        and expensive[k]
        and (k in stored or any(not (is_part(user) and expensive[user]) for user in users[k]))
    }
    reached = group.needed(sorted(stored), copied | looked_up)
    return tuple(k for k in reached if k in copied or k in apart)


def joined_tilings(group: GroupTerms) -> Iterator[MapTiling]:
    """Yield the tilings of an elementwise group by which its innermost loops are joined.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    for join in _joins(group):
        if join is not None and (tiling := _cut(join, group.grain())) is not None:
            yield tiling


def copies_ns(group: GroupTerms) -> tuple[float, ...]:
    """Return the predicted time of copies, in ns an element, by the number of joined loops.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    """
    times = [0.0, 0.0]
    for join in _joins(group):
        tiling = _cut(join, group.grain()) if join is not None else None
        times.append(_copies_ns(group, join, tiling) if join is not None and tiling else 0.0)
    return tuple(times)


def _joins(group: GroupTerms) -> Iterator[JoinedLoops | None]:
    """Yield the innermost loops joined, two of them first, then more; None where they cannot be."""
    row = tuning.row()
    axes = group.frame(range(len(group.domain))).axes
    # Plans that serve many lengths have no tiles of a constant size, and their code should be that
    # of other plans of the form: rows that are longer than those written out have to gain much.
    if any(type(axis.size) is not int for axis in axes):
        return
    if axes[-1].size > (row.joined_loop if _has_functions(group) else row.written_out_loop):
        return
    for count in range(2, len(axes) + 1):
        if prod(axis.size for axis in axes[1 - count :]) > row.tile_elements:
            return
        yield JoinedLoops.of(group, count)


def _has_functions(group: GroupTerms) -> bool:
    """Whether some value is a function of the mathematics library, which takes a whole vector."""
    special = tuning.row().special_cost
    return any(not term.loaded and term.node.op.cost >= special for term in group.terms)


def _copies_ns(group: GroupTerms, join: JoinedLoops, tiling: MapTiling) -> float:
    row, last = tuning.row(), join.parts.axes[-1]
    total = 0.0
    for k in (k for k in join.copied if not join.is_kept(k, tiling)):
        total += (apart := _strided_ns(group, join, k))
        if join.is_repeated(k, row.written_out_copy):
            total += row.repeated_row_ns / last.size
            continue
        is_whole = join.moves[k] >= {axis for axis in join.loop.axes if group.domain[axis] > 1}
        of_window = row.window_copy_ns * group.terms[k].dtype.itemsize
        total += of_window if is_whole and not apart else row.copy_ns
        if last.size > row.written_out_copy:
            total += row.loop_ns / last.size
    return total


def _strided_ns(group: GroupTerms, join: JoinedLoops, k: int) -> float:
    """Return the time, in ns an element, that is lost where neighbours of an operand lie apart."""
    place = group.accesses.get(k)
    if place is None:
        return 0.0
    repeated = 1
    for part in reversed(join.parts.axes):
        step = part.stride(place.strides)
        if step:
            return 0.0 if step == place.unit else tuning.row().strided_ns / repeated
        repeated *= part.size
    return 0.0


def _cut(join: JoinedLoops, grain: int) -> MapTiling | None:
    """Return the tiling of joined loops; None if its tiles would be too small or too large.

    No tile is smaller than a block of lanes.
    """
    row = tuning.row()
    size = join.loop.size
    most, least = row.tile_elements // join.row, row.least_lane_bytes
    for rows in range(most, most // 2, -1):
        block = min(rows * join.row, size)
        if block > least and (size % block == 0 or size % block >= least):
            cut = JoinTiling(
                len(join.parts.axes),
                join.copied,
                row.tile_elements,
                row.written_out_copy,
                row.least_lane_bytes,
            )
            return MapTiling(size, block, max(1, grain // block), joined=cut)
    return None


def lower_joined(low: Lowering, comments: Sequence[str], tiling: MapTiling) -> Lowered:
    """Return the kernel; a work item is a tile of the joined loop.

    Parameters
    ----------
    low : Lowering
        The kernel, of which nothing is written yet.
    comments : sequence of str
        Lines for the reader above it.
    tiling : MapTiling
        How it is cut.
    """
    cut = tiling.joined
    join = JoinedLoops.of(low.analysis, cut.loops) if cut is not None else None
    if cut is None or join is None:
        raise ContractError(f"{low.name} has no loops to join")
    tile = _Tile(low, join, tiling, cut)
    b = low.builder
    size = low.number(("size", join.loop.axes), join.loop.size, "n")
    tile.copy([k for k in cut.copied if join.is_kept(k, tiling)], None)
    with b.loop("w", low.begin, low.end, AxisKind.PARALLEL) as w:
        line: Operand = w
        start: Operand = low.integer(0)
        stop: Operand = size
        block: Operand | None = None
        if tiling.blocks > 1:
            blocks = low.number("blocks", tiling.blocks, "n")
            step = low.number("step", tiling.block, "n")
            line = b.call("divide", w, blocks)
            block = b.call("remainder", w, blocks)
            start = b.call("multiply", block, step)
            stop = low.least(b.call("add", start, step), size)
        with low.inside(join.outer, low.decode(line, join.outer)):
            tile.copy([k for k in cut.copied if not join.is_kept(k, tiling)], block)
            tile.write(start, stop)
    count = join.outer.size * tiling.blocks
    launch = replace(low.launch(count, tiling.chunk, comments), tiling=tiling)
    return Lowered(low.group, (launch,), 0, 0)


class _Tile:
    """The code of one tile: copies of operands, and the loop over its elements.

    Parameters
    ----------
    low : Lowering
        The kernel.
    join : JoinedLoops
        The loops.
    tiling : MapTiling
        How they are cut.
    cut : JoinTiling
        Its copies.
    """

    def __init__(
        self, low: Lowering, join: JoinedLoops, tiling: MapTiling, cut: JoinTiling
    ) -> None:
        self.low = low
        self.join = join
        self.tiling = tiling
        self.cut = cut
        dtypes = {k: register_dtype(low.terms[k].dtype) for k in self.cut.copied}
        self.lanes = {k: self.cut.lanes(dtype.itemsize) for k, dtype in dtypes.items()}
        self.areas: dict[int, Pointer] = {
            k: low.builder.local("tile", dtype, self.cut.capacity + self.lanes[k])
            for k, dtype in dtypes.items()
        }

    def copy(self, terms: Sequence[int], block: Operand | None) -> None:
        """Write the copies of terms to the tile.

        Parameters
        ----------
        terms : sequence of int
            The terms.
        block : Operand, optional
            The number of the tile; default: the first one.
        """
        low, b = self.low, self.low.builder
        first = self.join.parts.axes[0]
        rows = self.tiling.block // self.join.row
        begin: Operand = low.integer(0)
        end: Operand = low.number("rows", rows, "n")
        if terms and block is not None:
            begin = b.call("multiply", block, end)
            all_rows = low.number(("size", first.axes), first.size, "n")
            end = low.least(b.call("add", begin, end), all_rows)
        for k in terms:
            with b.loop("r", begin, end) as r, low.inside(Frame((first,)), (r,)):
                line = r if block is None else b.call("subtract", r, begin)
                self._copy_row(k, 1, [(self._length(1), line)])

    def _copy_row(self, k: int, level: int, at: list[tuple[Operand, Operand]]) -> None:
        """Write the remaining loops of the joined ones, and the copy of an element."""
        low, b = self.low, self.low.builder
        parts = self.join.parts.axes
        around = [axis for part in parts[level:] for axis in part.axes]
        needed = low.needed([k])
        low.write(j for j in needed if self.join.moves[j].isdisjoint(around))
        if level == len(parts):
            b.store(self.areas[k], _index(at), low.value(k))
            return
        part = parts[level]
        if level == len(parts) - 1 and self.join.is_repeated(k, self.cut.written_out):
            self._repeat(k, at)
            return
        stop = self._length(level, level + 1)
        with b.loop("j", low.integer(0), stop) as j, low.inside(Frame((part,)), (j,)):
            self._copy_row(k, level + 1, [*at, (self._length(level + 1), j)])

    def _repeat(self, k: int, at: list[tuple[Operand, Operand]]) -> None:
        """Write an element as often as the innermost loop is long.

        Whole vectors are stored. What is too much of them, the next copy overwrites.
        """
        low, b = self.low, self.low.builder
        lanes = self.lanes[k]
        width = low.integer(lanes)
        vectors = -(-self.join.parts.axes[-1].size // lanes)
        with b.loop("c", low.integer(0), low.number(("vectors", lanes), vectors, "n")) as c:
            with b.loop("l", low.integer(0), width, AxisKind.LANES) as lane:
                place = [*at, (width, c), (low.integer(1), lane)]
                b.store(self.areas[k], _index(place), low.value(k))

    def _length(self, begin: int, end: int | None = None) -> Operand:
        """Return the elements of some of the joined loops, a literal if they are few."""
        parts = self.join.parts.axes[begin:end]
        size = prod(part.size for part in parts)
        if all(part.size <= self.cut.written_out for part in parts):
            return self.low.integer(size)
        axes = tuple(axis for part in parts for axis in part.axes)
        return self.low.number(("size", axes), size, "n")

    def write(self, start: Operand, stop: Operand) -> None:
        """Write the loop over the elements of the tile.

        Parameters
        ----------
        start, stop : Operand
            Its first element, and the one behind its last, counted along the joined loop.
        """
        low, b = self.low, self.low.builder
        frame = Frame((self.join.loop,))
        computed = low.needed([k for k, _ in low.stores], self.cut.copied)
        fixed = [k for k in computed if self.join.moves[k].isdisjoint(self.join.loop.axes)]
        low.write(fixed)
        moving = [k for k in computed if low.get(k) is None and k not in self.areas]

        @contextmanager
        def place(i: Operand) -> Iterator[None]:
            with low.inside(frame, (i,)):
                at = i if self.tiling.blocks == 1 else b.call("subtract", i, start)
                for k, area in self.areas.items():
                    low.put(k, b.load(area, _index([(low.integer(1), at)])))
                yield

        lanes = lanes_of_functions(low, self.tiling.block, moving)
        if lanes:
            write_blocks(low, lanes, (start, stop), place, moving)
            return
        with b.loop("i", start, stop) as i, place(i):
            low.write(moving)
            for k, output in low.stores:
                low.store(k, output)


def _index(at: Sequence[tuple[Operand, Operand]]) -> Index:
    """Return the index of factors and counters."""
    terms: list[tuple[int | Value, Value]] = []
    constant = 0
    for factor, counter in at:
        step = int(factor.value) if isinstance(factor, Literal) else factor
        if isinstance(counter, Literal):
            if not isinstance(step, int):
                raise ContractError("an element of a tile needs a constant offset in its row")
            constant += step * int(counter.value)
            continue
        terms.append((step, counter))
    return Index(constant, tuple(terms))
