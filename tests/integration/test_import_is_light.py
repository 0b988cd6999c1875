"""``import lazyarr`` costs little: what is heavy is imported by whoever needs it."""

import subprocess
import sys
from pathlib import Path

import pytest

from lazyarr.runtime.cpu import host_target

#: What is imported is what users import.
pytestmark = pytest.mark.optimized

HEAVY = ("numba", "llvmlite", "networkx", "numpy.ma", "pycuda", "scipy", "rich", "matplotlib")


def imported(statement: str) -> set[str]:
    """Return the modules that `statement` imports in a fresh process."""
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=300
    )
    return set(done.stdout.split())


@pytest.mark.parametrize(
    "statement",
    [
        "import lazyarr",
        "import lazyarr as la; x = la.asarray([1.0, 2.0]); y = (x * 2 + 1).sum(); repr(y)",
    ],
    ids=["import", "build"],
)
def test_heavy_packages_are_not_imported(statement: str) -> None:
    assert not imported(statement) & set(HEAVY)


def test_explaining_needs_no_compiler() -> None:
    statement = "import lazyarr as la; str(la.explain(la.asarray([1.0, 2.0]) * 2))"
    assert not imported(statement) & {"numba", "pycuda"}


def test_steps_on_one_device_need_no_driver_of_others() -> None:
    modules = imported(
        "import lazyarr as la; la.parallel.mean([la.ones(la.parallel.device_count())])"
    )
    assert "lazyarr.parallel.data_parallel" in modules
    assert not {name for name in modules if name.startswith("lazyarr.runtime.cuda")}


