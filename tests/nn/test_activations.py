"""Activation functions against their formulas, in every dtype and at the ends of the range."""

import numpy as np
import pytest
import scipy.special
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import lazyarr as la
from lazyarr import nn

FORMULAS = {
    "celu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "mish": lambda x: x * np.tanh(np.logaddexp(x, 0)),
    "selu": lambda x: (
        1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0)))
    ),
    "softsign": lambda x: x / (1 + np.abs(x)),
    "relu": lambda x: np.maximum(x, 0),
    "leaky_relu": lambda x: np.where(x > 0, x, 0.01 * x),
    "elu": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "gelu": lambda x: x * scipy.special.ndtr(x),
    "sigmoid": scipy.special.expit,
    "log_sigmoid": scipy.special.log_expit,
    "silu": lambda x: x * scipy.special.expit(x),
    "softplus": lambda x: np.logaddexp(x, 0),
}
TOLERANCE = {"float16": 2e-3, "float32": 2e-6, "float64": 1e-14}


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("name", FORMULAS)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_formula(name: str, dtype: str, data: st.DataObject) -> None:
    numbers = st.floats(-90, 90, width=16 if dtype == "float16" else 32)
    x = data.draw(hnp.arrays(dtype, hnp.array_shapes(max_dims=3, max_side=5), elements=numbers))
    result = getattr(nn, name)(x).compute()
    assert result.dtype == x.dtype
    expected = FORMULAS[name](x.astype(np.float64))
    tiny = np.full(x.shape, float(np.finfo(dtype).smallest_normal))
    if name in ("silu", "mish"):
        tiny *= np.maximum(np.abs(x), 1)  # a product with a gate that may be subnormal
    close = TOLERANCE[dtype]
    if name == "gelu":
        # An error of the argument of the tail weighs as much as the square of the argument.
        close = close + 4 * np.square(x.astype(np.float64)) * np.finfo(dtype).eps
    assert (np.abs(result - expected) <= close * np.abs(expected) + tiny).all()


@pytest.mark.parametrize("name", FORMULAS)
def test_large_numbers_do_not_overflow(name: str) -> None:
    x = np.array([-1e300, -750.0, 0.0, 750.0, 1e300])
    result = getattr(nn, name)(x).compute()
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(result, FORMULAS[name](x), 1e-13)


@pytest.mark.parametrize("name", FORMULAS)
def test_nan_stays(name: str) -> None:
    with np.errstate(invalid="ignore"):  # NumPy's logaddexp warns of NaN
        result = getattr(nn, name)([np.nan, 1.0]).compute()
    assert np.isnan(result).tolist() == [True, False]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gelu_is_accurate_where_the_sum_cancels(dtype: str) -> None:
    x = np.linspace(-12, -4, 50).astype(dtype)
    expected = x.astype(float) * scipy.special.ndtr(x.astype(float))
    np.testing.assert_allclose(nn.gelu(x).compute(), expected, 100 * np.finfo(dtype).eps)


def test_gelu_by_tanh() -> None:
    x = np.linspace(-8, 8, 101)
    expected = x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))
    np.testing.assert_allclose(nn.gelu(x, "tanh").compute(), expected, 1e-9, 1e-14)
    with pytest.raises(la.errors.ArgumentError, match="approximate"):
        nn.gelu(x, "sigmoid")


def test_parameters() -> None:
    x = np.linspace(-3, 3, 7)
    leaky = nn.leaky_relu(x, 0.3).compute()
    np.testing.assert_allclose(leaky, np.where(x > 0, x, 0.3 * x), 1e-15)
    celu = np.where(x > 0, x, 2 * np.expm1(np.minimum(x, 0) / 2))
    np.testing.assert_allclose(nn.celu(x, 2.0).compute(), celu, 1e-15)
    for alpha in (0.0, -1.0, np.nan):
        with pytest.raises(la.errors.ArgumentError, match="alpha must be positive"):
            nn.celu(x, alpha)
    np.testing.assert_allclose(nn.elu(x, 2.0).compute(), np.where(x > 0, x, 2 * np.expm1(x)))
    np.testing.assert_allclose(nn.softplus(x, 3.0).compute(), np.logaddexp(3 * x, 0) / 3)


def test_integers_become_float64_and_complex_numbers_are_refused() -> None:
    assert nn.relu([-1, 2]).dtype == np.float64
    with pytest.raises(la.errors.DTypeError, match="complex128") as caught:
        nn.sigmoid([1j])
    assert caught.value.origin is not None
    assert caught.value.origin[0] == __file__


def test_an_activation_is_part_of_the_kernel_before_it() -> None:
    x = la.asarray(np.linspace(-1, 1, 1000))
    for name in FORMULAS:
        assert len(la.explain(getattr(nn, name)(2 * x + 1).sum()).kernels) == 1, name


def test_a_traced_activation_holds_for_all_sizes() -> None:
    step = la.jit(lambda x: nn.gelu(x).sum(axis=-1))
    for size in 3, 5, 8:
        x = np.linspace(-2, 2, 2 * size).reshape(2, size)
        np.testing.assert_allclose(step(x), FORMULAS["gelu"](x).sum(axis=-1), 1e-13)
    assert step.cache_info().traced == 1
