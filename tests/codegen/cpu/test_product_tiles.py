"""Matrix products that kernels compute, in tiles of registers, with what is round them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import contraction_analysis, tuning
from lazyarr.codegen.cpu.contraction_analysis import product_pays
from lazyarr.compiler import compilation
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.config import Config
from lazyarr.core.vector_registers import Registers
from lazyarr.graph.node import Node
from lazyarr.runtime import run_log
from tests.support.tuned import tune

pytestmark = pytest.mark.host  # a GPU leaves products to libraries: see tests/runtime/cuda

Array = np.ndarray[Any, Any]


@pytest.fixture(autouse=True)
def every_product(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let kernels compute every product that they can, whatever the processor and its BLAS."""

    def takes(value: Node, library_bytes: Callable[[], int]) -> bool:
        return value.dtype.kind in "iu" or value.dtype in (np.float32, np.float64)

    monkeypatch.setattr(contraction_analysis, "product_pays", takes)
    forget_plans()
    yield
    forget_plans()


@pytest.fixture(params=["llvm", "numba"])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    with la.config(backend=request.param):
        yield request.param


def draw(dtype: str, *shape: int) -> Array:
    rng = np.random.default_rng(sum(shape))
    if np.dtype(dtype).kind in "iu":
        limits = np.iinfo(dtype)
        return rng.integers(limits.min, limits.max, shape, dtype, endpoint=True)
    return rng.standard_normal(shape).astype(dtype)


def calls(lazy: Any) -> list[str]:
    """Return the steps that a library does."""
    return [step.op for step in la.explain(lazy).fallbacks]


def check(result: Array, left: Array, right: Array, after: Any = None) -> None:
    """Compare with the exact product: each sum is as good as a chain of k fused additions."""
    exact = left.astype("g") @ right.astype("g")
    size = np.abs(left).astype("g") @ np.abs(right).astype("g")
    assert result.shape == exact.shape and result.dtype == left.dtype
    bound = (4 + 0.1 * left.shape[-1]) * float(np.finfo(result.dtype).eps) * size
    assert (np.abs(result - exact) <= bound).all()