@pytest.mark.parametrize("backend", ["llvm", "numba"])
def test_a_kernel_on_disk_needs_no_compiler(
    backend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LAZYARR_BACKEND", backend)
    # A kernel of one thread, and one that the pool's code dispatches.
    statement = (
        "import lazyarr as la; la.evaluate(la.asarray([1.0, 2.0]) * 2 + 1)\n"
        "with la.config(threads=2): la.evaluate(la.sin(la.arange(300_000.0)))"
    )
    first = imported(statement)
    assert ("numba" in first) == (backend == "numba")
    assert "llvmlite.binding" in first
    second = imported(statement)
    assert "lazyarr.runtime.cpu.threads.native_pool_ir" in second
    unused = {"numba", "tempfile", "json", "hashlib", "importlib.metadata"}
    if not host_target.why_not():
        unused |= {"llvmlite.binding", "llvmlite.ir"}
    assert not second & unused


#: What neither an import nor a first evaluation on the processor needs.
UNUSED = (
    "html",
    "lazyarr.calibration",
    "lazyarr.codegen.cuda",
    "lazyarr.codegen.device_tilings",
    "lazyarr.codegen.emit.cuda",
    "lazyarr.codegen.emit.cuda_matmul",
    "lazyarr.codegen.emit.numba",
    "lazyarr.compiler.gpu_steps",
    "lazyarr.control_flow",
    "lazyarr.differentiation",
    "lazyarr.function_transforms",
    "lazyarr.inspect",
    "lazyarr.nn",
    "lazyarr.optim",
    "lazyarr.runtime.cuda",
)


def test_an_import_reads_no_compiler() -> None:
    modules = imported("import lazyarr")
    compilers = {"lazyarr.compiler", "lazyarr.codegen", "lazyarr.schedule", "lazyarr.execution"}
    assert not modules & {*UNUSED, *compilers, "lazyarr.loop_ir.kernel", "lazyarr.loop_ir.builder"}
    assert not modules & {"pathlib", "lazyarr.numpy_api.dispatch", "lazyarr.numpy_api.elementwise"}
    assert len([name for name in modules if name.split(".")[0] == "lazyarr"]) <= 94


def test_a_first_evaluation_reads_what_it_needs() -> None:
    modules = imported(
        "import lazyarr as la; la.evaluate((la.sin(la.arange(300_000.0)) * 2 + 1).sum())"
    )
    assert "lazyarr.compiler.pipeline" in modules
    assert not modules & set(UNUSED)


#: What an elementwise expression whose kernel is on disk does not need.
OF_OTHERS = (
    "lazyarr.autotuning.worker",
    "lazyarr.codegen.cpu.column_reduction",
    "lazyarr.codegen.cpu.contraction",
    "lazyarr.codegen.cpu.cost_model",
    "lazyarr.codegen.cpu.row_reduction",
    "lazyarr.codegen.cpu.scan",
    "lazyarr.codegen.gathers",
    "lazyarr.codegen.passes.hoisting",
    "lazyarr.compiler.convolutions",
    "lazyarr.compiler.nonfinite",
    "lazyarr.compiler.pieces",
    "lazyarr.core.symbolic_integers",
    "lazyarr.execution.cpu.convolutions",
    "lazyarr.execution.cpu.launch_batches",
    "lazyarr.execution.cpu.products",
    "lazyarr.loop_ir.cuda_kernel",
    "lazyarr.ops.complex_functions",
    "lazyarr.placement.calibration",
    "lazyarr.runtime.cpu.baseline_tier",
    "lazyarr.runtime.cpu.delayed_interrupts",
    "lazyarr.runtime.cpu.objects.trampolines",
    "lazyarr.runtime.cpu.threads.python_pool",
    "pathlib",
)


@pytest.mark.parametrize(("check", "most"), [("1", 222), ("0", 167)], ids=["kernel", "plan"])
def test_an_elementwise_kernel_on_disk_needs_little(
    check: str, most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LAZYARR_CHECK", check)  # "1": all stages run
    statement = (
        "import numpy as np, lazyarr as la\n"
        "x = np.linspace(0.1, 0.9, 100_000)\n"
        "with la.config(threads=2): la.evaluate(la.sin(la.asarray(x)) * 2 + 1)"
    )
    imported(statement)  # compiles it
    modules = imported(statement)
    if not host_target.why_not():
        assert not modules & {*UNUSED, *OF_OTHERS}
    assert len([name for name in modules if name.split(".")[0] == "lazyarr"]) <= most


#: What a process does not need whose plan is on disk, beside the above.
OF_COMPILERS = (
    "lazyarr.autotuning.hot_plans",
    "lazyarr.codegen.context",
    "lazyarr.codegen.cpu",
    "lazyarr.codegen.emit",
    "lazyarr.codegen.group_terms",
    "lazyarr.codegen.passes",
    "lazyarr.codegen.scalar",
    "lazyarr.compiler.compilation",
    "lazyarr.compiler.kernel_code",
    "lazyarr.compiler.program",
    "lazyarr.compiler.stages",
    "lazyarr.execution.cpu.executor",
    "lazyarr.execution.fp_errors.diagnosis",
    "lazyarr.execution.plan",
    "lazyarr.loop_ir.builder",
    "lazyarr.loop_ir.kernel",
    "lazyarr.passes.simplify",
    "lazyarr.schedule.fusion",
    "lazyarr.schedule.groups",
    "lazyarr.schedule.memory",
)


@pytest.mark.parametrize(
    "expression",
    ["la.sin(x) * 2 + 1", "(x * x).sum()", "la.exp(x.reshape(100, 1000)).mean(axis=0)"],
)
def test_a_plan_on_disk_needs_no_stage_of_the_compiler(
    expression: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("LAZYARR_CHECK", "0")  # else all stages run
    statement = (
        "import numpy as np, lazyarr as la\n"
        "x = la.asarray(np.linspace(0.1, 0.9, 100_000))\n"
        f"with la.config(threads=2): la.evaluate({expression})"
    )
    first = imported(statement)
    assert set(OF_COMPILERS) <= first | {"lazyarr.autotuning.hot_plans"}
    modules = imported(statement)
    if not host_target.why_not():
        assert not modules & {*UNUSED, *OF_OTHERS, *OF_COMPILERS}
