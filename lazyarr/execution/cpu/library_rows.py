"""Library calls as calls in C read them, and the memory of those that run without Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.execution.arguments import ScalarValue
from lazyarr.execution.cpu.entry_blocks import Place
from lazyarr.execution.cpu.library_entries import entries_of, part_of
from lazyarr.execution.cpu.library_step import LibraryStep
from lazyarr.execution.cpu.small_calls import MEMORY, RESULT

__all__ = ["PART_LENGTH", "OwnMemory"]

#: Items of the row of a name: its base, another one, and the offset there.
PART_LENGTH = 3


class OwnMemory:
    """Memory of a call behind that of its plan: results of library calls, and what they need.

    Parameters
    ----------
    bases : list of (int, int)
        Where bases lie; one is added, and those of results in this memory are changed.
    nbytes : int
        Bytes of the plan's memory.

    Attributes
    ----------
    nbytes : int
        Bytes of all memory.
    """

    def __init__(self, bases: list[tuple[int, int]], nbytes: int) -> None:
        self._bases = bases
        self._start = self.nbytes = -(-nbytes // ALIGNMENT) * ALIGNMENT
        self._base = len(bases)
        bases.append((MEMORY, self._start))

    def reserve(self, nbytes: int) -> tuple[int, int]:
        """Return base and offset of so many bytes.

        Parameters
        ----------
        nbytes : int
            How many.
        """
        offset = self.nbytes - self._start
        self.nbytes += -(-nbytes // ALIGNMENT) * ALIGNMENT
        return self._base, offset

    def row_of(
        self, library: LibraryStep, scalars: Sequence[ScalarValue], donors: Sequence[int]
    ) -> tuple[Any, ...]:
        """Return a library call as calls in C read it, or the name of memory that is all it is.

        Parameters
        ----------
        library : LibraryStep
            The call.
        scalars : sequence of number
            The values of the scalars.
        donors : sequence of int
            For each result the argument in whose memory it lies, -1 for none.
        """
        part = part_of(library)
        if part is not None and self._bases[library.base][0] == MEMORY:
            return library.base, *part
        place = self._place_of(library, donors)
        entries = () if place is None else entries_of(library, place, self.reserve)
        if entries and library.out_place is None:
            self._settle(library)
        return *library.row(scalars), entries

    def _place_of(self, library: LibraryStep, donors: Sequence[int]) -> Place | None:
        """Return the place of the result of a call without Python; None if it is in use."""
        node, out, base = library.node, library.out_place, library.base
        kind, number = self._bases[base]
        if kind == RESULT and donors and donors[number] >= 0:
            return None  # an operand may lie there
        if out is not None:
            _, offset, (dtype, shape, strides, _) = out
            return Place(base, offset, dtype, shape, strides)
        return Place.in_order((base, 0), node.dtype, node.shape)

    def _settle(self, library: LibraryStep) -> None:
        """Let the result of a library call lie in this memory, unless it is one of the call."""
        if self._bases[library.base][0] != RESULT:
            _, offset = self.reserve(library.node.nbytes)
            self._bases[library.base] = MEMORY, self._start + offset
