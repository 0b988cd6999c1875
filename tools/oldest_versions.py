"""Print pip's arguments for a run with the oldest supported versions, one name a line.

Usage: pip install $(python tools/oldest_versions.py)

Of a package that had no wheel for this Python at its lower bound it is the first release with one.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))

#: The first releases with wheels for later Pythons, newest Python first.
FIRST_WHEELS = {"numpy": (((3, 14), "2.3"), ((3, 13), "2.1"))}


def oldest_versions() -> list[str]:
    """Return each dependency with the series of versions that its lower bound names."""
    lines = PROJECT["project"]["dependencies"]
    bounds = [re.fullmatch(r"([\w-]+)>=([\d.]+)", line) for line in lines]
    return [f"{bound[1]}=={_series(bound[1], bound[2])}.*" for bound in bounds if bound is not None]


def _series(package: str, bound: str) -> str:
    """Return a package's oldest series that this Python can install."""
    for python, first in FIRST_WHEELS.get(package, ()):
        if sys.version_info >= python:
            return first
    return bound


if __name__ == "__main__":
    print("\n".join(oldest_versions()))
