"""Reductions that pair rows of one operand with rows of another, in tiles of registers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import contraction_analysis, tuning
from lazyarr.compiler import compilation
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.config import Config
from lazyarr.core.vector_registers import Registers
from lazyarr.loop_ir.kernel import For, Kernel, Statement
from lazyarr.runtime import run_log
from tests.support.tuned import tune

pytestmark = pytest.mark.host  # of how processors work in tiles of registers, and in which order

Expression = Callable[[Any, Any, Any], Any]

CASES: dict[str, Expression] = {
    "squares": lambda a, b, w: ((a[:, None] - b[None]) ** 2).sum(-1),
    "absolute": lambda a, b, w: abs(a[:, None] - b[None]).sum(-1),
    "weighted": lambda a, b, w: (w * abs(a[:, None] - b[None])).sum(-1),
    "maximum": lambda a, b, w: abs(a[:, None] - b[None]).max(-1),
    "minimum": lambda a, b, w: (a[:, None] * b[None]).min(-1),
    "products": lambda a, b, w: (1 + a[:, None] * b[None] / 64).prod(-1),
    "any": lambda a, b, w: (a[:, None] > b[None] + 3).any(-1),
    "all": lambda a, b, w: (a[:, None] < b[None] + 3).all(-1),
    "count": lambda a, b, w: (a[:, None] > b[None]).sum(-1),
    "leading": lambda a, b, w: abs(a.T[:, :, None] - b.T[:, None, :]).sum(0),
    "reversed": lambda a, b, w: abs(a[::-1, None, ::-1] - b[None, ::2, ::-1]).sum(-1),
    "before": lambda a, b, w: ((a * 2 + w)[:, None] - (b - w)[None]).max(-1),
    "after": lambda a, b, w: 2 - abs(a[:, None] - b[None]).max(-1) * 3,
    "after by row": lambda a, b, w: a[:, 0][:, None] - abs(a[:, None] - b[None]).max(-1),
    "two": lambda a, b, w: (a[:, None] - b[None]).max(-1) - (a[:, None] - b[None]).min(-1),
    "by row alone": lambda a, b, w: abs(a[:, 0][:, None, None] - b[None]).sum(-1),
    "transposed": lambda a, b, w: ((a[:, None] - b[None]) ** 2).sum(-1).T,
}


@pytest.fixture(params=["llvm", "numba"])
def backend(request: pytest.FixtureRequest) -> Iterator[str]:
    with la.config(backend=request.param):
        yield request.param


def operands(dtype: str, m: int, n: int, k: int) -> list[np.ndarray]:
    rng = np.random.default_rng(m * n + k)
    return [(rng.standard_normal(s) * 4).astype(dtype) for s in ((m, k), (n, k), (k,))]


def tiled(result: Kernel) -> bool:
    """Whether a kernel packs operands."""
    return any(p.name.startswith("tmp") for p in result.parameters) and any(
        _has_vectors(s) for s in result.body
    )


def _has_vectors(statement: Statement) -> bool:
    if not isinstance(statement, For):
        return False
    return statement.lanes or any(map(_has_vectors, statement.body))


def kernels(lazy: Any, backend: str = "llvm") -> list[Kernel]:
    program = compilation.analyse((lazy._node,), Config(backend=backend, threads=2))
    return [kernel for code in program.kernels for kernel in code.kernels]


def tolerance(dtype: np.dtype[Any]) -> float:
    return float(np.finfo(dtype).eps) * 12 if dtype.kind == "f" else 0.0


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dtype", "?Bhilefd")
def test_is_numpys(name: str, dtype: str, backend: str) -> None:
    if backend == "numba" and dtype not in "ld":
        pytest.skip("Numba compiles slowly; LLVM's run covers the loops")
    arrays = operands(dtype, 45, 71, 19)
    if dtype == "?" and name not in ("leading", "any", "all", "count", "maximum"):
        arrays = [array.astype("i1") for array in arrays]
    if dtype == "?" and name in ("leading", "maximum"):
        pytest.skip("NumPy subtracts no booleans")
    if dtype == "e" and name == "products":
        pytest.skip("NumPy rounds each of its products to float16")
    with np.errstate(all="ignore"):
        expected = CASES[name](*arrays)
    runs: list[run_log.RunRecord] = []
    with run_log.listen(runs.append), np.errstate(all="ignore"):
        result = la.evaluate(CASES[name](*map(la.asarray, arrays)))
    assert result.dtype == expected.dtype
    assert runs[-1].planned_peak == runs[-1].measured_peak
    if dtype in "fd":
        scale = np.abs(expected.astype("f8")).max()
        error = np.abs(result.astype("f8") - expected.astype("f8")).max()
        assert error <= tolerance(expected.dtype) * scale
    elif dtype == "e":
        # Sums of NumPy's are rounded to float16 on the way.
        np.testing.assert_allclose(result.astype("f8"), expected.astype("f8"), rtol=0.01, atol=0.3)
    else:
        np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("name", CASES)
def test_these_are_tiled(name: str) -> None:
    result = kernels(CASES[name](*map(la.asarray, operands("d", 45, 71, 19))))
    assert any(map(tiled, result))


def test_what_changes_along_rows_and_columns_is_not_tiled() -> None:
    a, b, _ = map(la.asarray, operands("d", 45, 71, 19))
    c = la.asarray(np.random.default_rng(0).random((45, 71, 19)))
    assert not any(map(tiled, kernels((a[:, None] * b[None] * c).sum(-1))))
    assert not any(map(tiled, kernels((c * 2).sum(-1))))


SHAPES = [
    (m, n, k)
    for m in (0, 1, 4, 7, 48, 193)
    for n in (0, 1, 16, 33, 200)
    for k in (0, 1, 7, 8, 128, 129, 300)
]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_every_shape(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Edges of tiles, of blocks and of steps along the reduction; nothing and one."""
    tune(monkeypatch, tuning, contraction_elements=1)
    forget_plans()
    for m, n, k in SHAPES:
        a, b, _ = operands(dtype, m, n, k)
        expected = ((a[:, None].astype("g") - b[None]) ** 2).sum(-1)
        result = la.evaluate(CASES["squares"](la.asarray(a), la.asarray(b), None))
        assert result.shape == (m, n)
        bound = (20 + np.log2(k + 1)) * np.finfo(dtype).eps * expected
        assert (np.abs(result - expected) <= bound).all(), (m, n, k)
    forget_plans()


