"""The rules of imports that import-linter's contracts cannot state."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lazyarr
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))


def _module(path: Path) -> str:
    parts = ("lazyarr", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {_module(path) for path in FILES}


def _called(call: ast.Call) -> str:
    """Return the last name of the function that is called, an empty text if it has none."""
    match call.func:
        case ast.Name(name) | ast.Attribute(attr=name):
            return name
    return ""


def _imported(path: Path) -> Iterator[str]:
    """Yield the modules of lazyarr that a file imports: at once, when called, or for its types."""
    for statement in nodes_of(tree_of(path)):
        if isinstance(statement, ast.ImportFrom) and statement.module in MODULES:
            for alias in statement.names:
                name = f"{statement.module}.{alias.name}"
                yield name if name in MODULES else statement.module
        elif isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names if alias.name in MODULES)


def test_only_the_root_imports_a_module_of_lazyarr_by_a_string() -> None:
    """Editors and type checkers follow import statements; they lose a module named by a string."""
    results = []
    for path in FILES:
        for call in nodes_of(tree_of(path)):
            if not isinstance(call, ast.Call) or not call.args:
                continue
            if _called(call) in ("import_module", "__import__") and "lazyarr" in ast.unparse(
                call.args[0]
            ):
                results.append(f"{path.relative_to(ROOT)}:{call.lineno}")
        for node in nodes_of(tree_of(path)):
            if isinstance(node, ast.FunctionDef) and node.name == "__getattr__":
                start, end = node.lineno, node.end_lineno or node.lineno
                if path == ROOT / "__init__.py":
                    results = [
                        place
                        for place in results
                        if not place.startswith("__init__.py:")
                        or not start <= int(place.rpartition(":")[2]) <= end
                    ]
    assert not results


def test_no_import_gives_a_thing_another_name() -> None:
    """A reader who meets ``driver.device()`` finds it by that name.

    What a public package imports for itself begins with an underscore there.
    """
    renamed = [
        f"{path.relative_to(ROOT)}:{statement.lineno}: {alias.name} as {alias.asname}"
        for path in FILES
        for statement in nodes_of(tree_of(path))
        if isinstance(statement, ast.ImportFrom)
        for alias in statement.names
        if alias.asname and not (path.name == "__init__.py" and alias.asname.startswith("_"))
    ]
    assert not renamed


def test_files_import_each_other_in_one_direction() -> None:
    """What is imported for type checkers counts, and so does what a function imports."""
    graph = {_module(path): set(_imported(path)) - {_module(path)} for path in FILES}
    while leaves := [name for name, imported in graph.items() if not imported & graph.keys()]:
        for name in leaves:
            del graph[name]
    # What remains either lies on a cycle or imports one that does: drop the latter.
    while True:
        targets = set().union(*graph.values()) if graph else set()
        roots = [name for name in graph if name not in targets]
        if not roots:
            break
        for name in roots:
            del graph[name]
    assert not graph, f"these files import each other: {sorted(graph)}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_says_what_it_is(path: Path) -> None:
    assert ast.get_docstring(tree_of(path))
