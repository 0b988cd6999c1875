"""Rows that are added at places: what sums of them read and write on a device."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cuda.libraries.strided import Strided

__all__ = ["PlacedRows", "RowMap"]


@dataclass(frozen=True, eq=False, slots=True)
class RowMap:
    """Operations with numbers, by which values are made of others.

    Attributes
    ----------
    steps : str
        Names of operations, as of :mod:`lazyarr.ops.mapped_sums`.
    source : Strided
        What they begin with, contiguous.
    numbers : tuple of Strided
        The number of each.
    """

    steps: str
    source: Strided
    numbers: tuple[Strided, ...]


@dataclass(frozen=True, eq=False, slots=True)
class PlacedRows:
    """Rows, the place of each, and the array to whose rows they are added.

    Attributes
    ----------
    out : Strided
        The result, contiguous.
    start : Strided
        What is there at first: without a `lead`, one number.
    lead : int
        From one element of `start` to the next: 1 or 0.
    places, values : Strided
        The places, and the row of each or one number; contiguous.
    map : RowMap, optional
        What the values are made of, by kernels that read that; others wait until they lie there.
    """

    out: Strided
    start: Strided
    lead: int
    places: Strided
    values: Strided
    map: RowMap | None = None

    @property
    def rows(self) -> int:
        """Rows that are added."""
        return self.places.size

    @property
    def count(self) -> int:
        """Places that there are to fall on."""
        return self.out.shape[0]

    @property
    def width(self) -> int:
        """Numbers of a row."""
        return self.out.size // self.count

    @property
    def step(self) -> int:
        """Numbers from one row of values to the next: none where all rows are one number."""
        return self.width if self.values.ndim else 0

    @property
    def steps(self) -> str:
        """The names of the operations with numbers."""
        return self.map.steps if self.map else ""

    @property
    def source(self) -> Strided:
        """The values before operations, for kernels that compute these."""
        return self.map.source if self.map else self.values

    @property
    def numbers(self) -> tuple[int, ...]:
        """The addresses of the numbers: the last arguments of these kernels."""
        return tuple([number.address for number in self.map.numbers]) if self.map else ()

    @property
    def sizes(self) -> tuple[int, int, int]:
        """The places, the numbers of a row, and the step: arguments of kernels."""
        return self.count, self.width, self.step
