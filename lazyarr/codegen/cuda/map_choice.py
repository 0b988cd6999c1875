"""The ways to cut an elementwise kernel for GPUs, and which of them is predicted to be fastest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import prod

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering
from lazyarr.codegen.cuda.cost_model import predict
from lazyarr.codegen.cuda.map_work import Loads, ThreadWork, work_of_map
from lazyarr.codegen.cuda.register_tiles import RegisterTile
from lazyarr.codegen.cuda.staged_stores import find_staged_stores, staged_bytes
from lazyarr.codegen.cuda.tile_schedule import ThreadTile, TileSchedule
from lazyarr.codegen.device_tilings import GridTiling, RegisterTiling
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.core.frozen import dataclass, replace
from lazyarr.graph.node import Kind
from lazyarr.ops.gather import Gathered

__all__ = [
    "MapCandidate",
    "choose_grid",
    "choose_register_threads",
    "map_candidates",
]


@dataclass(frozen=True, eq=False, slots=True)
class MapCandidate:
    """A way to cut an elementwise kernel.

    Attributes
    ----------
    tiling : GridTiling or RegisterTiling
        How it is cut.
    seconds : float
        Predicted time of one run.
    tile : RegisterTile, optional
        What a thread does for its tile in registers.
    is_thin : bool, optional
        Whether the tile is all of a short loop, of few bytes.
    """

    tiling: GridTiling | RegisterTiling
    seconds: float
    tile: RegisterTile | None = None
    is_thin: bool = False

    @property
    def lines(self) -> int:
        """Lines by which a thread has fewer others beside it."""
        return 1 if self.tile is None or self.is_thin else self.tile.tiling.lines


def map_candidates(
    low: DeviceLowering, frame: Frame, chosen: Sequence[int], width: int
) -> list[MapCandidate]:
    """Return the ways to cut a kernel, those of the least predicted time first.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain.
    chosen : sequence of int
        The terms to write.
    width : int
        Neighbours that a thread may load and store at once.
    """
    grid = choose_grid([axis.size for axis in frame.axes], width)
    each = _with_more_under_way(low, frame, chosen, grid)
    if not frame.axes or not frame.size or not _fits(low, chosen):
        return [MapCandidate(each, 0.0)]
    inner = frame.axes[-1]
    single = TileSchedule(low.analysis, chosen, ThreadTile(inner))
    if not single.chunks:
        return [MapCandidate(each, 0.0)]
    loads = [
        replace(load, width=width if inner.stride(load.place.strides) else 1)
        for load in _loads_of(single)
    ]
    of_thread = ThreadWork(loads, 2 * width)
    work = work_of_map(low.analysis, chosen, frame, grid, of_thread)
    flat = None
    if width == 1 and len(frame.axes) > 1:
        # Imported here: most lines are whole vectors.
        from lazyarr.codegen.cuda.flat_vectors import choose_flat_vectors

        flat = choose_flat_vectors(low, frame, chosen)
    # The loads of the vectors that a thread takes are under way together, if they are few.
    together = max(1, each.each * each.lines // work.loads) if flat is None else flat.width
    work = replace(work, loads=work.loads / together)
    candidates = [MapCandidate(flat or each, predict(work))]
    contiguous = _contiguous_axes(low, frame, chosen)
    thin = [axis for axis in contiguous if axis.size <= tuning.row().tile_thin[0]]
    tiles = _register_tiles(low, frame, chosen, width, len(single.chunks), contiguous)
    for tile in (*tiles, *_interleaved_tiles(low, frame, chosen)):
        staged = tile.tiling.staged_bytes // tile.tiling.threads
        of_thread = ThreadWork(
            _loads_of(tile.schedule), tile.registers, _runs_of(low, frame, tile), staged
        )
        work = work_of_map(low.analysis, chosen, frame, tile.tiling, of_thread)
        across = None if tile.tiling.axis is None else frame.axes[tile.tiling.axis]
        is_thin = across in thin and across.size == tile.tiling.lines
        is_thin &= tile.tiling.lines * _widest(low) <= tuning.row().tile_thin[1]
        candidates.append(MapCandidate(tile.tiling, predict(work), tile, is_thin))
    candidates.sort(key=lambda candidate: candidate.seconds)
    # Of those that the model can hardly tell apart, the one with the most threads.
    least = candidates[0].seconds * tuning.row().close_times
    close = [candidate for candidate in candidates if candidate.seconds <= least]
    best = min(close, key=lambda c: (c.lines, c.seconds))
    return [best, *(candidate for candidate in candidates if candidate is not best)]


def _loads_of(schedule: TileSchedule) -> list[Loads]:
    """Return the loads of a thread's tile."""
    return [
        Loads(
            stream.place,
            stream.dtype.itemsize,
            stream.width,
            tuple(chunk.address for chunk in schedule.chunks if chunk.stream == number),
        )
        for number, stream in enumerate(schedule.streams)
    ]


