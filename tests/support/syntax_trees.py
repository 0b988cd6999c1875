"""Syntax trees of files: dozens of checks read all modules, and each module is parsed once."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

__all__ = ["forget", "nodes_of", "tree_of"]

_trees: dict[Path, ast.Module] = {}
#: By the identity of the trees of files.
_nodes: dict[ast.AST, list[ast.AST]] = {}


def tree_of(path: Path) -> ast.Module:
    """Return the syntax tree of a file, one for all callers: nobody may change it."""
    tree = _trees.get(path)
    if tree is None:
        tree = _trees[path] = ast.parse(path.read_text(encoding="utf-8"))
        _nodes[tree] = list(ast.walk(tree))
    return tree


def nodes_of(tree: ast.AST) -> Iterable[ast.AST]:
    """Return the nodes of a tree in the order of :func:`ast.walk`.

    Parameters
    ----------
    tree : ast.AST
        If :func:`tree_of` has returned it, its nodes are remembered: to walk takes half as long as
        to parse.
    """
    return _nodes.get(tree) or ast.walk(tree)


def forget() -> None:
    """Drop all trees."""
    _trees.clear()
    _nodes.clear()
