"""Activation functions in pieces against their formulas, and at the ends of the range."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import lazyarr as la
from lazyarr import nn

FORMULAS = {
    "relu6": lambda x: np.clip(x, 0, 6),
    "hard_tanh": lambda x: np.clip(x, -1, 1),
    "hard_sigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "hard_swish": lambda x: np.where(x <= -3, 0, x * (np.clip(x + 3, 0, 6) / 6)),
}
TOLERANCE = {"float16": 1e-3, "float32": 1e-6, "float64": 1e-15}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", FORMULAS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_formula(name: str, dtype: str, data: st.DataObject) -> None:
    numbers = st.floats(-90, 90, width=16 if dtype == "float16" else 32)
    x = data.draw(hnp.arrays(dtype, hnp.array_shapes(max_dims=3, max_side=5), elements=numbers))
    result = getattr(nn, name)(x).compute()
    assert result.dtype == x.dtype
    close = TOLERANCE[dtype]
    np.testing.assert_allclose(result, FORMULAS[name](x.astype(float)), close, close)


@pytest.mark.parametrize("name", FORMULAS)
def test_infinities_and_nan(name: str) -> None:
    x = np.array([-np.inf, -1e300, 1e300, np.inf, np.nan])
    with np.errstate(invalid="ignore"):
        expected = FORMULAS[name](x)
    np.testing.assert_array_equal(getattr(nn, name)(x).compute(), expected)


@pytest.mark.parametrize("name", FORMULAS)
@pytest.mark.parametrize("x", [-np.inf, np.inf])
def test_derivatives_at_infinities_are_not_nan(name: str, x: float) -> None:
    slope = float(la.grad(getattr(nn, name))(x))
    assert slope == (1 if name == "hard_swish" and x > 0 else 0)


@pytest.mark.parametrize(
    ("name", "ends"), [("relu6", (0, 6)), ("hard_tanh", (-1, 1)), ("hard_sigmoid", (-3, 3))]
)
def test_the_derivative_at_the_ends_is_zero(name: str, ends: tuple[float, float]) -> None:
    for x in ends:
        assert float(la.grad(getattr(nn, name))(float(x))) == 0


def test_hard_tanh_between_other_limits() -> None:
    x = np.linspace(-4, 4, 9)
    np.testing.assert_array_equal(nn.hard_tanh(x, -2, 3).compute(), np.clip(x, -2, 3))
    with pytest.raises(la.errors.ArgumentError, match="low=1 must be less than high=1"):
        nn.hard_tanh(x, 1, 1)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_prelu(dtype: str) -> None:
    random = np.random.default_rng(0)
    x = random.standard_normal((2, 3, 4)).astype(dtype)
    weight = random.standard_normal(3).astype(dtype)
    close = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    for axis in (1, -2):
        result = nn.prelu(x, weight, axis=axis)
        assert result.dtype == dtype
        expected = np.where(x > 0, x, weight[:, None] * x)
        np.testing.assert_allclose(result.compute(), expected, **close)
    last = nn.prelu(np.moveaxis(x, 1, -1), weight, axis=-1).compute()
    np.testing.assert_allclose(np.moveaxis(last, -1, 1), expected, **close)
    for one in (weight[:1], weight[0]):
        expected = np.where(x > 0, x, weight[0] * x)
        np.testing.assert_allclose(nn.prelu(x, one).compute(), expected, **close)
    assert nn.prelu(np.float32(-2), np.float32(0.5)).compute() == -1
    with pytest.raises(la.errors.ShapeError, match=r"weight has shape \(4,\), expected \(3,\)"):
        nn.prelu(x, np.ones(4))
    with pytest.raises(la.errors.ShapeError, match=r"weight has shape \(1, 1\)"):
        nn.prelu(x, np.ones((1, 1)))


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize(("shape", "axis"), [((6,), -1), ((4, 3), 0), ((2, 0, 4), 2)])
def test_glu(dtype: str, shape: tuple[int, ...], axis: int) -> None:
    x = (50 * np.random.default_rng(1).standard_normal(shape)).astype(dtype)
    first, second = np.split(x.astype(float), 2, axis)
    result = nn.glu(x, axis)
    assert result.dtype == dtype
    close = {"rtol": 5 * TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    np.testing.assert_allclose(result.compute(), first * scipy.special.expit(second), **close)


def test_glu_of_an_odd_number_is_refused() -> None:
    with pytest.raises(la.errors.ShapeError, match=r"axis 1 of x of shape \(2, 3\) has an odd"):
        nn.glu(np.zeros((2, 3)))


def test_an_activation_is_part_of_the_kernel_before_it() -> None:
    x = la.asarray(np.linspace(-1, 1, 1000))
    for name in FORMULAS:
        assert len(la.explain(getattr(nn, name)(2 * x + 1).sum()).kernels) == 1, name
