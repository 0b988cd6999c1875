"""What generators refuse: in NumPy's words."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la


@pytest.mark.parametrize(
    "call",
    [
        "normal(0, 'x')",
        "exponential(1j)",
        "random(dtype=int)",
        "standard_normal(dtype='f2')",
        "standard_gamma(1.0, dtype='c8')",
        "random(out=np.zeros(3, 'f4'))",
        "random((2,), out=np.zeros(3))",
        "power(0)",
        "pareto([1.0, 0.0])",
        "uniform(size='x')",
        "uniform(size=2.5)",
        "uniform(3, 1)",
        "uniform(3, 1, 0)",
        "uniform([3.0, 1.0], 1.5, (4, 2))",
        "standard_gamma([1.0, 2.0, 3.0], out=np.zeros(3, 'f4'))",
        "standard_gamma(1.0, 4, out=np.zeros(3))",
        "standard_normal(2**62)",
        "gamma(0.5, 1.0, 2**62)",
        "geometric(0.5, (2**31, 2**31))",
        "multivariate_hypergeometric([3, 4], [1, 2])",
        "multinomial(5, 1.0)",
        "dirichlet(1.5)",
        "dirichlet(np.array([1.0 + 0j]), size=0)",
        "permutation(1e300)",
        "permutation(np.array(2.0))",
        "permuted(5)",
        "choice(5.5)",
        "binomial(2**70, 0.5)",
        "choice(3, p=[0.2, 0.3, 0.4])",
        "choice(3, p=[0.2, np.nan, 0.4])",
        "choice(3, p=[1, 1, -1])",
        "choice(3, p=[0, np.inf, 1])",
        "choice(3, p=np.array([0.2, 0.3, 0.51], 'f4'))",
        "choice(3, 2, p=[1, 0, 0], replace=False)",
        "choice(3, (2, 2), replace=False)",
        "spawn('a')",
        "bytes('1')",
        "bytes(None)",
        "integers(0)",
        "integers(-1, endpoint=True)",
        "integers([0, 0], [0, 2])",
        "integers([0, 1], [0, 2])",
        "integers(5, 4, endpoint=True)",
        "choice([], 1)",
        "choice(0, 1)",
        "spawn(None)",
    ],
)
def test_refusals_have_the_texts_of_numpy(call: str) -> None:
    with pytest.raises((TypeError, ValueError, OverflowError)) as theirs:
        eval(f"rng.{call}", {"rng": np.random.default_rng(1), "np": np})
    with pytest.raises(type(theirs.value)) as mine:
        eval(f"rng.{call}", {"rng": la.random.default_rng(1), "np": np})
    assert str(theirs.value).rstrip(".") in str(mine.value)


def test_ends_of_intervals_in_either_order() -> None:
    rng = la.random.default_rng(3)
    assert (np.asarray(rng.uniform([2.0, -1.0], [2.0, 1.0], (50, 2)))[:, 0] == 2).all()
    drawn = np.asarray(la.random.RandomState().uniform(3, 1, 50))
    assert ((drawn > 1) & (drawn <= 3)).all()


def test_parameters_at_the_ends_of_their_ranges() -> None:
    rng = la.random.default_rng(3)
    for shape in 0, 0.0, np.zeros(50), la.zeros(50):
        assert not np.asarray(rng.weibull(shape)).any()
    drawn = np.asarray(rng.weibull([0.0, 2.0], (50, 2)))
    assert not drawn[:, 0].any() and (drawn[:, 1] > 0).all()
    assert float(rng.uniform(high=2**70)) > 2**40
    assert np.isfinite(rng.uniform(-(2**70), 2**70, 9)).all()


@pytest.mark.parametrize(
    "call",
    [
        "r.normal(v, 1.0, size=(2, 4))",
        "r.normal(v, 1.0, size=())",
        "r.normal(v[:, None], 1.0, size=(3,))",
        "r.exponential(v, size=(1,))",
        "r.uniform(v, 9, size=2)",
        "r.poisson(v, size=(2, 2))",
        "r.gamma(v, size=(1,))",
        "r.choice(3, p=[0.5, 0.5])",
        "r.choice(3, p=[[0.2, 0.3, 0.5]])",
        "r.normal(v, v[:2])",
        "r.multinomial(v, [0.5, 0.5])",
    ],
)
def test_texts_are_those_of_numpy(call: str) -> None:
    v = np.arange(1.0, 4.0)
    with pytest.raises((TypeError, ValueError)) as theirs:
        eval(call, {"r": np.random.default_rng(0), "v": v})
    with pytest.raises(theirs.type) as mine:
        eval(call, {"r": la.random.default_rng(0), "v": v})
    assert str(theirs.value).rstrip(".") in str(mine.value)


@pytest.mark.parametrize("size", [np.array(3), np.int8(3), np.array([2, 3]), np.array([], int)])
def test_sizes_are_arrays(size: object) -> None:
    theirs, mine = np.random.default_rng(1), la.random.default_rng(1)
    for name, arguments in [("random", ()), ("gamma", (1.0,)), ("choice", (4,))]:
        expected = getattr(theirs, name)(*arguments, size=size)
        assert getattr(mine, name)(*arguments, size=size).shape == expected.shape
    assert la.zeros(size).shape == np.zeros(size).shape


@pytest.mark.parametrize(
    "call",
    [
        "lognormal(3, 2.0**63, 9)",
        "lognormal([700.0, 1.0], 50.0, (99, 2))",
        "normal(0.0, np.inf, 9)",
        "normal(-np.inf, np.inf, 9)",
        "exponential(1e308, 99)",
        "laplace(1e308, 1e308, 99)",
        "logistic(np.inf, 1e308, 9)",
        "gumbel(1e308, 1e308, 99)",
        "rayleigh(1.7e308, 99)",
        "pareto(0.001, 99)",
        "weibull(0.001, 99)",
        "power(0.0001, 99)",
        "lognormal(v * 1e3, 1.0)",
        "exponential(v * 1e307)",
    ],
)
def test_extreme_parameters_warn_of_nothing(call: str) -> None:
    for m, limit in (np, 0), (la, 0), (la, 4096):
        with (
            la.config(immediate=limit, implicit="allow"),
            warnings.catch_warnings(),
            np.errstate(all="warn", under="ignore"),
        ):
            warnings.simplefilter("error")
            names = {"rng": m.random.default_rng(1), "np": np, "v": m.asarray(np.arange(1.0, 9.0))}
            assert np.asarray(eval(f"rng.{call}", names)).size


@pytest.mark.parametrize("seed", [-1, 1.5, "a", b"a", np.array(3), np.array([1.5]), {}])
def test_seeds_are_refused_as_by_numpy(seed: object) -> None:
    with pytest.raises((TypeError, ValueError)) as theirs:
        np.random.default_rng(seed)  # type: ignore[arg-type]
    with pytest.raises(type(theirs.value)) as mine:
        la.random.default_rng(seed)
    assert str(mine.value).startswith(str(theirs.value))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("lazy", [False, True])
def test_probabilities_sum_to_one_within_the_precision_of_their_dtype(
    dtype: str, lazy: bool
) -> None:
    rng = np.random.default_rng(5)
    for count in rng.integers(2, 40, 9):
        weights = rng.random(count)
        p = (weights / weights.sum()).astype(dtype)
        assert np.random.default_rng(1).choice(count, 5, p=p).shape == (5,)
        drawn = la.random.default_rng(1).choice(count, 5, p=la.asarray(p) if lazy else p)
        assert np.asarray(drawn).max() < count


@pytest.mark.parametrize("value", [None, 1, "x", np.random.default_rng(1)])
def test_bit_generators_are_numpys(value: object) -> None:
    with pytest.raises(AttributeError, match="has no attribute 'capsule'"):
        la.random.set_bit_generator(value)  # type: ignore[arg-type]


@pytest.mark.host
@pytest.mark.parametrize("size", [5, 20_000])
@pytest.mark.parametrize(
    ("name", "before"),
    [("exponential", ()), ("lognormal", (0.0,)), ("weibull", ()), ("pareto", ()), ("uniform", ())],
)
def test_parameters_of_expressions_are_refused_as_those_of_arrays(
    name: str, before: tuple[float, ...], size: int
) -> None:
    values = np.where(np.arange(size) == size - 1, -1.0, 2.0)
    if name == "uniform":
        before = (np.where(values < 0, 1.0, -1.0),)  # type: ignore[assignment]
    with pytest.raises(ValueError) as theirs:
        getattr(np.random.default_rng(0), name)(*before, values)
    message = f"^{re.escape(str(theirs.value))}\n  built at .*test_refusals.py"
    with pytest.raises(ValueError, match=message):
        getattr(la.random.default_rng(0), name)(*before, la.asarray(values) * 1).compute()
    with la.eager(), pytest.raises(ValueError, match=message):
        getattr(la.random.default_rng(0), name)(*before, la.asarray(values))


@pytest.mark.host
def test_parameters_of_expressions_have_derivatives() -> None:
    def total(scale: la.LazyArray) -> la.LazyArray:
        return la.random.default_rng(1).normal(0, scale).sum()

    expected = la.random.default_rng(1).normal(0, 1, size=10)
    np.testing.assert_array_equal(la.grad(total)(la.full(10, 3.0)), expected)


@pytest.mark.parametrize("method", ["inv", "zig", "eigh", None, 3])
def test_any_method_of_exponentials_is_taken(method: object) -> None:
    expected = la.random.default_rng(5).standard_exponential(4)
    drawn = la.random.default_rng(5).standard_exponential(4, method=method)  # type: ignore[arg-type]
    np.testing.assert_array_equal(drawn, expected)
    assert np.random.default_rng(5).standard_exponential(4, method=method).shape == (4,)  # type: ignore[call-overload]


OUTPUTS: dict[str, Callable[[Any, Any], object]] = {
    "random": lambda rng, out: rng.random(out=out),
    "standard_normal": lambda rng, out: rng.standard_normal(out=out),
    "standard_exponential": lambda rng, out: rng.standard_exponential(out=out),
    "standard_gamma": lambda rng, out: rng.standard_gamma(1.0, out=out),
}
PARTS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda x: x,
    "rows": lambda x: x[2:5],
    "every third row": lambda x: x[::3],
    "columns": lambda x: x[:, 1:],
    "transposed": lambda x: x.T,
    "reversed": lambda x: x[::-1],
}


@pytest.mark.parametrize("bits", ["own", "NumPy's"])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_lie_as_numpy_asks(name: str, part: str, bits: str) -> None:
    expected, result = np.zeros((6, 7)), la.zeros((6, 7))
    rng = la.random.default_rng(1 if bits == "own" else np.random.PCG64(1))
    try:
        OUTPUTS[name](np.random.Generator(np.random.PCG64(1)), PARTS[part](expected))
    except ValueError as error:
        with pytest.raises(ValueError, match=re.escape(str(error))):
            OUTPUTS[name](rng, PARTS[part](result))
        assert not np.asarray(result).any()
    else:
        OUTPUTS[name](rng, PARTS[part](result))
        if bits == "own":
            np.testing.assert_array_equal(np.asarray(result) != 0, expected != 0)
        else:
            np.testing.assert_array_equal(result, expected)
