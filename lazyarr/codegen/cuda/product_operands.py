"""Operands of small matrix products in the shared memory of a GPU's block, computed on the way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.cuda.context import DeviceLowering, Neighbours
from lazyarr.codegen.cuda.index_context import power_of_two
from lazyarr.codegen.loop_nest import Frame, LoopAxis
from lazyarr.codegen.small_product_tiling import SmallProductTiling
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.kernel import Operand, Pointer, Value

__all__ = ["BlockOfProducts", "Side"]


@dataclass(frozen=True, eq=False, slots=True)
class Side:
    """An operand of a product, and how it comes to shared memory.

    Attributes
    ----------
    value : int
        The term.
    terms : list of int
        All that are computed for it, operands first.
    outer, inner : int
        The axes of the domain of the lines that are loaded, and of the elements of one.
    width : int
        Elements that are loaded at once.
    is_stacked : bool
        Whether the products of a stack have operands of their own.
    pitches : (int, int)
        Elements of shared memory from one step along the outer axis to the next, and along the
        inner one.
    """

    value: int
    terms: list[int]
    outer: int
    inner: int
    width: int
    is_stacked: bool
    pitches: tuple[int, int]


class BlockOfProducts:
    """The products of a block, and the code that brings their operands.

    Parameters
    ----------
    low : DeviceLowering
        Where to write.
    tiling : SmallProductTiling
        How the products are cut.
    axes : (sequence of int, int)
        The axes of the domain of the stack, and that of rows; those of terms and columns follow.
    products : int
        How many there are in all.
    thread : Value
        The number of the thread.
    first, first_row : Operand
        The first product of the block, and its first row.
    """

    def __init__(
        self,
        low: DeviceLowering,
        tiling: SmallProductTiling,
        axes: tuple[Sequence[int], int],
        products: int,
        thread: Value,
        first: Operand,
        first_row: Operand,
    ) -> None:
        self._low = low
        self._tiling = tiling
        self._stack, self._row = axes
        self._products = products
        self._thread = thread
        self._first, self._first_row = first, first_row

    # -- choosing ----------------------------------------------------------------------------

    def side(self, value: int, is_right: bool) -> Side:
        """Return an operand with the loads that bring it to shared memory.

        Parameters
        ----------
        value : int
            The term.
        is_right : bool
            Whether it is the right one.
        """
        low = self._low
        terms = low.needed([value])
        outer = self._row + is_right
        inner = outer + 1
        pitch = self._tiling.right_pitch if is_right else self._tiling.left_pitch
        pitches = pitch, 1
        width = self._width_along(inner, terms)
        if width == 1 and self._are_closer(outer, inner, terms):
            outer, inner, pitches = inner, outer, (1, pitch)
            width = self._width_along(inner, terms)
        is_stacked = any(low.spans(k, self._stack) for k in terms)
        return Side(value, terms, outer, inner, width, is_stacked, pitches)

    def _width_along(self, axis: int, terms: Sequence[int]) -> int:
        """Return the elements along an axis that may be loaded at once."""
        along = LoopAxis(self._low.domain[axis], (axis,))
        most = tuning.row().vector_bytes // self._tiling.itemsize
        return self._low.code.width(along, terms, (), most=most)

    def _are_closer(self, axis: int, other: int, terms: Sequence[int]) -> bool:
        """Whether loaded elements lie side by side along an axis rather than along another."""
        accesses = self._low.accesses
        places = [accesses[k].strides for k in terms if k in accesses]
        closer = [abs(p[axis]) < abs(p[other]) for p in places if p[axis] and p[other]]
        return bool(closer) and all(closer)

    # -- writing -----------------------------------------------------------------------------

    def stage(self, side: Side, shared: Pointer) -> None:
        """Write the loads, the prologue and the stores of an operand to shared memory.

        Threads beyond the last element bring it once more, so that nothing is asked for each.

        Parameters
        ----------
        side : Side
            The operand.
        shared : Pointer
            Its memory.
        """
        low, device, threads = self._low, self._low.device, self._tiling.threads
        size = self._extent(side.inner)
        vectors = -(-size // side.width)
        lanes = min(vectors, threads)
        lines = threads // lanes
        lane = device.arithmetic("%", self._thread, low.integer(lanes))
        line = device.arithmetic("/", self._thread, low.integer(lanes))
        iterations = -(-self._lines(side) // lines)
        most = power_of_two(min(tuning.row().block_loads, iterations) + 1) // 2
        together = low.code.overlapping(side.terms, most, side.width)
        last = self._last_line(side, lines * lanes == threads and lines)

        def batch(origin: Operand, count: int, at: Operand) -> None:
            places = [low.plus(origin, low.integer(n * lines)) for n in range(count)]
            if last is not None:
                places = [low.least(place, last) for place in places]
            elements = [self._elements(side, place, at) for place in places]
            loaded = [low.load_neighbours(each, side.terms) for each in elements]
            for place, each, values in zip(places, elements, loaded, strict=True):
                self._bring(side, shared, (place, at), each, values)

        full, rest = divmod(iterations, together)
        for start in range(0, vectors, lanes):
            at = low.times(low.plus(lane, low.integer(start)), side.width)
            at = self._inside_line(side, at, (start + lanes) * side.width)
            if full == 1:
                batch(line, together, at)
            elif full:
                with device.count("i", low.integer(0), low.integer(full), unroll=1) as i:
                    batch(low.plus(line, low.times(i, together * lines)), together, at)
            if rest:
                batch(low.plus(line, low.integer(full * together * lines)), rest, at)

    def _extent(self, axis: int) -> int:
        """Return the elements of a block's matrix along an axis."""
        return self._tiling.rows if axis == self._row else self._low.domain[axis]

    def _is_counted(self, side: Side) -> bool:
        """Whether lines are those of several matrices."""
        return side.is_stacked and self._tiling.matrices > 1

    def _lines(self, side: Side) -> int:
        """Return the lines of an operand of all products of a block."""
        count = self._tiling.matrices if self._is_counted(side) else 1
        return count * self._extent(side.outer)

    def _last_line(self, side: Side, at_once: int) -> Operand | None:
        """Write the number of the last line that there is; None if no thread asks for another.

        Parameters
        ----------
        side : Side
            The operand.
        at_once : int
            Lines that all threads take together; 0 if some threads are beside them.
        """
        low = self._low
        last = low.integer(self._lines(side) - 1)
        total: Value | None = None
        begin, step = self._first, self._extent(side.outer)
        if self._is_counted(side) and self._products % self._tiling.matrices:
            total = low.number("products", self._products, "n")
        elif side.outer == self._row and low.domain[self._row] % self._tiling.rows:
            total = low.number("rows", low.domain[self._row], "n")
            begin, step = self._first_row, 1
        if total is not None:
            left = low.times(low.device.arithmetic("-", total, begin), step)
            return low.least(last, low.device.arithmetic("-", left, low.integer(1)))
        return None if at_once and self._lines(side) % at_once == 0 else last

    def _inside_line(self, side: Side, at: Operand, end: int) -> Operand:
        """Write where a vector of a line begins, that of the last vector for those behind it.

        Parameters
        ----------
        side : Side
            The operand.
        at : Operand
            Where it would begin.
        end : int
            Where the last thread's would end.
        """
        low, size = self._low, self._extent(side.inner)
        if side.inner == self._row and low.domain[self._row] % size:
            total = low.number("rows", low.domain[self._row], "n")
            left = low.least(low.device.arithmetic("-", total, self._first_row), low.integer(size))
            return low.least(at, low.device.arithmetic("-", left, low.integer(side.width)))
        return low.least(at, low.integer(size - side.width)) if end > size else at

    def _elements(self, side: Side, place: Operand, at: Operand) -> Neighbours:
        """Return neighbours of a line of an operand, with all counters.

        Parameters
        ----------
        side : Side
            The operand.
        place, at : Operand
            The number of the line, and where the neighbours begin.
        """
        low = self._low
        inner = LoopAxis(low.domain[side.inner], (side.inner,))
        position = at if side.inner != self._row else low.plus(self._first_row, at)
        if self._is_counted(side):
            # Where matrices lie one behind the other their lines are counted as one.
            frame = low.frame([*self._stack, side.outer], side.terms)
            origin = low.times(self._first, low.domain[side.outer])
            counters = low.decode(low.plus(origin, place), frame)
        else:
            frame = low.frame(self._stack, side.terms) if side.is_stacked else Frame(())
            line = place if side.outer != self._row else low.plus(self._first_row, place)
            counters = [*low.decode(self._first, frame), line]
            outer = LoopAxis(low.domain[side.outer], (side.outer,))
            frame = Frame((*frame.axes, outer))
        return Neighbours(Frame((*frame.axes, inner)), [*counters, position], side.width)

    def _bring(
        self,
        side: Side,
        shared: Pointer,
        where: tuple[Operand, Operand],
        elements: Neighbours,
        loaded: Mapping[int, tuple[Operand, ...]],
    ) -> None:
        """Write the computation of neighbours and their stores to shared memory.

        Parameters
        ----------
        side : Side
            The operand.
        shared : Pointer
            Its memory.
        where : (Operand, Operand)
            The number of the line, and where the neighbours begin.
        elements : Neighbours
            The same.
        loaded : mapping of int to tuple of Operand
            What is loaded for them.
        """
        low, device = self._low, self._low.device
        values: list[Operand] = []

        def take(lane: int, counter: Operand) -> None:
            values.append(low.value(side.value))

        low.write_neighbours(elements, side.terms, (), take, loaded=loaded)
        (place, at), (outer, inner) = where, side.pitches
        if inner == 1:
            # Lines of all matrices are as far apart.
            low.store_neighbours(shared, low.plus(low.times(place, outer), at), values)
            return
        line, origin = place, low.times(at, inner)
        if self._is_counted(side):
            size = low.integer(self._extent(side.outer))
            matrix = device.arithmetic("/", place, size)
            line = device.arithmetic("%", place, size)
            origin = low.plus(low.times(matrix, inner * self._extent(side.inner)), origin)
        target = low.plus(origin, low.times(line, outer))
        for lane, value in enumerate(values):
            low.builder.store(shared, low.at(target, low.integer(lane * inner)), value)
