"""Tests that read all modules: the garbage collector would go through millions of syntax nodes."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.support import syntax_trees


@pytest.fixture(scope="package", autouse=True)
def uncollected() -> Iterator[None]:
    """Let syntax trees be, until the last of these tests is done with them."""
    gc.disable()
    yield
    syntax_trees.forget()
    gc.enable()
