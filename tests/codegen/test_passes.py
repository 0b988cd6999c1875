"""Each pass over kernels: what it makes of one, that once is enough, that it may be left out."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda.builder import DeviceBuilder
from lazyarr.codegen.emit.cuda import emit_cuda
from lazyarr.codegen.emit.llvm import emit_llvm
from lazyarr.codegen.passes import PASSES, pass_named, run_passes
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import ConfigError
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.kernel import (
    AxisKind,
    For,
    Index,
    Kernel,
    Literal,
    Operand,
    Pointer,
    Statement,
    Value,
)
from tests.support.compiled import Compiled

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


def _dead_code() -> Kernel:
    b = Builder()
    total = b.declare("sum", Literal(0.0, FLOAT64))
    with b.loop("i", Value("begin", INT64), Value("end", INT64)) as i:
        place = Index(0, ((1, i),))
        x = b.load(IN, place)
        square = b.call("multiply", x, x)
        b.call("sqrt", b.call("add", square, x))  # a chain that ends in nothing
        b.load(OUT, place)
        with b.when(b.call("less", square, x)):
            b.call("negative", square)
            b.update(total, "add", total, square)
        b.store(OUT, Index(0, ((1, b.call("add", i, i)),)), total)  # an index is read, too
    return Kernel("kernel", (IN, OUT), b.finish())


def _common_subexpressions() -> Kernel:
    b = Builder()
    total = b.declare("sum", Literal(0.0, FLOAT64))
    with b.loop("i", Value("begin", INT64), Value("end", INT64)) as i:
        place = Index(0, ((1, i),))
        square = b.call("multiply", b.load(IN, place), b.load(IN, place))
        with b.when(b.call("less", square, b.call("add", total, square))):
            again = b.call("multiply", b.load(IN, place), b.load(IN, place))
            b.update(total, "add", total, again)
            b.store(OUT, place, b.call("add", total, square))  # of another total than above
        b.store(OUT, place, b.load(OUT, place))  # may have been written
    return Kernel("kernel", (IN, OUT), b.finish())


def _hoisting() -> Kernel:
    b = DeviceBuilder(INT32)
    thread = b.builtin("thread")
    divisor, n = b.load(IN, Index(0, ((1, thread),))), Value("n0", INT32)
    with b.count("t", Literal(0, INT32), n, unroll=1) as t:
        place = Index(0, ((64, thread), (1, t)))
        b.store(OUT, place, b.call("divide", b.load(IN, place), divisor))
        own = b.call("add", divisor, divisor)
        b.store(OUT, place, b.call("divide", own, own))  # another one in each iteration
    with b.count("t", Literal(0, INT32), Literal(4, INT32), unroll=1) as t:
        place = Index(0, ((64, thread), (1, t)))  # too few
        b.store(OUT, place, b.call("divide", b.load(IN, place), divisor))
    return DeviceKernel("kernel", (n, IN, OUT), b.finish(), shared_divisions=8)


def _searches() -> Kernel:
    b = DeviceBuilder(INT32)
    thread, length = b.builtin("thread"), Value("n0", INT32)
    table = Pointer("table", FLOAT64)
    first = Index(0, ((2, thread),))

    def position(value: Operand, side: str = "left") -> Value:
        return b.position_in(table, (Literal(1, INT32), length, value), side)

    one = position(b.load(IN, first))
    b.store(OUT, first, b.call("convert", one, dtype=FLOAT64))
    doubled = b.call("add", *[b.load(IN, Index(1, ((2, thread),)))] * 2)
    two = position(doubled)  # is searched for beside the first
    changed = b.load(OUT, first)
    after = position(changed)  # what is written meanwhile is not read before
    beside = position(doubled, "right")  # another place
    deeper = position(b.call("convert", two, dtype=FLOAT64))  # a result is not there before
    total = b.call("add", b.call("add", two, after), b.call("add", beside, deeper))
    b.store(OUT, Index(1, ((2, thread),)), b.call("convert", total, dtype=FLOAT64))
    return DeviceKernel("kernel", (length, IN, table, OUT), b.finish())


KERNELS: dict[str, Callable[[], Kernel]] = {
    "dead_code": _dead_code,
    "common_subexpressions": _common_subexpressions,
    "searches": _searches,
    "hoisting": _hoisting,
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
    text = f"---- before\n{_text(kernel)}\n---- after\n{_text(pass_named(name)(kernel))}"
    path = FOLDER / f"{name}.txt"
    if pytestconfig.getoption("--update-golden"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text(), "if it is meant to change: pytest --update-golden"


def test_a_value_that_a_branch_between_changes_is_searched_for_behind_it() -> None:
    b = DeviceBuilder(INT32)
    thread = b.builtin("thread")
    one, table = Literal(1, INT32), Pointer("table", FLOAT64)
    place = Index(0, ((1, thread),))
    changed = b.declare("changed", Literal(0.0, FLOAT64))
    first = b.position_in(table, (one, thread, b.load(IN, place)), "left")
    with b.when(b.call("less", thread, one)):
        b.assign(changed, b.load(IN, place))
    second = b.position_in(table, (one, thread, changed), "left")
    b.store(OUT, place, b.call("convert", b.call("add", first, second), dtype=FLOAT64))
    kernel = DeviceKernel("kernel", (IN, table, OUT), b.finish())
    assert pass_named("searches")(kernel) is kernel


def test_no_file_is_left_over() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(PASSES) == KERNELS.keys()


@pytest.mark.parametrize("name", PASSES)
@pytest.mark.parametrize("value", KERNELS)
def test_once_is_enough(name: str, value: str) -> None:
    kernel = KERNELS[value]()
    once = pass_named(name)(kernel)
    assert (once is kernel) == (name != value)
    assert pass_named(name)(once) is once


@pytest.mark.parametrize("name", PASSES)
def test_a_pass_has_a_formula(name: str) -> None:
    assert "->" in (pass_named(name).__doc__ or "")


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
    (outer,) = pass_named("vectorization")(_vectorization()).body
    assert isinstance(outer, For)
    assert [inner.kind for inner in outer.body if isinstance(inner, For)] == [
        AxisKind.VECTOR,
        AxisKind.LANES,
    ]


class _Drawn:
    """A kernel of random arithmetic in nested blocks, with values that come again and again."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self.b = rng, Builder()
        with self.b.loop("i", Value("begin", INT64), Value("end", INT64)) as i:
            self.place = Index(0, ((1, i),))
            self.variables = [self.b.declare("x", Literal(k, FLOAT64)) for k in (1.0, 2.0)]
            self.block([self.b.load(IN, self.place)], 3)
        self.kernel = Kernel("test", (IN, OUT), self.b.finish())

    def block(self, values: list[Value], depth: int) -> None:
        values = list(values)
        for kind in self.rng.integers(0, 8, 6):
            one, other = (self.pick(values) for _ in range(2))
            if kind < 4:
                primitive = ("add", "multiply", "maximum", "subtract")[kind]
                values.append(self.b.call(primitive, one, other))
            elif kind == 4:
                values.append(self.b.load(IN, self.place))
            elif kind == 5:
                b = self.b
                b.update(self.variables[self.rng.integers(2)], "minimum", one, other)
            elif depth:
                below = self.b.call("less", one, other)
                bounds = Literal(0, INT64), Literal(3, INT64)
                with self.b.when(below) if kind == 6 else self.b.loop("k", *bounds):
                    self.block(values, depth - 1)
            self.b.store(OUT, self.place, self.b.call("maximum", self.pick(values), one))

    def pick(self, values: list[Value]) -> Value:
        return [*values[-3:], *self.variables][self.rng.integers(min(len(values), 3) + 2)]


