"""Print pip's arguments for a run with the oldest supported versions, one name a line.

Usage: pip install $(python tools/oldest_versions.py)
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))


def oldest_versions() -> list[str]:
    """Return each dependency with the series of versions that its lower bound names."""
    lines = PROJECT["project"]["dependencies"]
    bounds = [re.fullmatch(r"([\w-]+)>=([\d.]+)", line) for line in lines]
    return [f"{bound[1]}=={bound[2]}.*" for bound in bounds if bound is not None]


if __name__ == "__main__":
    print("\n".join(oldest_versions()))
