"""What tests of writes count."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from lazyarr.arrays import shared_memory


@pytest.fixture
def copies(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Count the copies of memory that writes take."""
    counted: list[int] = []
    move = shared_memory.move

    def copied(*args: Any) -> None:
        counted.append(1)
        move(*args)

    monkeypatch.setattr(shared_memory, "move", copied)
    yield counted
