"""Checks that run in a process of their own, where no other test has left arrays or threads."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

__all__ = ["run_in_own_process"]

ROOT = Path(__file__).parents[2]


def run_in_own_process(check: Callable[[], None]) -> None:
    """Run a function of a test module in a new interpreter, and fail as it does."""
    module = ".".join(Path(check.__code__.co_filename).relative_to(ROOT).with_suffix("").parts)
    code = f"from {module} import {check.__name__} as check\ncheck()"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert not done.returncode, done.stderr
