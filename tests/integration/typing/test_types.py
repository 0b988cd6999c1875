"""Type checkers know what lazyarr's functions give, and refuse what there is not."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from mypy import api

from tests.support.stubs import STUBS

HERE = Path(__file__).parent
REVEALS, MISTAKES = HERE / "reveals.py", HERE / "mistakes.py"


def _wrong_lines() -> set[int]:
    lines = MISTAKES.read_text().splitlines()
    return {number for number, line in enumerate(lines, 1) if line.endswith("# wrong")}


def _mypy(*paths: Path) -> str:
    text, problems, _ = api.run(["--strict", "--no-error-summary", *map(str, paths)])
    assert not problems
    return text


@pytest.mark.host
def test_mypy_knows_the_types_and_the_mistakes() -> None:
    text = _mypy(REVEALS, MISTAKES)
    assert "reveals.py" not in text, text
    matches = {int(number) for number in re.findall(r"mistakes\.py:(\d+): error", text)}
    assert matches == _wrong_lines()


@pytest.mark.host
def test_pyright_knows_the_types_and_the_mistakes() -> None:
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("pyright is not installed")
    command = [pyright, "--outputjson", str(REVEALS), str(MISTAKES)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        report = json.loads(run.stdout)
    except json.JSONDecodeError:
        pytest.skip("pyright cannot run here: it fetches itself when it is first used")
    errors = [d for d in report["generalDiagnostics"] if d["severity"] == "error"]
    assert not [d for d in errors if d["file"].endswith("reveals.py")], errors
    results = {d["range"]["start"]["line"] + 1 for d in errors if d["file"].endswith("mistakes.py")}
    assert results == _wrong_lines()


@pytest.mark.host
@pytest.mark.skipif(
    not np.__version__.startswith("2.4."), reason="the stubs are those of this release"
)
@pytest.mark.parametrize("path", STUBS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_stubs_say_what_the_modules_hold(path: Path) -> None:
    ruff = shutil.which("ruff")
    assert ruff is not None
    text = STUBS[path]()
    for action in (["check", "--fix-only", "--quiet"], ["format", "--quiet"]):
        command = [ruff, *action, "--stdin-filename", str(path), "-"]
        text = subprocess.run(
            command, input=text, capture_output=True, text=True, check=True
        ).stdout
    assert path.read_text() == text, "python -m tests.support.stubs writes it anew"
