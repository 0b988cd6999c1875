"""One loop IR: type checkers see every statement, and every printer has a case for each."""

import ast
import typing
from pathlib import Path

import numpy as np
import pytest

import lazyarr
import lazyarr as la
from lazyarr.codegen.cuda.builder import DeviceBuilder
from lazyarr.codegen.emit.cuda import emit_cuda
from lazyarr.codegen.emit.llvm import emit_llvm
from lazyarr.codegen.emit.numba import emit_numba
from lazyarr.compiler import compilation
from lazyarr.errors import ContractError
from lazyarr.loop_ir import kernel, threads
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.builder import Block, Builder
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.source import Source
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent
FILES = sorted([*(ROOT / "loop_ir").glob("*.py"), *(ROOT / "codegen").rglob("*.py")])


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_statement_is_cast(path: Path) -> None:
    for call in nodes_of(tree_of(path)):
        if isinstance(call, ast.Call) and ast.unparse(call.func).endswith("cast"):
            assert "Statement" not in ast.unparse(call.args[0]), call.lineno


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_match_over_statements_leaves_none_out(path: Path) -> None:
    """The last case is ``assert_never``, or hands the statement on to a match that ends so."""
    for match in nodes_of(tree_of(path)):
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


@pytest.mark.parametrize("kind", AxisKind)
@pytest.mark.parametrize("emit", [emit_llvm, emit_numba, emit_cuda], ids=lambda f: f.__name__)
def test_printers_write_a_loop_of_every_kind_that_has_one(
    kind: AxisKind, emit: typing.Callable[[kernel.Kernel], Source]
) -> None:
    index, dtype = np.dtype(np.int64), np.dtype(np.float64)
    lane, memory = kernel.Value("l0", index), kernel.Pointer("out0", dtype, True)
    body = (kernel.Store(memory, kernel.Index(0, ((1, lane),)), kernel.Literal(1.5, dtype)),)

    def loop() -> kernel.For:
        return kernel.For(lane, kernel.Literal(0, index), kernel.Literal(8, index), body, kind)

    if kind.is_launched:
        with pytest.raises(ContractError, match=kind.name):
            loop()
        return
    cls = DeviceKernel if emit is emit_cuda else kernel.Kernel
    assert "1.5" in emit(cls("kernel", (memory,), (loop(),))).text


def test_indices_of_a_launch_are_axes_of_it() -> None:
    b = DeviceBuilder(np.dtype(np.int32))
    for name in ("thread", "block"):
        b.builtin(name)
    kinds = [s.axis for s in b.finish() if isinstance(s, threads.Builtin)]
    assert kinds == [AxisKind.THREAD, AxisKind.BLOCK] and all(k.is_launched for k in kinds)


def test_builders_only_append() -> None:
    """What is computed twice is written twice: a block knows its statements and nothing else."""
    assert set(vars(Block())) == {"statements"}
    b, dtype = Builder(), np.dtype(np.float64)
    x = kernel.Value("x", dtype)
    products = [b.call("multiply", x, x) for _ in range(2)]
    assert [statement.target for statement in b.finish()] == products  # type: ignore[union-attr]


def test_ranges_of_work_items_are_parallel_axes() -> None:
    x = la.asarray(np.ones((300, 40)))
    program = compilation.analyse((x.std(axis=1)._node,))
    kernels = [each for code in program.kernels for each in code.kernels]
    outer = [s.kind for each in kernels for s in each.body if isinstance(s, kernel.For)]
    assert outer and set(outer) == {AxisKind.PARALLEL}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_types_of_the_loop_ir_need_no_exception(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    exceptions = [line for line in lines if "type: ignore" in line]
    # An extension module of NumPy's, which has no types.
    assert all("import-not-found" in line for line in exceptions), exceptions


#: Statements that are written as often as they come: stores, memory, exchanges between threads, and
#: those whose values passes or lowering share already.
NEVER_SHARED = {
    *(
        "Array",
        "Await",
        "Barrier",
        "Builtin",
        "Comment",
        "DividedBy",
        "Divisor",
        "LastBlock",
        "Local",
    ),
    *("Prefetch", "PrefetchL2", "Publish", "Shuffle", "Store", "Ticket", "Transpose"),
    *("VectorLoad", "VectorStore"),
}


def test_the_pass_over_equal_values_knows_each_statement() -> None:
    """It asks for classes one after another; a new statement has to be put in one of the lists."""
    path = ROOT / "codegen" / "passes" / "common_subexpressions.py"
    imported = {
        alias.name
        for part in nodes_of(tree_of(path))
        if isinstance(part, ast.ImportFrom)
        for alias in part.names
    }
    statements = {statement.__name__ for statement in typing.get_args(kernel.Statement)}
    assert statements - imported == NEVER_SHARED
