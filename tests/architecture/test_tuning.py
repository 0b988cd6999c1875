"""What kernels are tuned by stands in tables, a row for each family of machines."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import lazyarr
import lazyarr as la
from lazyarr.codegen import shared_tuning
from lazyarr.codegen.cpu import tuning as cpu_tuning
from lazyarr.codegen.cuda import tuning as cuda_tuning
from lazyarr.compiler.targets import tuning_rows
from lazyarr.core.frozen import replace
from lazyarr.core.tuning_table import TuningTable

ROOT = Path(lazyarr.__file__).parent
FILES = sorted(path for folder in ("codegen", "schedule") for path in (ROOT / folder).rglob("*.py"))
TABLES = [cpu_tuning, cuda_tuning, shared_tuning]

#: Numbers that are no choice, and why.
EXCEPTIONS = {
    "codegen/chunked_reduction.py": {"CENTRE"},  # a component's place in a state
    "codegen/reducers.py": {"BLOCK"},  # the order of additions that docs/numbers promises
    "codegen/cpu/contraction_analysis.py": {"_ROW", "_COLUMN", "_DEEP"},  # bits of a set of axes
    "codegen/cuda/block_reduction.py": {"NOWHERE"},  # a position that no element has
    "codegen/cuda/compile_cost.py": {  # the model of what NVRTC takes, fitted to measured kernels
        "_OTHER",
        "_EMPTY",
        "_STATEMENT",
        "_DIVISION",
        "_WORDS",
        "_FUNCTIONS",
    },
    "codegen/cuda/index_context.py": {"MARGIN"},  # the distance from the end of int32
    "codegen/cuda/matmul_epilogue.py": {"MOST_SIZE"},  # sizes are int32 in the kernel
    "codegen/cuda/scan_chain.py": {"TICKET", "DONE", "FLAGS"},  # places of counters in memory
    "codegen/cuda/tile_schedule.py": {"_REGISTER"},  # bytes that a GPU's register has
    "codegen/emit/llvm.py": {"CACHE_LINE"},  # bytes that one prefetch instruction brings
}

#: Large numbers within functions that are no choice, and why.
LITERALS = {
    "codegen/chunked_reduction.py": {64},  # bytes of a line of a cache, to which parts are aligned
    "codegen/cuda/builder.py": {32},  # the lanes of a warp
    "codegen/cuda/compile_cost.py": {4096},  # entries of a cache
    "codegen/cuda/partial_states.py": {256},  # bytes, to which memory is aligned
    "codegen/cuda/scan.py": {256},
    "codegen/cuda/scan_chain.py": {256},
    "codegen/group_terms.py": {1024},  # parts are rounded to that, so that few differ
    "codegen/scalar.py": {4096},  # entries of a cache
    "schedule/fusion.py": {10_000},  # a weight beyond which all are expensive
}


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _is_number(value: ast.expr) -> bool:
    """Whether an expression is made of numbers alone."""
    allowed = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.operator, ast.unaryop, ast.Load)
    parts = list(ast.walk(value))
    numbers = [part.value for part in parts if isinstance(part, ast.Constant)]
    return (
        all(isinstance(part, allowed) for part in parts)
        and bool(numbers)
        and all(isinstance(number, int | float) for number in numbers)
        and not any(isinstance(number, bool) for number in numbers)
    )


def _constants(path: Path) -> Iterator[str]:
    """The names of module-level constants that are numbers."""
    for statement in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.Assign):
            targets, value = statement.targets, statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets, value = [statement.target], statement.value
        else:
            continue
        if _is_number(value):
            for target in targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Name) and part.id.isupper():
                        yield part.id


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_numbers_stand_in_tuning_tables(path: Path) -> None:
    if path.name in ("tuning.py", "shared_tuning.py"):
        return
    assert set(_constants(path)) <= EXCEPTIONS.get(_name(path), set())


@pytest.mark.parametrize("path", [path for path in FILES if "emit" not in path.parts], ids=_name)
def test_no_large_number_stands_in_a_function(path: Path) -> None:
    """A size or a limit within code would be a tuning constant without a name."""
    if path.name in ("tuning.py", "shared_tuning.py"):
        return
    numbers = {
        part.value
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for part in ast.walk(function)
        if isinstance(part, ast.Constant) and type(part.value) in (int, float) and part.value > 31
    }
    assert numbers <= LITERALS.get(_name(path), set())


def test_no_exception_is_left_over() -> None:
    for name, constants in EXCEPTIONS.items():
        assert constants <= set(_constants(ROOT / name)), name


def test_the_warp_is_one_constant() -> None:
    results = [
        _name(path)
        for path in sorted(ROOT.rglob("*.py"))
        for constant in _constants(path)
        if constant.strip("_") == "WARP"
    ]
    assert results == ["loop_ir/cuda_kernel.py"]


def _headings(module: ModuleType) -> Iterator[str]:
    """Yield the headings of the sections of a row: comments of their own, joined."""
    lines = Path(str(module.__file__)).read_text(encoding="utf-8").splitlines()
    for above, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if re.match(r"    # \S", line) and not above.strip():
            yield line.strip() + (below.strip() if re.match(r"    # \S", below) else "")


@pytest.mark.parametrize("module", TABLES, ids=lambda module: module.__name__)
def test_each_section_names_a_measurement_that_exists(module: ModuleType) -> None:
    results = ROOT.parent / "benchmarks" / "results"
    named = re.findall(r"\w+_(?:h200|threads|scaling)\w*(?:\.md)?", str(module.__doc__))
    sources = [results / name for name in named]
    assert sources and all(source.exists() for source in sources)
    notes = (ROOT.parent / "docs" / "notes_on_speed.md").read_text(encoding="utf-8")
    headings = list(_headings(module))
    assert headings
    for heading in headings:
        pattern = r"\w+_(?:h200\.md|threads\w*)|schedules\.md"
        own = [results / name for name in re.findall(pattern, heading)]
        assert all(source.exists() for source in own), heading
        pages = [page for s in own or sources for page in ([s] if s.is_file() else s.glob("*.md"))]
        measured = "".join(page.read_text(encoding="utf-8") for page in pages)
        cases = re.findall(r"`(\w+)`", heading)
        for case in cases:
            assert re.search(rf"\b{case}\b", measured), (heading, case)
        titles = re.findall(r'"([^"]+)"', heading)
        for title in titles:
            assert re.search(rf"^(## |\*\*){re.escape(title)}", notes, re.MULTILINE), title
        assert cases or titles or own, heading


@pytest.mark.parametrize("module", TABLES, ids=lambda module: module.__name__)
def test_rows_are_frozen_and_each_family_has_one(module: object) -> None:
    table = module.TABLE  # type: ignore[attr-defined]
    row = table.row()
    for family in ("x86_64", "aarch64", "sm_75", "sm_90", "sm_120"):
        assert type(table.row_of(family)) is type(row)
        assert table.row_of(family).name
    with pytest.raises((FrozenInstanceError, AttributeError)):
        row.name = "another"
    other = replace(row, name="another")
    with table.using(other):
        assert table.row() is other
    assert table.row() is row


def test_the_sizes_of_blocks_are_whole_warps() -> None:
    row = cuda_tuning.row()
    for field in fields(row):
        if field.name.endswith("threads"):
            assert getattr(row, field.name) % 32 == 0, field.name


def test_the_machine_chooses_the_row() -> None:
    asked: list[str] = []

    def machine(family: str) -> Callable[[], str]:
        return lambda: asked.append(family) or family  # type: ignore[func-returns-value]

    rows = {"new": "wide", "old": "narrow"}
    for family, expected in (("old", "narrow"), ("new", "wide"), ("other", "plain"), ("", "plain")):
        table = TuningTable(rows, otherwise="plain", machine=machine(family))
        assert [table.row(), table.row()] == [expected, expected]
    assert asked == ["old", "new", "other", ""]
    alike = TuningTable({"new": "plain"}, otherwise="plain", machine=machine("nobody asks"))
    assert alike.row() == "plain" and "nobody asks" not in asked


def test_another_row_is_another_plan() -> None:
    rng = np.random.default_rng(0)
    x = rng.random((300, 40))

    def plans_made() -> int:
        before = la.cache.info().plans.misses
        result = (la.asarray(x) * 2.25).std(axis=1).compute()
        np.testing.assert_allclose(result, (x * 2.25).std(axis=1), rtol=1e-13)
        return la.cache.info().plans.misses - before

    plans_made()
    assert plans_made() == 0
    with cpu_tuning.TABLE.using(replace(cpu_tuning.row(), row_tile=32)):
        assert plans_made() == 1
        assert plans_made() == 0
    assert plans_made() == 0


def test_info_says_which_rows() -> None:
    (processor, family, name), (gpu, _, of_gpu) = tuning_rows()
    assert (processor, gpu) == ("processor", "GPU")
    assert family == cpu_tuning.processor_family() and name == cpu_tuning.row().name
    assert of_gpu == cuda_tuning.row().name
