"""Plain Python loops that look at what they compute: no iteration computes those before again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph import node

ITERATIONS = 60


def fixed_point(x: Any, look: Callable[[Any], float]) -> Any:
    while look(np.abs(x - np.cos(x)).max()) > 1e-9:
        x = np.cos(x)
    return x


def two_names(new: Any, look: Callable[[Any], float]) -> Any:
    old = new + 1
    while look(np.abs(new - old).max()) > 1e-9:
        old = new
        new = np.sqrt(old + 1)
    return new + old


def in_place(x: Any, look: Callable[[Any], float]) -> Any:
    v = 0 * x
    energies = []
    for _ in range(ITERATIONS):
        v -= 0.1 * x
        x += 0.1 * v
        energies.append(look((v**2).sum() + (x**2).sum()))
    # The method of Euler and Cromer: but for a tenth, what oscillates keeps its energy.
    assert max(energies) < 1.15 * min(energies)
    return x + v


def stencil(x: Any, look: Callable[[Any], float]) -> Any:
    u = np.tile(x, (x.shape[0], 1))
    for _ in range(ITERATIONS):
        change = u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
        u[1:-1, 1:-1] = u[1:-1, 1:-1] + 0.2 * change
        if look(np.abs(change).max()) < 1e-9:
            break
    return u


class Held:
    """State in an object, which no variable of the loop names."""

    def __init__(self, x: Any) -> None:
        self.parts = {"x": x, "mean": x.mean()}

    def step(self) -> None:
        x = self.parts["x"]
        self.parts = {"x": x * 0.5 + 0.25, "mean": x.mean()}


def in_an_object(x: Any, look: Callable[[Any], float]) -> Any:
    array = Held(x)
    for _ in range(ITERATIONS):
        array.step()
        assert look(array.parts["mean"] + array.parts["x"].max()) > -10
    return array.parts["x"]


LOOPS = [fixed_point, two_names, in_place, stencil, in_an_object]


def start(n: int = 12) -> Any:
    return np.linspace(0.5, 1.0, n)


def nodes() -> int:
    return len(node.live_nodes())


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("look", [float, la.evaluate], ids=["float", "evaluate"])
def test_values_are_numpys_and_few_kernels_serve(loop: Any, look: Any) -> None:
    expected = loop(start(), float)
    before, plans = la.cache.info().kernels.compiled, la.cache.info().plans.misses
    result = loop(la.asarray(start()), look)
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-12, atol=1e-12)
    assert la.cache.info().kernels.compiled - before <= 20
    assert la.cache.info().plans.misses - plans <= 10


@pytest.mark.parametrize("loop", LOOPS)
def test_nothing_is_left_of_earlier_turns(loop: Any) -> None:
    counts: list[int] = []

    def look(value: Any) -> float:
        if len(counts) < ITERATIONS:
            counts.append(nodes())
        return float(value)

    loop(la.asarray(start()), look)
    assert max(counts[-6:]) <= max(counts[:12]) + 8


def computed() -> int:
    return la.cache.info().work.computed


def test_the_second_evaluation_stores_what_a_third_would_compute_again() -> None:
    x = la.asarray(start(1000))
    y = np.sqrt(x)
    expected = np.sqrt(start(1000))
    assert float(y.max()) == expected.max()
    assert y._node.stored is None  # one look needs nothing
    assert float(y.min()) == expected.min()
    assert y._node.stored is not None
    before = computed()
    assert float((y + 1).sum()) == pytest.approx((expected + 1).sum())
    assert computed() - before == 2000  # an addition and a sum; no square root
    np.testing.assert_array_equal(la.evaluate(y), expected)
    assert la.explain(y + 1).kernels[0].bytes_read == 8000


def test_only_what_is_in_use_is_stored() -> None:
    x = la.asarray(start(1000))
    kept = np.exp(x)
    for look in (np.max, np.min, np.sum):
        float(look(np.sin(kept) * 2))
    assert kept._node.stored is not None
    sources = (kept._node, kept._node.stored)
    assert not [value for value in alive("sin") if value.src[0] in sources]


def alive(name: str) -> list[Any]:
    values = node.live_nodes()
    return [value for value in values if value.op.name == name]


def test_the_same_results_are_computed_from_memory_as_it_is() -> None:
    memory = start()
    x = la.asarray(memory)
    twice = x * 2
    total = twice.sum()
    for k in range(5):
        memory[:] = k
        assert la.evaluate(total) == 2 * k * memory.size
    assert twice._node.stored is None


def test_broadcast_temporaries_are_not_stored() -> None:
    x = la.asarray(start(40))
    for _ in range(8):
        apart = x[:, None] - x[None, :]
        x = x + 0.01 * np.sin(apart).sum(axis=1)
        assert float(x.max()) < 100
        # All that is stored is as large as the array that the loop began with.
        assert apart._node.src
    assert la.explain(x).kernels  # what the last iterations did is an expression still


def test_a_memory_limit_stores_nothing() -> None:
    x = la.asarray(start())
    with la.config(max_memory=1 << 20):
        for _ in range(6):
            x = np.cos(x)
            assert float(x.max()) < 2
        assert x._node.op.name == "cos"


def test_stored_values_are_read_only_and_survive_changes_of_the_input() -> None:
    memory = start()
    x = la.asarray(memory)
    for _ in range(4):
        x = np.cos(x)
        assert float(x.max()) < 2
    value = np.asarray(x)
    assert not value.flags.writeable


def test_a_second_run_compiles_no_other_plans() -> None:
    x = la.asarray(np.random.default_rng(0).random(40_000))

    def run() -> tuple[Any, ...]:
        candidate, level = x[:20_000] * 4 - 2, x[20_000:]
        accepted = candidate[level < np.exp(-candidate * candidate)]
        mean, spread, count = accepted.mean(), accepted.std(), len(accepted)
        return (*la.evaluate(mean, spread), count)

    first = run()
    misses = la.cache.info().plans.misses
    assert run() == first
    assert la.cache.info().plans.misses == misses


@pytest.mark.parametrize("step", [1, 7])
def test_states_of_a_loop_that_are_asked_for_afterwards_are_computed_twice_at_most(
    step: int,
) -> None:
    state, array = la.asarray(start(100)), start(100)
    states, expected = [], []
    for _ in range(60):
        state, array = state * 0.5 + 1, array * 0.5 + 1
        states.append(state)
        expected.append(array)
    before = computed()
    for lazy, theirs in zip(states[::step], expected[::step], strict=True):
        np.testing.assert_array_equal(la.evaluate(lazy), theirs)
    assert computed() - before <= 2 * 60 * 2 * 100


def _shapes(monkeypatch: pytest.MonkeyPatch, name: str) -> list[tuple[int, ...]]:
    """Return the shapes of the matrices that a function of NumPy's is called with from now on."""
    calls: list[tuple[int, ...]] = []
    function = getattr(np.linalg, name)

    def call(matrix: Any, *args: Any, **keywords: Any) -> Any:
        calls.append(matrix.shape)
        return function(matrix, *args, **keywords)

    monkeypatch.setattr(np.linalg, name, call)
    return calls


