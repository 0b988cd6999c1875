"""Distributions that NumPy draws over lazyarr's streams."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

import lazyarr as la

#: Parameters, and SciPy's distribution for the test of Kolmogorov and Smirnov.
CONTINUOUS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "beta": ((2.0, 3.0), stats.beta(2.0, 3.0)),
    "chisquare": ((3.5,), stats.chi2(3.5)),
    "f": ((5.0, 9.0), stats.f(5.0, 9.0)),
    "gamma": ((2.5, 3.0), stats.gamma(2.5, scale=3.0)),
    "noncentral_chisquare": ((3.0, 2.0), stats.ncx2(3.0, 2.0)),
    "noncentral_f": ((3.0, 9.0, 2.0), stats.ncf(3.0, 9.0, 2.0)),
    "standard_gamma": ((2.5,), stats.gamma(2.5)),
    "standard_t": ((4.0,), stats.t(4.0)),
    "triangular": ((0.0, 0.3, 1.0), stats.triang(0.3)),
    "vonmises": ((0.5, 2.0), stats.vonmises(2.0, loc=0.5)),
    "wald": ((2.0, 3.0), stats.invgauss(2.0 / 3.0, scale=3.0)),
}
DISCRETE: dict[str, tuple[tuple[Any, ...], float]] = {
    "binomial": ((20, 0.3), 6.0),
    "geometric": ((0.4,), 2.5),
    "hypergeometric": ((10, 15, 8), 3.2),
    "logseries": ((0.5,), float(stats.logser(0.5).mean())),
    "negative_binomial": ((4, 0.5), 4.0),
    "poisson": ((3.5,), 3.5),
    "zipf": ((4.0,), float(stats.zipf(4.0).mean())),
}


@pytest.mark.host
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_draws_follow_their_distribution(name: str) -> None:
    parameters, distribution = CONTINUOUS[name]
    drawn = getattr(la.random.default_rng(11), name)(*parameters, size=4000)
    assert drawn.dtype == np.float64
    values = drawn.compute()
    assert stats.kstest(values, distribution.cdf).pvalue > 1e-3
    np.testing.assert_array_equal(drawn.compute(), values)


@pytest.mark.host
@pytest.mark.parametrize("name", DISCRETE)
def test_discrete_draws_have_the_mean(name: str) -> None:
    parameters, mean = DISCRETE[name]
    drawn = getattr(la.random.default_rng(12), name)(*parameters, size=8000)
    assert drawn.dtype == np.int64
    values = drawn.compute()
    assert abs(values.mean() - mean) < 5 * values.std() / np.sqrt(values.size)


@pytest.mark.host
@pytest.mark.parametrize("name", {**CONTINUOUS, **DISCRETE})
def test_shapes_seeds_and_refusals(name: str) -> None:
    parameters = (CONTINUOUS.get(name) or DISCRETE[name])[0]
    wide = (np.full((3, 1), parameters[0]), *parameters[1:])
    expected = getattr(np.random.default_rng(0), name)(*wide).shape
    one, other = (getattr(la.random.default_rng(3), name)(*wide) for _ in range(2))
    assert one.shape == expected
    np.testing.assert_array_equal(one.compute(), other.compute())
    rng = la.random.default_rng(3)
    first, second = (getattr(rng, name)(*parameters, size=50) for _ in range(2))
    assert (first != second).any()
    lazy = getattr(rng, name)(la.asarray(wide[0]), *parameters[1:])
    assert lazy.shape == expected
    assert np.isfinite(lazy.compute()).all()
    if name != "vonmises":
        bad = [-abs(p) - 1 for p in parameters]
        with pytest.raises(ValueError) as theirs:
            getattr(np.random.default_rng(3), name)(*bad)
        with pytest.raises(ValueError, match=f"^{re.escape(str(theirs.value))}"):
            getattr(rng, name)(*bad)


@pytest.mark.host
def test_vectors() -> None:
    rng = la.random.default_rng(8)
    shares = rng.dirichlet([1.0, 2.0, 3.0], size=500)
    assert shares.shape == (500, 3)
    np.testing.assert_allclose(shares.sum(axis=1).compute(), 1.0)
    counts = rng.multinomial(20, [0.2, 0.3, 0.5], size=(4, 5))
    assert (counts.shape, counts.dtype) == ((4, 5, 3), np.int64)
    assert (counts.sum(axis=-1) == 20).all()
    assert rng.multinomial([3, 4], [0.5, 0.5]).shape == (2, 2)
    hands = rng.multivariate_hypergeometric([5, 6, 7], 4, size=6)
    assert (hands.sum(axis=1) == 4).all()
    points = rng.multivariate_normal([1.0, 2.0], [[1.0, 0.5], [0.5, 2.0]], size=6000)
    assert abs(points.mean(axis=0) - [1, 2]).max().compute() < 0.1
    np.testing.assert_allclose(np.cov(points.compute().T), [[1, 0.5], [0.5, 2]], atol=0.15)
    assert len(rng.bytes(13)) == 13
    with pytest.raises(ValueError, match=r"^alpha <"):
        rng.dirichlet([-1.0, 1.0])


@pytest.mark.host
def test_a_jitted_function_draws_anew() -> None:
    rng = la.random.default_rng(5)

    @la.jit
    def noisy(x: Any) -> Any:
        return x + rng.poisson(4.0, size=(20,))

    x = np.zeros(20)
    assert (noisy(x) != noisy(x)).any()


#: Calls of generators `r` with floats in the places of counts, whose results are certain.
_FLOATS = [
    "r.binomial(10.7, 1.0)",
    "r.binomial([1.5, 2.5], 1.0)",
    "r.binomial(np.float32(3.5), [1.0, 1.0])",
    "r.hypergeometric(3.7, 0, 2.2)",
    "r.hypergeometric([1.5, 2], 0, [1, 1.9])",
    "r.multinomial(3.7, [1.0, 0.0])",
    "r.integers(1.9, 2.9)",
    "r.integers(-1.9, -0.2, 4)",
    "r.integers(np.array([1.5, 2.9]), [2.2, 3.7])",
    "r.integers([7.5, 2.5], np.array([8.9, 3.9]), dtype='u1')",
    "len(r.bytes(2.7))",
]
_NO_COUNTS = [
    "r.binomial(np.array([1.5, 2.5]), 1.0)",
    "r.binomial(np.array(1.5), 1.0)",
    "r.hypergeometric(np.array([1.5, 2.5]), 1, 1)",
    "r.multinomial(np.array([3.7]), [1.0, 0.0])",
    "r.binomial(float('nan'), 0.5)",
    "r.hypergeometric(float('inf'), 1, 1)",
]


@pytest.mark.parametrize("call", _FLOATS)
def test_counts_are_truncated(call: str) -> None:
    expected = np.asarray(eval(call, {"r": np.random.default_rng(0), "np": np}))
    result = np.asarray(eval(call, {"r": la.random.default_rng(0), "np": np}))
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("call", _NO_COUNTS)
def test_counts_that_are_none_are_refused(call: str) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)) as theirs:
        eval(call, {"r": np.random.default_rng(0), "np": np})
    with pytest.raises(theirs.type) as mine:
        eval(call, {"r": la.random.default_rng(0), "np": np})
    assert str(theirs.value) in str(mine.value)


@pytest.mark.parametrize("immediate", [0, 64, 4096])
@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_arrays_are_shuffled_as_by_numpy(seed: int, named: bool, immediate: int) -> None:
    """By position and by name; NumPy's loop over rows of other arrays repeats some."""
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(2, 9, size=rng.integers(1, 4)).tolist())
    values = rng.normal(size=shape)
    for kind in ("PCG64", "MT19937", "Philox"):
        generators: list[tuple[Any, Any, dict[str, Any]]] = [
            (*(m.random.RandomState(np.random.MT19937(seed)) for m in (np, la)), {})
        ]
        for axis in range(len(shape)):
            bits = getattr(np.random, kind)
            both = (m.random.Generator(bits(seed)) for m in (np, la))
            generators.append((*both, {"axis": axis}))
        for theirs, mine, keywords in generators:
            expected = values.copy()
            with la.config(immediate=immediate):
                x = la.array(values) * 2 / 2
                view = x[1:]
                for shuffle, array in ((theirs.shuffle, expected), (mine.shuffle, x)):
                    if named:
                        shuffle(x=array, **keywords)
                    else:
                        shuffle(array, **keywords)
                np.testing.assert_array_equal(np.asarray(x), expected)
                np.testing.assert_array_equal(np.asarray(view), expected[1:])
                assert mine.random() == theirs.random()
