"""Derivatives of loops: in kernels, replayed, of several states, of any order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError, DifferentiationError
from tests.support.derivatives import check_derivatives

_W = np.array([[0.5, 0.1, 0.0], [0.2, 0.3, 0.1], [0.0, 0.4, 0.2]])


def _elementwise(x: Any, a: Any) -> Any:
    return la.fori_loop(4, lambda i, s: la.sin(s) * a + 0.1 * i, x)


def _replayed(x: Any, w: Any) -> Any:
    return la.fori_loop(4, lambda i, s: la.tanh(s @ w) + 0.1 * i * s, x)


def _of_two_states(x: Any, a: Any) -> Any:
    def body(i: Any, s: Any) -> Any:
        position, speed = s
        return position + 0.1 * speed, speed - 0.1 * la.sin(position) * a

    return la.fori_loop(5, body, (x, x * 0.5))


def _of_two_replayed_states(x: Any, w: Any) -> Any:
    def body(i: Any, s: Any) -> Any:
        return {"h": la.tanh(s["h"] @ w), "total": s["total"] + la.sum(s["h"] ** 2)}

    result = la.fori_loop(3, body, {"h": x, "total": la.asarray(0.0)})
    return result["h"], result["total"]


def _counting(x: Any, a: Any) -> Any:
    # A state of integers carries no derivative.
    def body(i: Any, s: Any) -> Any:
        value, iterations = s
        return value * a + iterations, iterations + 1

    return la.fori_loop(3, body, (x, la.zeros(3, dtype=np.int64)))[0]


_X = np.array([0.3, -0.7, 1.1])
_A = np.array([0.9, 1.1, 0.8])


@pytest.mark.parametrize(
    ("function", "second"),
    [
        (_elementwise, _A),
        (_of_two_states, _A),
        (_counting, _A),
        (_replayed, _W),
        (_of_two_replayed_states, _W),
    ],
    ids=lambda x: getattr(x, "__name__", "").strip("_"),
)
def test_counted_loop(function: Any, second: Any) -> None:
    check_derivatives(function, _X, second, rtol=1e-5, atol=1e-6)


def test_loops_without_turns_and_with_one() -> None:
    for iterations in (0, 1):
        check_derivatives(lambda x, n=iterations: la.fori_loop(n, lambda i, s: s * s, x), _X)


def test_another_number_of_turns_under_jit() -> None:
    def loss(w: Any, x: Any, iterations: Any) -> Any:
        return la.sum(la.fori_loop(iterations, lambda i, s: la.tanh(s @ w), x) ** 2)

    step = la.jit(la.grad(loss), static_argnums=2)
    for iterations in (2, 6):
        x, total = la.asarray(_X), None

        def plain(w: Any, iterations: int = iterations, x: Any = x) -> Any:
            for _ in range(iterations):
                x = la.tanh(x @ w)
            return la.sum(x**2)

        total = la.grad(plain)(_W).compute()
        np.testing.assert_allclose(step(_W, _X, iterations), total, rtol=1e-10)


def test_forward_through_loops_of_unknown_length() -> None:
    def root(a: Any) -> Any:
        return la.while_loop(lambda x: abs(x * x - a) > 1e-14, lambda x: 0.5 * (x + a / x), a)

    a = np.array([2.0, 3.0, 10.0])
    value, tangent = la.evaluate(*la.jvp(root, (a,), (np.ones(3),)))
    np.testing.assert_allclose(value, np.sqrt(a))
    np.testing.assert_allclose(tangent, 0.5 / np.sqrt(a), rtol=1e-6)
    counted = la.jvp(lambda x: la.fori_loop(la.asarray(3), lambda i, s: s * s, x), (_X,), (_X,))
    np.testing.assert_allclose(counted[1].compute(), 8 * _X**8)


@pytest.mark.parametrize(
    "call",
    [
        lambda x: la.while_loop(lambda x: (x > 1).any(), lambda x: x * 0.5, x).sum(),
        lambda x: la.fori_loop(la.asarray(3), lambda i, s: s * s, x).sum(),
    ],
)
def test_backward_through_loops_of_unknown_length_is_refused(call: Any) -> None:
    with pytest.raises(DifferentiationError, match="number of iterations") as caught:
        la.grad(call)(_X)
    assert caught.value.origin is not None
    assert caught.value.origin[0] == __file__


@pytest.mark.parametrize("limit", [0, 1, 3, 30])
@pytest.mark.parametrize("whole", [False, True])
def test_loops_with_a_limit(limit: int, whole: bool) -> None:
    """Like the same loop of fixed length, written out."""

    def cond(x: Any) -> Any:
        return (x < 20).any() if whole else x < 20

    def bounded(x: Any, a: Any) -> Any:
        return la.while_loop(lambda s: cond(s), lambda s: s * a + 0.5, x, limit=limit)

    x, a = np.array([0.3, 5.0, 25.0]), np.array([1.7, 2.1, 1.3])
    expected = x.copy()
    for _ in range(limit):
        expected = np.where(cond(expected), expected * a + 0.5, expected)
    np.testing.assert_allclose(la.evaluate(bounded(x, a)), expected, rtol=1e-13)
    check_derivatives(bounded, x, a)


def test_a_limit_is_a_number_of_iterations() -> None:
    for limit in (-1, 2.0, True):
        with pytest.raises(ArgumentError, match="must be a non-negative integer"):
            la.while_loop(lambda x: x < 1, lambda x: x + 1, _X, limit=limit)
