"""What is exported is used, and what is said to be used from outside exists."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import lazyarr

ROOT = Path(lazyarr.__file__).parent
REACHED = ROOT.parent / "tools" / "reached.py"
#: Packages and modules whose exports are public, so that users use them.
PUBLIC = re.compile(r"[^/]+\.py|(linalg|nn|numpy_api|optim|random)/")
#: What only people use, and tests.
AIDS = {
    "runtime/cpu/llvm_compiler.py": {"assembly"},  # for a reader
    "runtime/cpu/numba_compiler.py": {"assembly"},  # for a reader
}


@cache
def _modules() -> dict[str, ast.Module]:
    paths = sorted(ROOT.rglob("*.py"))
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text()) for path in paths}


@pytest.fixture(scope="module", autouse=True)
def forgotten() -> Iterator[None]:
    """Forget the trees in the end: the garbage collector would go through millions of nodes."""
    yield
    _modules.cache_clear()


@cache
def _mentioned() -> frozenset[str]:
    """Names that code reads, imports or has as a string; not those that are only listed."""
    names = set()
    for tree in _modules().values():
        listed = {id(part) for name in _exports(tree)[1] for part in ast.walk(name)}
        for part in ast.walk(tree):
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
        if name not in _mentioned() | AIDS.get(path, set())
    ]
    assert not unused


def test_names_that_are_used_from_outside_exist() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in ROOT.rglob("*.py"))
    words = set(re.findall(r"\w+", text))
    names = re.findall(r"^_\.(\w+)$", REACHED.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(names) == len(set(names)) > 50
    assert set(names) <= words


def test_each_group_of_names_says_who_uses_them() -> None:
    groups = REACHED.read_text(encoding="utf-8").split("\n\n")[2:]
    assert all(group.startswith("# ") for group in groups[1:])
