"""One loop IR: type checkers see every statement, and every printer has a case for each."""

import ast
import typing
from pathlib import Path

import pytest

import lazyarr
from lazyarr.loop_ir import kernel, threads

ROOT = Path(lazyarr.__file__).parent
FILES = sorted([*(ROOT / "loop_ir").glob("*.py"), *(ROOT / "codegen").rglob("*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_statement_is_cast(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for call in ast.walk(ast.parse(text)):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("cast"):
            assert "Statement" not in ast.unparse(call.args[0]), call.lineno


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_match_over_statements_leaves_none_out(path: Path) -> None:
    """The last case is ``assert_never``, or hands the statement on to a match that ends so."""
    for match in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(match, ast.Match) or ast.unparse(match.subject) != "statement":
            continue
        last = match.cases[-1]
        assert ast.unparse(last.pattern) == "_" and last.guard is None, match.lineno
        (call,) = last.body
        assert isinstance(call, ast.Expr) and isinstance(call.value, ast.Call)
        name = ast.unparse(call.value.func).rpartition(".")[2]
        assert name in ("assert_never", "statement", "thread_statement"), match.lineno
        assert ast.unparse(call.value.args[0]) == "statement"


def test_the_statements_of_threads_are_statements() -> None:
    statements = typing.get_args(kernel.Statement)
    assert set(typing.get_args(threads.ThreadStatement)) < set(statements)
    named = {name for name in threads.__all__ if name != "ThreadStatement"}
    assert named == {statement.__name__ for statement in typing.get_args(threads.ThreadStatement)}
