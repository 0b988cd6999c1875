"""Where there is a GPU, what is asked of every device is asked of it, too."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> str:
    """Run tests as on a machine with a GPU, which the emulator stands in for."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.support.emulated_gpu", "-n0", "-q"]
    done = subprocess.run(
        [*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "test",
    [
        "tests/numpy/test_reductions.py::test_options",
        "tests/numpy/test_gather.py::test_take",
        "tests/integration/test_concurrency.py::test_one_expression_from_eight_threads",
    ],
)
def test_tests_against_numpy_launch_kernels(test: str) -> None:
    result = run("-m", "cuda", test)
    assert re.search(r"\d+ passed", result)
    launches = re.search(r"emulated launches: (\d+)", result)
    assert launches is not None
    assert int(launches[1]) > 0


def test_all_of_them_are_chosen_by_the_mark() -> None:
    folder, other = "tests/numpy", "tests/integration/test_concurrency.py"
    result = run("--collect-only", "-m", "cuda", folder, other)
    chosen = {line.partition("::")[0] for line in result.splitlines() if "::" in line}
    asked = {
        f"{folder}/{path.name}"
        for path in (ROOT / folder).glob("test_*.py")
        if "\npytestmark = pytest.mark.host" not in path.read_text()
    }
    assert chosen == asked | {other}
