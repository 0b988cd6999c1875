"""Whole Jacobians and Hessians: both modes, with and without a form with one more axis."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph.node import walk
from tests.differentiation.test_linalg_and_fft import _REAL_TRANSFORMS, _SQUARE, _TRANSFORMS
from tests.differentiation.test_structure import _INDEXING, _PRODUCTS, _REDUCTIONS, _VIEWS
from tests.support.derivatives import values

_FUNCTIONS = _VIEWS | _INDEXING | _REDUCTIONS


def _expected(fun: Any, x: Any) -> Any:
    """Return the Jacobian column by column."""
    columns = []
    for place in range(x.size):
        unit = np.zeros(x.size)
        unit[place] = 1
        columns.append(values(la.jvp(fun, (x,), (unit.reshape(x.shape),))[1])[0])
    return np.stack(columns, axis=-1).reshape((*columns[0].shape, *x.shape))


@pytest.mark.parametrize("name", sorted(_FUNCTIONS))
def test_jacobian_by_either_mode(name: str) -> None:
    def fun(x: Any) -> Any:
        result = _FUNCTIONS[name](x)
        return result[0] if isinstance(result, tuple) else result

    x = np.random.default_rng(0).uniform(0.5, 1.5, (4, 6))
    expected = _expected(fun, x)
    (result,) = values(la.jacobian(fun)(x))
    np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-12)
    # Fewer elements of the value than of the argument: the rows, and not the columns.
    (result,) = values(la.jacobian(lambda x: fun(x).reshape(-1)[:5])(x))
    np.testing.assert_allclose(result, expected.reshape(-1, 4, 6)[:5], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", sorted(_SQUARE))
def test_jacobian_of_linear_algebra(name: str) -> None:
    def fun(x: Any) -> Any:
        result = _SQUARE[name](x)
        return result[0] if isinstance(result, tuple) else result

    x = np.random.default_rng(0).uniform(-1, 1, (3, 3))
    (result,) = values(la.jacobian(fun)(x))
    np.testing.assert_allclose(result, _expected(fun, x), rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("name", sorted(_PRODUCTS))
def test_jacobian_of_products(name: str) -> None:
    function, left, right = _PRODUCTS[name]
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0.5, 1.5, left), rng.uniform(0.5, 1.5, right)
    over_x, over_y = values(la.jacobian(function, argnums=(0, 1))(x, y))
    np.testing.assert_allclose(over_x, _expected(lambda x: function(x, la.asarray(y)), x))
    np.testing.assert_allclose(over_y, _expected(lambda y: function(la.asarray(x), y), y))


@pytest.mark.parametrize("name", sorted(_TRANSFORMS | _REAL_TRANSFORMS))
def test_hessian_through_transforms(name: str) -> None:
    transform = (_TRANSFORMS | _REAL_TRANSFORMS)[name]

    def fun(x: Any) -> Any:
        result = transform(x)
        return la.sum(abs(result) ** 2 * la.cos(x).mean())

    x = np.random.default_rng(0).uniform(-1, 1, (4, 6))
    (result,) = values(la.hessian(fun)(x))
    np.testing.assert_allclose(result, _expected(la.grad(fun), x), rtol=1e-7, atol=1e-9)


def test_a_jacobian_is_one_pass_whatever_its_size() -> None:
    def size(n: int) -> int:
        w = la.ones((n, n))
        result = la.jacobian(lambda x: la.tanh(w @ x))(np.ones(n))
        return sum(1 for _ in walk([result._node]))

    assert size(40) == size(4)


def test_batch_of_a_function_with_its_own_derivative_is_unrolled() -> None:
    @la.custom_vjp
    def doubled(x: Any) -> Any:
        return 2 * x

    doubled.defvjp(lambda x: (doubled(x), None), lambda saved, g: (doubled(g),))
    result = la.jacobian(lambda x: doubled(x) * x)(np.array([1.0, 2.0])).compute()
    np.testing.assert_allclose(result, np.diag([4.0, 8.0]))


def test_jacobians_and_hessians_are_in_the_containers_of_value_and_arguments() -> None:
    x, y = np.array([1.0, 2.0]), np.array(3.0)

    def fun(p: Any, y: Any) -> Any:
        return {"a": p["x"] ** 2 * y, "b": [la.sum(p["x"]) * y, y]}, (p["x"] * 2, "note")

    by_both, aux = la.jacobian(fun, (0, 1), has_aux=True)({"x": x, "none": None}, y)
    assert aux[1] == "note"
    np.testing.assert_array_equal(aux[0].compute(), x * 2)
    first, second = by_both["a"]
    np.testing.assert_array_equal(first["x"].compute(), np.diag(6 * x))
    np.testing.assert_array_equal(second.compute(), x**2)
    assert first["none"] is None
    np.testing.assert_array_equal(by_both["b"][0][0]["x"].compute(), [3, 3])
    np.testing.assert_array_equal(by_both["b"][1][0]["x"].compute(), [0, 0])
    np.testing.assert_array_equal(by_both["b"][1][1].compute(), 1)
    with pytest.raises(la.errors.DTypeError, match=r"floating-point values.*int64"):
        la.jacobian(la.argmax)(x)

    def scalar(p: Any, y: Any) -> Any:
        return la.sum(p["x"] ** 3) * y**2

    by_x, (yx, yy) = la.hessian(scalar, argnums=(0, 1))({"x": x}, y)
    xx, xy = by_x["x"]
    np.testing.assert_allclose(xx["x"].compute(), np.diag(54 * x))
    np.testing.assert_allclose(xy.compute(), 18 * x**2)
    np.testing.assert_allclose(yx["x"].compute(), 18 * x**2)
    np.testing.assert_allclose(yy.compute(), 18)
    whole, aux = la.hessian(lambda x: (la.sum(x**3), x), has_aux=True)(x)
    np.testing.assert_allclose(whole.compute(), np.diag(6 * x))
    np.testing.assert_array_equal(aux.compute(), x)
