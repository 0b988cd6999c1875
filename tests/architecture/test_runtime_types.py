"""Parameters of the runtime that are objects of ours say which."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import lazyarr
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent / "runtime"
#: What the runtime's own objects are called, wherever they are passed on.
OURS = {
    "block",
    "device",
    "executable",
    "executor",
    "function",
    "launcher",
    "libraries",
    "other",
    "plan",
    "pool",
    "queue",
    "reader",
    "recorder",
    "settings",
    "source",
    "stream",
    "work",
}
#: Functions that llvmlite and Numba call functions.
FOREIGN = {"llvm_primitives.py", "llvm_vector_functions.py", "numba_intrinsics.py"}


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.py")), ids=lambda path: path.stem)
def test_no_object_of_ours_is_of_any_type(path: Path) -> None:
    if path.name in FOREIGN:
        return
    for node in nodes_of(tree_of(path)):
        if isinstance(node, ast.FunctionDef):
            for argument in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
                kind = argument.annotation
                is_any = isinstance(kind, ast.Name) and kind.id == "Any"
                assert not (is_any and argument.arg in OURS), (
                    f"{path.name}:{node.lineno}: {node.name}({argument.arg}: Any)"
                )
