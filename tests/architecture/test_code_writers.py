"""What writes code has its figures from the tiling: it decides nothing by the tuning tables."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import lazyarr
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent


def _is_writer(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and re.match("_?write(_|$)", node.name) is not None


def _read_by_writers(tree: ast.Module) -> set[str]:
    """Return the functions that read a tuning row and that writers of code call, or are.

    What makes an object that writes is of it: it takes figures from the tiling, too, which only
    functions called `choose…` decide.
    """
    functions: dict[str, list[ast.FunctionDef]] = defaultdict(list)
    makers: dict[str, list[ast.FunctionDef]] = {}
    for node in nodes_of(tree):
        if isinstance(node, ast.FunctionDef):
            functions[node.name].append(node)
        if isinstance(node, ast.ClassDef) and any(map(_is_writer, node.body)):
            own = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            makers[node.name] = [part for part in own if part.name == "__init__"]
    reached = {name for name in functions if _is_writer(functions[name][0])}
    readers = set()
    functions.pop("__init__", None)
    functions |= makers
    reached |= makers.keys()
    pending = list(reached)
    while pending:
        name = pending.pop()
        for node in (part for function in functions[name] for part in ast.walk(function)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("tuning.row"):
                readers.add(name)
            callee = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
            if callee in functions.keys() - reached and not re.match("_?choose(_|$)", callee):
                reached.add(callee)
                pending.append(callee)
    return readers


def test_what_writes_code_chooses_nothing() -> None:
    """A tiling is decided before, and `explain` prints it."""
    readers = {
        str(path.relative_to(ROOT)): _read_by_writers(tree_of(path))
        for path in (ROOT / "codegen").rglob("*.py")
    }
    assert {path: names for path, names in readers.items() if names} == {}
    for text in (
        "def write_rows(): return tuning.row().rows",
        "class A:\n def _write_pass(self): self._size\n def _size(self): shared_tuning.row()",
        "class A:\n def __init__(self): self.rows = tuning.row().rows\n def write(self): self.rows",
    ):
        assert _read_by_writers(ast.parse(text))
    for text in (
        "def choose_rows(): return tuning.row().rows",
        "class A:\n def __init__(self): choose()\n def write(self): 1\ndef choose(): tuning.row()",
    ):
        assert not _read_by_writers(ast.parse(text))
