"""Python functions of numbers: the derivatives that the user gives, or a refusal."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError, DifferentiationError
from tests.support.derivatives import check_derivatives


def test_derivatives_that_are_given() -> None:
    slope = la.vectorize(lambda x: math.cos(x), derivatives=lambda x: -math.sin(x))
    wave = la.vectorize(lambda x: math.sin(x), derivatives=[slope])
    check_derivatives(lambda x: wave(x) * x, np.array([0.3, 1.2, -0.7]))

    power = la.vectorize(
        lambda x, n: x**n, derivatives=(lambda x, n: n * x ** (n - 1), lambda x, n: 0.0)
    )
    x = np.array([[1.0], [2.0]])
    result = la.grad(lambda x: power(x, la.asarray([2.0, 3.0])).sum())(x).compute()
    np.testing.assert_allclose(result, 2 * x + 3 * x**2)
    step = la.jit(la.grad(lambda x: wave(x).sum()))
    np.testing.assert_allclose(step(x), np.cos(x))


def test_without_derivatives_it_is_refused() -> None:
    plain = la.vectorize(lambda x: x * x)

    def loss(x: Any) -> Any:
        return plain(x).sum()

    with pytest.raises(DifferentiationError, match="without derivatives") as caught:
        la.grad(loss)(np.ones(3))
    assert caught.value.origin == (__file__, loss.__code__.co_firstlineno + 1)
    assert "derivatives=" in str(caught.value)
    with pytest.raises(ArgumentError, match="2 derivatives"):
        la.vectorize(lambda x: x, derivatives=(lambda x: 1.0, lambda x: 1.0))(np.ones(3))
    with pytest.raises(ArgumentError, match="functions"):
        la.vectorize(lambda x: x, derivatives=(1.0,))
