"""Random draws in jitted functions and in bodies of loops: those of the function run as it is."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError, TracingError
from lazyarr.runtime.cpu import compiler

Generator = la.random.Generator
Array = np.ndarray[Any, Any]


def two(seed: int = 11) -> tuple[Generator, Generator]:
    """Two generators of the same draws: one for the jitted function, one for the plain one."""
    return la.random.default_rng(seed), la.random.default_rng(seed)


def values(result: Any) -> list[Array]:
    if isinstance(result, (tuple, list)):
        return [x for item in result for x in values(item)]
    return [la.evaluate(result) if isinstance(result, la.LazyArray) else np.asarray(result)]


def check_same(function: Callable[..., Any], *calls: tuple[Any, ...]) -> la.jit:
    """Call jitted and plain with two equal generators in front; every result is the same."""
    mine, theirs = two()
    jitted = la.jit(function)
    for args in calls:
        lazy = [la.asarray(x) if isinstance(x, np.ndarray) else x for x in args]
        for got, expected in zip(
            values(jitted(mine, *args)), values(function(theirs, *lazy)), strict=True
        ):
            np.testing.assert_array_equal(got, expected, strict=True)
    # Both have come equally far.
    np.testing.assert_array_equal(mine.random(3).compute(), theirs.random(3).compute())
    return jitted


X = np.linspace(0, 1, 6)


# -- jit -------------------------------------------------------------------------------------


@pytest.mark.lazy
def test_each_call_draws_anew() -> None:
    mine, theirs = two()
    noisy = la.jit(lambda x, width: x + mine.normal(0.0, width, size=6))
    for width in (0.5, 2.0, 0.5):
        expected = (X + theirs.normal(0.0, width, size=6)).compute()
        np.testing.assert_array_equal(noisy(X, width), expected)
    assert noisy.cache_info().traced == 1
    assert float(mine.random()) == float(theirs.random())


DRAWN: dict[str, Callable[[Generator], Any]] = {
    "random": lambda r: r.random(5),
    "float32": lambda r: r.random(5, dtype=np.float32),
    "number": lambda r: r.random(),
    "several": lambda r: (r.random(2), r.standard_normal((2, 3)), r.integers(0, 9, 4)),
    "distributions": lambda r: [
        r.uniform(-1, 3, 4),
        r.exponential(2.0, 3),
        r.laplace(size=3),
        r.weibull(2.0, 3),
        r.lognormal(size=2),
        r.standard_exponential(3),
    ],
    "orders": lambda r: (r.permutation(7), r.permuted(np.arange(6)), r.choice(9, 4)),
    "choices": lambda r: (r.choice(9, 4, replace=False), r.choice(3, 5, p=[0.2, 0.3, 0.5])),
    "unused": lambda r: (r.random(3), r.random(4))[1],
    "nothing": lambda r: r.random((0, 3)),
    "sum": lambda r: r.random(1000).sum(),
}


@pytest.mark.lazy
@pytest.mark.parametrize("name", DRAWN)
def test_a_generator_may_be_an_argument(name: str) -> None:
    jitted = check_same(DRAWN[name], (), (), ())
    assert jitted.cache_info().traced == 1


def test_another_generator_is_no_other_trace() -> None:
    jitted = la.jit(lambda rng: rng.random(4))
    for seed in range(5):
        mine, theirs = two(seed)
        np.testing.assert_array_equal(jitted(mine), theirs.random(4).compute())
        np.testing.assert_array_equal(jitted(rng=mine), theirs.random(4).compute())
        np.testing.assert_array_equal(jitted(mine), theirs.random(4).compute())
    assert jitted.cache_info().traced == 2  # by position and by name


def test_two_generators_and_the_same_twice() -> None:
    def both(a: Generator, b: Generator) -> Any:
        return a.random(2), b.random(2), a.random(2), captured.random(2)

    captured, plain = two(5)
    jitted = la.jit(both)
    for a, b in [(1, 2), (3, 3), (2, 1)]:
        mine_a, theirs_a = two(a)
        mine_b, theirs_b = two(b)
        if a == b:
            mine_b, theirs_b = mine_a, theirs_a
        expected = [theirs_a.random(2), theirs_b.random(2), theirs_a.random(2), plain.random(2)]
        for got, reference in zip(jitted(mine_a, mine_b), expected, strict=True):
            np.testing.assert_array_equal(got, reference.compute())
    # And the captured one as an argument too.
    expected = [plain.random(2) for _ in range(4)]
    for got, reference in zip(jitted(captured, captured), expected, strict=True):
        np.testing.assert_array_equal(got, reference.compute())
    assert jitted.cache_info().traced == 1


@pytest.mark.lazy
def test_other_sizes_draw_anew_without_another_trace() -> None:
    mine, theirs = two()
    jitted = la.jit(lambda x: mine.normal(x, 1.0) + mine.uniform(x, x + 1))
    for size in (3, 5, 3, 8):
        x = la.arange(float(size))
        expected = theirs.normal(x, 1.0) + theirs.uniform(x, x + 1)
        np.testing.assert_array_equal(jitted(np.arange(float(size))), expected.compute())
    assert jitted.cache_info().traced == 1


@pytest.mark.lazy
def test_numbers_among_the_arguments_stay_open() -> None:
    jitted = check_same(
        lambda r, a, b: r.uniform(a, b, 3) + r.normal(a, b, 3), (0.0, 1.0), (-2.0, 5.0), (1, 2)
    )
    assert jitted.cache_info().traced == 2  # floats, and integers
    with pytest.raises(ArgumentError, match="scale < 0"):
        la.jit(lambda r, s: r.normal(0, s, 3))(two()[0], -1.0)


def test_a_call_that_fits_no_trace_draws_once() -> None:
    """Numbers that a trace does not hold for are found before anything is drawn."""
    check_same(
        lambda r, n, m: (r.random(3) * n if n > 2 else r.random(2), n**m),
        (1, 2),
        (5, 2),
        (1, -1),
        (2**40, 3),
        (0, 0),
    )


def test_called_from_many_threads() -> None:
    mine, theirs = two()
    jitted = la.jit(lambda x: mine.random(4) + 0 * x)
    results: list[Array] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(50):
                results.append(jitted(1.0))
        except BaseException as error:  # noqa: BLE001 - shown below
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
    assert not errors
    expected = {theirs.random(4).compute().tobytes() for _ in range(400)}
    assert {x.tobytes() for x in results} == expected and len(results) == 400


def test_jit_in_jit_and_with_lazy_arguments() -> None:
    inner = la.jit(lambda rng, x: x + rng.random(6))
    check_same(lambda rng, x: inner(rng, inner(rng, x)) * rng.random(), (X,), (X,))
    mine, theirs = two()
    for _ in range(2):
        lazy = inner(mine, la.asarray(X))
        assert isinstance(lazy, la.LazyArray)
        np.testing.assert_array_equal(lazy.compute(), (X + theirs.random(6)).compute())


def test_generators_made_inside() -> None:
    fixed = la.jit(lambda x: la.random.default_rng(3).random(6) + x)
    expected = la.random.default_rng(3).random(6).compute() + X
    for _ in range(3):
        np.testing.assert_array_equal(fixed(X), expected)

    @la.jit
    def by_seed(seed: int) -> Any:
        rng = la.random.default_rng(seed)
        rng.random(3)
        return rng.random(3)

    for seed in (0, 7, 2**70, 7):
        rng = la.random.default_rng(seed)
        rng.random(3)
        np.testing.assert_array_equal(by_seed(seed), rng.random(3).compute())
    assert by_seed.cache_info().traced == 1
    with pytest.raises(ArgumentError, match="not a seed"):
        by_seed(-1)
    fresh = la.jit(lambda: la.random.default_rng().random(3))
    assert len({fresh().tobytes() for _ in range(5)}) == 5


def test_what_a_trace_cannot_do_is_refused() -> None:
    mine, theirs = two()
    target = np.zeros(3)
    refused: list[Callable[[], Any]] = [
        lambda: mine.spawn(2)[0].random(3),
        lambda: copy.copy(mine).random(3),
        lambda: pickle.dumps(mine),
        lambda: mine.shuffle(target),
        lambda: mine.shuffle([1, 2, 3]),
        lambda: mine.random(3, out=target),
        lambda: float(mine.random()),
        lambda: la.random.default_rng().spawn(1)[0].random(3),
    ]
    for function in refused:
        with pytest.raises(TracingError) as caught:
            la.jit(function)()
        assert caught.value.origin is not None
        assert caught.value.origin[0] in (__file__, copy.__file__)
    with pytest.raises(TracingError):
        la.jit(lambda rng: rng.spawn(1)[0].random(3))(mine)
    # Nothing was drawn, and nothing written.
    assert float(mine.random()) == float(theirs.random()) and not target.any()


def test_a_generator_of_a_trace_is_of_no_use_outside() -> None:
    kept: list[Generator] = []
    la.jit(lambda rng: (kept.append(rng), rng.random(2))[1])(two()[0])
    with pytest.raises(TracingError, match="outside"):
        kept[0].random(2)


@pytest.mark.lazy
def test_explaining_draws_nothing() -> None:
    mine, theirs = two()
    jitted = la.jit(lambda: mine.random(1000).sum())
    assert len(jitted.explain().kernels) >= 1
    np.testing.assert_array_equal(jitted(), theirs.random(1000).sum().compute())


def test_copies_go_on_by_themselves() -> None:
    rng = la.random.default_rng(1)
    rng.random()
    for other in (copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
        np.testing.assert_array_equal(other.random(3), copy.copy(rng).random(3))
    np.testing.assert_array_equal(copy.copy(rng).random(3), rng.random(3))


# -- loops -----------------------------------------------------------------------------------


def plain_loop(iterations: int, body: Callable[..., Any], state: Any) -> Any:
    for i in range(iterations):
        state = body(i, state)
    return state


@pytest.mark.lazy
@pytest.mark.parametrize("iterations", [0, 1, 5])
def test_each_iteration_draws_anew(iterations: int) -> None:
    mine, theirs = two()
    got = la.fori_loop(iterations, lambda i, x: x + mine.random(6) * mine.normal(i, 2.0), X)
    expected = plain_loop(
        iterations, lambda i, x: x + theirs.random(6) * theirs.normal(i, 2.0), la.asarray(X)
    )
    np.testing.assert_array_equal(got.compute(), expected.compute())
    assert float(mine.random()) == float(theirs.random())


def test_loops_with_limits_nested_and_of_two_generators() -> None:
    mine, theirs = two()
    mine_b, theirs_b = two(8)

    def body(rng: Generator, other: Generator, loop: Callable[..., Any]) -> Callable[..., Any]:
        def inner(i: Any, state: Any) -> Any:
            x, total = state
            x = x * 0.5 + rng.random(6)
            total = total + other.random(6)
            return x + rng.integers(0, 3, 6), total

        def outer(i: Any, state: Any) -> Any:
            x, total = loop(3, inner, state)
            return x + rng.random(6), total * 0.5

        return outer

    start = (la.asarray(X), la.zeros(6))
    got = la.fori_loop(2, 6, body(mine, mine_b, la.fori_loop), start)
    expected = plain_loop(4, body(theirs, theirs_b, plain_loop), start)
    for a, b in zip(la.evaluate(*got), la.evaluate(*expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-14)
    assert float(mine.random()) == float(theirs.random())
    assert float(mine_b.random()) == float(theirs_b.random())


def test_jitted_functions_in_bodies_and_loops_in_jitted_functions() -> None:
    noise = la.jit(lambda rng: rng.random(6))
    noisy = la.jit(lambda rng, x: x + rng.random(6))

    def walk(rng: Generator, x: Any, loop: Callable[..., Any]) -> Any:
        return loop(4, lambda i, x: noisy(rng, x) + noise(rng), x) + rng.random(6)

    mine, theirs = two()
    for _ in range(3):
        noise(mine), noise(theirs)
        got = walk(mine, la.asarray(X), la.fori_loop)
        expected = walk(theirs, la.asarray(X), plain_loop)
        np.testing.assert_array_equal(got.compute(), expected.compute())
    jitted = la.jit(lambda rng, x: walk(rng, x, la.fori_loop))
    for _ in range(3):
        expected = walk(theirs, la.asarray(X), plain_loop)
        np.testing.assert_array_equal(jitted(mine, X), expected.compute())
    assert jitted.cache_info().traced == 1
    assert float(mine.random()) == float(theirs.random())


def test_weak_states_draw_no_more() -> None:
    """The body runs twice to find the dtype of a Python number; the generator advances once."""
    mine, theirs = two()
    got = la.fori_loop(3, lambda i, x: x + mine.random(), 0)
    expected = plain_loop(3, lambda i, x: x + theirs.random(), 0)
    np.testing.assert_array_equal(got.compute(), expected.compute())
    assert float(mine.random()) == float(theirs.random())


def test_loops_of_unknown_length_refuse_draws() -> None:
    rng = la.random.default_rng(0)
    with pytest.raises(ArgumentError, match="number of iterations is not known") as caught:
        la.fori_loop(la.asarray(3), lambda i, x: x + rng.random(6), X)
    assert caught.value.origin is not None and caught.value.origin[0] == __file__
    with pytest.raises(ArgumentError, match="number of iterations is not known"):
        la.while_loop(lambda x: x.sum() < 100, lambda x: x + rng.random(6), X)
    with pytest.raises(ArgumentError, match="before the loop"):
        la.fori_loop(3, lambda i, x: x + la.random.default_rng().random(6), X)
    noise = rng.random(6)  # shared by all iterations
    got = la.while_loop(lambda x: x.sum() < 10, lambda x: x + noise, X).compute()
    assert got.sum() >= 10


def test_generators_made_in_a_body_begin_anew_in_each_iteration() -> None:
    def body(i: Any, x: Any) -> Any:
        return x + la.random.default_rng(4).random(6)

    got = la.fori_loop(3, body, X).compute()
    np.testing.assert_array_equal(got, plain_loop(3, body, la.asarray(X)).compute())


def test_the_number_of_turns_compiles_nothing() -> None:
    rng = la.random.default_rng(0)

    def walk(iterations: int) -> Array:
        return la.evaluate(la.fori_loop(iterations, lambda i, x: x + rng.random(77), np.zeros(77)))

    walk(3)
    before = compiler.info().compiled
    walk(5)
    walk(50)
    assert compiler.info().compiled == before
