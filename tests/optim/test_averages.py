"""Averages of parameters against their recurrence."""

import numpy as np
import pytest

import lazyarr as la
from lazyarr import optim


@pytest.mark.parametrize("jitted", [True, False])
def test_the_recurrence(jitted: bool) -> None:
    random = np.random.default_rng(0)
    update = la.jit(optim.moving_average) if jitted else optim.moving_average
    averages = {"w": random.standard_normal((2, 3)), "b": [random.standard_normal(3)]}
    expected = averages["w"]
    for _ in range(4):
        parameters = {"b": [random.standard_normal(3)], "w": random.standard_normal((2, 3))}
        averages = update(averages, parameters, 0.9)
        expected = 0.9 * expected + 0.1 * parameters["w"]
        np.testing.assert_allclose(np.asarray(averages["w"]), expected, 1e-13)


def test_averages_of_narrow_parameters_may_be_wide() -> None:
    averages, parameters = [np.ones(3, np.float32)], [np.full(3, 2, np.float16)]
    for _ in range(3):
        averages = optim.moving_average(averages, parameters, 0.999)
    assert averages[0].dtype == np.float32
    np.testing.assert_allclose(averages[0].compute(), 2 - 0.999**3, 1e-6)


def test_arguments_that_do_not_fit() -> None:
    with pytest.raises(la.errors.ShapeError, match="parameters"):
        optim.moving_average([np.ones(2)], [np.ones(3)], 0.9)
    for decay in (1.0, -0.1, np.nan):
        with pytest.raises(la.errors.ArgumentError, match=r"decay must lie in \[0, 1\)"):
            optim.moving_average([np.ones(2)], [np.ones(2)], decay)
