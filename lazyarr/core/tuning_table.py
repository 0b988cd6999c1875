"""Tables of the numbers that a part is tuned by: a frozen row for each family of machines."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, TypeVar

__all__ = ["TuningTable", "chosen_rows"]

Row = TypeVar("Row", bound=Hashable)

#: The rows that :meth:`TuningTable.using` has put in use in this thread or task. Part of a plan's
#: key: kernels on disk need no such part, as their key is their text.
chosen_rows: ContextVar[tuple[Hashable, ...]] = ContextVar("lazyarr_tuning_rows", default=())


def _unknown() -> str:
    return ""


class TuningTable(Generic[Row]):
    """Rows by families of machines, and the one in use.

    Parameters
    ----------
    rows : mapping of str to row
        By the names of families.
    otherwise : row
        For machines of other families.
    machine : callable, optional
        Returns the family of the machine that kernels are made for. Asked once, and only if the
        rows are not all one. Default: the family is unknown.
    """

    def __init__(
        self, rows: Mapping[str, Row], otherwise: Row, machine: Callable[[], str] = _unknown
    ) -> None:
        self._rows = dict(rows)
        self._otherwise = otherwise
        self._machine = machine
        self._current: ContextVar[Row | None] = ContextVar("lazyarr_tuning", default=None)
        self._of_machine: Row | None = None

    def row(self) -> Row:
        """Return the row in use: that of the machine, unless another one is being tried."""
        return self._current.get() or self._of_machine or self._row_of_machine()

    def _row_of_machine(self) -> Row:
        alike = all(row == self._otherwise for row in self._rows.values())
        self._of_machine = self._otherwise if alike else self.row_of(self._machine())
        return self._of_machine

    def row_of(self, family: str) -> Row:
        """Return the row of a family of machines, or that of machines of other families."""
        return self._rows.get(family, self._otherwise)

    @contextmanager
    def using(self, row: Row) -> Iterator[None]:
        """Use another row inside a ``with`` block, in this thread, with separate plans.

        Examples
        --------
        >>> table = TuningTable({}, otherwise="slow")
        >>> with table.using("quick"):
        ...     table.row()
        'quick'
        """
        token = self._current.set(row)
        outer = chosen_rows.set((*chosen_rows.get(), id(self), row))
        try:
            yield
        finally:
            chosen_rows.reset(outer)
            self._current.reset(token)
