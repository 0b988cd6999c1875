"""Draws of few numbers: those of the expressions that they stand for, and drawn when called for."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.random.counters import Numbers, PythonNumbers

needs_compiled = pytest.mark.skipif(COMPILED is None, reason="draws are early in the compiled form")
Draw = Callable[[Any], Any]

DRAWS: list[Draw] = [
    lambda r: r.random(),
    lambda r: r.random(17),
    lambda r: r.random(size=(2, 3)),
    lambda r: r.random((0, 3)),
    lambda r: r.standard_normal(33),
    lambda r: r.standard_normal(),
    lambda r: r.standard_exponential((5, 4)),
    lambda r: r.normal(2.0, 3.0, 40),
    lambda r: r.normal(scale=0.0, size=3),
    lambda r: r.normal(1e308, 1e300, 3),
    lambda r: r.uniform(-2, 3, 21),
    lambda r: r.uniform(high=5.0),
    lambda r: r.exponential(0.5, size=(3,)),
    lambda r: r.integers(10),
    lambda r: r.integers(-5, 5, 100),
    lambda r: r.integers(0, 2**63 - 1, 10, endpoint=True),
    lambda r: r.integers(-(2**63), 2**63, 10),
    lambda r: r.integers(0, 9, 10, np.uint8),
    lambda r: r.permutation(50),
    lambda r: r.permutation(0),
    lambda r: r.permutation(la.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])),
    lambda r: r.choice(20),
    lambda r: r.choice(20, (2, 5)),
    lambda r: r.choice(20, 7, replace=False),
    lambda r: r.choice(la.array([1.5, 2.5, 3.5]), 9),
    lambda r: r.choice(la.array([1.5, 2.5, 3.5])),
    lambda r: r.choice(la.array([1, 2, 3]), 3, False),
    lambda r: r.choice(5, 8, p=[0.1, 0.2, 0.3, 0.2, 0.2]),
    lambda r: r.laplace(size=3),
    lambda r: r.beta(1, 2.5),
    lambda r: r.gamma(2.0, size=5),
    lambda r: r.poisson(3, (2, 2)),
    lambda r: r.binomial(5, 0.5, 4),
    lambda r: r.dirichlet([1.0, 2.0], 3),
    lambda r: r.poisson(la.array([1.0, 10.0, 100.0])),
    lambda r: r.binomial(la.array([5, 50]), la.array([0.5, 0.25]), (3, 2)),
    lambda r: r.gamma([1.0, 2.0], la.array([[1.0], [3.0]])),
    lambda r: r.hypergeometric(la.array([5, 6]), 7, 4),
    lambda r: r.multinomial(20, la.array([0.25, 0.5, 0.25]), 2),
    lambda r: r.multivariate_normal(la.zeros(2), [[2.0, 0.5], [0.5, 1.0]], (2, 3)),
    lambda r: r.choice(la.array([1.5, 2.5]), 8, p=la.array([0.25, 0.75])),
    lambda r: r.choice(la.array([1.5, 2.5]), p=la.array([0.25, 0.75])),
    lambda r: r.choice(la.arange(12.0).reshape(3, 4), 5, axis=1, p=[0.1, 0.2, 0.3, 0.4]),
    lambda r: r.permutation(la.arange(12).reshape(3, 4), axis=1),
    lambda r: r.normal(la.array([[1.0, -2.0, 3.0], [0.0, 4.0, 9.0]]), 2),
    lambda r: r.normal(la.array([1.0, 2.0, 3.0]), la.array([0.5, 0.0, 4.0])),
    lambda r: r.normal(-3, la.array([0.5, 1.0, 4.0]), 3),
    lambda r: r.normal(np.array([1.0, 2.0]), scale=0.25, size=(2,)),
    lambda r: r.normal(la.array([1.0, 1e308]), 1),
    lambda r: r.normal(la.array([1.0, 2.0]), la.array([[1.0], [2.0]])),
    lambda r: r.normal(la.array([1.0, 2.0]), 1, (3, 2)),
    lambda r: r.normal(la.array([1, 2]), 1),
    lambda r: r.lognormal(0.5, 2, 9),
    lambda r: r.lognormal(sigma=0.25),
    lambda r: r.lognormal(np.float64(1), 1, 3),
    lambda r: r.lognormal(-1.0, 100.0, 3),
    lambda r: r.poisson(lam=la.array([1.0, 2.0]), size=(4, 2)),
    lambda r: r.poisson(10**6),
    lambda r: r.geometric(0.3, size=None),
    lambda r: r.triangular(0, mode=1, right=4, size=11),
    lambda r: r.vonmises(0.5, 2.0, (2, 0)),
    lambda r: r.zipf(2.5, 30),
    lambda r: r.logseries(0.4, 30),
    lambda r: r.standard_t(3, 30),
    lambda r: r.wald(1, 2, 5),
    lambda r: r.noncentral_f(3, 4, 0.5, 6),
    lambda r: r.negative_binomial(5, 0.25, 40),
]


@needs_compiled
@pytest.mark.parametrize("seed", range(8))
def test_words_of_draws_are_those_of_numpys_generator(seed: int) -> None:
    assert COMPILED is not None
    random = np.random.default_rng(seed)
    key, number = (int(word) for word in random.integers(0, 2**64, 2, dtype=np.uint64))
    words = COMPILED.Words(threading.Lock())
    ours = np.random.Generator(words)
    words.begin(key, number)
    theirs = np.random.Generator(np.random.Philox(key=np.array([key, number], np.uint64)))
    for _ in range(30):
        name, *parameters = [
            ("random", 5), ("integers", 0, 9, 3, np.uint8), ("integers", 0, 2**40, 3),
            ("poisson", 3.0, 4), ("gamma", 0.5, 1.0, 3), ("standard_normal", 2, np.float32),
            ("binomial", 100, 0.3, 2),
        ][int(random.integers(7))]  # fmt: skip
        expected = getattr(theirs, name)(*parameters)
        assert np.array_equal(getattr(ours, name)(*parameters), expected)


@needs_compiled
def test_threads_take_different_draws_of_numpys_functions() -> None:
    rng, draws = la.random.default_rng(3), []

    def draw() -> None:
        draws.extend([np.asarray(rng.gamma(2.0, 1.0, 500)).tobytes() for _ in range(60)])

    threads = [threading.Thread(target=draw) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = la.random.default_rng(3)
    expected = {np.asarray(again.gamma(2.0, 1.0, 500)).tobytes() for _ in range(240)}
    assert set(draws) == expected
    assert len(draws) == len(expected)


@needs_compiled
@pytest.mark.parametrize("draw", DRAWS)
def test_early_draws_have_the_numbers_of_expressions(draw: Draw) -> None:
    early, late = la.random.default_rng(7), la.random.default_rng(7)
    ours = draw(early)
    with la.config(immediate=0):
        expected = la.evaluate(draw(late))
    assert ours.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-13, atol=1e-300)
    if expected.dtype != np.float64:
        np.testing.assert_array_equal(ours, expected)
    assert early.random(3).tolist() == late.random(3).tolist()  # as many draws were taken


@needs_compiled
def test_uniform_numbers_have_the_same_bits() -> None:
    for size in (1, 16, 31, 4096):
        early = la.random.default_rng(3).random(size)
        with la.config(immediate=0):
            late = la.evaluate(la.random.default_rng(3).random(size))
        np.testing.assert_array_equal(early, late)


@needs_compiled
def test_shuffled_in_place() -> None:
    x = la.arange(12).reshape(6, 2)
    view, twin = x[1:], la.arange(12).reshape(6, 2)
    la.random.default_rng(5).shuffle(x)
    with la.config(immediate=0):
        la.random.default_rng(5).shuffle(twin)
    assert x.tolist() == twin.tolist()
    assert view.tolist() == x.tolist()[1:]


def test_in_code_that_runs_for_many_times_draws_are_taken_anew() -> None:
    rng = la.random.default_rng(1)
    places = la.arange(4)
    steps = la.fori_loop(0, 4, lambda i, x: x + (places == i) * rng.random(), la.zeros(4))
    assert len(set(la.evaluate(steps).tolist())) == 4
    noisy = la.jit(lambda x: x + rng.random(3) + rng.beta(1, 2))
    assert (noisy(np.zeros(3)) != noisy(np.zeros(3))).all()


def test_refusals_take_no_draw() -> None:
    rng, twin = la.random.default_rng(2), la.random.default_rng(2)
    for refused in (
        lambda: rng.normal(0, -1),
        lambda: rng.uniform(2, 1),
        lambda: rng.integers(5, 5),
        lambda: rng.beta(-1, 2),
        lambda: rng.choice(3, 5, replace=False),
        lambda: rng.random(-1),
        lambda: rng.permutation(-1),
    ):
        with pytest.raises(ValueError):
            refused()
    assert rng.random() == twin.random()


@pytest.mark.parametrize("kind", [PythonNumbers, Numbers])
def test_numbers_of_draws(kind: Any) -> None:
    numbers = kind(5, 2**64 - 2)
    assert numbers.take(3) == (2**64 - 2, 5)
    assert numbers.state() == (5, 1)
    assert not numbers.take_if(0)
    assert numbers.take_if(1)
    assert numbers.state() == (5, 2)


def test_copies_have_draws_of_their_own() -> None:
    rng = la.random.default_rng(4)
    rng.random(3)
    others = copy.copy(rng), copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))
    drawn = rng.random(3).tolist()
    assert all(other.random(3).tolist() == drawn for other in others)


def test_threads_take_different_early_draws() -> None:
    rng, drawn = la.random.default_rng(0), []

    def work() -> None:
        for _ in range(200):
            drawn.extend((float(rng.random()), float(rng.beta(1, 2))))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(drawn)) == 1600


#: The place of one that the older interface does not take.
_WITH_AXIS = 5
OTHERS: list[Draw] = [
    lambda r: r.choice(["a", "bc", "d"]),
    lambda r: r.choice(["a", "bc", "d"], (2, 3)),
    lambda r: r.choice(["a", "bc", "d"], 2, False),
    lambda r: r.choice(np.array(["x", "y"]), 4, p=[0.25, 0.75]),
    lambda r: r.choice([None, "x", 2], p=[0.5, 0.25, 0.25]),
    lambda r: r.choice(np.array([["a", "b"], ["c", "d"]]), 3, axis=1),
    lambda r: r.choice(np.array(["2020-01-01", "2021-01-01"], "datetime64[D]"), 3),
    lambda r: r.permutation(["a", "b", "c"]),
]


@pytest.mark.parametrize("draw", OTHERS)
def test_elements_of_other_dtypes_are_chosen_from_as_numbers_are(draw: Draw) -> None:
    chosen, theirs = draw(la.random.default_rng(3)), draw(np.random.default_rng(3))
    assert not isinstance(chosen, la.LazyArray)
    assert np.shape(chosen) == np.shape(theirs)
    if isinstance(theirs, (np.ndarray, np.generic)):
        assert chosen.dtype == theirs.dtype


def test_masked_arrays_are_refused() -> None:
    masked = np.ma.array([1.0, 2.0], mask=[False, True])
    for draw in (la.random.default_rng(3).choice, la.random.default_rng(3).permutation):
        with pytest.raises(la.errors.DTypeError, match="MaskedArray"):
            draw(masked)


def test_places_of_texts_are_those_of_numbers() -> None:
    numbers = la.random.default_rng(5).choice(3, 20).tolist()
    texts = la.random.default_rng(5).choice(["a", "b", "c"], 20).tolist()
    assert texts == ["abc"[place] for place in numbers]


@pytest.mark.parametrize("draw", OTHERS)
@pytest.mark.parametrize(
    "make",
    [
        lambda module: module.RandomState(3),
        lambda module: module.Generator(module.MT19937(3)),
    ],
)
def test_numpys_generators_choose_from_other_dtypes(make: Callable[[Any], Any], draw: Draw) -> None:
    ours, theirs = make(la.random), make(np.random)
    if not hasattr(theirs, "spawn") and draw is OTHERS[_WITH_AXIS]:
        pytest.skip("the older interface takes no axis")
    chosen, expected = draw(ours), draw(theirs)
    assert type(chosen) is (la.LazyArray if type(expected) is int else type(expected))
    np.testing.assert_array_equal(chosen, expected)


def test_numpys_generators_draw_numpys_numbers() -> None:
    for make in (
        lambda m: m.random.RandomState(3),
        lambda m: m.random.Generator(np.random.PCG64(3)),
    ):
        ours, theirs = make(la), make(np)
        for draw in (
            lambda r, m: r.normal(),
            lambda r, m: r.normal(1.0, 2.0, (2, 3)),
            lambda r, m: r.choice(m.array([1.5, 2.5, 3.5]), 4),
            lambda r, m: r.permutation(5),
            lambda r, m: r.poisson(m.array([1.0, 5.0])),
            lambda r, m: r.uniform(size=3),
            lambda r, m: r.bytes(3),
        ):
            result, expected = draw(ours, la), draw(theirs, np)
            np.testing.assert_array_equal(result, expected)
            assert type(result) is (bytes if type(expected) is bytes else la.LazyArray)
        x, y = la.arange(9), np.arange(9)
        ours.shuffle(x[2:])
        theirs.shuffle(y[2:])
        np.testing.assert_array_equal(x, y)


def test_functions_of_the_module_follow_its_seed() -> None:
    la.random.rand(2)
    la.random.seed(6)
    np.random.seed(6)
    assert la.random.rand(2).tolist() == np.random.rand(2).tolist()
    la.random.set_state(np.random.get_state())
    assert float(la.random.uniform(3, 1)) == np.random.uniform(3, 1)
    assert int(la.random.randint(100)) == np.random.randint(100)
    la.random.seed()


@pytest.mark.parametrize("size", [5, 20_000])
@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_outputs_of_numpys_draws_are_written_as_by_assignment(name: str, size: int) -> None:
    for before in ((), (None, float), (size,)):
        wrapped = np.zeros(size)
        x = la.asarray(wrapped)
        part, later = x[:2], x + 1
        options = {"method": "zig"} if name == "standard_exponential" else {}
        rng = la.random.Generator(np.random.PCG64(3))
        drawn = getattr(rng, name)(*before, out=x, **options)
        assert drawn is x
        expected = getattr(np.random.Generator(np.random.PCG64(3)), name)(size)
        np.testing.assert_array_equal(x, expected)
        np.testing.assert_array_equal(part, expected[:2])
        assert not wrapped.any()
        assert (later == 1).all()


def test_outputs_of_numpys_draws_may_be_positional() -> None:
    rng, x = la.random.Generator(np.random.PCG64(3)), la.zeros(4)
    expected = np.random.Generator(np.random.PCG64(3)).random(4)
    assert rng.random(4, float, x) is x
    np.testing.assert_array_equal(x, expected)
    assert rng.permuted(x, axis=0, out=x) is x
    np.testing.assert_array_equal(np.sort(x), np.sort(expected))


class _Seed:
    """A sequence of seeds without children."""

    def generate_state(self, n_words: int, dtype: Any = np.uint32) -> Any:
        return np.arange(n_words).astype(dtype)


np.random.bit_generator.ISeedSequence.register(_Seed)


def test_generators_of_states_and_of_other_sequences_of_seeds() -> None:
    for module in (np, la):
        state = module.random.RandomState(5)
        state.random_sample(3)
        rng = la.random.default_rng(state)
        theirs = np.random.RandomState(5)
        theirs.random_sample(3)
        expected = np.random.default_rng(theirs).integers(0, 100, 6)
        assert rng.integers(0, 100, 6).tolist() == expected.tolist()
        assert rng.bit_generator is state._bit_generator
    seeded = la.random.default_rng(_Seed())
    assert seeded.random(3).tolist() == la.random.default_rng(_Seed()).random(3).tolist()
    with pytest.raises(TypeError, match="does not implement spawning"):
        seeded.spawn(2)
