"""Tilings of CPU kernels: frozen values for loops, scratch memory and threads.

Each is chosen by a function beside the template that it is for, and the code is written by it. No
field but those that say so changes the order of additions, so a kernel has the same bits with any.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lazyarr.core.frozen import dataclass

if TYPE_CHECKING:
    from lazyarr.codegen.padding_tiling import PaddingTiling

__all__ = [
    "ChunkTiling",
    "ContractionTiling",
    "JoinTiling",
    "LineScanTiling",
    "MapTiling",
    "PanelTiling",
    "RowGroupTiling",
    "RowLoopTiling",
    "ShortRowTiling",
    "TransposeTiling",
    "counted",
    "handed",
]


@dataclass(frozen=True, slots=True)
class JoinTiling:
    """Short loops that are joined to a long one, and the copies of operands in its tiles.

    Attributes
    ----------
    loops : int
        How many of the innermost loops are joined.
    copied : tuple of int
        The terms of which a tile, a block of the joined loop, has copies.
    capacity : int
        Elements of memory for the copies of a term.
    written_out : int
        Most elements of a loop over copies that is written out.
    lane_bytes : int
        Of the vectors in which an element is copied several times.
    """

    loops: int
    copied: tuple[int, ...]
    capacity: int
    written_out: int
    lane_bytes: int

    def lanes(self, itemsize: int) -> int:
        """Return the elements of a vector of copies.

        Parameters
        ----------
        itemsize : int
            Of an element, in bytes.
        """
        return max(1, self.lane_bytes // itemsize)

    def __str__(self) -> str:
        copied = f", {counted(len(self.copied), 'value')} of a block copied" if self.copied else ""
        return f"{self.loops} loops joined{copied}"


@dataclass(frozen=True, slots=True)
class MapTiling:
    """Loops of an elementwise kernel.

    Attributes
    ----------
    length : int
        Elements of the innermost loop.
    block : int
        Elements of it that one work item computes; no more than `length`.
    chunk : int
        Work items that are worth handing to another thread.
    order : tuple of int
        The merged loops, outermost first, by their numbers in C order; empty: in that order.
    constant : bool
        Whether the code has the length of the innermost loop as a number, so that it is written
        out, or becomes vectors as a whole.
    joined : JoinTiling, optional
        Of which loops the innermost one is made; default: of itself.
    rows : int, optional
        Innermost loops that a work item goes through, one after the other along the loop around
        them, without the division that finds each one's place.
    padding : PaddingTiling, optional
        By which rows are computed with what lies between them; default: without.
    """

    length: int
    block: int
    chunk: int
    order: tuple[int, ...] = ()
    constant: bool = False
    joined: JoinTiling | None = None
    rows: int = 1
    padding: PaddingTiling | None = None

    @property
    def blocks(self) -> int:
        """Work items that share one innermost loop."""
        return -(-self.length // self.block) if self.block else 1

    def __str__(self) -> str:
        cut = f", in blocks of {self.block:,}" if self.block < self.length else ""
        inner = f" of loop {self.order[-1] + 1}" if self.order else ""
        out = ", written out" if self.constant else ""
        joined = f", {self.joined}" if self.joined else ""
        length = counted(self.length, "element")
        rows = f", {counted(self.rows, 'loop')} together" if self.rows > 1 else ""
        if self.padding:
            rows = f", {self.padding}"
        return f"loops of {length}{inner}{cut}{joined}{out}{rows}{handed(self.chunk)}"


@dataclass(frozen=True, slots=True)
class RowLoopTiling:
    """Rows that work items reduce.

    Attributes
    ----------
    tile : int
        Rows whose reductions are finished together, in one loop that vectorises; 1: each alone.
    cached : tuple of int
        The terms of which a pass keeps a row for later passes; others are computed again.
    chunk : int
        Work items, rows or tiles, that are worth handing to another thread.
    """

    tile: int
    cached: tuple[int, ...]
    chunk: int

    def __str__(self) -> str:
        rows = "a row at a time" if self.tile == 1 else f"tiles of {counted(self.tile, 'row')}"
        kept = f", {counted(len(self.cached), 'value')} of a row kept" if self.cached else ""
        return f"{rows}{kept}{handed(self.chunk)}"


@dataclass(frozen=True, slots=True)
class RowGroupTiling:
    """Rows of a matrix whose products with a vector are summed together.

    Attributes
    ----------
    rows : int
        Of a work item.
    chunk : int
        Work items that are worth handing to another thread.
    """

    rows: int
    chunk: int

    def __str__(self) -> str:
        return f"{counted(self.rows, 'row')} together{handed(self.chunk)}"


@dataclass(frozen=True, slots=True)
class ShortRowTiling:
    """Rows of a few elements, each written out.

    Attributes
    ----------
    length : int
        Elements of a row.
    nested : bool
        Whether a work item is all rows along the last axis that stays, or a block of them.
    chunk : int
        Work items that are worth handing to another thread.
    blocks : int, optional
        Of rows along that axis.
    """

    length: int
    nested: bool
    chunk: int
    blocks: int = 1

    def __str__(self) -> str:
        lines = "lines of rows" if self.nested else "rows"
        if self.nested and self.blocks > 1:
            lines = f"lines, each in {self.blocks:,} blocks, of rows"
        return f"{lines} of {counted(self.length, 'element')} written out{handed(self.chunk)}"


@dataclass(frozen=True, slots=True)
class ChunkTiling:
    """Chunks of long rows, each reduced by one work item.

    Attributes
    ----------
    lines : int
        Innermost lines of a chunk, if a row has several; else 0. Decides the order of additions.
    elements : int
        Elements of a chunk of a row that is one line. Decides the order of additions.
    chunks : int
        Of a row.
    alternating : tuple of bool
        For each pass over a chunk, whether its loads take operands in turn, vector by vector, and
        not several vectors of one operand.
    chunk : int
        Work items that are worth handing to another thread.
    combining : int
        Rows whose states one call of the second kernel combines at least.
    """

    lines: int
    elements: int
    chunks: int
    alternating: tuple[bool, ...]
    chunk: int
    combining: int

    def __str__(self) -> str:
        each = counted(self.lines, "line") if self.lines else counted(self.elements, "element")
        alternating = ", operands in turn" if any(self.alternating) else ""
        return f"{counted(self.chunks, 'chunk')} of {each} a row{alternating}{handed(self.chunk)}"


@dataclass(frozen=True, slots=True)
class PanelTiling:
    """Panels of columns and chunks of rows, one of each a work item.

    Attributes
    ----------
    columns : int
        Of a panel.
    panels : int
        Side by side.
    rows : int
        Of a chunk. Decides the order of additions.
    chunks : int
        Below one another.
    together : int
        Rows for which states are loaded and stored once.
    sampled_together : int
        The same of the pass over a chunk's first rows that estimates means.
    lanes : int
        Columns whose states the second kernel combines side by side.
    combining : int
        Columns that one call of it combines at least.
    ahead : int, optional
        Rows of which functions are computed before they are reduced, as one line; 0: each by
        itself.
    line : int, optional
        Elements of memory for such a line, or for a row whose functions are computed in blocks.
    row_lanes : int, optional
        Of these blocks; 0: there are none.
    merged : int, optional
        Neighbouring columns that belong to one result. Decides the order of additions.
    beside : int, optional
        Chunks that a work item reduces side by side.
    """

    columns: int
    panels: int
    rows: int
    chunks: int
    together: int
    sampled_together: int
    lanes: int
    combining: int
    ahead: int = 0
    line: int = 0
    row_lanes: int = 0
    merged: int = 1
    beside: int = 1

    def __str__(self) -> str:
        ahead = f", functions of {counted(self.ahead, 'row')} as one line" if self.ahead else ""
        if self.row_lanes:
            ahead = f", functions in blocks of {counted(self.row_lanes, 'column')}"
        merged = f", {self.merged} columns a result" if self.merged > 1 else ""
        if self.beside > 1:
            merged += f", {counted(self.beside, 'chunk')} side by side"
        return (
            f"{counted(self.panels, 'panel')} of {counted(self.columns, 'column')}, "
            f"{counted(self.chunks, 'chunk')} of {counted(self.rows, 'row')}, "
            f"{counted(self.together, 'row')} together{ahead}{merged}"
        )


@dataclass(frozen=True, slots=True)
class LineScanTiling:
    """Lines that work items scan.

    Attributes
    ----------
    panel : int
        Columns whose lines are scanned side by side; 0: the scan goes along the last axis.
    panels : int
        Side by side.
    chunk : int
        Work items, lines or panels, that are worth handing to another thread.
    """

    panel: int
    panels: int
    chunk: int

    def __str__(self) -> str:
        if self.panel:
            return f"{counted(self.panels, 'panel')} of {counted(self.panel, 'column')}"
        return f"a line at a time{handed(self.chunk)}"


@dataclass(frozen=True, slots=True)
class TransposeTiling:
    """Square tiles of operands that lie the other way round.

    Attributes
    ----------
    side : int
        Elements of a tile's line, and its lines.
    pitch : int
        Elements from one line of a tile to the next in scratch memory.
    chunk : int
        Tiles that are worth handing to another thread.
    lines : int
        Of a block, which is transposed in registers.
    """

    side: int
    pitch: int
    chunk: int
    lines: int

    def __str__(self) -> str:
        return f"tiles of {self.side} x {self.side}{handed(self.chunk)}"

    def step(self, size: int) -> int:
        """Return the elements from one tile to the next: all have about one size.

        The last one has whole blocks then, too.

        Parameters
        ----------
        size : int
            Elements along the tiles.
        """
        tiles = -(-size // self.side)
        return min(self.side, -(-size // (tiles * self.lines)) * self.lines) if size else self.side


@dataclass(frozen=True, slots=True)
class ContractionTiling:
    """Blocks and tiles of a reduction that pairs rows with rows.

    Attributes
    ----------
    height, width : int
        Rows and columns of a tile, whose sums stay in registers.
    block_rows, block_columns, depth : int
        Rows and columns of a block of the result, and how far one block of sums goes along the
        reduction: what a block needs of that is packed.
    chunk : int
        Blocks that are worth handing to another thread.
    """

    height: int
    width: int
    block_rows: int
    block_columns: int
    depth: int
    chunk: int

    def __str__(self) -> str:
        return (
            f"blocks of {self.block_rows} x {self.block_columns} x {self.depth}, "
            f"tiles of {self.height} x {self.width}"
        )


def counted(count: int, noun: str) -> str:
    """Return a number of things, in words.

    Parameters
    ----------
    count : int
        The number.
    noun : str
        One of them.
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def handed(chunk: int) -> str:
    """Return the least work items of a thread, as `explain` prints them.

    Parameters
    ----------
    chunk : int
        How many.
    """
    return f", at least {counted(chunk, 'work item')} a thread" if chunk > 1 else ""
