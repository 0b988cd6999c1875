"""What generators refuse: in NumPy's words."""

from __future__ import annotations

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
    ],
)
def test_refusals_have_the_texts_of_numpy(call: str) -> None:
    with pytest.raises((TypeError, ValueError)) as theirs:
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
