"""Tests that read all modules: the garbage collector would go through millions of syntax nodes."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module", autouse=True)
def uncollected() -> Iterator[None]:
    """Let syntax trees be, until the module's own fixtures have dropped them."""
    gc.disable()
    yield
    gc.enable()