def test_what_a_library_computes_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = _shapes(monkeypatch, "svd")
    with la.config(immediate=0):
        x = la.sin(la.arange(6400.0)).reshape(80, 80)
        u, s, v = la.linalg.svd(x)
        singular = la.evaluate(s + 1)
        whole = la.evaluate((u * s) @ v)
        largest = la.evaluate(s.max())
    assert calls.count((80, 80)) == 1
    expected = np.sin(np.arange(6400.0)).reshape(80, 80)
    np.testing.assert_allclose(whole, expected, atol=1e-12)
    assert largest + 1 == singular[0]


def test_numbers_made_of_what_a_library_computes_are_computed_once() -> None:
    with la.config(immediate=0):
        x = la.sin(la.arange(6400.0)).reshape(80, 80)
        y = la.linalg.norm(x, 2) ** 2
        first = np.asarray(x / y)
        assert y._node.stored is not None
        second = np.asarray(np.abs(x) - y)
    expected = np.sin(np.arange(6400.0)).reshape(80, 80)
    square = np.linalg.norm(expected, 2) ** 2
    np.testing.assert_allclose(first, expected / square, rtol=1e-14)
    np.testing.assert_allclose(second, np.abs(expected) - square, rtol=1e-14)


def test_a_view_of_what_a_library_computes_lies_in_its_memory() -> None:
    with la.config(immediate=0, threads=1):
        x = (-la.arange(90_000.0)).reshape(300, 300)
        expected = np.sort(-np.arange(90_000.0).reshape(300, 300)).T
        with la.profile() as profile:
            result = la.sort(x).T.compute()
    np.testing.assert_array_equal(result, expected)
    (run,) = profile.runs
    assert run.planned_peak == run.measured_peak <= 2 * 8 * 90_000  # the operand and the result


