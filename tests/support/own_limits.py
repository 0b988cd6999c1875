"""Modules of tests that all set the limit of operations at once themselves.

Such a test does the same whatever ``LAZYARR_IMMEDIATE`` is, so one run of it is enough.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

__all__ = ["sets_limit", "sets_own_limit"]

#: Of other threads and processes, which have the limit of the environment, and of examples that are
#: others in each run.
OTHERS = frozenset(
    "Thread ThreadPoolExecutor concurrent fork hypothesis multiprocessing own_process"
    " run_in_own_process subprocess threading".split()
)


@cache
def sets_own_limit(path: Path) -> bool:
    """Return whether all that the tests of a module compute is under a limit of the module."""
    text = path.read_text(encoding="utf-8")
    return "autouse=True" in text and "immediate=" in text and sets_limit(text)


def sets_limit(text: str) -> bool:
    """Return whether a fixture of a text sets the limit for each test, and none computes before.

    Parameters
    ----------
    text : str
        A module: it has no fixture of a wider scope, no threads or processes and no examples that
        are drawn, and calls no function of lazyarr while it is imported.
    """
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    if any(OTHERS & _names(node) for node in nodes) or any(map(_is_ours, _imported(tree))):
        return False
    fixtures = [node for node in nodes if isinstance(node, ast.FunctionDef) and _is_fixture(node)]
    if any("scope" in _keywords(fixture) for fixture in fixtures):
        return False
    return any("autouse" in _keywords(f) and _yields_under_limit(f) for f in fixtures)


def _names(node: ast.AST) -> set[str]:
    match node:
        case ast.alias(name=name) | ast.ImportFrom(module=str(name)):
            return {*name.split(".")}
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return {name}
    return set()


def _imported(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls of an import: not those in functions, but those of their decorators."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Lambda):
            continue
        if isinstance(child, ast.Call):
            yield child
        if isinstance(child, ast.FunctionDef):
            for part in (*child.decorator_list, *child.args.defaults):
                yield from _imported(ast.Expr(part))
        else:
            yield from _imported(child)


def _is_ours(call: ast.Call) -> bool:
    return ast.unparse(call.func).startswith(("la.", "lazyarr."))


def _is_fixture(function: ast.FunctionDef) -> bool:
    return any("fixture" in ast.unparse(mark) for mark in function.decorator_list)


def _keywords(function: ast.FunctionDef) -> set[str | None]:
    """Return the arguments of decorators."""
    calls = [mark for mark in function.decorator_list if isinstance(mark, ast.Call)]
    return {keyword.arg for call in calls for keyword in call.keywords}


def _yields_under_limit(fixture: ast.FunctionDef) -> bool:
    """Return whether a fixture waits for its test in `config(immediate=…)`, and does so first."""
    for statement in fixture.body:
        if not isinstance(statement, ast.With):
            continue
        calls = [item.context_expr for item in statement.items]
        limits = any(
            isinstance(call, ast.Call)
            and "config" in _names(call.func)
            and any(keyword.arg == "immediate" for keyword in call.keywords)
            for call in calls
        )
        yields = any(isinstance(node, ast.Yield) for node in ast.walk(statement))
        if limits and yields:
            return True
    return False