SHAPES = [
    (m, k, n)
    for m in (0, 1, 3, 8, 9, 61, 257)
    for k in (0, 1, 7, 8, 255, 256, 257, 700)
    for n in (0, 1, 15, 16, 33, 200)
]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_shape(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edges of tiles, blocks and steps along the reduction; also what no tile suits."""
    tune(monkeypatch, tuning, contraction_elements=1)
    for m, k, n in SHAPES:
        a, b = draw(dtype, m, k), draw(dtype, k, n)
        result = la.evaluate(la.asarray(a) @ la.asarray(b))
        if k:
            check(result, a, b)
        else:
            np.testing.assert_array_equal(result, np.zeros((m, n), dtype))


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"])
def test_integers_are_numpys(dtype: str, backend: str) -> None:
    if backend == "numba" and dtype != "i8":
        pytest.skip("Numba compiles slowly; LLVM's run covers the loops")
    for m, k, n in ((40, 50, 60), (65, 300, 130)):
        a, b = draw(dtype, m, k), draw(dtype, k, n)
        lazy = la.asarray(a) @ la.asarray(b)
        assert calls(lazy) == []
        np.testing.assert_array_equal(la.evaluate(lazy), a @ b)


def layouts(dtype: str, rows: int, columns: int) -> dict[str, Array]:
    return {
        "plain": draw(dtype, rows, columns),
        "transposed": draw(dtype, columns, rows).T,
        "reversed": draw(dtype, rows, columns)[::-1, ::-1],
        "reversed transposed": draw(dtype, columns, rows)[::-1].T,
        "steps": draw(dtype, 2 * rows, 3 * columns)[1::2, ::3],
        "one row": np.broadcast_to(draw(dtype, columns), (rows, columns)),
        "one column": np.broadcast_to(draw(dtype, rows, 1), (rows, columns)),
        "one number": np.broadcast_to(draw(dtype, 1), (rows, columns)),
        "windows": np.lib.stride_tricks.sliding_window_view(draw(dtype, rows + columns), columns)[
            :rows
        ],
    }


@pytest.mark.parametrize("left", layouts("f8", 2, 2))
@pytest.mark.parametrize("right", layouts("f8", 2, 2))
def test_layouts(left: str, right: str) -> None:
    for dtype in ("f4", "f8"):
        a, b = layouts(dtype, 45, 70)[left], layouts(dtype, 70, 83)[right]
        check(la.evaluate(la.asarray(a) @ la.asarray(b)), a, b)
        # The same arrangements as views of lazy arrays, some of them not even of arrays.
        result = la.evaluate((la.asarray(b) * 1.0).T @ (la.asarray(a) + 0).T)
        check(result, b.T, a.T)


@pytest.mark.parametrize(
    "left, right",
    [
        ((3, 20, 30), (3, 30, 40)),
        ((3, 20, 30), (30, 40)),
        ((20, 30), (3, 30, 40)),
        ((2, 1, 20, 30), (1, 3, 30, 40)),
        ((2, 3, 20, 30), (1, 30, 40)),
        ((0, 20, 30), (30, 40)),
        ((1, 1, 20, 30), (1, 30, 40)),
        ((5, 1, 300), (5, 300, 40)),
    ],
)
def test_stacks(left: tuple[int, ...], right: tuple[int, ...], backend: str) -> None:
    a, b = draw("f8", *left), draw("f8", *right)
    lazy = la.asarray(a) @ la.asarray(b)
    assert calls(lazy) == []
    check(la.evaluate(lazy), a, b)


Expression = Callable[[Any, Any, Any, Any], Any]

AROUND: dict[str, Expression] = {
    "layer": lambda xp, a, b, c: 1 / (1 + xp.exp(-(a @ b + c))),
    "before": lambda xp, a, b, c: (a * 2 + 1) @ (b - c),
    "mathematics before": lambda xp, a, b, c: xp.exp(a) @ xp.tanh(b),
    "both": lambda xp, a, b, c: xp.sqrt(abs(xp.sin(a) @ b)) * c,
    "chain": lambda xp, a, b, c: (a @ b) @ c + a,
    "itself": lambda xp, a, b, c: a @ a + a,
    "itself computed": lambda xp, a, b, c: xp.exp(a) @ xp.exp(a) + xp.exp(a),
    "gram": lambda xp, a, b, c: a.T @ a - a @ a.T,
    "sum": lambda xp, a, b, c: (a @ b).sum(0) + (a @ b).max(1),
    "softmax": lambda xp, a, b, c: xp.exp(a @ b) / xp.exp(a @ b).sum(1, keepdims=True),
    "two": lambda xp, a, b, c: (a @ b) * (a @ c),
    "transposed": lambda xp, a, b, c: (a @ b).T,
    "rows": lambda xp, a, b, c: (a @ b)[::2] + c[::-2],
    "reshaped": lambda xp, a, b, c: (a @ b).reshape(-1) * c.reshape(-1),
    "gathered": lambda xp, a, b, c: a[xp.asarray([5, 3, 0, 7] * 20)] @ b,
    "where": lambda xp, a, b, c: xp.where(a @ b > 0, c, a @ b - c),
    "joined": lambda xp, a, b, c: xp.concatenate([a @ b, (b @ c).T, c], axis=1),
    "cast": lambda xp, a, b, c: (a @ b).astype("f4") + c.astype("f4"),
    "mixed": lambda xp, a, b, c: a.astype("f4") @ b,
    "powers": lambda xp, a, b, c: (c @ (a @ (a @ b))) / 64,
    "beside pairs": lambda xp, a, b, c: (a @ b) + (a[:, :, None] * b[None] * c[0, 0]).sum(1),
}


@pytest.mark.parametrize("name", AROUND)
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_with_what_is_round_them(name: str, dtype: str, backend: str) -> None:
    if backend == "numba" and name not in ("layer", "both", "two", "joined"):
        pytest.skip("Numba compiles slowly; LLVM's run covers the loops")
    arrays = [draw(dtype, n, 80)[-80:] / 4 for n in (80, 81, 82)]
    kept = [x.copy() for x in arrays]
    expected = AROUND[name](np, *(x.astype("f8") for x in arrays))
    lazy = AROUND[name](la, *map(la.asarray, arrays))
    assert calls(lazy) == []
    runs: list[run_log.RunRecord] = []
    with run_log.listen(runs.append):
        result = la.evaluate(lazy)
    assert runs[-1].planned_peak == runs[-1].measured_peak
    eps = float(np.finfo("f4" if name == "cast" else dtype).eps)
    np.testing.assert_allclose(
        result, expected, rtol=200 * eps, atol=200 * eps * abs(expected).max()
    )
    for x, before in zip(arrays, kept, strict=True):
        np.testing.assert_array_equal(x, before)


def test_a_layer_is_one_kernel() -> None:
    a, b, c = (draw("f8", n, 96) for n in (96, 96, 96))
    lazy = AROUND["layer"](la, *map(la.asarray, (a, b, c)))
    report = la.explain(lazy)
    assert (len(report.kernels), report.fallbacks) == (1, ())
    assert report.kernels[0].bytes_read == a.nbytes + b.nbytes + c.nbytes
    assert "fma" in report.kernels[0].source


def test_dear_operands_are_computed_once() -> None:
    """What a block of the result computes anew is stored instead, but not what is cheap."""
    a, b = map(la.asarray, (draw("f8", 2000, 64), draw("f8", 64, 2000)))
    assert len(la.explain(la.exp(a) @ b).kernels) == 2
    assert len(la.explain((a + 1) @ b).kernels) == 1
    assert len(la.explain(a @ b).kernels) == 1


def test_several_results_and_given_memory() -> None:
    a, b = draw("f8", 90, 70), draw("f8", 70, 110)
    x, y = la.asarray(a), la.asarray(b)
    product, positive, total = la.evaluate(x @ y, la.maximum(x @ y, 0), (x @ y).sum())
    check(product, a, b)
    np.testing.assert_array_equal(positive, np.maximum(product, 0))
    np.testing.assert_allclose(total, product.sum())
    for out in (np.empty((90, 110)), np.empty((110, 90)).T, np.empty((180, 220))[::2, ::2]):
        assert la.evaluate(x @ y, out=out) is out
        np.testing.assert_array_equal(out, product)
    square = draw("f8", 80, 80)
    operand = square.copy()
    la.evaluate(la.asarray(operand) @ la.asarray(operand), out=operand)
    check(operand, square, square)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_bits_are_those_of_any_threads_and_registers(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    a, b = draw(dtype, 131, 700), draw(dtype, 700, 333)
    x, y = la.asarray(a), la.asarray(b)
    with la.config(threads=1):
        expected = la.evaluate(x @ y)
    results = []
    for threads in (2, 7):
        with la.config(threads=threads):
            results.append(la.evaluate(x @ y))
    for nbytes, count in ((64, 32), (32, 16), (16, 32), (16, 16)):
        monkeypatch.setattr(
            contraction_analysis, "registers", lambda n=nbytes, c=count: Registers(n, c)
        )
        forget_plans()
        results.append(la.evaluate(x @ y))
    # A column of the result does not depend on the others, nor on where it lies.
    results.append(np.hstack([la.evaluate(x @ y[:, :100]), la.evaluate(x @ y[:, 100:])]))
    for each in results:
        assert each.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("k", [16, 100, 256, 257, 1000, 4000])
def test_no_less_accurate_than_numpy(dtype: str, k: int) -> None:
    rng = np.random.default_rng(k)
    a, b = rng.random((64, k)).astype(dtype), rng.random((k, 80)).astype(dtype)
    exact = a.astype("g") @ b.astype("g")
    theirs = np.abs(a @ b - exact).max()
    ours = np.abs(la.evaluate(la.asarray(a) @ la.asarray(b)) - exact).max()
    assert ours <= 1.5 * theirs


@pytest.mark.parametrize("k", [40, 600])
def test_not_a_number_and_infinities(k: int, backend: str) -> None:
    a, b = draw("f8", 40, k), draw("f8", k, 64)
    a[3, 5], a[4, 2], b[7, 1], b[8, 3], b[k - 1, 63] = np.nan, np.inf, -np.inf, np.inf, np.nan
    with np.errstate(invalid="ignore"):
        expected = a @ b
        result = la.evaluate(la.asarray(a) @ la.asarray(b))
    np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
    np.testing.assert_array_equal(np.isinf(result), np.isinf(expected))
    np.testing.assert_allclose(result, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize(
    "fault, left, right",
    [
        ("invalid value", np.inf, 0.0),
        ("overflow", 1e200, 1e200),
    ],
)
def test_warns_as_numpy_does(fault: str, left: float, right: float) -> None:
    a, b = draw("f8", 40, 50), draw("f8", 50, 60)
    a[3, 4], b[4, 5] = left, right
    with pytest.warns(RuntimeWarning, match=f"^{fault} encountered in matmul$") as theirs:
        a @ b
    with pytest.warns(RuntimeWarning, match=f"^{fault} encountered in matmul$") as ours:
        la.evaluate(la.asarray(a) @ la.asarray(b) + 1)
    assert len(ours) == len(theirs) == 1
    assert ours[0].filename == __file__
    with np.errstate(all="raise"), pytest.raises(FloatingPointError, match="in matmul"):
        la.evaluate(la.asarray(a) @ la.asarray(b))


def test_warns_of_no_numbers_that_are_given() -> None:
    a, b = draw("f8", 40, 50), draw("f8", 50, 60)
    a[3, 4], b[5, 6] = np.nan, np.inf
    a[:, 5] = 1
    result = la.evaluate(la.asarray(a) @ la.asarray(b))
    assert np.isnan(result[3]).all() and np.isinf(result[4, 6])


def test_a_new_shape_compiles_nothing() -> None:
    def sources(m: int, k: int, n: int) -> list[str]:
        lazy = la.asarray(np.zeros((m, k))) @ la.asarray(np.zeros((k, n)))
        program = compilation.analyse((lazy._node,), Config(backend="llvm", threads=2))
        return [source.text for code in program.kernels for source in code.sources]

    assert sources(100, 200, 300) == sources(90, 33, 200) == sources(1000, 64, 100)
    assert sources(100, 300, 300) == sources(1000, 2000, 100)


def test_many_threads_at_once() -> None:
    a, b = draw("f8", 200, 300), draw("f8", 300, 250)
    x, y = la.asarray(a), la.asarray(b)
    expected = la.evaluate(la.exp(-abs(x @ y)))
    wrong: list[int] = []

    def work(number: int) -> None:
        for _ in range(5):
            if not np.array_equal(la.evaluate(la.exp(-abs(x @ y))), expected):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_which_products_are_for_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contraction_analysis, "registers", lambda: Registers(64, 32))

    def pays(m: int, k: int, n: int, dtype: str, library: int) -> bool:
        lazy = la.asarray(np.zeros((m, k), dtype)) @ la.asarray(np.zeros((k, n), dtype))
        return product_pays(lazy._node, lambda: library)

    for dtype in ("f4", "f8"):
        assert pays(256, 256, 256, dtype, 32)
        assert not pays(256, 256, 256, dtype, 64)
        assert not pays(100, 100, 100, dtype, 32)
        assert not pays(2048, 2048, 8, dtype, 32)
    assert pays(128, 128, 128, "i8", 64) and not pays(20, 20, 20, "i8", 64)
    assert not pays(2000, 2000, 2, "i8", 64)
    for dtype in ("c16", "f2", "?"):
        assert not pays(256, 256, 256, dtype, 16)


def test_a_matrix_times_a_vector_of_float32_is_summed_in_blocks() -> None:
    rng = np.random.default_rng(8)
    for length in (17, 256, 257, 700, 70_000):
        rows = int(rng.integers(2, 30))
        a = rng.standard_normal((rows, length)).astype("f4")
        x = rng.standard_normal(length).astype("f4")
        results = []
        for threads in (1, 2):
            with la.config(threads=threads):
                results.append(la.jit(lambda a, x: (2 * a) @ x)(a, x))
        np.testing.assert_array_equal(*results)
        exact = 2 * (a.astype("f8") @ x)
        bound = 2 * (np.abs(a).astype("f8") @ np.abs(x))
        # A product, a few additions of a lane, and of lanes; not as many as there are elements.
        assert np.all(np.abs(results[0] - exact) <= 16 * np.finfo("f4").eps * bound)
    a[0, 3], a[1, 5] = np.inf, np.nan
    special = np.asarray(la.jit(lambda a, x: (2 * a) @ x)(a, x))
    assert np.isinf(special[0]) and np.isnan(special[1])
