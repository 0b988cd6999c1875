"""The documented versions are those of pyproject.toml, and what is installed is no older."""

from __future__ import annotations

import importlib.metadata
import re
import runpy
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE = (ROOT / "docs" / "supported_versions.md").read_text(encoding="utf-8")


def numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def bounds() -> dict[str, str]:
    """Return the lower bound of each package that lazyarr needs, and Python's."""
    results = {"python": PROJECT["requires-python"].removeprefix(">=")}
    for requirement in PROJECT["dependencies"]:
        match = re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement)
        assert match is not None, f"{requirement} has no lower bound alone"
        results[match[1]] = match[2]
    return results


def table() -> dict[str, tuple[str, ...]]:
    """Return the rows of the page's table by package, in small letters."""
    rows = re.findall(r"^\| *(\w+) *\|(.*)\|$", PAGE, re.MULTILINE)
    return {
        name.lower(): tuple(cell.strip() for cell in rest.split("|"))
        for name, rest in rows
        if name.lower() != "package"
    }


def test_the_page_has_the_bounds_of_the_project() -> None:
    assert {name: cells[0] for name, cells in table().items()} == bounds()


def test_a_run_with_the_oldest_versions_asks_for_all_of_them() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "oldest_versions.py"))
    asked = dict(line.removesuffix(".*").split("==") for line in tool["oldest_versions"]())
    # Of a later Python there may be no wheels of the oldest version.
    expected = {name: bound for name, bound in bounds().items() if name != "python"}
    for name, wheels in tool["FIRST_WHEELS"].items():
        first = [version for python, version in wheels if sys.version_info >= python]
        expected[name] = max([expected[name], *first], key=numbers)
    assert asked == expected


def test_classifiers_begin_with_the_oldest_python() -> None:
    prefix = "Programming Language :: Python :: 3."
    versions = [text.rpartition(" ")[2] for text in PROJECT["classifiers"] if prefix in text]
    assert min(versions, key=numbers) == bounds()["python"]


@pytest.mark.parametrize("package", sorted(set(bounds()) - {"python"}))
def test_what_is_installed_is_not_older(package: str) -> None:
    installed = importlib.metadata.version(package)
    assert numbers(installed) >= numbers(bounds()[package])
