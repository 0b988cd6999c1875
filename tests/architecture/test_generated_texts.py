"""Texts in generated languages lie in files of these languages, which say where they come from."""

import ast
from pathlib import Path

import pytest

import lazyarr
from lazyarr.core.text_files import filled_in, sections, text_file
from lazyarr.errors import ContractError
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
TEXTS = sorted(path for kind in ("*.ll", "*.cuh") for path in ROOT.rglob(kind))
MOST_LINES = 40


def _name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_no_long_string_is_in_a_module(path: Path) -> None:
    tree = tree_of(path)
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docstrings = {
        id(node.body[0].value)
        for node in nodes_of(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    long = [
        node.lineno
        for node in nodes_of(tree)
        if (isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str))
        and id(node) not in docstrings
        and (node.end_lineno or node.lineno) - node.lineno >= MOST_LINES
    ]
    assert not long


def test_the_texts_are_there() -> None:
    assert {"native_pool.ll", "helpers.cuh", "merge_sort.cuh"} <= {path.name for path in TEXTS}


@pytest.mark.parametrize("path", TEXTS, ids=_name)
def test_a_text_names_its_provenance(path: Path) -> None:
    mark = {".ll": ";:", ".cuh": "//:"}[path.suffix]
    lines = path.read_text(encoding="utf-8").splitlines()
    head = next(k for k, line in enumerate(lines) if not line.startswith(mark))
    assert "Written for lazyarr" in " ".join(lines[:head])
    assert all(len(line) <= 100 for line in lines)


@pytest.mark.parametrize("path", TEXTS, ids=_name)
def test_remarks_are_no_part_of_a_text(path: Path) -> None:
    package = ".".join(("lazyarr", *path.parent.relative_to(ROOT).parts))
    __import__(package)
    text = text_file(package, path.name)
    assert not [line for line in text.splitlines() if line.startswith(("//:", ";:"))]
    for section in sections(package, path.name).values() if path.suffix == ".cuh" else [text]:
        assert section.strip("\n")
        assert "//#" not in section


def test_conditions_of_the_language_stay() -> None:
    text = "#if A\n$x\n#if $own\nmine\n#else\nyours\n#endif\n#else\nplain\n#endif\n#ifdef B\n#endif"
    assert filled_in(text, {"own": True, "x": 1}) == (
        "#if A\n1\nmine\n#else\nplain\n#endif\n#ifdef B\n#endif"
    )
    assert filled_in(text, {"own": 0, "x": 1}).split("\n")[2] == "yours"


def test_a_name_without_a_value_is_an_error() -> None:
    with pytest.raises(KeyError, match="size"):
        filled_in("int x[$size];", {})


def test_a_loader_without_data_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = lazyarr.__spec__
    assert spec is not None
    monkeypatch.setattr(spec, "loader", None)
    with pytest.raises(ContractError, match="loader of lazyarr"):
        text_file("lazyarr", "any.cuh")
