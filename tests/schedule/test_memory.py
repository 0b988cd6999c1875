"""Who shares bytes with whom, the peak, reuse of pages, and ``out=``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cpu import contraction_analysis
from lazyarr.compiler.compilation import analyse
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import ContractError, MemoryLimitError
from lazyarr.runtime.host_memory_pool import pool
from lazyarr.schedule.memory import Buffer, Plan, check_plan
from tests.support.plans import run

Array = np.ndarray[Any, Any]


def matrix(n: int = 200, seed: int = 0) -> Array:
    return np.random.default_rng(seed).random((n, n))


def plan(*expressions: Any) -> Plan:
    return analyse(tuple(expression._node for expression in expressions)).plan


@pytest.fixture
def products_by_library(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leave matrix products to BLAS, whose memory no plan counts; kernels pack their operands."""
    monkeypatch.setattr(contraction_analysis, "product_pays", lambda value, width: False)
    forget_plans()
    yield
    forget_plans()


# -- buffers -----------------------------------------------------------------------------------


@pytest.mark.usefixtures("products_by_library")
def test_intermediates_share_the_arena_by_lifetime() -> None:
    x = la.asarray(matrix())
    value = x
    for _ in range(6):
        value = np.exp(-value) @ x  # each product needs a stored operand
    ran = run(value)
    one = 200 * 200 * 8
    # However many products: an operand, the product before it, and the result.
    assert ran.explanation.peak_bytes <= 3 * one
    assert len(ran.explanation.fallbacks) == 6


def test_peak_is_that_of_the_widest_moment() -> None:
    x = la.asarray(matrix())
    parts = [np.exp(x * (0.1 * k + 0.3)) @ x for k in range(4)]
    ran = run(parts[0] @ parts[1] + parts[2] @ parts[3])
    np.testing.assert_allclose(
        ran.values[0],
        _parts(matrix())[0] @ _parts(matrix())[1] + _parts(matrix())[2] @ _parts(matrix())[3],
    )


def _parts(a: Array) -> list[Array]:
    return [np.exp(a * (0.1 * k + 0.3)) @ a for k in range(4)]


@pytest.mark.parametrize(
    "build",
    [
        lambda x: np.sort(x, axis=1) * 2,
        lambda x: np.sort(np.exp(x), axis=0).cumsum(axis=1) + np.sort(x, axis=1),
        lambda x: (x @ x)[:, ::2] + 1,
        lambda x: x.var(axis=0) + x.mean(axis=1),
        lambda x: np.linalg.norm(x, axis=1),
        lambda x: np.roll(np.exp(x), 3, axis=0) @ x,
        lambda x: np.pad(x * 2, 1),
        lambda x: x.T.reshape(-1) + 1,
        lambda x: np.concatenate([x @ x, np.exp(x)]).sum(axis=0),
        lambda x: np.outer(x[0], x[1]) / x.sum(),
    ],
    ids=lambda build: "",
)
def test_planned_peak_is_the_measured_one(build: Any) -> None:
    a = matrix()
    ran = run(build(la.asarray(a)))  # compares the peaks
    np.testing.assert_allclose(ran.values[0], build(a), rtol=1e-10)


def test_planned_peak_is_the_measured_one_for_several_results() -> None:
    x = la.asarray(matrix())
    y = x @ x
    run(y, np.exp(y), y.sum(axis=0), np.sort(y, axis=1), y.T, y[::2])


def test_overlapping_buffers_are_found() -> None:
    def buffer(name: str, offset: int, first: int, last: int) -> Buffer:
        return Buffer(name, "arena", 100, offset, first, last, ())

    check_plan(
        Plan((), (buffer("a", 0, 0, 1), buffer("b", 128, 1, 2), buffer("c", 0, 2, 3)), {}, 0)
    )
    with pytest.raises(ContractError, match="a and b overlap"):
        check_plan(Plan((), (buffer("a", 0, 0, 1), buffer("b", 64, 1, 2)), {}, 0))


# -- reuse of pages ------------------------------------------------------------------------------


