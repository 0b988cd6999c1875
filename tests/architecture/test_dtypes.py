"""Kinds of dtypes are asked of one module."""

from __future__ import annotations

import ast
from pathlib import Path

import lazyarr
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent
#: NumPy's characters of kinds.
KINDS = frozenset("biufcmMOSUV")


def _names_kinds(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return bool(node.elts) and all(map(_names_kinds, node.elts))
    text = node.value if isinstance(node, ast.Constant) else None
    return isinstance(text, str) and bool(text) and set(text) <= KINDS


def _reads_of_kinds(tree: ast.Module) -> list[int]:
    """The lines that read the attribute `kind` of a dtype."""
    compared = {
        id(side)
        for node in nodes_of(tree)
        if isinstance(node, ast.Compare)
        and any(_names_kinds(side) for side in (node.left, *node.comparators))
        for side in (node.left, *node.comparators)
    }
    return [
        node.lineno
        for node in nodes_of(tree)
        if isinstance(node, ast.Attribute)
        and node.attr == "kind"
        and (id(node) in compared or ast.unparse(node.value).endswith("dtype"))
    ]


def test_no_module_asks_numpy_for_the_kind_of_a_dtype() -> None:
    """NumPy calls bfloat16 void; `lazyarr.core.dtypes.kind_of` calls it a float."""
    places = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted(ROOT.rglob("*.py"))
        if path != ROOT / "core" / "dtypes.py"
        for line in _reads_of_kinds(tree_of(path))
    ]
    assert places == []


def test_reads_are_seen() -> None:
    text = 'a.dtype.kind\nif d.kind in "iu": pass\nif d.kind == "f": pass\nop.kind is Kind.VIEW'
    assert _reads_of_kinds(ast.parse(text)) == [1, 2, 3]