def _count(body: tuple[Statement, ...]) -> int:
    return sum(1 + _count(getattr(statement, "body", ())) for statement in body)


@pytest.mark.parametrize("seed", range(6))
def test_values_that_are_known_are_the_same_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kernel = _Drawn(rng).kernel
    shorter = pass_named("common_subexpressions")(kernel)
    assert _count(shorter.body) < _count(kernel.body)
    x = rng.standard_normal(50)
    results = []
    for each in (kernel, shorter):
        result = np.zeros(50)
        Compiled(each, "llvm")(0, 50, x, result)
        results.append(result.tobytes())
    assert results[0] == results[1]


def test_kernels_keep_what_no_pass_changes() -> None:
    kernel = _hoisting()
    assert isinstance(kernel, DeviceKernel)
    flags = Pointer("flags", INT32, True)
    kernel = dataclasses.replace(kernel, threads=64, tiered=True, flags=flags)
    hoisted = pass_named("hoisting")(kernel)
    assert hoisted == dataclasses.replace(kernel, body=hoisted.body) != kernel


@pytest.mark.parametrize("backend", ["llvm", "numba"])
def test_results_are_the_same_bits_without_passes(
    backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((70, 40)), rng.standard_normal((90, 40))

    def distances() -> np.ndarray:
        forget_plans()
        with la.config(backend=backend, device="cpu"):
            result: np.ndarray = ((la.asarray(x)[:, None] - y[None]) ** 2).sum(-1).compute()
            return result

    expected = distances()
    np.testing.assert_allclose(expected, ((x[:, None] - y[None]) ** 2).sum(-1), rtol=1e-13)
    monkeypatch.setenv("LAZYARR_SKIP_PASSES", ",".join(PASSES))
    assert distances().tobytes() == expected.tobytes()
    forget_plans()