def test_what_a_library_computes_of_the_users_memory_follows_it() -> None:
    with la.config(immediate=0):
        memory = np.arange(100.0)[::-1].copy()
        ordered = la.sort(la.asarray(memory))
        shifted = ordered + 1
        assert la.evaluate(shifted)[0] == 1
        memory[3] = -7
        assert la.evaluate(shifted)[0] == -6


def test_a_value_that_was_handed_out_is_not_computed_again() -> None:
    with la.config(immediate=0):
        x = la.arange(50_000.0)
        y = la.sqrt(x) + 1
        total = (y * 2).sum()
        np.asarray(y)
        before = computed()
        assert la.evaluate(total) == pytest.approx((np.sqrt(np.arange(50_000.0)) + 1).sum() * 2)
        assert computed() - before <= 2 * 50_000 + 8


def test_what_takes_long_to_compute_is_computed_once() -> None:
    with la.config(immediate=0):
        x = la.sin(la.arange(50_000.0))
        steps = la.where(x > 0, 1.5, -1.0)
        largest = float(steps.cumsum().max())
        before = computed()
        mean = float((steps * 2).mean())
        assert computed() - before < 5 * 50_000  # not the sine and its argument again
    expected = np.where(np.sin(np.arange(50_000.0)) > 0, 1.5, -1.0)
    assert largest == expected.cumsum().max()
    assert mean == pytest.approx((expected * 2).mean())


@pytest.mark.parametrize(
    "function",
    [lambda x: x + 1, lambda x: la.sin(x[:100])],
    ids=["takes no time", "is small"],
)
def test_what_takes_no_longer_than_to_store_it_is_not_stored(function: Any) -> None:
    with la.config(immediate=0):
        y = function(la.arange(50_000.0))
        np.asarray(y * 2)
        assert y._node.stored is None


def test_large_values_wait_for_a_second_evaluation() -> None:
    with la.config(immediate=0):
        y = la.sin(la.arange(1_000_000.0))
        float(y.sum())
        assert y._node.stored is None
        float(y.max())
        assert y._node.stored is not None


def test_large_values_that_take_as_long_as_a_librarys_are_computed_once() -> None:
    with la.config(immediate=0):
        spectrum = la.fft.rfft(la.sin(la.arange(300_000.0)))
        signal = la.fft.irfft(spectrum * 0.5) + 1  # 2.4 MB, of what nobody else has
        total = float(signal.sum())
        assert signal._node.stored is not None
        before = computed()
        largest = float(signal.max())
        assert computed() - before <= 1 + 300_000
    expected = np.fft.irfft(np.fft.rfft(np.sin(np.arange(300_000.0))) * 0.5) + 1
    assert total == pytest.approx(expected.sum())
    assert largest == pytest.approx(expected.max())


def test_what_takes_long_follows_the_users_memory() -> None:
    with la.config(immediate=0):
        memory = np.linspace(0.5, 1.5, 50_000)
        y = la.exp(la.asarray(memory))
        total = (y * 2).sum()
        before = float((y * 3).sum())
        memory[:] = 0.0
        assert float(total) == 100_000
        assert before > 200_000


