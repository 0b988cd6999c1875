"""The tiling of short rows that are computed with their padding, on the CPU."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass

__all__ = ["PaddingTiling"]


@dataclass(frozen=True, slots=True)
class PaddingTiling:
    """Short rows that are computed together with the elements between them.

    Attributes
    ----------
    rows : int
        Of a tile.
    pitch : int
        Elements of the operands from the beginning of one row to that of the next.
    elements : int
        Of a tile, from the first of its first row to the last of its last one.
    lanes : int
        Elements that are computed at once.
    capacity : int
        Elements of memory for a tile of a value.
    copied : tuple of int
        The terms that are copied to a tile, since they step otherwise from row to row.
    results : int
        Values that are copied from a tile.
    written_out : bool
        Whether the copies of a row to and from the tile are written out.
    """

    rows: int
    pitch: int
    elements: int
    lanes: int
    capacity: int
    copied: tuple[int, ...]
    results: int
    written_out: bool

    @property
    def vectors(self) -> int:
        """Times that some lanes of a tile are computed; some elements twice."""
        return -(-self.elements // self.lanes)

    def __str__(self) -> str:
        count = len(self.copied)
        copied = f", {count} {'value' if count == 1 else 'values'} copied" if count else ""
        apart = f"rows {self.pitch:,} elements apart"
        return f"{apart} with what lies between, {self.rows:,} a tile{copied}"
