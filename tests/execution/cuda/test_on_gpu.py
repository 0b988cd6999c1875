"""The expressions of the emulator, memory, interchange and threads, on a real device."""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.device_check import check, check_draw, check_rows_divided
from tests.support.expressions import EXPRESSIONS, Expression
from tests.support.random_draws import DRAWS, Draw

pytestmark = [pytest.mark.cuda, pytest.mark.usefixtures("device")]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_agrees_with_numpy(expression: Expression) -> None:
    check(expression)


@pytest.mark.parametrize("columns", [64, 1024, 8192])
def test_rows_divided_by_one_number_are_numpys(columns: int) -> None:
    check_rows_divided(columns)


@pytest.mark.parametrize("draw", DRAWS, ids=str)
def test_draws_are_those_of_the_cpu(draw: Draw) -> None:
    check_draw(draw)


def test_large_draws_are_those_of_the_cpu() -> None:
    for dtype in (np.float32, np.float64):
        drawn = la.random.default_rng(1).random((1 << 22) + 3, dtype=dtype)
        ours = la.evaluate(drawn)
        with la.config(device="cpu"):
            np.testing.assert_array_equal(ours, la.evaluate(drawn))


@pytest.mark.parametrize("n", [1, 31, 1 << 20, (1 << 22) + 3])
def test_sums_of_many_blocks(n: int) -> None:
    x = np.random.default_rng(0).random(n)
    m, v = la.evaluate(la.mean(la.asarray(x)), la.var(la.asarray(x)))
    np.testing.assert_allclose(m, x.mean(), rtol=1e-13)
    np.testing.assert_allclose(v, x.var(), rtol=1e-12, atol=1e-300)
    again = la.evaluate(la.mean(la.asarray(x)), la.var(la.asarray(x)))
    assert (m, v) == again


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("n", [12_000_000, 12_000_001])
def test_reductions_of_many_chunks(n: int, dtype: str) -> None:
    """One by one: more chunks than threads combine in one iteration."""
    values = np.random.default_rng(2).normal(3, 2, n).astype(dtype)
    values[n // 3] = 100
    x, wide = la.asarray(values), values.astype(np.longdouble)
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(la.evaluate(x.sum()), wide.sum(), rtol=eps)
    np.testing.assert_allclose(la.evaluate(x.var()), wide.var(), rtol=4 * eps)
    assert la.evaluate(x.argmax()) == n // 3
    assert la.evaluate(x.min()) == values.min()


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_tall_columns(dtype: str) -> None:
    values = np.random.default_rng(2).normal(3, 2, (1_000_003, 6)).astype(dtype)
    values[400_000:, 1] += 50
    x, wide = la.asarray(values), values.astype(np.longdouble)
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(la.evaluate(x.mean(0)), wide.mean(0), rtol=eps)
    np.testing.assert_allclose(la.evaluate(x.var(0)), wide.var(0), rtol=8 * eps)
    np.testing.assert_array_equal(la.evaluate(x.argmax(axis=0)), values.argmax(0))


def test_columns_of_many_blocks() -> None:
    x = np.random.default_rng(0).random((20_000, 300), np.float32)
    result = la.evaluate(la.asarray(x).var(axis=0))
    np.testing.assert_allclose(result, x.astype(float).var(axis=0), rtol=1e-5)


def test_persisted_results_stay_and_are_shared(device: object) -> None:
    x = la.persist(la.asarray(np.arange(1000.0)) * 2)
    assert x.device == "cuda"
    assert x.__cuda_array_interface__["shape"] == (1000,)
    np.testing.assert_array_equal(la.evaluate(x[10:20] + 1), np.arange(10.0, 20.0) * 2 + 1)
    with la.config(device="cpu"):
        np.testing.assert_array_equal(la.evaluate(x - 1), np.arange(1000.0) * 2 - 1)


def test_allocations_do_not_grow(device: object) -> None:
    x = la.persist(la.asarray(np.ones((300, 300))))
    step = x - (x * x).mean(axis=0) / (1 + x.std())
    for _ in range(10):
        la.persist(step)
    gc.collect()
    before = device.memory.info()  # type: ignore[attr-defined]
    grown = []
    for run in range(200):
        la.persist(step)
        now = device.memory.info()  # type: ignore[attr-defined]
        if now.allocations != before.allocations:
            grown.append((run, before, now))
            before = now
    assert not grown


def test_many_threads() -> None:
    rng = np.random.default_rng(1)
    arrays = [rng.random((200, 300)) for _ in range(8)]
    wrong: list[object] = []

    def work(x: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> None:
        with la.config(device="cuda"):
            for _ in range(20):
                m = la.asarray(x)
                result = la.evaluate(((m - m.mean(axis=0)) ** 2).sum())
                if not np.isclose(result, ((x - x.mean(axis=0)) ** 2).sum(), rtol=1e-12):
                    wrong.append(result)

    threads = [threading.Thread(target=work, args=(x,)) for x in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_torch_and_cupy_without_a_copy() -> None:
    torch = pytest.importorskip("torch")
    x = torch.arange(100, dtype=torch.float32, device="cuda")
    y = la.asarray(x) * 2
    result = torch.as_tensor(y, device="cuda")
    assert result.data_ptr() == y.__cuda_array_interface__["data"][0]
    assert torch.equal(result, x * 2)
    shifted = la.asarray(x[1:]) + 1  # not on a multiple of 16 bytes
    assert torch.equal(torch.as_tensor(shifted, device="cuda"), x[1:] + 1)
    turned = la.asarray(x.reshape(10, 10).T) + 0
    assert torch.equal(torch.as_tensor(turned, device="cuda"), x.reshape(10, 10).T)
    cupy = pytest.importorskip("cupy")
    z = cupy.arange(10, dtype=cupy.int32)
    assert cupy.asarray(la.asarray(z) + 1).tolist() == list(range(1, 11))


def test_bound_calls_are_one_graph(device: object) -> None:
    def function(x: Any, number: float) -> Any:
        y = (x - x.mean(axis=0)) / x.std(axis=0)
        return y @ y.T * number, y.sum()

    rng = np.random.default_rng(0)
    host = rng.random((80, 60))
    x = la.asarray(host, device="cuda")
    bound = la.jit(function).bind(x, 2.0)
    for _ in range(20):
        bound()
    before = device.memory.info().allocations  # type: ignore[attr-defined]
    for _ in range(200):
        product, total = bound()
    assert device.memory.info().allocations == before  # type: ignore[attr-defined]
    expected = function(host, 2.0)
    np.testing.assert_allclose(np.asarray(product), expected[0], rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(np.asarray(total), expected[1], atol=1e-9)
    stream = la.stream()
    with stream:
        np.testing.assert_allclose(la.evaluate(product + 1), expected[0] + 1, rtol=1e-10)
    bound()
    np.testing.assert_allclose(np.asarray(product), expected[0], rtol=1e-10, atol=1e-10)


def test_bound_calls_read_what_is_there_now() -> None:
    torch = pytest.importorskip("torch")
    t = torch.arange(12.0, device="cuda").reshape(3, 4)
    bound = la.jit(lambda x: x.sum(axis=1) + x.max()).bind(la.asarray(t))
    result = torch.as_tensor(bound.results, device="cuda")
    for k in range(5):
        t.mul_(2).add_(k)
        bound()
        torch.testing.assert_close(result, t.sum(dim=1) + t.max())


def test_fast_numbers_are_near() -> None:
    x = np.random.default_rng(0).uniform(0.1, 100, 100_003).astype(np.float32)
    lazy = la.asarray(x)
    with la.config(numerics="fast"):
        result = la.evaluate(la.sqrt(lazy / (1 + lazy * lazy)))
    np.testing.assert_allclose(result, np.sqrt(x / (1 + x * x)), rtol=6e-7)
