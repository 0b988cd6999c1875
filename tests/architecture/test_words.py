"""Names and docstrings: the field's nouns, and parameters that are documented."""

from __future__ import annotations

import ast
import functools
import re
from collections import defaultdict
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "lazyarr"

#: Participles that stand for a thing that has a name: a plan, a match, a shape, an operand.
PARTICIPLES = {"found", "made", "held", "given", "wanted"}
#: A summary that begins so says what a thing does not is.
CLAUSE = re.compile(r"(Return|Say|Tell|Give|Yield)s? (what|who|which|whether what|how|where)\b")
#: Names that users read: fields of records that `lazyarr.cache.info` returns.
PUBLIC_FIELDS = {("PoolInfo", "held"), ("DevicePoolInfo", "held")}

Function = ast.FunctionDef | ast.AsyncFunctionDef


@functools.cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def uses() -> dict[str, set[Path]]:
    """Return the modules that name each name."""
    users: dict[str, set[Path]] = defaultdict(set)
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Name):
                users[node.id].add(path)
            elif isinstance(node, ast.Attribute):
                users[node.attr].add(path)
            elif isinstance(node, ast.alias):
                users[node.name.rpartition(".")[2]].add(path)
    return users


@functools.cache
def documented_methods() -> set[tuple[str, str]]:
    """Return the class and the name of each method that documents its parameters."""
    return {
        (node.name, method.name)
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
        for method in node.body
        if isinstance(method, Function) and documents(method)
    }


def documents(function: Function) -> bool:
    """Whether a docstring has a section of parameters."""
    return "Parameters\n" in (ast.get_docstring(function) or "")


def parameters(function: Function, *, method: bool) -> list[str]:
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    static = any(
        isinstance(d, ast.Name) and d.id == "staticmethod" for d in function.decorator_list
    )
    return names[1:] if method and not static else names


def is_overload(function: Function) -> bool:
    """Whether a definition is a signature alone."""
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in function.decorator_list)


def undocumented(path: Path) -> list[str]:
    """Return the functions of a module that others call and that do not document parameters."""
    functions: list[tuple[Function, ast.ClassDef | None]] = []
    for node in tree(path).body:
        if isinstance(node, Function):
            functions.append((node, None))
        elif isinstance(node, ast.ClassDef):
            functions += [(part, node) for part in node.body if isinstance(part, Function)]
    missing = []
    for function, owner in functions:
        name = function.name
        several = len(parameters(function, method=owner is not None)) > 1
        if name.startswith("_") or not several or documents(function) or is_overload(function):
            continue
        bases = [] if owner is None else [ast.unparse(base) for base in owner.bases]
        inherited = any(
            (base.rpartition(".")[2].partition("[")[0], name) in documented_methods()
            for base in bases
        )
        if not inherited and uses()[name] - {path}:
            missing.append(name)
    return missing


def stored(path: Path) -> list[str]:
    """Return the participles that a module gives as names to variables and parameters."""
    names = []
    public = {
        part.target
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
        for part in node.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        if (node.name, part.target.id) in PUBLIC_FIELDS
    }
    for node in ast.walk(tree(path)):
        if node in public:
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.append(node.id)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.append(node.attr)
    return [name for name in names if name.lstrip("_") in PARTICIPLES]


def clauses(path: Path) -> list[str]:
    """Return the summaries of a module that are clauses instead of nouns."""
    summaries = []
    for node in ast.walk(tree(path)):
        if isinstance(node, Function | ast.ClassDef):
            summary = (ast.get_docstring(node) or "").partition("\n")[0]
            if CLAUSE.match(summary):
                summaries.append(summary)
    return summaries


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("check", [undocumented, stored, clauses], ids=lambda f: f.__name__)
def test_every_module(check: object) -> None:
    assert callable(check)
    faults = {str(path.relative_to(PACKAGE)): check(path) for path in modules()}
    assert {name: fault for name, fault in faults.items() if fault} == {}
