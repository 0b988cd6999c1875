"""What is exported is used, and what is said to be used from outside exists."""

from __future__ import annotations

import ast
import re
import tomllib
from functools import cache
from pathlib import Path

import pytest

import lazyarr
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent
REACHED = ROOT.parent / "tools" / "reached.py"
#: Packages and modules whose exports are public, so that users use them.
PUBLIC = re.compile(r"[^/]+\.py|(linalg|nn|numpy_api|optim|random)/")
#: What only people use, and tests.
AIDS = {
    "runtime/cpu/llvm_compiler.py": {"assembly"},  # for a reader
    "runtime/cpu/numba_compiler.py": {"assembly"},  # for a reader
    "runtime/cuda/dlpack.py": {"exports"},  # for tests of what is freed
}


def _modules() -> dict[str, ast.Module]:
    paths = sorted(ROOT.rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): tree_of(path) for path in paths}


@cache
def _mentioned() -> frozenset[str]:
    """Names that code reads, imports or has as a string; not those that are only listed."""
    names = set()
    for tree in _modules().values():
        listed = {id(part) for name in _exports(tree)[1] for part in ast.walk(name)}
        for part in nodes_of(tree):
            if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load):
                names.add(part.id)
            elif isinstance(part, ast.Attribute):
                names.add(part.attr)
            elif isinstance(part, ast.alias):
                names.add(part.name.rpartition(".")[2])
            elif isinstance(part, ast.Constant) and id(part) not in listed:
                if isinstance(part.value, str) and part.value.isidentifier():
                    names.add(part.value)
    return frozenset(names)


def _exports(tree: ast.Module) -> tuple[list[str], list[ast.expr]]:
    """The names in ``__all__``, and the expressions that list them."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
            if statement.targets[0].id == "__all__" and isinstance(statement.value, ast.List):
                parts = statement.value.elts
                names = [p.value for p in parts if isinstance(p, ast.Constant)]
                return [str(name) for name in names], [statement.value]
    return [], []


def test_what_a_module_exports_is_used() -> None:
    unused = [
        (path, name)
        for path, tree in _modules().items()
        if not PUBLIC.match(path)
        for name in _exports(tree)[0]
        if name not in _mentioned() and name not in AIDS.get(path, set())
    ]
    assert not unused


def _unread(path: str, tree: ast.Module) -> list[str]:
    """Return the names that a module defines and does not export, and that nothing reads.

    `vulture` goes by names alone, so that a constant hides behind another module's of that name.
    """
    defined: dict[str, ast.stmt] = {}
    for statement in tree.body:
        match statement:
            case ast.FunctionDef() | ast.ClassDef():
                if not statement.decorator_list:
                    defined[statement.name] = statement
            case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)):
                defined[name] = statement
    exported = {*_exports(tree)[0]} | {name for name in defined if name.startswith("__")}
    reads = [n for n in nodes_of(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    unread = []
    for name, statement in defined.items():
        own = {id(part) for part in ast.walk(statement)}
        if name not in exported and not any(r.id == name and id(r) not in own for r in reads):
            unread.append(name)
    return [name for name in unread if name not in _imported_from().get(path, set())]


@cache
def _imported_from() -> dict[str, set[str]]:
    """Names that other modules import from a module, or read as attributes of it."""
    modules = {"lazyarr/" + path for path in _modules()}
    results: dict[str, set[str]] = {}
    for tree in _modules().values():
        named: dict[str, str] = {}
        parts = nodes_of(tree)
        for part in parts:
            if isinstance(part, ast.ImportFrom) and part.module is not None:
                source = part.module.replace(".", "/")
                for alias in part.names:
                    if f"{source}/{alias.name}.py" in modules:
                        named[alias.asname or alias.name] = f"{source}/{alias.name}.py"
                    results.setdefault(f"{source}.py", set()).add(alias.name)
                    results.setdefault(f"{source}/__init__.py", set()).add(alias.name)
        for part in parts:
            if isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                if part.value.id in named:
                    results.setdefault(named[part.value.id], set()).add(part.attr)
    return {path.removeprefix("lazyarr/"): names for path, names in results.items()}


#: What is looked up by its name: in a table of functions, or in a text.
BY_NAME = {
    "numpy_api/inplace.py": {"resized"},  # tracing/hooks.py
    "ops/complex_functions.py": {"arccosh", "cos", "exp2", "expm1", "log1p", "sin"},
    "runtime/cpu/threads/native_pool_layout.py": {
        *("ASLEEP", "BUSY", "CLOSED", "EPOCH", "GATE", "INSIDE", "IN_SLOT"),
        *("LAST", "LONG", "OWNER", "SPINNING", "STOP"),
    },
}


def test_what_a_module_defines_is_read() -> None:
    unread = {
        path: names - AIDS.get(path, set())
        for path, tree in _modules().items()
        if (names := set(_unread(path, tree)))
    }
    assert {path: names for path, names in unread.items() if names} == BY_NAME
    assert _unread("a.py", ast.parse("A = 1\nB = A\ndef f(): f()\n")) == ["B", "f"]


def test_names_that_are_used_from_outside_exist() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py"))
    words = set(re.findall(r"\w+", text))
    names = re.findall(r"^_\.(\w+)$", REACHED.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) == len(set(names)) > 50
    assert set(names) <= words


def test_names_that_are_used_from_outside_are_used_nowhere_else() -> None:
    """A name that the package itself reads needs no line."""
    vulture = pytest.importorskip("vulture")
    with (ROOT.parent / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file)["tool"]["vulture"]
    search = vulture.Vulture(ignore_decorators=settings["ignore_decorators"])
    search.scavenge([str(ROOT)])
    unused = {item.name for item in search.get_unused_code()}
    names = re.findall(r"^_\.(\w+)$", REACHED.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(names) == unused


def test_each_group_of_names_says_who_uses_them() -> None:
    groups = REACHED.read_text(encoding="utf-8").split("\n\n")[2:]
    assert all(group.startswith("# ") for group in groups[1:])
