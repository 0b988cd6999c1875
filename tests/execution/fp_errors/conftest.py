"""Settings of the tests of floating-point exceptions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import lazyarr as la


@pytest.fixture(autouse=True)
def without_hints() -> Iterator[None]:
    """Let warnings be those of floating-point exceptions alone."""
    with la.config(hints=False):
        yield
