"""What kernels are tuned by stands in tables, a row for each family of machines."""

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import FrozenInstanceError, fields
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lazyarr
import lazyarr as la
from benchmarks.constants import CONSTANTS
from lazyarr.arrays import tuning as array_tuning
from lazyarr.autotuning import tuning as autotuning_tuning
from lazyarr.codegen import shared_tuning
from lazyarr.codegen.cpu import tuning as codegen_cpu_tuning
from lazyarr.codegen.cuda import tuning as codegen_cuda_tuning
from lazyarr.compiler import tuning as fusion_tuning
from lazyarr.compiler.targets import tuning_rows
from lazyarr.core import tuning as host_tuning
from lazyarr.core.frozen import replace
from lazyarr.core.tuning_table import TuningTable
from lazyarr.execution import tuning as execution_tuning
from lazyarr.runtime.cpu import tuning as runtime_cpu_tuning
from lazyarr.runtime.cuda import tuning as runtime_cuda_tuning
from tests.support.syntax_trees import nodes_of, tree_of

ROOT = Path(lazyarr.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.py") if not path.name.endswith("tuning.py"))
#: Where sizes within functions would decide how code is cut, or when it runs.
DECIDING = [
    path
    for path in FILES
    if (
        {"codegen", "schedule", "compiler", "execution", "passes", "control_flow"}
        & set(path.relative_to(ROOT).parts)
        and "emit" not in path.parts
    )
    or "runtime/cuda/" in path.as_posix()
]
MODULES = [
    codegen_cpu_tuning,
    codegen_cuda_tuning,
    shared_tuning,
    fusion_tuning,
    execution_tuning,
    runtime_cpu_tuning,
    runtime_cuda_tuning,
    host_tuning,
    array_tuning,
    autotuning_tuning,
]
TABLES = [
    *(module.TABLE for module in MODULES if hasattr(module, "TABLE")),
    fusion_tuning.PROCESSORS,
    fusion_tuning.GPUS,
]

#: Numbers that are no choice of what is fastest, and why.
EXCEPTIONS = {
    "arrays/coercion.py": {"MOST_NESTED"},  # axes of NumPy's arrays at most
    "arrays/compiled.py": {
        "_AS_IS",
        "_COUNTS_TRUTHS",
        "_IS_SEVERAL",
        "_LOOKS_UP",
        "_CREATES",
        "_WARNS",
        "_WRITES",
        "_CHEAP_CALL",
        "_FILLS",
        "_COPIES",
        "_BY_LIBRARY",
        "_QUIET_CALL",
        "_AT_ANY_SIZE",
        "_SLOWLY_BUILT",
        "_VIEWS",
        "_EXTENDS",
        "_OWNS",
        "_COPIES_MASK",
        "_MOVES",
    },  # flags of a call
    "arrays/display.py": {"_OPERANDS"},  # of an operation that repr lists
    "arrays/native_methods.py": {"_OF_ANY_SIZE"},  # the size does not matter
    # As many as the compiled form has places for; NumPy's number of samples.
    "arrays/counted_bins.py": {"_ROUNDINGS", "_WIDEST"},  # bounds of errors
    "arrays/call_bounds.py": {"_MOST_OPERANDS", "_SAMPLES"},
    "arrays/packed_order.py": {"_BITS"},  # of a number
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
    "core/addresses.py": {"ALIGNMENT"},  # of all memory: a cache line, and the widest vector
    "core/config.py": {"MAX_THREADS"},  # what a setting may be
    "core/gpu_family.py": {"_CAPABILITY"},  # the driver's numbers of attributes
    "core/shapes.py": {"_MOST", "MOST_AXES"},  # the largest int64; what NumPy's arrays have
    "core/max_flow.py": {"START", "END"},  # vertices
    "execution/cpu/products.py": {"_LARGEST"},  # what BLAS's integers hold
    "execution/cuda/fused_matmul.py": {"_LEAST_ARCHITECTURE"},  # has tensor cores for float64
    "execution/cuda/kernels.py": {"_ALIGNMENT", "_DECLARED_BYTES"},  # the pool's, a driver's limit
    "execution/cuda/memory.py": {"_LAST"},  # a place that no node has
    # From which on there is a warning.
    "function_transforms/retracing.py": {"INLINED_CALLS", "RETRACES", "_MANY_OPERATIONS"},
    "function_transforms/vectorize.py": {"COST"},  # of unknown code: a row of the op table
    "graph/storage.py": {"_NOWHERE"},  # an address at which no memory is
    "inspect/doctor/advice.py": {  # what is worth the reader's time
        "_FORCED",
        "_COMPILED",
        "_SHARE",
        "_SECONDS",
        "_SLOWER",
    },
    "inspect/drawing/coordinates.py": {"_ROUNDS", "_DRIFT", "_PULL"},  # how pictures look
    "inspect/drawing/graph.py": {"LIMIT"},
    "inspect/drawing/layering.py": {"_PASSES", "_COUNTED_LINKS"},
    "inspect/drawing/layout.py": {"PADDING", "HEADER", "_PORT", "_PAGE"},
    "inspect/drawing/memory_timeline.py": {"MOST_ROWS", "_ROW", "_CURVE"},
    "inspect/drawing/svg.py": {"MARGIN", "_HEIGHT", "_LONGEST"},
    "inspect/explanation.py": {"_CANDIDATES", "_ROWS"},  # of a printed table
    "inspect/picture.py": {"_LONGEST_SIDE", "_MOST_PIXELS"},  # what cairo takes
    "inspect/profiling.py": {"_STEPS", "_RUNS"},  # of a printed table
    "interop/callers.py": {"_FRAMES"},  # of pandas between its question and its caller
    "interop/streams.py": {"_OF_THE_THREAD"},  # CUDA's number of a stream
    "loop_ir/cuda_kernel.py": {"WARP"},  # of every GPU
    "loop_ir/extent_code.py": {"UNBOUNDED"},  # beyond every index
    "loop_ir/extents.py": {"_PARTS"},  # how near a bound is
    # The bits of bfloat16 in a float32.
    "loop_ir/narrow_floats.py": {"_LOST", "_UPPER", "_BELOW_HALF", "_SIGN", "_NAN"},
    "nn/alignments.py": {"_IMPOSSIBLE"},  # stands for the logarithm of 0
    "numpy_api/host_functions.py": {"_MAX_BROADCAST"},  # operands that NumPy takes
    "numpy_api/sets.py": {"_NARROW"},  # what 32 bits hold
    "numpy_api/ufunc_methods.py": {"_EXACT"},  # what float64 holds
    "ops/fp_underflow.py": {"SCALE"},  # tiny numbers times this are normal
    "ops/integer_division.py": {"_HALF"},  # bits
    "ops/loop.py": {"COST"},  # more than any op's: a row of the op table
    "ops/powers.py": {"_LARGEST"},  # the forms that a loop over exponents may have
    "ops/random.py": {"ROUNDS", "FACTORS", "STEPS"},  # Philox is defined by them
    "optim/packing.py": {"_ALIGNED"},  # elements that the widest vector has
    "passes/canonicalize.py": {"_SPECIAL"},  # the neutral elements of arithmetic, and halves
    "passes/rewrite.py": {"_LIMIT"},  # rules that go in circles are an error
    "calibration.py": {"_FASTER", "_NOISE"},  # what a measurement may not exceed
    "placement/curves.py": {"_BETWEEN"},  # the power between those of sizes and of cubes
    "placement/partition.py": {"_FIRST", "_SECOND"},  # vertices; nanoseconds
    "placement/work.py": {
        "_FUNCTION",
        "_COMPLEX",
    },  # classes of arithmetic
    "random/early_draws.py": {"_DRAWS", "_NUMPYS_DRAWS", "_HOST_DRAWS"},  # kinds of calls
    "random/draws.py": {"WIDEST", "EXPONENT"},  # beyond them steps of a draw could overflow
    "random/counters.py": {"SPAN"},  # Philox's counters are 64 bits wide
    "runtime/cpu/calling_convention.py": {"SLOT", "FAILED"},  # layout of a call
    "runtime/cpu/host_target.py": {"_XGETBV_AT", "_EXTENDED", "_OSXSAVE"},  # Intel's manual
    "runtime/cpu/llvm_fp_flags.py": {"STICKY"},  # bits of MXCSR
    "runtime/cpu/llvm_logarithm.py": {"HALF"},  # float64 in a register of AVX-512
    "runtime/cpu/llvm_transposes.py": {
        "PART_BYTES"
    },  # of a vector that one instruction interleaves
    "runtime/cpu/llvm_wide_power.py": {"_BOUND"},  # the bits of a limit of float64
    "runtime/cpu/lookups.py": {"BLOCK"},  # lanes of the code
    "runtime/cpu/selection.py": {"MOST_SELECTED"},  # lanes of the code
    # What the extension module has room for; lengths of which transforms are of different kinds.
    "runtime/cpu/transform_jobs.py": {"_MOST_OUTER", "_SHOWN"},
    "runtime/cuda/libraries/convolutions.py": {
        "_ALIGNED",  # bytes that one instruction loads
        "_LARGEST",  # places are int32 in the kernels
    },
    "runtime/cuda/compiler.py": {"_LARGEST_BLOCK"},  # what glibc's malloc keeps
    "runtime/cuda/launch_batch.py": {"_SCALAR", "_WORD"},  # bytes of an argument
    "runtime/cuda/libraries/handles.py": {"_PARTS_IN_FLOAT32"},  # cuBLAS's
    "runtime/cuda/libraries/kernels/copies.py": {"MAX_AXES"},  # arguments of the kernel
    "runtime/cuda/libraries/histograms.py": {"_EXACT"},  # what float64 holds
    "runtime/cuda/libraries/item_writes.py": {"_MOST"},  # what 32 bits hold
    "runtime/cuda/libraries/kernels/radix_sort.py": {"DIGITS", "_NARROW"},  # of a byte; two flags
    "runtime/cuda/libraries/kernels/warp_sort.py": {"_KEY_BYTES"},  # of a word
    "runtime/cuda/libraries/sorting.py": {"_LONGEST"},  # what 32 bits hold
    "runtime/cuda/memory_pool.py": {"_ALIGNMENT"},  # the driver's
    "runtime/cuda/process_end.py": {"_PATIENCE"},  # with threads that do not end
    "runtime/cuda/startup.py": {"_CAPABILITY"},
    "runtime/disk_cache.py": {"_STALE_SECONDS", "DEFAULT_LIMIT"},  # a dead process; a setting
    "runtime/host_memory_pool.py": {"_HUGE_PAGE", "_PAGE"},  # of the processor
}

#: Modules whose numbers are those of a file format, a layout in memory or a library's interface.
FORMATS = {
    "execution/cpu/entry_blocks.py",
    "execution/cpu/factor_entries.py",
    "execution/cpu/known_plans.py",
    "execution/cpu/library_entries.py",
    "execution/cpu/library_rows.py",
    "execution/cpu/small_calls.py",
    "runtime/cpu/blas.py",
    "runtime/cpu/lapack.py",
    "runtime/cpu/objects/elf.py",
    "runtime/cpu/objects/linker.py",
    "runtime/cpu/threads/native_pool_layout.py",
    "runtime/cpu/objects/trampolines.py",
    "runtime/cpu/stacked_routines.py",
    "runtime/cuda/dlpack.py",
    "runtime/cuda/libraries/cublas.py",
    "runtime/cuda/libraries/cublaslt.py",
    "runtime/cuda/libraries/cufft.py",
    "runtime/cuda/libraries/cusolver.py",
    "runtime/cuda/libraries/factored.py",
    "runtime/cuda/libraries/substitution.py",
}

#: Large numbers within functions that are no choice, and why.
LITERALS = {
    "codegen/chunked_reduction.py": {64},  # bytes of a line of a cache, to which parts are aligned
    "codegen/cuda/compile_cost.py": {4096},  # entries of a cache
    "codegen/cuda/partial_states.py": {256},  # bytes, to which memory is aligned
    "codegen/cuda/scan.py": {256},
    "codegen/cuda/scan_chain.py": {256},
    "codegen/group_terms.py": {1024},  # parts are rounded to that, so that few differ
    "codegen/scalar.py": {4096},  # entries of a cache
    "compiler/repetition.py": {1e6},  # microseconds of a second
    "execution/cpu/trial.py": {165},  # a byte that is seen if a kernel does not write over it
    "execution/cpu/convolutions.py": {32},  # vector registers of AVX-512
    "execution/fp_errors/status.py": {63, 64},  # bits of a word
    "execution/memory_bound.py": {100},  # parts in a hundred
    "runtime/cuda/libraries/cublas.py": {256},  # bytes, to which memory is aligned
    "runtime/cuda/libraries/cublaslt.py": {256},
    "runtime/cuda/streams.py": {1e3},  # milliseconds of a second
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
    for statement in tree_of(path).body:
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
    if _name(path) not in FORMATS:
        assert set(_constants(path)) <= EXCEPTIONS.get(_name(path), set())


def _numbers_of_classes(path: Path) -> Iterator[str]:
    """Yield the class attributes and fields whose values are large numbers, or fractions."""
    for owner in nodes_of(tree_of(path)):
        for part in owner.body if isinstance(owner, ast.ClassDef) else ():
            value = part.value if isinstance(part, ast.Assign | ast.AnnAssign) else None
            numbers = [n for n in ast.walk(value) if isinstance(n, ast.Constant)] if value else []
            if value is not None and _is_number(value) and isinstance(owner, ast.ClassDef):
                if any(n.value > 2 or n.value % 1 for n in numbers):  # type: ignore[operator]
                    target = part.targets[0] if isinstance(part, ast.Assign) else part.target  # type: ignore[union-attr]
                    yield f"{owner.name}.{ast.unparse(target)}"


#: Numbers of classes that are no choice of what is fastest, and why.
OF_CLASSES = {
    "arrays/base.py": {"ArrayBase.__array_priority__"},  # NumPy's
    "arrays/native_calls.py": {"Row.places"},  # as many as the compiled form has
    "core/config.py": {"Config.immediate"},  # a setting
    "loop_ir/cuda_kernel.py": {"DeviceKernel.threads"},  # of kernels that tests write
    # Two vectors, as the kernel loads them.
    "runtime/cuda/libraries/kernels/implicit_products.py": {"FilterTile.own_rows"},
}


@pytest.mark.parametrize("path", FILES, ids=_name)
def test_numbers_of_classes_stand_in_tuning_tables(path: Path) -> None:
    if _name(path) != "calibration.py":  # sizes that are measured
        assert set(_numbers_of_classes(path)) == OF_CLASSES.get(_name(path), set())


def _numbers_of_functions(path: Path) -> set[float]:
    """The large numbers that stand in functions."""
    return {
        part.value
        for function in nodes_of(tree_of(path))
        if isinstance(function, ast.FunctionDef)
        for part in ast.walk(function)
        if isinstance(part, ast.Constant) and type(part.value) in (int, float) and part.value > 31
    }


@pytest.mark.parametrize("path", DECIDING, ids=_name)
def test_no_large_number_stands_in_a_function(path: Path) -> None:
    """A size or a limit within code would be a tuning constant without a name."""
    assert _numbers_of_functions(path) <= LITERALS.get(_name(path), set())


def test_no_exception_is_left_over() -> None:
    for name, constants in EXCEPTIONS.items():
        assert constants <= set(_constants(ROOT / name)), name
    assert all(any(_constants(ROOT / name)) for name in FORMATS)
    for name, numbers in LITERALS.items():
        assert numbers <= _numbers_of_functions(ROOT / name), name


def test_the_warp_is_one_constant() -> None:
    results = [
        _name(path)
        for path in sorted(ROOT.rglob("*.py"))
        for constant in _constants(path)
        if constant.strip("_") == "WARP"
    ]
    assert results == ["loop_ir/cuda_kernel.py"]


@pytest.mark.parametrize("path", sorted(ROOT.rglob("*.cuh")), ids=_name)
def test_texts_of_kernels_have_the_warp_put_in(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if not line.lstrip().startswith("//")]
    # Elsewhere a 32 is the number of bits or the side of a tile.
    of_library = path.parent.name == "kernels"
    pattern = r"(?<!<< )(?<!>> )\b3[12]\b" if of_library else r"thread(Idx\.x)? [%/] 32\b"
    assert not [line for line in code if re.search(pattern, line)]


def _headings(module: ModuleType) -> Iterator[str]:
    """Yield the headings of the sections of a row: comments of their own, joined."""
    lines = Path(str(module.__file__)).read_text(encoding="utf-8").splitlines()
    for above, line, below in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if re.match(r"    # \S", line) and not above.strip():
            yield line.strip() + (below.strip() if re.match(r"    # \S", below) else "")


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_each_section_names_a_measurement_that_exists(module: ModuleType) -> None:
    results = ROOT.parent / "benchmarks" / "results"
    named = re.findall(r"\w+_(?:h200|threads|scaling)\w*(?:\.md)?", str(module.__doc__))
    sources = [results / name for name in named]
    assert all(source.exists() for source in sources)
    assert sources or module in (autotuning_tuning, host_tuning, execution_tuning)
    pages = ("notes_on_speed.md", "notes_on_speed_gpu.md")
    notes = "\n".join((ROOT.parent / "docs" / p).read_text(encoding="utf-8") for p in pages)
    headings = list(_headings(module))
    text = Path(str(module.__file__)).read_text(encoding="utf-8")
    constants = set(re.findall(r"^    (\w+): ", text, re.MULTILINE))
    assert headings
    for heading in headings:
        pattern = r"\w+_(?:h200\.md|threads\w*)|schedules\.md|out_of_core\.md"
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
        compared = [
            name
            for names in re.findall(r"`python -m benchmarks\.constants ([\w ]+)`", heading)
            for name in names.split()
        ]
        assert set(compared) <= {name.split()[0] for name in CONSTANTS} & constants, heading
        # What bounds memory, code or time, or was never timed alone, says so.
        assert (
            cases or titles or own or compared or re.search(r"; not measured( alone)?: ", heading)
        ), heading


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{type(table.row()).__name__}")
def test_rows_are_frozen_and_each_family_has_one(table: TuningTable[Any]) -> None:
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
    row = codegen_cuda_tuning.row()
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
    with codegen_cpu_tuning.TABLE.using(replace(codegen_cpu_tuning.row(), row_tile=32)):
        assert plans_made() == 1
        assert plans_made() == 0
    assert plans_made() == 0


def test_info_says_which_rows() -> None:
    (processor, family, name), (gpu, _, of_gpu) = tuning_rows()
    assert (processor, gpu) == ("processor", "GPU")
    assert family == codegen_cpu_tuning.processor_family() and name == codegen_cpu_tuning.row().name
    assert of_gpu == codegen_cuda_tuning.row().name
