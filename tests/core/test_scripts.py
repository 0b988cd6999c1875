"""Scripts run in this process, and how they end."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from lazyarr.core.scripts import Ending, run_script

pytestmark = pytest.mark.host


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("import sys; assert sys.argv[1:] == ['a'] and __name__ == '__main__'", Ending("", 0)),
        ("import sys; sys.exit(4)", Ending("", 4)),
        ("import sys; sys.exit()", Ending("", 0)),
        ("raise SystemExit('enough')", Ending("enough", 1)),
        ("1 / 0", Ending("ZeroDivisionError: division by zero", 1)),
    ],
    ids=["whole", "status", "exit", "message", "error"],
)
def test_how_scripts_end(
    text: str, ending: Ending, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "script.py"
    path.write_text(text)
    argv, folders = sys.argv, sys.path[:]
    assert run_script(str(path), ["a"], nullcontext()) == ending
    assert sys.argv is argv and sys.path == folders
    shown = capsys.readouterr().err.splitlines()
    if "Error" in ending.failure:
        assert shown[1].split(",")[0].endswith('script.py"') and shown[-1] == ending.failure


@pytest.mark.parametrize("command", ["doctor", "tune"])
@pytest.mark.parametrize("end", ["pass", "sys.exit(3)", "raise ValueError"])
def test_forked_processes_report_nothing(command: str, end: str, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(
        "import os, sys, lazyarr as la\n"
        "child = os.fork()\n"
        f"if not child:\n    {end}\n"
        "else:\n    os.waitpid(child, 0)\n    print('parent', flush=True)\n    sys.exit(5)\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "lazyarr", command, str(path)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 5
    report = "tried" if command == "tune" else "script.py took"
    assert done.stdout.count(report) == 1 and done.stdout.count("parent") == 1