def test_pages_stay_flat_over_a_thousand_steps() -> None:
    a = matrix(150)

    def step(u: Any) -> Any:
        inner = u[1:-1, 1:-1] + 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] - 2 * u[1:-1, 1:-1])
        return np.pad(inner, 1)

    state = a
    for _ in range(20):
        state = la.evaluate(step(la.asarray(state)))
    before = pool.info()
    compiled = la.cache.info().kernels.compiled
    with la.config(hints=False):  # a line of hundreds of runs is timed, into a block more
        for _ in range(1000):
            state = la.evaluate(step(la.asarray(state)))
    after = pool.info()
    assert after.mappings == before.mappings
    assert after.pages == before.pages
    assert after.in_use == before.in_use
    assert la.cache.info().kernels.compiled == compiled


def test_persisted_iterations_stay_flat_too() -> None:
    x = la.asarray(matrix(150))
    for _ in range(10):
        x = la.persist(np.cos(x) @ x * 0.01)
    before = pool.info()
    for _ in range(100):
        x = la.persist(np.cos(x) @ x * 0.01)
    after = pool.info()
    assert (after.mappings, after.pages, after.in_use) == (
        before.mappings,
        before.pages,
        before.in_use,
    )


def test_results_give_their_pages_back() -> None:
    x = la.asarray(matrix(300))
    before = pool.info().in_use
    result = la.evaluate(np.exp(x))
    view = result[10:20]
    assert pool.info().in_use == before + 300 * 300 * 8
    del result
    assert pool.info().in_use == before + 300 * 300 * 8  # a view keeps it
    del view
    assert pool.info().in_use == before


# -- what never compiles again --------------------------------------------------------------------


def compiled_by(*expressions: Any) -> int:
    before = la.cache.info().kernels.compiled
    la.evaluate(*expressions)
    return int(la.cache.info().kernels.compiled - before)


def pairwise(x: Any, s: float) -> Any:
    return (x[:, None] - x[None]).var(axis=2) + s


@pytest.mark.parametrize(
    ("build", "size", "others"),
    [
        (lambda x, s: np.exp(x * s) + s, 30, (40, 37)),
        (lambda x, s: (x * s).sum(axis=1) + s, 30, (40, 37)),
        # So have short rows that are no whole vectors, of the first plan.
        (lambda x, s: (x - x.mean(axis=0)) * s, 32, (40, 37)),
        (lambda x, s: np.where(x > s, x, s)[1:-1, 2:], 30, (40, 37)),
        (lambda x, s: x[x > s].sum(), 30, (40, 37)),
        (lambda x, s: np.concatenate([x * s, x + s], axis=1), 32, (40, 37)),
        # Short rows have code of their own.
        (pairwise, 30, (25, 28)),
        (pairwise, 70, (80, 77)),
    ],
    ids=["map", "rows", "columns", "where", "masked", "concatenate", "short pairs", "pairs"],
)
def test_other_shapes_and_numbers_compile_nothing(
    build: Any, size: int, others: tuple[int, int]
) -> None:
    la.evaluate(build(la.asarray(matrix(size)), 0.31))
    for n, number in ((others[0], 0.31), (size, 0.47), (others[1], 0.67)):
        a = matrix(n)
        assert compiled_by(build(la.asarray(a), number)) == 0, (n, number)
        np.testing.assert_allclose(
            la.evaluate(build(la.asarray(a), number)), build(a, number), rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64])
@pytest.mark.parametrize(
    "build",
    [
        lambda x, s: x * s + 7,
        lambda x, s: (x + s).sum(axis=1),
        lambda x, s: np.where(x > s, x, s),
        lambda x, s: np.maximum(x, s).sum(),
        lambda x, s: (x - s) * (x - s),
    ],
    ids=["map", "rows", "where", "all", "squares"],
)
def test_numbers_that_rules_know_compile_nothing_either(build: Any, dtype: Any) -> None:
    """2, -1, 1/2 and their like stay in the expression for the rules, but not in the code."""
    x = la.asarray((matrix(30) * 9).astype(dtype))
    kind = int if dtype is np.int64 else float
    la.evaluate(build(x, kind(3)))
    numbers = [2, -1, 5, 41] if kind is int else [2.0, -1.0, 0.5, 7.5, float("inf")]
    for number in numbers:
        # Infinities set the processor's flags, and to find out what NumPy would warn of something
        # is compiled once, unless all warnings are ignored.
        with np.errstate(**({} if np.isfinite(number) else {"all": "ignore"})):
            assert compiled_by(build(x, number)) == 0, number
        np.testing.assert_array_equal(
            la.evaluate(np.where(x > number, x, number)), np.where(x.compute() > number, x, number)
        )


