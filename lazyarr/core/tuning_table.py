"""Tables of the numbers that a part is tuned by: a frozen row for each family of machines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

__all__ = ["TuningTable"]

Row = TypeVar("Row")


class TuningTable(Generic[Row]):
    """Rows by families of machines, and the one in use.

    Parameters
    ----------
    rows : mapping of str to row
        By the names of families.
    otherwise : row
        For machines of other families, and until another is chosen.
    """

    def __init__(self, rows: Mapping[str, Row], otherwise: Row) -> None:
        self._rows = dict(rows)
        self._otherwise = otherwise
        self._current = ContextVar("lazyarr_tuning", default=otherwise)

    def row(self) -> Row:
        """Return the row in use."""
        return self._current.get()

    def row_of(self, family: str) -> Row:
        """Return the row of a family of machines, or that of machines of other families."""
        return self._rows.get(family, self._otherwise)

    @contextmanager
    def using(self, row: Row) -> Iterator[None]:
        """Use another row inside a ``with`` block, in this thread.

        Examples
        --------
        >>> table = TuningTable({}, otherwise="slow")
        >>> with table.using("quick"):
        ...     table.row()
        'quick'
        """
        token = self._current.set(row)
        try:
            yield
        finally:
            self._current.reset(token)
