"""Tilings of GPU kernels: frozen values for blocks, threads and shared memory.

Each is chosen by a function beside the template that it is for, and the code is written by it.
"""

from __future__ import annotations

from lazyarr.core.frozen import dataclass

__all__ = [
    "ColumnScanTiling",
    "ColumnTiling",
    "GridTiling",
    "PairTiling",
    "ProductTiling",
    "RegisterTiling",
    "RowTiling",
    "ScanTiling",
    "SharedTileTiling",
    "SplitTiling",
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
        Whether rows are too long to be cached, and read again by each pass.
    cache : {"none", "registers", "shared memory"}
        The row cache: where terms lie that later passes need.
    prefetch : bool
        Whether a block brings a later block's rows to the L2 cache.
    rows_alone : int
        Rows of a block that lie one after another in shared memory, and of each of which a thread
        adds alone what `lanes` threads would; 0: threads share rows.
    unroll : tuple of int
        For each pass over rows that are not read by each, the iterations that are written out.
    min_blocks : int
        Blocks that a multiprocessor is to have room for.
    high : int
        Rows that each thread works on side by side.
    """

    lanes: int
    threads: int
    iterations: int
    width: int
    granule: int
    streaming: bool
    cache: str = "none"
    prefetch: bool = False
    rows_alone: int = 0
    unroll: tuple[int, ...] = ()
    min_blocks: int = 1
    high: int = 1

    def __str__(self) -> str:
        if self.rows_alone:
            return (
                f"{_plural(self.rows_alone, 'row')} a block in shared memory, 1 thread a row, "
                f"added as by {_plural(self.lanes, 'thread')}"
            )
        source = "read by each pass" if self.streaming else f"kept in {self.cache}"
        if not self.streaming and self.cache == "none":
            source = "read once"
        ahead = ", later rows prefetched" if self.prefetch else ""
        beside = f" and {self.high - 1} more" if self.high > 1 else ""
        return (
            f"{_plural(self.threads // self.lanes * self.high, 'row')} a block, "
            f"{_plural(self.lanes, 'thread')} a row{beside}, "
            f"{_vectors(self.iterations, self.width)} a thread, {source}{ahead}"
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
    first : int
        Iterations of a chunk whose mean is the centre of its deviations.
    tree_bytes : int
        Bytes of shared memory that one tree of a block's threads may take.
    unroll : int
        Vectors whose loads overlap: their code is written out.
    combined : int
        Chunks that a thread loads at once where it combines them.
    """

    threads: int
    width: int
    granule: int
    iterations: int
    chunks: int
    first: int
    tree_bytes: int
    unroll: int = 1
    combined: int = 1

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
    first : int
        Rows of a line whose mean is the centre of the deviations of a chunk.
    shares : bool
        Whether states are combined one after another in the same shared memory.
    unroll : int
        Rows whose loads overlap: their code is written out.
    combined : int
        Chunks that a thread loads at once where it combines them.
    by_lines, is_apart : bool
        Whether neighbouring threads are those of neighbouring lines, as rows lie side by side, and
        whether a thread has all columns, one by one.
    """

    across: int
    lines: int
    width: int
    iterations: int
    chunks: int
    combining: int
    first: int = 1
    shares: bool = False
    unroll: int = 1
    combined: int = 1
    by_lines: bool = False
    is_apart: bool = False

    def __str__(self) -> str:
        return (
            f"panels of {_plural(self.across * self.width, 'column')}, "
            f"{_plural(self.chunks, 'chunk')} of {_plural(self.lines * self.iterations, 'row')}, "
            f"{_plural(self.lines, 'line')} of {_plural(self.across, 'thread')}"
            f"{', neighbours in lines' if self.by_lines else ''}"
            f"{', all columns a thread' if self.is_apart else ''}"
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
    span : int
        Pieces of a group whose totals one thread takes in.
    unrolled_loads : bool
        Whether the loop over a thread's vectors is written out where they are loaded.
    loads_once : bool
        Whether the code of a load is there once, for pieces that may end behind the row too.
    """

    lanes: int
    warps: int
    iterations: int
    width: int
    pieces: int
    threads: int
    chained: bool
    span: int
    unrolled_loads: bool = True
    loads_once: bool = False

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
    threads : int
        Of a block.
    reach : int
        Elements around an address that is passed that are loaded by it.
    strips, interleaved : bool
        Whether blocks take all lines of a few columns before they go on to the next columns, and
        whether other operands or results lie between those of two neighbours.
    staged_bytes : int
        Of a block's shared memory, where such results are collected before they are stored.
    """

    axis: int | None
    lines: int
    width: int
    across: int
    high: int
    loads: int
    threads: int
    reach: int
    strips: bool = False
    interleaved: bool = False
    staged_bytes: int = 0

    def __str__(self) -> str:
        shape = f", blocks of {self.high} x {self.across} threads" if self.across else ""
        order = " in strips" * self.strips + ", interleaved" * self.interleaved
        order += ", stored by way of shared memory" * bool(self.staged_bytes)
        along = "" if self.axis is None else f" along loop {self.axis}"
        return (
            f"{_plural(self.lines, 'line')}{along} of {_plural(self.width, 'element')} a thread, "
            f"{_plural(self.loads, 'load')} for them{shape}{order}"
        )


@dataclass(frozen=True, slots=True)
class PairTiling:
    """Tiles of pairs, each of two rows, that a GPU's thread reduces together.

    Attributes
    ----------
    rows, columns : int
        Of a tile.
    width : int
        Elements that are loaded at once.
    threads : int
        Of a block.
    across : int
        Threads side by side, which take neighbouring columns.
    tree, block : int
        Elements of float32 that are summed as a balanced tree, and in float32 at all.
    """

    rows: int
    columns: int
    width: int
    threads: int
    across: int
    tree: int
    block: int

    def __str__(self) -> str:
        elements = f"vectors of {self.width}" if self.width > 1 else "elements"
        return (
            f"tiles of {self.rows} x {self.columns} pairs, {elements}, "
            f"{_plural(self.threads, 'thread')} a block"
        )


@dataclass(frozen=True, slots=True)
class GridTiling:
    """Vectors of an elementwise kernel, one a thread of a GPU.

    Attributes
    ----------
    width : int
        Neighbours that a thread computes: loaded and stored at once.
    threads : int
        Of a block.
    across, high : int
        Threads along a line, and lines of threads of a block; 0: counted through all lines.
    each : int
        Vectors of a thread: as many threads apart as there are along a line.
    lines : int
        Lines of a thread: as many lines apart as a block has of threads.
    is_flat : bool
        Whether vectors go on from one line to the next.
    """

    width: int
    threads: int
    across: int = 0
    high: int = 0
    each: int = 1
    lines: int = 1
    is_flat: bool = False

    def __str__(self) -> str:
        elements = f"vectors of {self.width}" if self.width > 1 else "elements"
        elements += " of all lines" if self.is_flat else ""
        elements += f", {self.each} a thread" if self.each > 1 else ""
        lines = f"{_plural(self.high, 'line')} of {_plural(self.across, 'thread')}"
        lines += f", {self.lines} a thread," if self.lines > 1 else ""
        return f"{elements}, {lines if self.across else _plural(self.threads, 'thread')} a block"


@dataclass(frozen=True, slots=True)
class SharedTileTiling:
    """Tiles of transposed operands in the shared memory of a GPU's block.

    Attributes
    ----------
    wide, high : int
        Elements of a tile along the results' lines, and along those of the operands.
    pitch : int
        Elements from one line of a tile to the next.
    threads : int
        Of a block.
    unrolled_loads, unrolled_results : bool
        Whether the loop over a thread's elements of the tile is written out: where the tile is
        filled, and where it is read.
    wide_first : bool
        Whether blocks take all tiles along the results' lines before they go on to other lines.
    """

    wide: int
    high: int
    pitch: int
    threads: int
    unrolled_loads: bool
    unrolled_results: bool
    wide_first: bool = False

    @property
    def square(self) -> bool:
        """Whether tiles are squares whose side divides the threads."""
        return self.wide == self.high and self.threads % self.wide == 0

    @property
    def copies(self) -> int:
        """Elements of a tile that one thread works."""
        return -(-self.wide * self.high // self.threads)

    @property
    def exact(self) -> bool:
        """Whether all threads have as many elements."""
        return self.wide * self.high % self.threads == 0

    @property
    def elements(self) -> int:
        """Elements of shared memory: such that tiles of about this size have the same text."""
        least = self.wide * self.pitch
        return least if self.square else -(-least // self.threads) * self.threads

    def __str__(self) -> str:
        return (
            f"tiles of {self.high} x {self.wide} in shared memory, "
            f"{_plural(self.threads, 'thread')} a block"
            f"{', along results first' if self.wide_first else ''}"
        )


@dataclass(frozen=True, slots=True)
class ColumnScanTiling:
    """Columns that threads of a GPU scan, and chunks of their rows.

    Attributes
    ----------
    threads : int
        Of a block: lines of columns side by side, one a thread.
    rows : int
        Of a line of threads.
    chunks : int
        Of a column. Where there are several, or several lines, a kernel before reduces each, and a
        line begins with the totals of those before it.
    unroll : int
        Rows that are written out one after another; 0: all.
    lines : int
        Of threads.
    is_packed : bool
        Whether threads are counted through the columns of all matrices, which have fewer than a
        block has threads.
    """

    threads: int
    rows: int
    chunks: int
    unroll: int
    lines: int = 1
    is_packed: bool = False

    def __str__(self) -> str:
        across = self.threads // self.lines
        chunks = f"{_plural(self.chunks, 'chunk')} of {_plural(self.rows * self.lines, 'row')}"
        if not self.unroll:
            chunks = f"{_plural(self.rows, 'row')} written out"
        of_all = " of all matrices" if self.is_packed else ""
        text = f"panels of {_plural(across, 'column')}{of_all}, {chunks}"
        if self.lines == 1:
            return text
        return f"{text}, {_plural(self.lines, 'line')} of {_plural(across, 'thread')}"


@dataclass(frozen=True, slots=True)
class ProductTiling:
    """Tiles of a product of matrices that blocks of a GPU compute, with their epilogue.

    Attributes
    ----------
    rows, columns : int
        Of a tile.
    depth : int
        How far a slice of both matrices goes along the sums.
    stages : int
        Slices on their way or in use.
    threads : int
        Of a block.
    together : int
        Rows of the tile that a thread finishes side by side.
    """

    rows: int
    columns: int
    depth: int
    stages: int
    threads: int
    together: int

    @property
    def shared_bytes(self) -> int:
        """Shared memory of a block: the slices of float64, and later, in their place, the tile."""
        slices = self.stages * self.depth * (self.rows + self.columns)
        return 8 * max(slices, self.rows * self.columns)

    def __str__(self) -> str:
        return (
            f"tiles of {self.rows} x {self.columns}, {_plural(self.stages, 'slice')} of "
            f"{self.depth}, {_plural(self.threads, 'thread')} a tile, "
            f"{_plural(self.together, 'row')} at a time"
        )


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _vectors(iterations: int, width: int) -> str:
    if width == 1:
        return _plural(iterations, "element")
    return f"{_plural(iterations, 'vector')} of {width}"