# -- out= -----------------------------------------------------------------------------------------


def test_out_is_written_directly() -> None:
    a = matrix(300)
    x = la.asarray(a)
    out = np.empty((300, 300))
    ran = run(np.exp(x) + 1, out=out)
    assert ran.values[0] is out
    assert ran.pool_peak == 0
    assert ran.record.measured_peak == 0
    np.testing.assert_allclose(out, np.exp(a) + 1)


@pytest.mark.usefixtures("products_by_library")
def test_out_takes_products_and_what_follows_them() -> None:
    a = matrix(300)
    x = la.asarray(a)
    out = np.empty((300, 300))
    ran = run(np.tanh(x @ x), out=out)
    assert ran.values[0] is out
    assert ran.pool_peak == 0
    np.testing.assert_allclose(out, np.tanh(a @ a))


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x + 1,
        lambda x: x[::-1] + x,
        lambda x: x.T * 2,
        lambda x: np.roll(x, 1, axis=0),
        lambda x: x @ x,
        lambda x: x - x.mean(axis=0),
        lambda x: x.cumsum(axis=0),
    ],
)
def test_out_may_be_the_input(build: Any) -> None:
    a = matrix(120)
    expected = build(a.copy())
    result = la.evaluate(build(la.asarray(a)), out=a)
    assert result is a
    np.testing.assert_allclose(a, expected, rtol=1e-12, atol=1e-14)


def test_out_may_overlap_the_input() -> None:
    memory = np.arange(1000.0)
    expected = np.sqrt(memory[:900]) + memory[:900]
    x = la.asarray(memory[:900])
    la.evaluate(np.sqrt(x) + x, out=memory[50:950])
    np.testing.assert_allclose(memory[50:950], expected)
    np.testing.assert_array_equal(memory[:50], np.arange(50.0))
    np.testing.assert_array_equal(memory[950:], np.arange(950.0, 1000.0))


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.empty((120, 120), order="F"),
        lambda: np.empty((120, 240))[:, ::2],
        lambda: np.empty((120, 120))[::-1],
        lambda: np.empty((130, 120))[5:125],
        lambda: np.empty(120 * 120 * 8 + 1, np.uint8)[1:].view(np.float64).reshape(120, 120),
    ],
    ids=["fortran", "strided", "reversed", "part", "unaligned"],
)
def test_out_may_have_any_layout(make: Any) -> None:
    a = matrix(120)
    x = la.asarray(a)
    out = make()
    assert la.evaluate(np.exp(x) * 2, out=out) is out
    np.testing.assert_allclose(out, np.exp(a) * 2)


def test_one_array_for_two_results_gets_the_later() -> None:
    x = la.asarray(np.arange(5.0))
    out = np.empty(5)
    la.evaluate(x + 1, x + 2, out=(out, out))
    np.testing.assert_array_equal(out, np.arange(5.0) + 2)


def test_overlapping_outputs_are_written_one_after_the_other() -> None:
    x = la.asarray(np.arange(8.0))
    memory = np.zeros(12)
    la.evaluate(x + 1, x * 2, out=(memory[:8], memory[4:]))
    np.testing.assert_array_equal(memory[:4], np.arange(4.0) + 1)
    np.testing.assert_array_equal(memory[4:], np.arange(8.0) * 2)


def test_byte_swapped_output_of_a_ufunc_is_converted() -> None:
    x = la.asarray(np.arange(5.0))
    out = np.empty(5, ">f8")
    np.add(x, 1.0, out=out)
    np.testing.assert_array_equal(out, np.arange(5.0) + 1)