def _runs_of(low: DeviceLowering, frame: Frame, tile: RegisterTile) -> list[Loads] | None:
    """Return the stores of a thread's tile whose elements lie apart; None if none do.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain.
    tile : RegisterTile
        The tile.
    """
    schedule, stores = tile.schedule, low.stores
    if not schedule.interleaved:
        return None
    staged = find_staged_stores(low, frame, tile.tiling, schedule)
    return [
        Loads(stores[p][1], low.terms[stores[p][0]].dtype.itemsize, len(run.elements), (0,))
        for (p, _), run in schedule.runs.items()
        if (stores[p][1].owner, stores[p][1].strides) not in staged
    ]


# -- one vector a thread --------------------------------------------------------------------------


def choose_grid(sizes: Sequence[int], width: int) -> GridTiling:
    """Return the tiling of loops over a domain, one vector a thread.

    A line that is long enough is worked by neighbouring threads of its own, so that what the place
    of a line costs is computed once for all elements that a thread computes.

    Parameters
    ----------
    sizes : sequence of int
        Of the loops, outermost first.
    width : int
        Neighbours that a thread may compute.

    Examples
    --------
    >>> print(choose_grid((1000, 4096), 4))
    vectors of 4, 1 line of 256 threads a block
    >>> print(choose_grid((1000, 177), 1))
    elements, 4 lines of 64 threads a block
    >>> print(choose_grid((1000, 20), 1))
    elements, 256 threads a block
    """
    row = tuning.row()
    if len(sizes) < 2 or sizes[-1] // width < row.long_line:
        return GridTiling(width, row.map_threads)
    vectors = -(-sizes[-1] // width)
    shapes = [row.map_across]
    while shapes[-1] < row.map_threads and shapes[-1] < vectors:
        shapes.append(2 * shapes[-1])
    shapes.reverse()
    few_idle = [n for n in shapes if _idle(vectors, n) <= row.tile_idle]
    across = few_idle[0] if few_idle else min(shapes, key=lambda n: _idle(vectors, n))
    return GridTiling(width, row.map_threads, across, row.map_threads // across)


def _idle(vectors: int, across: int) -> float:
    """Return the share of threads without work where so many are side by side along a line."""
    return 1 - vectors / (-(-vectors // across) * across)


def _with_more_under_way(
    low: DeviceLowering, frame: Frame, chosen: Sequence[int], tiling: GridTiling
) -> GridTiling:
    """Return the tiling whose threads take several vectors, if they are narrower than they may be.

    A multiprocessor holds so many threads, and of narrow loads they do not keep memory busy.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain.
    chosen : sequence of int
        The terms to write.
    tiling : GridTiling
        One vector a thread.
    """
    row = tuning.row()
    if not frame.axes or not frame.size:
        return tiling
    moving = [k for k in chosen if _is_read_along(low, k, frame.axes[-1])]
    if not moving:
        return tiling
    nbytes = tiling.width * max(low.terms[k].dtype.itemsize for k in moving)
    vectors = frame.axes[-1].size // tiling.width
    fewest = row.multiprocessors * row.resident_threads
    if not tiling.across and len(frame.axes) > 1:
        # Each vector's place costs divisions, which pays where threads come in several waves.
        fewest *= row.map_each
    most = min(row.map_each, max(1, row.vector_bytes // nbytes))
    each = low.code.overlapping(chosen, most, tiling.width)
    while each > 1:
        if frame.size >= each * tiling.width * fewest:
            if not tiling.across or _idle(vectors, tiling.across * each) <= row.tile_idle:
                return replace(tiling, each=each)
            if frame.size // frame.axes[-1].size >= each * tiling.high:
                return replace(tiling, lines=each)
        each //= 2
    return tiling


def _is_read_along(low: DeviceLowering, k: int, axis: LoopAxis) -> bool:
    """Whether a term is loaded, or gathered, from an array along an axis."""
    term = low.terms[k]
    if isinstance(term.node.attr, Gathered) and term.node.attr.places:
        return low.spans(k, axis.axes)
    place = low.accesses.get(k if term.base is None else term.base)
    return place is not None and axis.stride(place.strides) != 0


# -- tiles in registers ---------------------------------------------------------------------------


def choose_register_threads(vectors: int, groups: int) -> list[tuple[int, int]]:
    """Return numbers of a block's threads side by side along a line, and of lines of them.

    Both are 0 where threads are counted through all lines.

    Parameters
    ----------
    vectors : int
        Of a line.
    groups : int
        Of lines that one thread works.

    Examples
    --------
    >>> choose_register_threads(398, 10_000), choose_register_threads(5, 10)
    ([(64, 4), (32, 8)], [(0, 0)])
    """
    row = tuning.row()
    few_idle = [n for n in row.tile_across if _idle(vectors, n) <= row.tile_idle]
    shapes = [(n, row.map_threads // n) for n in few_idle]
    return shapes if groups > 1 and shapes else [(0, 0)]


def _fits(low: DeviceLowering, chosen: Sequence[int]) -> bool:
    """Whether a tile of registers can compute the terms: by loads and operations alone."""
    for k in chosen:
        term = low.terms[k]
        plain = term.loaded or term.node.op.kind in (
            Kind.CONSTANT,
            Kind.PARAMETER,
            Kind.ELEMENTWISE,
        )
        if not plain or term.base is not None or term.node.op.loop is not None:
            return False
    return True


def _far_apart(low: DeviceLowering, chosen: Sequence[int]) -> bool:
    """Whether elements that are read together are so far apart that the L2 cache loses them.

    Between the first and the last reading of an element, lines after lines, all of what lies
    between them is read.
    """
    ends: dict[object, tuple[int, int]] = {}
    for k in chosen:
        place = low.accesses.get(k)
        if place is not None:
            size = low.terms[k].dtype.itemsize
            first, last = ends.get(place.owner, (place.offset * size, place.offset * size))
            ends[place.owner] = min(first, place.offset * size), max(last, place.offset * size)
    return sum(last - first for first, last in ends.values()) > tuning.row().l2_reuse_bytes


def _contiguous_axes(low: DeviceLowering, frame: Frame, chosen: Sequence[int]) -> list[LoopAxis]:
    """Return the outer loops along which operands are contiguous that the lines step over.

    A thread that works all lines of a short one reads whole sectors of memory, which its
    neighbours continue; lines in blocks of their own would each read all of them. So does a thread
    that works some lines of a long one; where lines are long, too, tiles lie in shared memory.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain.
    chosen : sequence of int
        The terms to write.
    """
    inner = frame.axes[-1]
    places = [low.accesses[k] for k in chosen if k in low.accesses]
    apart = [p for p in places if abs(inner.stride(p.strides)) not in (0, p.unit)]
    return [
        axis
        for axis in frame.axes[:-1]
        if axis.size > 1 and any(abs(axis.stride(p.strides)) == p.unit for p in apart)
    ]


def _widest(low: DeviceLowering) -> int:
    return max(low.terms[k].dtype.itemsize for k, _ in low.stores)


def _stored_bytes(low: DeviceLowering, axes: Sequence[LoopAxis]) -> int:
    """Return the most bytes that the innermost loops store side by side.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    axes : sequence of LoopAxis
        The loops, the innermost last.
    """
    most = 0
    for k, place in low.stores:
        count = axes[-1].size
        for axis in reversed(axes[:-1]):
            if axis.stride(place.strides) != count * axes[-1].stride(place.strides):
                break
            count *= axis.size
        most = max(most, count * place.unit * low.terms[k].dtype.itemsize)
    return most


def _register_tiles(
    low: DeviceLowering,
    frame: Frame,
    chosen: Sequence[int],
    width: int,
    alone: int,
    contiguous: Sequence[LoopAxis],
) -> Iterator[RegisterTile]:
    """Yield the tiles that load far fewer elements than threads of one vector each.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain.
    chosen : sequence of int
        The terms to write.
    width : int
        Neighbours that a thread would load and store at once otherwise.
    alone : int
        Loads of an element alone.
    contiguous : sequence of LoopAxis
        Outer loops along which operands are contiguous.
    """
    row = tuning.row()
    inner, outer = frame.axes[-1], frame.axes[:-1]
    shifted = low.code.width(
        inner, chosen, range(len(low.stores)), ragged=low.code.may_overshoot(chosen), shifted=True
    )
    wide = max(shifted, width)
    whole_numbers = all(low.accesses[k].unit == 1 for k in chosen if k in low.accesses)
    if wide > 1 and not (whole_numbers and all(place.unit == 1 for _, place in low.stores)):
        return  # the parts of complex numbers come as vectors of their own
    vectors = -(-inner.size // wide)
    shapes: list[tuple[int, LoopAxis | None]] = [(1, None)]
    shapes += [(lines, axis) for lines in row.tile_lines for axis in outer if axis.size >= lines]
    shapes += [(axis.size, axis) for axis in contiguous if axis.size <= row.tile_thin[0]]
    for lines, axis in dict.fromkeys(shapes):
        groups = prod(-(-a.size // lines) if a is axis else a.size for a in outer)
        if lines > 1 and vectors * groups < row.tile_threads_least:
            continue
        # Threads of several lines that follow one another are side by side, too.
        below = frame.axes[outer.index(axis) + 1 :] if axis in contiguous else (inner,)
        if lines > 1 and _stored_bytes(low, below) < row.l2_line_bytes:
            continue  # a warp's threads would load from as many lines
        if lines > 1 and low.code.overlapping(chosen, lines, wide) < lines:
            continue
        schedule = TileSchedule(low.analysis, chosen, ThreadTile(inner, axis, lines, wide))
        loads = len(schedule.chunks) / (lines * wide)
        if loads > row.tile_gain * alone / width and axis not in contiguous:
            continue
        if schedule.statements > row.tile_statements:
            continue
        steps, registers = schedule.best()
        if registers > row.tile_registers:
            continue
        position = None if axis is None else outer.index(axis)
        far = _far_apart(low, chosen)
        for across, high in choose_register_threads(vectors, groups):
            strips = bool(across) and far
            loaded = len(schedule.chunks)
            tiling = RegisterTiling(
                position, lines, wide, across, high, loaded, row.map_threads, row.tile_reach, strips
            )
            yield RegisterTile(frame, tuple(chosen), tiling, schedule, tuple(steps), registers)


def _interleaved_tiles(
    low: DeviceLowering, frame: Frame, chosen: Sequence[int]
) -> Iterator[RegisterTile]:
    """Yield the tiles of a line whose operands or results lie between one another.

    So do the columns of a matrix with few of them: a thread takes the rows that are whole vectors.

    Parameters
    ----------
    low : DeviceLowering
        The group's.
    frame : Frame
        The loops over the domain.
    chosen : sequence of int
        The terms to write.
    """
    row, inner = tuning.row(), frame.axes[-1]
    places = [low.accesses[k] for k in chosen if k in low.accesses]
    places += [place for _, place in low.stores]
    patterns = Counter((place.owner, place.strides) for place in places)
    apart = [
        inner.stride(strides)
        for (_, strides), count in patterns.items()
        if count > 1 and 1 < inner.stride(strides) <= row.tile_apart
    ]
    if not apart or not low.code.vectors or any(place.unit != 1 for place in places):
        return
    groups = prod(axis.size for axis in frame.axes[:-1])
    lanes = 1
    while lanes <= min(row.vector_elements, inner.size):
        of_thread = ThreadTile(inner, width=lanes, interleaved=True)
        schedule = TileSchedule(low.analysis, chosen, of_thread)
        vectors = -(-inner.size // lanes)
        steps, registers = schedule.best()
        fits = schedule.statements <= row.tile_statements and registers <= row.tile_registers
        if fits and low.code.overlapping(chosen, lanes, 1) == lanes:
            for across, high in choose_register_threads(vectors, groups):
                loaded = len(schedule.chunks)
                tiling = RegisterTiling(
                    None,
                    1,
                    lanes,
                    across,
                    high,
                    loaded,
                    row.map_threads,
                    row.tile_reach,
                    interleaved=True,
                )
                staged = find_staged_stores(low, frame, tiling, schedule)
                nbytes = staged_bytes(staged, tiling.threads)
                tiling = replace(tiling, staged_bytes=nbytes)
                yield RegisterTile(frame, tuple(chosen), tiling, schedule, tuple(steps), registers)
        lanes *= 2