@pytest.mark.parametrize("nbytes, count", [(64, 32), (32, 16), (16, 32), (16, 16)])
def test_bits_are_those_of_any_registers(
    nbytes: int, count: int, backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays = [la.asarray(x) for x in operands("f4", 50, 90, 300)]
    wide = [la.asarray(x) for x in operands("f8", 50, 90, 300)]
    names = ("squares", "weighted", "two", "count")
    calls = [(CASES[name], operand) for name in names for operand in (arrays, wide)]
    if backend == "numba":  # a second for each: it prints the same loops
        calls = calls[(nbytes + count) // 16 % 2 :: 2]
    forget_plans()
    with la.config(backend="llvm"):
        expected = [la.evaluate(case(*operand)) for case, operand in calls]
    monkeypatch.setattr(contraction_analysis, "registers", lambda: Registers(nbytes, count))
    forget_plans()
    results = [la.evaluate(case(*operand)) for case, operand in calls]
    forget_plans()
    for ours, theirs in zip(results, expected, strict=True):
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_bits_are_those_of_any_number_of_threads(dtype: str) -> None:
    arrays = [la.asarray(x) for x in operands(dtype, 211, 333, 150)]
    with la.config(threads=1):
        expected = la.evaluate(CASES["weighted"](*arrays))
    for threads in (2, 7):
        with la.config(threads=threads):
            result = la.evaluate(CASES["weighted"](*arrays))
        assert result.tobytes() == expected.tobytes()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("k", [5, 16, 100, 128, 1000])
def test_no_less_accurate_than_numpy(dtype: str, k: int) -> None:
    """The largest error of many sums, in units of what their last bit is worth."""
    rng = np.random.default_rng(k)
    a = rng.random((64, k)).astype(dtype)
    b = rng.random((80, k)).astype(dtype)
    exact = (a[:, None].astype("g") * b[None]).sum(-1)
    rounded = a[:, None] * b[None]
    theirs = np.abs(rounded.sum(-1) - exact).max()
    ours = np.abs(la.evaluate((la.asarray(a)[:, None] * la.asarray(b)[None]).sum(-1)) - exact).max()
    assert ours <= 1.5 * theirs


@pytest.mark.parametrize("k", [16, 300])
def test_not_a_number_and_infinities(k: int, backend: str) -> None:
    a, b, _ = operands("f8", 40, 64, k)
    a[3, 5], a[4, 2], b[7, 1], b[8, 3], b[63, k - 1] = np.nan, np.inf, -np.inf, np.inf, np.nan
    for name in ("squares", "maximum", "minimum"):
        with np.errstate(invalid="ignore"):
            expected = CASES[name](a, b, None)
            result = la.evaluate(CASES[name](la.asarray(a), la.asarray(b), None))
        np.testing.assert_array_equal(np.isnan(result), np.isnan(expected))
        np.testing.assert_array_equal(np.isinf(result), np.isinf(expected))


def test_warns_as_numpy_does() -> None:
    a, b, _ = operands("f8", 40, 64, 16)
    a[3, 5], b[8, 5] = np.inf, np.inf
    with pytest.warns(RuntimeWarning, match="invalid value encountered in subtract"):
        la.evaluate(CASES["squares"](la.asarray(a), la.asarray(b), None))


def test_operands_in_any_layout(backend: str) -> None:
    rng = np.random.default_rng(3)
    a = np.asfortranarray(rng.random((60, 40)))[::2, ::-1]
    b = rng.random((40, 2, 70))[:, 1].T
    c = rng.random((70, 90))[:, 3::3][:, :30].T[:, ::-1].T
    for right in (b, np.ascontiguousarray(b), c.repeat(2, 1)[:, :40]):
        expected = abs(a[:, None] - right[None]).sum(-1)
        lazy = abs(la.asarray(a)[:, None] - la.asarray(right)[None]).sum(-1)
        np.testing.assert_allclose(la.evaluate(lazy), expected, rtol=1e-13)


def test_stacks_and_several_reduced_axes(backend: str) -> None:
    rng = np.random.default_rng(4)
    a, b = rng.random((3, 20, 6, 7)), rng.random((3, 6, 33, 7))
    expected = abs(a[:, :, None] - b.transpose(0, 2, 1, 3)[:, None]).sum((-1, -2))
    x, y = la.asarray(a), la.asarray(b)
    lazy = abs(x[:, :, None] - y.transpose(0, 2, 1, 3)[:, None]).sum((-1, -2))
    assert any(map(tiled, kernels(lazy)))
    np.testing.assert_allclose(la.evaluate(lazy), expected, rtol=1e-13)


def test_gathered_and_drawn_operands(backend: str) -> None:
    rng = np.random.default_rng(5)
    a, b, index = rng.random((30, 20)), rng.random((50, 20)), rng.integers(0, 30, 64)
    expected = abs(a[index][:, None] - b[None]).sum(-1)
    lazy = abs(la.asarray(a)[la.asarray(index)][:, None] - la.asarray(b)[None]).sum(-1)
    np.testing.assert_allclose(la.evaluate(lazy), expected, rtol=1e-13)
    steps = abs(la.arange(64.0)[:, None, None] - la.asarray(b)[None]).sum(-1)
    np.testing.assert_allclose(
        la.evaluate(steps), abs(np.arange(64.0)[:, None, None] - b[None]).sum(-1), rtol=1e-13
    )


def test_a_new_shape_compiles_nothing() -> None:
    def sources(m: int, n: int, k: int) -> list[str]:
        lazy = CASES["squares"](*map(la.asarray, operands("f8", m, n, k)))
        program = compilation.analyse((lazy._node,), Config(backend="llvm", threads=2))
        return [source.text for code in program.kernels for source in code.sources]

    assert sources(100, 200, 16) == sources(90, 333, 20) == sources(1000, 64, 100)
    assert sources(100, 200, 129) == sources(90, 333, 2000)


def test_mathematics_inside(backend: str) -> None:
    a, b, _ = operands("f4", 40, 64, 16)
    expected = np.exp(-abs(a[:, None].astype("f8") - b[None])).sum(-1)
    result = la.evaluate(la.exp(-abs(la.asarray(a)[:, None] - la.asarray(b)[None])).sum(-1))
    np.testing.assert_allclose(result, expected, rtol=1e-6)
