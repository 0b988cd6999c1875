"""lazyarr.random: its bits against an independent Philox, its numbers against SciPy's laws."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import plan_cache_info
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.graph.node import Kind, walk
from lazyarr.graph.reference import evaluate_reference
from lazyarr.ops.random import philox as philox_of_arrays
from lazyarr.runtime.cpu import compiler
from tests.support.philox import KNOWN, bits, philox, uniforms32, uniforms64
from tests.support.random_draws import DRAWS, Draw

pytestmark = pytest.mark.each_device

Generator = la.random.Generator


def _words(text: str) -> tuple[Any, ...]:
    return tuple(int(word, 16) for word in text.split())


def _sources(array: la.LazyArray) -> tuple[int, int]:
    """Return the number and the key of the one draw in an expression."""
    (drawn,) = (n for n in walk((array._node,)) if n.op.kind is Kind.GENERATE and n.src)
    number, key = (int(source.op.evaluate(source)) for source in drawn.src)
    return number, key


# -- bits ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("counter", "key", "result"), KNOWN)
def test_known_answers(counter: str, key: str, result: str) -> None:
    assert philox(_words(counter), _words(key)) == _words(result)
    c, k, r = (np.array(_words(text), np.uint32).view(np.uint64) for text in (counter, key, result))
    actual = philox_of_arrays(c[:1], c[1:], k)
    assert [int(word[0]) for word in actual] == r.tolist()


@pytest.mark.lazy
@pytest.mark.parametrize("backend", ["llvm", "numba"])
@pytest.mark.parametrize("shape", [(), (1,), (2,), (7,), (1000,), (13, 17), (3, 1, 5), (0, 4)])
def test_bits_are_those_of_philox(backend: str, shape: tuple[int, ...]) -> None:
    rng = la.random.default_rng(99)
    count = int(np.prod(shape))
    with la.config(backend=backend):
        drawn = rng.random(shape)
        expected = uniforms64(count, *_sources(drawn)).reshape(shape)
        np.testing.assert_array_equal(drawn.compute(), expected, strict=True)
        drawn = rng.random(shape, dtype=np.float32)
        expected = uniforms32(count, *_sources(drawn)).reshape(shape)
        np.testing.assert_array_equal(drawn.compute(), expected, strict=True)
        drawn = rng.integers(0, 2**64 - 1, shape, np.uint64, endpoint=True)
        expected = bits(count, *_sources(drawn)).reshape(shape)
        np.testing.assert_array_equal(drawn.compute(), expected, strict=True)


@pytest.mark.parametrize("draw", DRAWS, ids=str)
@pytest.mark.parametrize(
    "settings", [{"threads": 1}, {"threads": 3}, {"backend": "numba"}], ids=str
)
def test_same_numbers_whoever_computes_them(draw: Draw, settings: dict[str, Any]) -> None:
    lazy = draw.function(la.random.default_rng(2024))
    (expected,) = evaluate_reference((lazy._node,))
    with la.config(**settings):
        result = draw.evaluate()
    assert result.shape == expected.shape
    assert result.dtype == expected.dtype
    if draw.exact:
        np.testing.assert_array_equal(result, expected)
    else:
        close = {"rtol": 1e-5, "atol": 1e-5} if result.dtype == np.float32 else {"rtol": 1e-12}
        np.testing.assert_allclose(result, expected, **close)


def test_threads_share_a_large_draw_to_the_same_bits() -> None:
    rng = la.random.default_rng(5)
    for drawn in (rng.random(1_000_003), rng.standard_normal(1_000_003, dtype="f4")):
        results = []
        for threads in (1, 2, 7):
            with la.config(threads=threads):
                results.append(drawn.compute())
        np.testing.assert_array_equal(results[0], results[1])
        np.testing.assert_array_equal(results[0], results[2])


def test_views_show_the_numbers_of_the_whole() -> None:
    x = la.random.default_rng(8).standard_normal((40, 30))
    whole = x.compute()
    for view in (
        lambda a: a.T,
        lambda a: a[::-2, 3:],
        lambda a: a[7],
        lambda a: a[:, 4:5],
        lambda a: a.reshape(30, 40),
        lambda a: a.reshape(-1),
        lambda a: a[1:] - a[:-1],
        lambda a: a.T.reshape(-1),
    ):
        np.testing.assert_array_equal(la.evaluate(view(x) * 1.0), view(whole))
        np.testing.assert_array_equal(la.evaluate(view(x)), view(whole))


@pytest.mark.parametrize("seed", [3, 9, 11])
def test_rows_that_are_written_out_take_the_numbers_of_their_places(seed: int) -> None:
    """Axes of a row that do not merge, as a draw lies otherwise than what it is multiplied by."""
    choice = np.random.default_rng(seed)
    shape = tuple(int(n) for n in choice.integers(2, 4, size=int(choice.integers(2, 4))))
    order = tuple(int(k) for k in choice.permutation(len(shape)))
    part = tuple(slice(None, None, int(choice.choice([1, 1, -1]))) for _ in shape)
    weights = choice.random(shape)
    drawn = la.random.default_rng(seed).random(tuple(shape[k] for k in np.argsort(order)))
    seen = drawn.compute().transpose(np.argsort(np.argsort(order)))[part]
    lazy = drawn.transpose(np.argsort(np.argsort(order)))[part]
    assert seen.shape == shape
    for axis in (None, tuple(range(len(shape) - 1)), (0, len(shape) - 1)):
        with la.config(immediate=0):
            result = (la.asarray(weights) * lazy).sum(axis=axis)
            np.testing.assert_allclose(result, (weights * seen).sum(axis=axis), rtol=1e-12)
            np.testing.assert_array_equal((weights * lazy).max(axis), (weights * seen).max(axis))


def test_drawn_once() -> None:
    rng = la.random.default_rng()
    x = rng.random(100)
    first, second = x.compute(), x.compute()
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(la.evaluate(x - x), np.zeros(100))
    a, b = la.evaluate(x + 1, x * 2)
    np.testing.assert_array_equal(a, first + 1)
    np.testing.assert_array_equal(b, first * 2)
    assert (rng.random(100).compute() != first).all()


def test_seeds() -> None:
    def start(seed: Any) -> list[float]:
        rng = la.random.default_rng(seed)
        rng.random()
        return rng.random(4).tolist()

    assert start(3) == start(3) == start(np.random.SeedSequence(3)) == start(np.int64(3))
    assert start([1, 2]) == start([1, 2])
    assert len({tuple(start(seed)) for seed in (0, 1, 2, [1, 2], [2, 1], None)}) == 6
    rng = la.random.default_rng(0)
    assert la.random.default_rng(rng) is rng
    for bad in (-1, "a", 1.5):
        with pytest.raises(ArgumentError, match="seed"):
            la.random.default_rng(bad)


def test_another_seed_compiles_nothing() -> None:
    la.random.default_rng(0).normal(2.5, 3.5, 1000).compute()
    plans, compiled = plan_cache_info().plans, compiler.info().compiled
    for seed in range(1, 6):
        rng = la.random.default_rng(seed)
        for _ in range(3):
            rng.normal(2.5, 3.5, 1000).compute()
    assert (plan_cache_info().plans, compiler.info().compiled) == (plans, compiled)


def test_spawned_and_pickled() -> None:
    rng = la.random.default_rng(4)
    rng.random()
    copy = pickle.loads(pickle.dumps(rng))
    assert copy.random(5).tolist() == rng.random(5).tolist()
    one, other = rng.spawn(2)
    assert one.random(5).tolist() != other.random(5).tolist()
    again = la.random.default_rng(4).spawn(2)[1]
    assert again.random(6).tolist() == la.random.default_rng(4).spawn(2)[1].random(6).tolist()


@pytest.mark.lazy
def test_threads_take_different_draws() -> None:
    rng = la.random.default_rng(0)
    taken: list[tuple[int, int]] = []

    def work() -> None:
        taken.extend(_sources(rng.random(3)) for _ in range(200))

    workers = [threading.Thread(target=work) for _ in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(set(taken)) == 1600


# -- distributions ---------------------------------------------------------------------------

COUNT = 200_000
LAWS: list[tuple[str, tuple[float, ...], Callable[[Any], Any]]] = [
    ("random", (), lambda s: s.uniform()),
    ("uniform", (-3.0, 5.0), lambda s: s.uniform(-3, 8)),
    ("standard_normal", (), lambda s: s.norm()),
    ("normal", (2.0, 3.0), lambda s: s.norm(2, 3)),
    ("lognormal", (0.5, 0.75), lambda s: s.lognorm(0.75, scale=np.exp(0.5))),
    ("standard_exponential", (), lambda s: s.expon()),
    ("exponential", (2.5,), lambda s: s.expon(scale=2.5)),
    ("laplace", (1.0, 2.0), lambda s: s.laplace(1, 2)),
    ("logistic", (1.0, 2.0), lambda s: s.logistic(1, 2)),
    ("gumbel", (1.0, 2.0), lambda s: s.gumbel_r(1, 2)),
    ("standard_cauchy", (), lambda s: s.cauchy()),
    ("rayleigh", (2.0,), lambda s: s.rayleigh(scale=2)),
    ("weibull", (1.5,), lambda s: s.weibull_min(1.5)),
    ("pareto", (9.0,), lambda s: s.lomax(9)),
    ("power", (2.5,), lambda s: s.powerlaw(2.5)),
]


@pytest.mark.parametrize(("name", "arguments", "law"), LAWS, ids=[law[0] for law in LAWS])
def test_distribution(name: str, arguments: tuple[float, ...], law: Any) -> None:
    stats = pytest.importorskip("scipy.stats")
    drawn = getattr(la.random.default_rng(11), name)(*arguments, size=COUNT)
    assert drawn.dtype == np.float64
    sample = drawn.compute()
    assert np.isfinite(sample).all()
    expected = law(stats)
    assert stats.kstest(sample, expected.cdf).pvalue > 0.01
    if np.isfinite(expected.var()):
        deviation = expected.std()
        assert abs(sample.mean() - expected.mean()) < 4 * deviation / COUNT**0.5
        assert sample.var() == pytest.approx(expected.var(), rel=0.05)


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_distribution_in_float32(name: str) -> None:
    stats = pytest.importorskip("scipy.stats")
    law = {"random": "uniform", "standard_normal": "norm", "standard_exponential": "expon"}[name]
    sample = getattr(la.random.default_rng(12), name)(COUNT, dtype=np.float32).compute()
    assert sample.dtype == np.float32
    assert stats.kstest(sample, getattr(stats, law).cdf).pvalue > 0.01


@pytest.mark.lazy
def test_normal_numbers_are_box_and_mullers() -> None:
    rng = la.random.default_rng(3)
    drawn = rng.standard_normal(1001)
    u = uniforms64(1002, *_sources(drawn))
    radius, angle = np.sqrt(-2 * np.log(1 - u[::2])), 2 * np.pi * u[1::2]
    expected = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).reshape(-1)
    np.testing.assert_allclose(drawn.compute(), expected[:1001], rtol=1e-11, atol=1e-14)


def test_integers_are_even() -> None:
    stats = pytest.importorskip("scipy.stats")
    for low, high in ((0, 2), (0, 10), (-7, 90)):
        sample = la.random.default_rng(6).integers(low, high, COUNT).compute()
        counts = np.bincount(sample - low, minlength=high - low)
        assert len(counts) == high - low
        assert stats.chisquare(counts).pvalue > 0.01


def test_draws_are_not_correlated() -> None:
    rng = la.random.default_rng(21)
    streams = [rng.random(COUNT).compute() for _ in range(4)]
    streams += [child.random(COUNT).compute() for child in rng.spawn(3)]
    streams += [la.random.default_rng(seed).random(COUNT).compute() for seed in (22, 23)]
    result = np.corrcoef(streams) - np.eye(len(streams))
    assert np.abs(result).max() < 5 / COUNT**0.5
    normal = rng.standard_normal(COUNT).compute()
    for sample in (streams[0], normal):
        for lag in (1, 2, 3, 4, 8):
            both = np.corrcoef(sample[lag:], sample[:-lag])[0, 1]
            assert abs(both) < 5 / COUNT**0.5
            both = np.corrcoef(sample[lag:] ** 2, sample[:-lag] ** 2)[0, 1]
            assert abs(both) < 5 / COUNT**0.5


# -- integers --------------------------------------------------------------------------------


@pytest.mark.lazy
@pytest.mark.parametrize("code", "bBhHiIlLqQ")
def test_integers_of_every_dtype(code: str) -> None:
    rng = la.random.default_rng(1)
    limits = np.iinfo(code)
    for low, high in ((0, 1), (3, 9), (limits.min, limits.max), (limits.max - 2, limits.max)):
        drawn = rng.integers(low, high, 500, dtype=code, endpoint=True)
        assert drawn.dtype == np.dtype(code)
        words = bits(500, *_sources(drawn))
        expected = [low + (int(word) * (high - low + 1) >> 64) for word in words]
        assert drawn.tolist() == expected


def test_integers_of_bool_and_of_arrays() -> None:
    rng = la.random.default_rng(2)
    coins = rng.integers(0, 2, 1000, dtype=bool)
    assert coins.dtype == np.bool_
    assert 400 < int(coins.sum()) < 600
    low, high = np.array([0, 10, -5]), np.array([[1], [20]])
    with pytest.raises(ArgumentError, match="low >= high"):
        rng.integers(low, high)
    result = rng.integers(low, np.array([[11], [20]]), (50, 2, 3)).compute()
    assert (result >= low).all()
    assert (result < np.array([[11], [20]])).all()
    lazy = rng.integers(la.asarray(low), la.asarray(low) + 3, (200, 3))
    with la.config(implicit="raise"):
        spread = la.evaluate(lazy - low)
    assert set(spread.reshape(-1).tolist()) == {0, 1, 2}
    assert rng.integers(5, size=100).compute().max() == 4
    assert rng.integers(1e6, size=2).dtype == np.int64


# -- permutations and choices ----------------------------------------------------------------


def test_permutations() -> None:
    rng = la.random.default_rng(0)
    for n in (0, 1, 2, 3, 64, 1000):
        with la.config(implicit="raise"):
            order = rng.permutation(n)
        assert order.dtype == np.int64
        assert sorted(order.tolist()) == list(range(n))
    table = np.arange(60).reshape(3, 4, 5)
    for axis in (0, 1, -1):
        result = rng.permutation(table, axis=axis).compute()
        np.testing.assert_array_equal(np.sort(result, axis), table)
    for axis in (None, 0, 2):
        result = rng.permuted(table, axis=axis).compute()
        np.testing.assert_array_equal(np.sort(result, axis), np.sort(table, axis))
    places = np.array([rng.permutation(4).compute() for _ in range(400)])
    assert np.abs(places.mean(axis=0) - 1.5).max() < 0.25
    assert len({tuple(row) for row in places}) == 24


def test_shuffle() -> None:
    rng = la.random.default_rng(0)
    operand = np.arange(40).reshape(10, 4)
    memory = np.arange(40)
    rng.shuffle(memory.data)
    assert memory.tolist() != sorted(memory.tolist()) == list(range(40))
    array = operand.copy()
    assert rng.shuffle(array) is None
    assert (array != operand).any()
    np.testing.assert_array_equal(np.sort(array, 0), operand)
    lazy = la.asarray(operand)
    rng.shuffle(lazy, axis=1)
    result = lazy.compute()
    np.testing.assert_array_equal(np.sort(result, 1), operand)
    np.testing.assert_array_equal(operand, np.arange(40).reshape(10, 4))
    letters = list("abcdefgh")
    rng.shuffle(letters)
    assert sorted(letters) == list("abcdefgh")
    operand.flags.writeable = False
    for bad in (operand, 5, "abc"):
        with pytest.raises(ArgumentError, match=r"read-only|shuffle takes"):
            rng.shuffle(bad)


def test_choice() -> None:
    rng = la.random.default_rng(0)
    values = np.array([1.5, 2.5, 3.5])
    result = rng.choice(values, (4, 5)).compute()
    assert result.shape == (4, 5)
    assert set(result.reshape(-1)) <= set(values)
    assert rng.choice(7).shape == ()
    table = np.arange(12).reshape(3, 4)
    columns = rng.choice(table, (2, 3), axis=1).compute()
    assert columns.shape == (3, 2, 3)
    assert (columns[1] - columns[0] == 4).all()
    p = [0.1, 0.6, 0.3]
    counts = np.bincount(rng.choice(3, COUNT, p=p).compute()) / COUNT
    np.testing.assert_allclose(counts, p, atol=0.005)
    lazy = rng.choice(3, COUNT, p=la.asarray([1.0, 6.0, 3.0]) / 10)
    np.testing.assert_allclose(np.bincount(lazy.compute()) / COUNT, p, atol=0.005)
    few = rng.choice(10, 4, replace=False).compute()
    assert len(set(few)) == 4
    firsts = [int(rng.choice(3, 2, replace=False, p=p).compute()[0]) for _ in range(600)]
    np.testing.assert_allclose(np.bincount(firsts) / 600, p, atol=0.07)
    assert 2 not in rng.choice(3, 2, replace=False, p=[0.5, 0.5, 0.0]).tolist()
    for arguments in (
        {"a": 3, "size": 4, "replace": False},
        {"a": 3, "size": 3, "replace": False, "p": [0.5, 0.5, 0.0]},
        {"a": 0, "size": 1},
        {"a": 2, "p": [0.5, 0.6]},
        {"a": 2, "p": [-0.5, 1.5]},
        {"a": 3.5},
    ):
        with pytest.raises((ArgumentError, ShapeError)):
            rng.choice(**arguments)
    with pytest.raises(ShapeError, match="a and p must have same size"):
        rng.choice(3, p=[0.5, 0.5])


# -- arguments -------------------------------------------------------------------------------


def test_parameters_may_be_lazy_and_broadcast() -> None:
    rng = la.random.default_rng(0)
    mean = la.arange(3.0) * 100
    with la.config(implicit="raise"):
        drawn = rng.normal(mean, np.array([[1.0], [2.0]]))
        assert drawn.shape == (2, 3)
        tall = rng.normal(mean, 0.5, size=(1000, 3))
    np.testing.assert_allclose(tall.compute().mean(axis=0), [0, 100, 200], atol=0.1)
    assert len(la.explain(tall).kernels) == 1
    with pytest.raises(ShapeError, match="cannot be broadcast to a single shape"):
        rng.normal(mean, 1, size=(3, 2))
    with pytest.raises(ShapeError, match="broadcast"):
        rng.normal(mean, np.ones(4))


def test_out() -> None:
    rng = la.random.default_rng(9)
    twin = la.random.default_rng(9)
    array = np.empty((3, 4), np.float32)
    assert rng.random(out=array, dtype=np.float32) is array
    np.testing.assert_array_equal(array, twin.random((3, 4), dtype=np.float32).compute())
    lazy = la.zeros(5)
    assert rng.standard_normal(5, out=lazy) is lazy
    np.testing.assert_array_equal(lazy.compute(), twin.standard_normal(5).compute())
    for arguments, error in (
        ({"out": array}, DTypeError),
        ({"size": 3, "out": np.empty(4)}, ShapeError),
        ({"out": [1.0]}, ArgumentError),
        ({"dtype": int}, DTypeError),
        ({"size": -1}, ShapeError),
        ({"size": 1.5}, ArgumentError),
    ):
        with pytest.raises(error) as caught:
            rng.random(**arguments)
        assert "test_random.py" in str(caught.value)


def test_bad_parameters() -> None:
    rng = la.random.default_rng(0)
    for call in (
        lambda: rng.normal(0, -1),
        lambda: rng.exponential([1, -1]),
        lambda: rng.normal("a"),
        lambda: rng.integers(5, 5),
        lambda: rng.integers(5, 4, endpoint=True),
        lambda: rng.integers(300, dtype=np.uint8),
        lambda: rng.integers(-1, 3, dtype=np.uint8),
        lambda: rng.integers(np.array([0]), 2**64 - 1, dtype="u8", endpoint=True),
        lambda: rng.permutation(-1),
    ):
        with pytest.raises(ArgumentError) as caught:
            call()
        assert "test_random.py" in str(caught.value)
    for call in (lambda: rng.integers(5, dtype=float), lambda: rng.normal(la.asarray([1j]))):
        with pytest.raises(DTypeError):
            call()
    with pytest.raises(np.exceptions.AxisError, match=r"test_random\.py"):
        rng.permutation(la.asarray(1.0))
    with pytest.raises(OverflowError, match="Range exceeds"):
        rng.uniform(0, np.inf)
    with pytest.raises(AttributeError, match="streams are Philox"):
        rng.bit_generator
    with pytest.raises(AttributeError, match="no attribute"):
        rng.nothing


def test_pictures_show_the_draw(tmp_path: Path) -> None:
    x = la.random.default_rng(0).random(10) + 1
    la.visualize(x, filename=str(tmp_path / "x.dot"))
    assert "random" in (tmp_path / "x.dot").read_text()


def test_arrays_are_seeds() -> None:
    seeds = la.asarray([5, 6])
    for seed, same in (
        (seeds, [5, 6]),
        (np.array([5, 6]), [5, 6]),
        (seeds[0], 5),
        (seeds.sum(), 11),
        ([seeds[0], 6], [5, 6]),
        (np.ma.array([5, 6]), [5, 6]),
    ):
        assert float(la.random.default_rng(seed).random()) == float(
            la.random.default_rng(same).random()
        )
    within_itself: list[Any] = [5]
    within_itself.append(within_itself)
    for wrong in (
        la.asarray([1.5]),
        la.asarray(2.0),
        la.asarray(-1),
        np.array([[1.5]]).view(np.matrix),
        within_itself,
    ):
        with pytest.raises(ArgumentError, match="is not a seed"):
            la.random.default_rng(wrong)
