"""Each pass over kernels: what it makes of one, that once is enough, that it may be left out."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda.builder import DeviceBuilder
from lazyarr.codegen.emit.cuda import emit_cuda
from lazyarr.codegen.emit.llvm import emit_llvm
from lazyarr.codegen.passes import PASSES, run_passes
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import ConfigError
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.kernel import AxisKind, For, Index, Kernel, Literal, Pointer, Value

FOLDER = Path(__file__).parent / "golden_passes"
INT32, INT64, FLOAT64 = np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float64)
IN, OUT = Pointer("in0", FLOAT64), Pointer("out0", FLOAT64, True)


def _strength_reduction() -> Kernel:
    b = DeviceBuilder(INT32)
    thread, block = b.builtin("thread"), b.builtin("block")
    row = b.arithmetic("/", thread, Literal(64, INT32))
    column = b.arithmetic("%", thread, Literal(64, INT32))
    third = b.arithmetic("%", block, Literal(3, INT32))
    n = Value("n0", INT32)
    by_size = b.arithmetic("/", block, n)
    rest = b.arithmetic("%", row, Literal(8, INT32))  # no number of threads or blocks itself
    place = Index(0, ((64, row), (1, column), (1, third), (1, by_size), (1, rest)))
    b.store(OUT, place, b.load(IN, place))
    return DeviceKernel("kernel", (n, IN, OUT), b.finish())


def _fission() -> Kernel:
    b = DeviceBuilder(INT32)
    thread = b.builtin("thread")
    rare = b.declare("rare", Literal(False, np.dtype(np.bool_)))
    with b.side_by_side("r", 4, rare) as r:
        place = Index(0, ((4, thread), (1, r)))
        x = b.load(IN, place)
        power = b.call("exp", b.call("negative", x))
        b.store(OUT, place, b.call("add", b.call("multiply", x, x), power))
    with b.when(rare), b.count("r", Literal(0, INT32), Literal(4, INT32)) as r:
        place = Index(0, ((4, thread), (1, r)))
        x = b.load(IN, place)
        power = b.call("exp", b.call("negative", x))
        b.store(OUT, place, b.call("add", b.call("multiply", x, x), power))
    return DeviceKernel("kernel", (IN, OUT), b.finish())


def _vectorization() -> Kernel:
    b = Builder()
    zero, lanes = Literal(0, INT64), Literal(16, INT64)
    scale = Value("s0", FLOAT64)
    with b.loop("i", Value("begin", INT64), Value("end", INT64), AxisKind.SCALAR) as i:
        with b.loop("l", zero, lanes, AxisKind.INDEPENDENT) as lane:
            place = Index(0, ((16, i), (1, lane)))
            b.store(OUT, place, b.call("multiply", b.load(IN, place), scale))
        with b.loop("l", zero, lanes, AxisKind.INDEPENDENT) as lane:
            place = Index(0, ((16, i), (2, lane)))  # every second element is no vector
            b.store(OUT, place, b.load(IN, place))
    return Kernel("kernel", (IN, scale, OUT), b.finish())


KERNELS: dict[str, Callable[[], Kernel]] = {
    "strength_reduction": _strength_reduction,
    "fission": _fission,
    "vectorization": _vectorization,
}


def _text(kernel: Kernel) -> str:
    source = emit_cuda(kernel) if isinstance(kernel, DeviceKernel) else emit_llvm(kernel)
    lines = source.text.splitlines(keepends=True)
    start = next(k for k, line in enumerate(lines) if "__global__" in line or "define void" in line)
    return "".join(lines[start:])


@pytest.mark.parametrize("name", PASSES)
def test_golden(name: str, pytestconfig: pytest.Config) -> None:
    kernel = KERNELS[name]()
    text = f"---- before\n{_text(kernel)}\n---- after\n{_text(PASSES[name](kernel))}"
    path = FOLDER / f"{name}.txt"
    if pytestconfig.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text(), "if it is meant to change: pytest --update-golden"


def test_no_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == PASSES.keys() == KERNELS.keys()


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("made", KERNELS)
def test_once_is_enough(name: str, made: str) -> None:
    kernel = KERNELS[made]()
    once = PASSES[name](kernel)
    assert (once is kernel) == (name != made)
    assert PASSES[name](once) is once


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_has_a_formula(name: str) -> None:
    assert "->" in (PASSES[name].__doc__ or "")


def test_passes_can_be_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = _vectorization()
    assert run_passes(kernel, skip=PASSES) is kernel
    assert run_passes(kernel, skip=["fission"]) != kernel
    monkeypatch.setenv("LAZYARR_SKIP_PASSES", "vectorization, fission")
    assert run_passes(kernel) is kernel
    monkeypatch.setenv("LAZYARR_SKIP_PASSES", "vectorisation")
    with pytest.raises(ConfigError, match="no pass 'vectorisation'"):
        run_passes(kernel)


def test_loops_without_vector_instructions_stay_lanes() -> None:
    (outer,) = PASSES["vectorization"](_vectorization()).body
    assert isinstance(outer, For)
    assert [inner.kind for inner in outer.body if isinstance(inner, For)] == [
        AxisKind.VECTOR,
        AxisKind.LANES,
    ]


@pytest.mark.parametrize("backend", ["llvm", "numba"])
def test_results_are_the_same_bits_without_passes(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((70, 40)), rng.standard_normal((90, 40))

    def distances() -> np.ndarray:
        forget_plans()
        with la.config(backend=backend, device="cpu"):
            found: np.ndarray = ((la.asarray(x)[:, None] - y[None]) ** 2).sum(-1).compute()
            return found

    expected = distances()
    np.testing.assert_allclose(expected, ((x[:, None] - y[None]) ** 2).sum(-1), rtol=1e-13)
    monkeypatch.setenv("LAZYARR_SKIP_PASSES", ",".join(PASSES))
    assert distances().tobytes() == expected.tobytes()
    forget_plans()
