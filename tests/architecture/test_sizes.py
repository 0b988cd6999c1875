"""Files and classes stay small enough to be read in one go."""

from __future__ import annotations

import ast
from pathlib import Path

import lazyarr
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent
REPOSITORY = ROOT.parent
MAX_FILE = 500
MAX_CLASS = 300
#: Lines of a function, its docstring aside; parts that are functions of their own included.
MAX_FUNCTION = 82

#: Files and classes that are still to be split; nothing may be added.
LARGE_FILES: set[str] = set()
LARGE_CLASSES: set[str] = set()


def programs() -> list[Path]:
    """Return the files of programs that people write; test_tests.py has the rule of tests."""
    trees = ("lazyarr", "benchmarks", "examples", "tools", "docs")
    endings = ("py", "c", "h", "ll", "cuh")
    return [
        path for tree in trees for end in endings for path in (REPOSITORY / tree).rglob(f"*.{end}")
    ]


def test_files_are_short() -> None:
    large = {
        path.relative_to(REPOSITORY).as_posix()
        for path in programs()
        if len(path.read_text(encoding="utf-8").splitlines()) > MAX_FILE
    }
    assert large <= LARGE_FILES, f"split {sorted(large - LARGE_FILES)}"
    assert large >= LARGE_FILES, f"strike {sorted(LARGE_FILES - large)} from the exceptions"


def test_classes_are_short() -> None:
    large = {
        f"{path.relative_to(ROOT).as_posix()}:{node.name}"
        for path in ROOT.rglob("*.py")
        for node in nodes_of(tree_of(path))
        if isinstance(node, ast.ClassDef)
        and (node.end_lineno or node.lineno) - node.lineno + 1 > MAX_CLASS
    }
    assert large <= LARGE_CLASSES, f"split {sorted(large - LARGE_CLASSES)}"
    assert large >= LARGE_CLASSES, f"strike {sorted(LARGE_CLASSES - large)} from the exceptions"


def test_functions_are_short() -> None:
    large = {
        f"{path.relative_to(REPOSITORY).as_posix()}:{node.name}"
        for path in programs()
        if path.suffix == ".py"
        for node in nodes_of(tree_of(path))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _lines(node) > MAX_FUNCTION
    }
    assert large == set()


def _lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without its docstring."""
    first = function.body[0] if ast.get_docstring(function) else None
    docstring = 0 if first is None else (first.end_lineno or first.lineno) - first.lineno + 1
    return (function.end_lineno or function.lineno) - function.lineno + 1 - docstring
