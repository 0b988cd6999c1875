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


TESTS = (
    "tests/numpy_api/test_reductions.py::test_options",
    "tests/ops/test_gather.py::test_take",
    "tests/integration/test_concurrency.py::test_one_expression_from_eight_threads",
)


@pytest.fixture(scope="module")
def report() -> str:
    """What one run of the tests prints: half of the time would go into starting one for each."""
    return run("-m", "cuda", "--launches", *TESTS)


@pytest.mark.parametrize("test", TESTS)
def test_tests_against_numpy_launch_kernels(test: str, report: str) -> None:
    assert re.search(r"\d+ passed", report)
    launches = re.search(rf"^emulated launches of {re.escape(test)}: (\d+)$", report, re.MULTILINE)
    assert launches is not None
    assert int(launches[1]) > 0


def test_all_of_them_are_chosen_by_the_mark() -> None:
    files = [path for path in (ROOT / "tests").rglob("test_*.py") if path != Path(__file__)]
    marked = {
        path.relative_to(ROOT).as_posix()
        for path in files
        if "pytest.mark.each_device" in path.read_text(encoding="utf-8")
    }
    result = run("--collect-only", "-m", "cuda", *marked)
    chosen = {line.partition("::")[0] for line in result.splitlines() if "::" in line}
    assert chosen == marked and len(marked) > 10
