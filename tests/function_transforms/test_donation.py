"""Donated arguments: results take their memory, and nobody uses them afterwards."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.errors import ArgumentError
from lazyarr.runtime.host_memory_pool import pool

Array = np.ndarray[Any, Any]
SIZE = 40_000  # of float64: from the pool


def values(count: int, size: int = SIZE) -> list[Array]:
    random = np.random.default_rng(0)
    return [random.standard_normal(size) for _ in range(count)]


def momentum(p: Any, g: Any, m: Any) -> Any:
    m = 0.9 * m + g
    return p - 0.1 * m, m


def address(array: Array) -> int:
    return int(array.__array_interface__["data"][0])


def test_an_update_stays_where_its_parameter_is():
    p, g, m = values(3)
    expected = momentum(*momentum(p, g, m)[:1], g, momentum(p, g, m)[1])
    step = la.jit(momentum, donate=(0, "m"))
    places = address(p), address(m)
    for _ in range(2):
        p, m = step(p, g, m)
        assert (address(p), address(m)) == places
        assert p.flags.writeable and m.flags.writeable
    np.testing.assert_array_equal(p, expected[0])
    np.testing.assert_array_equal(m, expected[1])


@pytest.mark.parametrize("layers", [2, 4])
def test_updates_stay_where_parameters_are_beside_their_gradients(layers: int) -> None:
    """A gradient is a product in memory of its own, which no update takes over."""
    random = np.random.default_rng(0)
    x = random.standard_normal((50, 64))
    p = [random.standard_normal((64, 64)) * 0.1 for _ in range(layers)]

    def loss(p: Any) -> Any:
        y = x
        for w in p:
            y = np.tanh(y @ w)
        return (y**2).sum()

    def update(p: Any) -> Any:
        return [w - 0.01 * g for w, g in zip(p, la.grad(loss)(p), strict=True)]

    expected = la.jit(update)(p)
    step = la.jit(update, donate=0)
    places = list(map(address, p))
    # Without donation the results are memory of the step.
    assert step.explain(p).peak_bytes < la.jit(update).explain(p).peak_bytes
    p = step(p)
    assert list(map(address, p)) == places
    for actual, exact in zip(p, expected, strict=True):
        np.testing.assert_array_equal(actual, exact)


@pytest.mark.parametrize("profiled", [False, True])
def test_planned_peak_is_what_a_step_takes_of_the_pool(profiled):
    p, g, m = values(3)

    def step(p: Any, g: Any, m: Any) -> Any:
        p, m = momentum(p, g, m)
        return p, m, np.sort(g)  # from a library, in memory of its own

    kernels, library = la.jit(momentum, donate=(0, 2)), la.jit(step, donate=(0, 2))
    assert kernels.explain(p, g, m).peak_bytes == 0
    assert library.explain(p, g, m).peak_bytes == g.nbytes
    assert la.jit(momentum).explain(p, g, m).peak_bytes == 2 * g.nbytes
    for _ in range(2):
        p, m = kernels(p, g, m)
    gc.collect()
    pool.reset_peak()
    before = pool.info()
    if profiled:
        with la.profile() as run:
            p, m, _ = library(p, g, m)
        assert run.runs[0].planned_peak == run.measured_peak == g.nbytes
    else:
        p, m = kernels(p, g, m)
        assert pool.info().peak == before.in_use


@pytest.mark.parametrize("persists", [False, True])
def test_a_step_keeps_nothing_of_the_steps_before(persists):
    step = la.jit(lambda x: x + 1, donate=(0,))
    memory = np.zeros(1000)
    x = la.asarray(memory.copy()) if persists else memory
    for _ in range(20):
        x = step.persist(x) if persists else step(x)
    owner, depth = np.asarray(x), 0
    while owner is not None:
        owner, depth = (
            getattr(owner, "base", None)
            if isinstance(owner, np.ndarray)
            else getattr(owner, "owner", None),
            depth + 1,
        )
    assert depth < 10


def test_donated_arrays_are_refused():
    p, g, m = values(3, 8)
    step = la.jit(momentum, donate=0)
    first, _ = step(p, g, m)
    for use in (lambda: step(p, g, m), lambda: la.asarray(p), lambda: la.jit(np.sin)(p)):
        with pytest.raises(ArgumentError, match=r"donated to momentum at .*test_donation.py:\d+"):
            use()
    with pytest.raises(ValueError, match="read-only"):
        p[0] = 1.0
    step(first, g, m)  # what the call returned goes on


def test_a_function_without_results_in_its_memory_takes_the_array_too():
    (x,) = values(1)
    total = la.jit(lambda x: x.sum(), donate=0)
    assert total(x) == pytest.approx(x.sum())
    with pytest.raises(ArgumentError, match="donated to"):
        total(x)


def test_lazy_arrays_are_donated_by_persist():
    p, g, m = map(la.asarray, values(3))
    expected = [x.compute() for x in momentum(p, g, m)]
    step = la.jit(momentum, donate=(0, 2))
    first = step.persist(la.persist(p + 0), g, la.persist(m + 0))
    np.testing.assert_array_equal(first[0].compute(), expected[0])
    place = address(first[0]._node.attr.array)
    second = step.persist(first[0], g, first[1])
    assert address(second[0]._node.attr.array) == place
    for use in (first[0].compute, lambda: first[0] + 1 if (first[0] + 1).compute() else None):
        with pytest.raises(ArgumentError, match="donated to momentum"):
            use()
    assert first[0].shape == (SIZE,)


def test_lazy_arrays_are_donated_by_a_plain_call():
    """Else each call would build the expression anew, and nothing would be donated."""

    @la.jit(donate="state")
    def step(state, x):
        return [s * 2 + x for s in state], state[0].sum()

    wrapped = np.arange(1000.0)
    state = [la.asarray(wrapped), la.asarray(np.ones(1000)) + 1]
    for _ in range(4):
        before = [np.asarray(s).copy() for s in state]
        gone = state
        state, total = step(state, np.ones(1000))
        expected = [b * 2 + 1 for b in before]
        assert isinstance(total, la.LazyArray) and float(total) == before[0].sum()
        for mine, theirs in zip(state, expected, strict=True):
            np.testing.assert_array_equal(mine, theirs)
        with pytest.raises(ArgumentError, match="donated to step"):
            gone[0].compute()
    assert step.cache_info().traced == 1
    np.testing.assert_array_equal(wrapped, np.arange(1000.0))  # wrapped, and never written to


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("size", [10, 100_000])
def test_arrays_that_were_written_to_are_donated(limit: int, size: int) -> None:
    step = la.jit(lambda state: [s * 2 + 1 for s in state], donate=0)
    with la.config(immediate=limit, implicit="allow"):
        values = np.arange(float(size))
        state = [la.array(values), la.asarray(values) + 0, la.asarray(values)]
        for array in state:
            array[0] = 0.0  # so that it lies in memory, unless it is small and an expression
        results = step(state)
        for result in results:
            np.testing.assert_array_equal(result, values * 2 + 1)
        if limit:
            with pytest.raises(ArgumentError, match="donated to"):
                state[0].compute()
    np.testing.assert_array_equal(values, np.arange(float(size)))


def test_a_donating_call_within_another_function_is_part_of_it():
    move = la.jit(lambda p, g: p - 0.5 * g, donate="p")
    twice = la.jit(lambda p, g: move(move(p, g), g))
    np.testing.assert_array_equal(twice(np.ones(3), np.ones(3)), np.zeros(3))
    np.testing.assert_array_equal(twice(la.asarray(np.ones(3)), np.ones(3)), np.zeros(3))


def test_a_donating_function_is_differentiated_as_any_other():
    """What is computed in between would have no derivative."""
    of = la.jit(lambda p, x: (p * p * x).sum(), donate="p")
    p, x = la.asarray(np.arange(3.0)), la.asarray(np.full(3, 2.0))
    np.testing.assert_array_equal(la.grad(of)(p, x), [0, 4, 8])
    np.testing.assert_array_equal(la.grad(lambda p: of(p + 0, x))(p), [0, 4, 8])
    value, pull_back = la.vjp(lambda p: of(p, x), p)
    np.testing.assert_array_equal(pull_back(1.0)[0], [0, 4, 8])
    assert float(value) == 10
    value, tangent = la.jvp(lambda p: of(p, x), (p,), (x,))
    assert (float(value), float(tangent)) == (10, 24)
    scaled = la.jit(lambda q: q * x, donate="q")
    np.testing.assert_array_equal(la.jacobian(lambda p: scaled(p * p))(p), np.diag([0.0, 4, 8]))
    captured = la.grad(lambda w: la.jit(lambda p: (p * w * w).sum(), donate="p")(x + 0).sum())
    np.testing.assert_array_equal(captured(p), [0, 4, 8])
    np.testing.assert_array_equal(p, np.arange(3.0))  # nothing was given away


def test_arrays_that_share_memory_are_refused_before_anything_is_written():
    p, g, m = values(3)
    before = p.copy()
    step = la.jit(momentum, donate=0)
    for other in (p, p[::-1]):
        with pytest.raises(ArgumentError, match="shares memory"):
            step(p, other, m)
    frozen = p.copy()
    frozen.flags.writeable = False
    with pytest.raises(ArgumentError, match="read-only"):
        step(frozen, g, m)
    np.testing.assert_array_equal(p, before)
    step(p, g, m)


def test_an_array_that_is_read_elsewhere_keeps_its_memory_till_then():
    """Reversed reads, gathers and reductions of the whole array."""
    for function in (
        lambda p, g: p[::-1] + g,
        lambda p, g: p + p.sum() * g,
        lambda p, g: la.take(p, np.arange(SIZE)[::-1]) * g,
        lambda p, g: np.sort(p) + g,
        lambda p, g: np.cumsum(p) - p * g,
    ):
        p, g = values(2)
        expected = la.jit(function)(p, g)
        np.testing.assert_array_equal(la.jit(function, donate=0)(p, g), expected)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_random_functions_give_the_same_bits_with_and_without_donation(data):
    shape = data.draw(st.sampled_from([(6, 5), (33, 70)]))
    random = np.random.default_rng(data.draw(st.integers(0, 99)))
    arguments = [random.standard_normal(shape) for _ in range(3)]
    makers = [
        lambda a, b: a + 2 * b,
        lambda a, b: a * b.sum(axis=0),
        lambda a, b: np.tanh(a) - b[::-1],
        lambda a, b: a @ (b.T @ b) / 9,
        lambda a, b: np.cumsum(a, axis=1) - b,
        lambda a, b: np.where(a > b, a, b - a.mean(axis=1, keepdims=True)),
    ]
    plan = data.draw(
        st.lists(
            st.tuples(st.sampled_from(range(6)), *[st.integers(0, 9)] * 2), min_size=2, max_size=6
        )
    )
    count = data.draw(st.integers(1, 4))

    def function(*arrays: Any) -> Any:
        pool = list(arrays)
        for which, left, right in plan:
            pool.append(makers[which](pool[left % len(pool)], pool[right % len(pool)]))
        return tuple(pool[-count:])

    expected = la.jit(function)(*[x.copy() for x in arguments])
    donate = data.draw(st.sets(st.integers(0, 2), min_size=1))
    for _ in range(2):
        donating = la.jit(function, donate=donate)
        for _ in range(2):  # which the form in C computes the second time, where there is one
            results = donating(*[x.copy() for x in arguments])
            for result, value in zip(results, expected, strict=True):
                np.testing.assert_array_equal(result, value)


@pytest.mark.parametrize("loop", [False, True])
@pytest.mark.parametrize("update", ["descent", "momentum", "swapped", "average"])
def test_updates_of_nets_give_the_same_bits_with_and_without_donation(
    update: str, loop: bool
) -> None:
    """Gradients are products and sums, and weights are read before and after their updates."""
    random = np.random.default_rng(0)
    x = random.standard_normal((7, 9))
    names = ["first", "second", "third"]
    start = {name: random.standard_normal((9, 9)) * 0.2 for name in names}
    start["bias"] = random.standard_normal(9)
    others = {name: np.zeros_like(value) for name, value in start.items()}

    def net(p: Any, x: Any) -> Any:
        for name in names:
            x = np.tanh(x @ p[name] + p["bias"])
        return x

    def loss(p: Any) -> Any:
        y = la.fori_loop(3, lambda i, x: net(p, x), x) if loop else net(p, x)
        return (y**2).sum()

    def step(p: Any, m: Any) -> Any:
        slopes = la.grad(loss)(p)
        if update == "momentum":
            m = {name: 0.9 * m[name] + g for name, g in slopes.items()}
            return {name: p[name] - 0.1 * m[name] for name in p}, m
        following = {name: p[name] - 0.1 * g for name, g in slopes.items()}
        if update == "swapped":
            return {name: m[name] + following[name] for name in p}, {
                name: p[name] * 2 for name in p
            }
        if update == "average":
            return following, {name: 0.9 * m[name] + 0.1 * following[name] for name in p}
        return following, {name: m[name] + 1 for name in m}

    plain = {name: value.copy() for name, value in start.items()}, dict(others)
    expected: Any = plain
    compiled, donating = la.jit(step), la.jit(step, donate=(0, 1))
    actual: Any = tuple({name: np.array(v) for name, v in tree.items()} for tree in plain)
    for _ in range(3):
        expected, actual = compiled(*expected), donating(*actual)
        for tree, exact in zip(actual, expected, strict=True):
            for name in tree:
                np.testing.assert_array_equal(tree[name], exact[name])


def test_a_failed_call_takes_its_donated_arrays():
    p, _ = values(2)
    step = la.jit(lambda p, i: p + p[i], donate=0)
    with pytest.raises(la.errors.IndexingError, match="out of bounds"):
        step(p, np.full(SIZE, SIZE))


def test_arguments_that_are_written_to_have_what_was_written():
    def function(p: Any, g: Any) -> Any:
        p += g
        return p * 2

    p, g = values(2)
    expected = 2 * (p + g)
    np.testing.assert_array_equal(la.jit(function, donate=0)(p, g), expected)
    np.testing.assert_array_equal(p, expected / 2)


@pytest.mark.parametrize("size", [(), 5, 5000])
def test_small_arrays_are_donated_where_small_operands_are_copied(size):
    array = np.zeros(size)
    place = address(array)
    step = la.jit(lambda state: {"step": state["step"] + 1}, donate="state")
    with la.config(immediate=4096):
        state = step(step({"step": array}))
    assert address(state["step"]) == place
    assert np.all(np.asarray(state["step"]) == 2)


def test_what_donate_names_has_to_be_there():
    with pytest.raises(ArgumentError, match="donate has 5"):
        la.jit(momentum, donate=5)
    with pytest.raises(ArgumentError, match="donate has 'x'"):
        la.jit(momentum, donate="x")
    with pytest.raises(ArgumentError, match="donated arguments cannot be bound"):
        la.jit(momentum, donate=0).bind(*values(3))


def test_explain_of_small_arguments_computes_nothing():
    step = la.jit(lambda count, x: (count + 1, x * 2))
    assert len(step.explain(np.zeros((), np.int64), np.ones(3)).kernels) >= 1
