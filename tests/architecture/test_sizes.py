"""Files and classes stay small enough to be read in one go."""

from __future__ import annotations

import ast
from pathlib import Path

import lazyarr

ROOT = Path(lazyarr.__file__).parent
MAX_FILE = 500
MAX_CLASS = 300

#: Files and classes that are still to be split; nothing may be added.
LARGE_FILES: set[str] = set()
LARGE_CLASSES: set[str] = set()


def test_files_are_short() -> None:
    large = {
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*.py")
        if len(path.read_text(encoding="utf-8").splitlines()) > MAX_FILE
    }
    assert large <= LARGE_FILES, f"split {sorted(large - LARGE_FILES)}"
    assert large >= LARGE_FILES, f"strike {sorted(LARGE_FILES - large)} from the exceptions"


def test_classes_are_short() -> None:
    large = {
        f"{path.relative_to(ROOT).as_posix()}:{node.name}"
        for path in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > MAX_CLASS
    }
    assert large <= LARGE_CLASSES, f"split {sorted(large - LARGE_CLASSES)}"
    assert large >= LARGE_CLASSES, f"strike {sorted(LARGE_CLASSES - large)} from the exceptions"
