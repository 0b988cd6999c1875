"""Other numbers in a tuning table, for all threads, while a test runs."""

from __future__ import annotations

from types import ModuleType

import pytest

from lazyarr.core.frozen import replace

__all__ = ["use_row"]


def use_row(monkeypatch: pytest.MonkeyPatch, tuning: ModuleType, **numbers: object) -> None:
    """Have a table's module return its row with other numbers until the test ends.

    Parameters
    ----------
    monkeypatch : MonkeyPatch
        The test's.
    tuning : module
        The table's, whose ``row`` is asked for.
    **numbers : object
        The fields that are others.
    """
    row = replace(tuning.row(), **numbers)
    monkeypatch.setattr(tuning, "row", lambda: row)
