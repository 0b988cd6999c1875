"""The examples of the documentation run as they stand, and as users have small arrays."""

import doctest
from pathlib import Path

import pytest

import lazyarr as la

DOCS = Path(__file__).parents[2] / "docs"
PAGES = sorted(path.name for path in DOCS.glob("*.md") if ">>> " in path.read_text())


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str) -> None:
    with la.config(immediate=4096):  # the default
        result = doctest.testfile(str(DOCS / page), module_relative=False)
    assert result.attempted
    assert not result.failed


def test_there_are_pages() -> None:
    assert "random.md" in PAGES
