"""``lazyarr tune script.py``: a script's kernels are tuned before it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import sys
import numpy as np
import lazyarr as la

a, b = np.ones((30, 40, 50, 3)), np.ones((50, 40, 30, 3))
result = la.evaluate(la.asarray(a) + la.asarray(b).transpose(2, 1, 0, 3) * 1.5)
assert (result == 2.5).all()
print("arguments", *sys.argv[1:])
"""


def _run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"LAZYARR_CACHE_DIR": str(folder / "cache"), "LAZYARR_TUNE": "1"}
    return subprocess.run(
        [sys.executable, "-m", "lazyarr", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env=environment,
    )


def test_a_script_is_tuned_once(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    first = _run(tmp_path, "tune", str(script), "one", "two")
    assert first.returncode == 0, first.stderr
    assert "arguments one two" in first.stdout
    assert "1 kernels" in first.stdout
    assert len(list((tmp_path / "cache" / "tuning").iterdir())) == 1
    again = _run(tmp_path, "tune", str(script))
    assert again.returncode == 0, again.stderr
    assert "0 kernels" in again.stdout


def test_a_script_that_is_not_there(tmp_path: Path) -> None:
    done = _run(tmp_path, "tune", str(tmp_path / "nowhere.py"))
    assert done.returncode == 2 and "no such script" in done.stderr


def test_the_measurements_of_a_script_that_fails_are_shown(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT + "la.ones(3) + la.ones(4)\n")
    done = _run(tmp_path, "tune", str(script))
    assert done.returncode == 1
    assert "1 kernels" in done.stdout and "ShapeError" in done.stdout
    assert "la.ones(3) + la.ones(4)" in done.stderr and "runpy" not in done.stderr
