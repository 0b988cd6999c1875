"""How kernels are cut: what lowering decides of loops, threads and memory, as frozen values.

Each is chosen by a function of sizes alone (``choose_...`` beside the template that it is for), the
code is written by it, and ``explain`` prints it.
"""

from __future__ import annotations

from lazyarr.codegen.processor_tilings import (
    ChunkTiling,
    LineScanTiling,
    MapTiling,
    PanelTiling,
    RowLoopTiling,
    TransposeTiling,
)
from lazyarr.core.frozen import dataclass

__all__ = [
    "ColumnTiling",
    "ContractionTiling",
    "RegisterTiling",
    "RowTiling",
    "ScanTiling",
    "SplitTiling",
    "Tiling",
]


@dataclass(frozen=True, slots=True)
class RowTiling:
    """Rows of a GPU's block.

    Attributes
    ----------
    lanes : int
        Threads that work on one row.
    threads : int
        Of a block.
    iterations : int
        Vectors of a row that each thread takes.
    width : int
        Elements of a vector.
    granule : int
        Neighbours that one thread takes one after another: a vector or several.
    streaming : bool
        Whether rows are too long to be kept, and read again by each pass.
    cache : {"none", "registers", "shared memory"}
        Where what later passes need of a row is kept.
    prefetch : bool
        Whether a block brings a later block's rows to the L2 cache.
    """

    lanes: int
    threads: int
    iterations: int
    width: int
    granule: int
    streaming: bool
    cache: str = "none"
    prefetch: bool = False

    def __str__(self) -> str:
        kept = "read by each pass" if self.streaming else f"kept in {self.cache}"
        if not self.streaming and self.cache == "none":
            kept = "read once"
        ahead = ", later rows prefetched" if self.prefetch else ""
        return (
            f"{_plural(self.threads // self.lanes, 'row')} a block, "
            f"{_plural(self.lanes, 'thread')} a row, "
            f"{_vectors(self.iterations, self.width)} a thread, {kept}{ahead}"
        )


@dataclass(frozen=True, slots=True)
class SplitTiling:
    """Chunks of rows that blocks of a GPU share.

    Attributes
    ----------
    threads : int
        Of a block.
    width, granule : int
        Elements of a vector, and neighbours that one thread takes one after another.
    iterations : int
        Vectors that each thread takes of a chunk.
    chunks : int
        Of a row: the last block to finish combines them.
    """

    threads: int
    width: int
    granule: int
    iterations: int
    chunks: int

    def __str__(self) -> str:
        return (
            f"{_plural(self.chunks, 'chunk')} a row, {_plural(self.threads, 'thread')} a chunk, "
            f"{_vectors(self.iterations, self.width)} a thread"
        )


@dataclass(frozen=True, slots=True)
class ColumnTiling:
    """Panels of columns and chunks of rows, one of each a block of a GPU.

    Attributes
    ----------
    across, lines : int
        Threads side by side, each with a vector of columns, and lines of them, which take rows in
        iteration.
    width, iterations : int
        Columns of a vector, and rows that a line takes of a chunk.
    chunks : int
        Of the rows.
    combining : int
        Lines that take the states of chunks in turn.
    """

    across: int
    lines: int
    width: int
    iterations: int
    chunks: int
    combining: int

    def __str__(self) -> str:
        return (
            f"panels of {_plural(self.across * self.width, 'column')}, "
            f"{_plural(self.chunks, 'chunk')} of {_plural(self.lines * self.iterations, 'row')}, "
            f"{_plural(self.lines, 'line')} of {_plural(self.across, 'thread')}"
        )


@dataclass(frozen=True, slots=True)
class ScanTiling:
    """Pieces of rows that blocks of a GPU scan.

    Attributes
    ----------
    lanes, warps : int
        Threads of a warp that work on one row, and warps that do.
    iterations, width : int
        Vectors of a piece that each thread keeps, and elements of a vector.
    pieces : int
        Of a row.
    threads : int
        Of a block.
    chained : bool
        Whether blocks take a row's pieces, each going on from those before it, or one block all.
    """

    lanes: int
    warps: int
    iterations: int
    width: int
    pieces: int
    threads: int
    chained: bool

    @property
    def per_row(self) -> int:
        """Threads that work on one row."""
        return self.lanes * self.warps

    @property
    def piece(self) -> int:
        """Elements of a piece."""
        return self.per_row * self.iterations * self.width

    @property
    def rows(self) -> int:
        """Rows of a block."""
        return self.threads // self.per_row

    def __str__(self) -> str:
        return (
            f"{_plural(self.pieces, 'piece')} a row, "
            f"{_plural(self.lanes * self.warps, 'thread')} a piece, "
            f"{_vectors(self.iterations, self.width)} a thread"
        )


@dataclass(frozen=True, slots=True)
class ContractionTiling:
    """Blocks and tiles of a reduction that pairs rows with rows, on a processor.

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


@dataclass(frozen=True, slots=True)
class RegisterTiling:
    """Tiles of elements that a GPU's thread computes together.

    Attributes
    ----------
    axis : int or None
        The loop along which lines follow one another, if there is more than one.
    lines, width : int
        Lines of a tile, and neighbours of each line.
    across, high : int
        Threads along a line, and lines of threads of a block; 0: counted through all lines.
    loads : int
        Of a tile: each element is loaded once.
    """

    axis: int | None
    lines: int
    width: int
    across: int
    high: int
    loads: int

    def __str__(self) -> str:
        return (
            f"{_plural(self.lines, 'line')} of {_plural(self.width, 'element')} a thread, "
            f"{_plural(self.loads, 'load')} for them"
        )


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _vectors(iterations: int, width: int) -> str:
    return (
        f"{_plural(iterations, 'vector')} of {width}"
        if width > 1
        else _plural(iterations, "element")
    )


Tiling = (
    RowTiling
    | SplitTiling
    | ColumnTiling
    | ScanTiling
    | ContractionTiling
    | RegisterTiling
    | MapTiling
    | RowLoopTiling
    | ChunkTiling
    | PanelTiling
    | LineScanTiling
    | TransposeTiling
)
"""What the templates of GPUs and of processors decide."""
