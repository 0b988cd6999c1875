"""Other rows of a tuning table for a test, in all threads."""

from __future__ import annotations

from contextvars import ContextVar
from types import ModuleType
from typing import Any

import pytest

from lazyarr.core.frozen import replace


def tune(monkeypatch: pytest.MonkeyPatch, module: ModuleType, **fields: Any) -> None:
    """Let kernels be made by a row with these fields, until the end of a test."""
    row = replace(module.row(), **fields)
    monkeypatch.setattr(module.TABLE, "_current", ContextVar("tuned", default=row))