def test_some_outputs_may_be_missing() -> None:
    x = la.asarray(matrix(200))
    out = np.empty((200, 200))
    first, second = la.evaluate(x + 1, x + 2, out=(None, out))
    assert second is out and first is not out
    np.testing.assert_array_equal(first + 1, second)


# -- results --------------------------------------------------------------------------------------


def test_results_are_fresh_and_writable() -> None:
    a = matrix(50)
    x = la.asarray(a)
    before = a.copy()
    expressions = {
        "leaf": x,
        "view": x.T,
        "slice": x[3:7, ::-2],
        "reshape": x.reshape(-1),
        "broadcast": np.broadcast_to(x[0], (4, 50)),
        "copy": x + 0,
        "row": x[2],
        "element": x[1, 2],
    }
    for name, expression in expressions.items():
        result = la.evaluate(expression)
        expected = np.array(np.asarray(result))
        assert not np.may_share_memory(result, a), name
        assert result.flags.writeable, name
        assert result.shape == expression.shape
        result[...] = -1
        np.testing.assert_array_equal(a, before)
        again = la.evaluate(expression)
        np.testing.assert_array_equal(again, expected, err_msg=name)


def test_the_same_expression_twice_gives_two_arrays() -> None:
    x = la.asarray(matrix(50))
    y = x + 1
    for first, second in (la.evaluate(x, x), la.evaluate(y, y), la.evaluate(y, y[:])):
        assert not np.may_share_memory(first, second)
        kept = second.copy()
        first[...] = 0
        np.testing.assert_array_equal(second, kept)


def test_a_value_and_its_transpose() -> None:
    a = matrix(60)
    y = la.asarray(a) + 1
    first, second, third = la.evaluate(y, y.T, y[::-1])
    np.testing.assert_array_equal(first, a + 1)
    np.testing.assert_array_equal(second, (a + 1).T)
    np.testing.assert_array_equal(third, (a + 1)[::-1])
    first[...] = 0
    np.testing.assert_array_equal(second, (a + 1).T)
    np.testing.assert_array_equal(third, (a + 1)[::-1])


def test_many_results_of_one_value_are_counted_in_the_peak() -> None:
    a = matrix(200)
    y = la.asarray(a) * 2
    ran = run(y, y, y.T, y.reshape(-1), y[::2], y)
    for k, expected in enumerate((a, a, a.T, a.reshape(-1), a[::2], a)):
        np.testing.assert_array_equal(ran.values[k], expected * 2)
        ran.values[k][...] = 0


def test_constants_and_generators() -> None:
    np.testing.assert_array_equal(la.evaluate(la.full((3, 4), 7)), np.full((3, 4), 7))
    np.testing.assert_array_equal(la.evaluate(la.arange(7)), np.arange(7))
    np.testing.assert_array_equal(la.evaluate(la.zeros(())), np.zeros(()))
    result = la.evaluate(la.full((3, 4), 7))
    result[0, 0] = 1
    assert result.sum() == 78


def test_persisted_values_are_shared_and_keep_their_memory() -> None:
    x = la.asarray(matrix(150))
    y = la.persist(np.exp(x))
    total = la.evaluate((y + y.T).sum())
    expected = np.exp(matrix(150))
    np.testing.assert_allclose(total, 2 * expected.sum())
    array = la.evaluate(y)
    array[...] = 0
    np.testing.assert_allclose(la.evaluate(y.sum()), expected.sum())


# -- the limit ---------------------------------------------------------------------------------


def test_memory_limit_says_what_is_needed_and_computes_nothing() -> None:
    x = la.asarray(matrix(300))
    before = pool.info()
    with pytest.raises(MemoryLimitError, match=r"720,000 bytes.*100,000") as caught:
        la.evaluate(np.exp(x), max_memory=100_000)
    assert "test_memory.py:" in str(caught.value)
    assert pool.info().mappings == before.mappings
    assert la.evaluate(np.exp(x), max_memory=720_000).shape == (300, 300)
    with la.config(max_memory=719_999), pytest.raises(MemoryError):
        la.evaluate(np.exp(x))