def test_explicit_evaluation_takes_the_memory_that_explain_names() -> None:
    with la.config(immediate=0):
        y = la.sin(la.arange(50_000.0))
        la.evaluate(y * 2)
        assert y._node.stored is None
        z = la.cos(la.arange(50_000.0))
        np.asarray(z * 2)
        assert z._node.stored is not None


@pytest.mark.parametrize("elements", [20_000, 50_000])
@pytest.mark.parametrize("read", [lambda x: None, lambda x: x[3:7], lambda x: float(x[2])])
def test_an_array_that_nobody_else_has_is_known_to_stay_as_it_is(elements: int, read: Any) -> None:
    x = la.asarray(np.linspace(0.5, 1.5, elements))
    part = read(x)
    y = np.exp(x.reshape(1, -1) * la.asarray(np.ones((2, 1))))
    float(y.sum())
    assert y._node.stored is not None
    del part


@pytest.mark.parametrize("elements", [20_000, 50_000])
@pytest.mark.parametrize("reference", [lambda m: m, lambda m: m[10:], lambda m: memoryview(m)])
def test_an_array_that_the_program_has_is_followed(elements: int, reference: Any) -> None:
    memory = np.full(elements, 0.5)
    x, other = la.asarray(memory), reference(memory)
    del memory
    x[3:5]
    y = np.exp(x.reshape(1, -1) * la.asarray(np.ones((2, 1))))
    float((y * 2).sum())
    assert y._node.stored is None
    np.asarray(other)[:] = 0.0
    assert np.asarray(y)[0, 20] == 1.0


def test_arguments_of_a_call_that_are_in_memory_hide_nothing() -> None:
    with la.config(immediate=0):
        x = la.asarray(np.arange(20_000) % 7)
        order = la.argsort(x, kind="stable")
        weights = x[order] * 0.5
        counts = np.bincount(x, weights=weights)
        assert order._node.stored is not None
    expected = np.bincount(np.arange(20_000) % 7, weights=np.sort(np.arange(20_000) % 7) * 0.5)
    np.testing.assert_array_equal(np.asarray(counts), expected)


def test_an_ndarray_that_was_written_to_is_read_anew() -> None:
    # Each evaluation comes before the next write; the name `rolled` keeps the node of a value that
    # is stored, as it is computed for the second time.
    random = np.random.default_rng(5)
    spins = random.choice([-1.0, 1.0], (222, 222))
    expected = spins.copy()
    for draws in random.random((4, 222, 222)):
        rolled = la.roll(spins, 1, 0)
        chosen = (draws < 0.5) & (rolled > 0)
        here = (draws < 0.5) & (np.roll(expected, 1, 0) > 0)
        np.testing.assert_array_equal(np.asarray(chosen), here)
        spins[chosen] *= -1
        expected[here] *= -1
        np.testing.assert_array_equal(spins, expected)


@pytest.mark.parametrize("wrapped", [False, True])
@pytest.mark.parametrize("compute", ["asarray", "write", "mask", "reductions"])
@pytest.mark.parametrize("size", [10, 40_000, 300_000])
def test_values_in_use_are_computed_anew_from_an_ndarray_that_was_written_to(
    size: int, compute: str, wrapped: bool
) -> None:
    # `kept` holds the node of a value that is stored, whatever stores it.
    memory = np.linspace(0, 1, size)
    x = la.asarray(memory) if wrapped else memory
    y, kept = la.sin(x), la.sin(x)
    later = y + 1
    if compute == "asarray":
        np.asarray(y)
    elif compute == "write":
        y[0] = 5
    elif compute == "mask":
        assert y[y > 0.2].shape
    else:
        assert float(y.min()) < float(y.max())
    la.evaluate(kept, later)
    memory *= 0.5
    np.testing.assert_allclose(np.asarray(la.sin(x)), np.sin(memory), rtol=1e-12)
    np.testing.assert_allclose(np.asarray(la.sin(x) + 1), np.sin(memory) + 1, rtol=1e-12)
