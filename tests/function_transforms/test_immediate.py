"""``la.eager``: errors and warnings come at the call, as in NumPy."""

from __future__ import annotations

import threading
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import linalg as scipy_linalg

import lazyarr as la

pytestmark = pytest.mark.host


def _with_jitter(module: Any, matrix: Any) -> Any:
    """Factorise as many libraries do: with more on the diagonal until it works."""
    jitter = 0.0
    for _ in range(20):
        try:
            return module.linalg.cholesky(matrix + jitter * module.eye(2))
        except np.linalg.LinAlgError:
            jitter = max(2 * jitter, 1e-3)
    raise AssertionError("never positive definite")


@pytest.mark.lazy
def test_errors_of_linear_algebra_are_caught_around_the_call() -> None:
    matrix = np.array([[1.0, 2.0], [2.0, 1.0]])
    with la.eager():
        result = _with_jitter(la, la.asarray(matrix))
    np.testing.assert_array_equal(result.compute(), _with_jitter(np, matrix))
    # Without it the error comes when the value is asked for.
    late = la.linalg.cholesky(la.asarray(matrix))
    with pytest.raises(np.linalg.LinAlgError):
        late.compute()
    for call in (
        lambda: la.linalg.inv(la.zeros((2, 2))),
        lambda: la.linalg.solve(la.zeros((2, 2)), la.ones(2)),
        lambda: np.linalg.inv(la.zeros((2, 2))),
    ):
        with la.eager(), pytest.raises(np.linalg.LinAlgError):
            call()


def test_warnings_come_at_the_call() -> None:
    x = la.asarray([1.0, 0.0])
    for call in (lambda: 1 / x, lambda: la.log(x), lambda: np.log(x), lambda: la.divide(1, x)):
        with la.eager(), warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeWarning):
                call()
        with la.eager(), np.errstate(all="raise"), pytest.raises(FloatingPointError):
            call()


def test_values_are_those_of_lazy_programs() -> None:
    rng = la.random.default_rng(4)
    with la.eager():
        x = la.asarray(np.arange(6.0)).reshape(2, 3)
        x[0] = 7
        x += 1
        y = (x @ x.T).sum(axis=0)
        drawn = rng.random(3)
        la.random.default_rng(1).spawn(1)
        low, high = la.modf(y / 3)
        chosen = x[x > 5]
    expected = np.arange(6.0).reshape(2, 3)
    expected[0] = 7
    expected += 1
    sums = (expected @ expected.T).sum(axis=0)
    np.testing.assert_array_equal(x.compute(), expected)
    np.testing.assert_array_equal(y.compute(), sums)
    np.testing.assert_array_equal(low.compute(), np.modf(sums / 3)[0])
    np.testing.assert_array_equal(high.compute(), np.modf(sums / 3)[1])
    np.testing.assert_array_equal(chosen.compute(), expected[expected > 5])
    np.testing.assert_array_equal(drawn.compute(), la.random.default_rng(4).random(3).compute())
    assert not y._node.src


@pytest.mark.lazy
def test_jitted_functions_and_other_threads() -> None:
    @la.jit
    def scaled(x: Any) -> Any:
        return x * 2

    kinds = []
    with la.eager():
        np.testing.assert_array_equal(scaled(np.ones(3)), [2, 2, 2])
        np.testing.assert_array_equal(scaled(np.ones(4)), [2, 2, 2, 2])
        thread = threading.Thread(target=lambda: kinds.append((la.arange(3.0) + 1)._node.src))
        thread.start()
        thread.join()
    assert kinds[0]
    assert (la.ones(3) + la.arange(3))._node.src


def test_scipy_sees_errors() -> None:
    with la.eager(), pytest.raises(np.linalg.LinAlgError):
        scipy_linalg.cholesky(la.asarray([[1.0, 2.0], [2.0, 1.0]]))


def test_writes_do_not_pile_up() -> None:
    before = la.cache.info().plans.plans
    with la.eager():
        x = la.asarray(np.arange(24.0).reshape(2, 3, 4))
        flat = x.ravel()
        for k in range(40):
            first = flat[k % 24]
            flat[k % 24] = flat[3]
            flat[3] = first
        assert not x._node.src
    expected = np.arange(24.0)
    for k in range(40):
        expected[k % 24], expected[3] = expected[3], expected[k % 24]
    np.testing.assert_array_equal(x.compute(), expected.reshape(2, 3, 4))
    assert la.cache.info().plans.plans - before < 60  # a few for each place, not for each write


def test_views_take_no_memory() -> None:
    with la.eager():
        wide = la.broadcast_to(la.asarray(np.arange(3.0)), (2**40, 3))
        assert wide[2**39, 1] == 1


def test_weights_that_sum_to_zero_are_refused_at_the_call() -> None:
    x, weights = np.arange(6.0).reshape(2, 3), np.array([1.0, 1.0, -2.0])
    with la.config(immediate=0):
        average = la.average(la.array(x), axis=1, weights=weights)  # not known yet
        with pytest.raises(ZeroDivisionError, match="Weights sum to zero"):
            average.compute()
        with la.eager():
            with pytest.raises(ZeroDivisionError, match="Weights sum to zero"):
                la.average(la.array(x), axis=1, weights=weights)
            known = la.average(la.array(x), axis=1, weights=-weights + 1.0)
            gradient = la.grad(lambda w: la.average(x[0], weights=w))(weights + 1.0)
    np.testing.assert_array_equal(known, np.average(x, axis=1, weights=1.0 - weights))
    assert gradient.shape == (3,)


def test_derivatives_are_those_of_lazy_programs() -> None:
    def loss(x: Any) -> Any:
        y = (x * x + 1) * x  # of functions whose bits a kernel and NumPy agree on
        y[0] = x[1]
        return (y**2).sum()

    x = np.arange(1.0, 4.0)
    expected = la.grad(loss)(x).compute()
    with la.eager():
        gradient = la.grad(loss)(x)
        value, other = la.value_and_grad(loss)(la.asarray(x))
        jacobian = la.jacobian(lambda x: x**2)(x)
        _, tangent = la.jvp(lambda x: x**2, (x,), (x,))
    for slope in (gradient, other):
        np.testing.assert_array_equal(slope, expected)
    assert np.count_nonzero(expected) == 2
    np.testing.assert_array_equal(value, loss(la.asarray(x)))
    np.testing.assert_array_equal(jacobian, np.diag(2 * x))
    np.testing.assert_array_equal(tangent, 2 * x * x)
