"""The tiling of short rows that a processor reduces side by side."""

from __future__ import annotations

from lazyarr.codegen.processor_tilings import counted, handed
from lazyarr.core.frozen import dataclass

__all__ = ["RowTileTiling"]


@dataclass(frozen=True, slots=True)
class RowTileTiling:
    """Rows of which several are reduced side by side, from tiles in which rows are columns.

    Attributes
    ----------
    rows : int
        Of a tile: the lanes of the vectors.
    lines : int
        Of a block, which is transposed in registers.
    cached : tuple of int
        The terms of which a pass keeps a tile for later passes.
    tiles : int
        Of the rows along the last axis that stays.
    chunk : int
        Tiles that are worth handing to another thread.
    """

    rows: int
    lines: int
    cached: tuple[int, ...]
    tiles: int
    chunk: int

    def __str__(self) -> str:
        values = f", {counted(len(self.cached), 'value')} of a tile kept" if self.cached else ""
        return f"{counted(self.rows, 'row')} side by side{values}{handed(self.chunk)}"
