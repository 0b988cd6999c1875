"""Results keep their memory to the end."""

from __future__ import annotations

import numpy as np

import lazyarr as la


def test_no_step_overwrites_a_result():
    values = np.random.default_rng(0).random((500, 300))
    first = np.exp(la.asarray(values))
    # The last step reads `first` for the last time, element by element where it writes.
    second = first * first.sum(axis=0)
    result = la.evaluate(first, second)
    expected = np.exp(values)
    np.testing.assert_allclose(result[0], expected)
    np.testing.assert_allclose(result[1], expected * expected.sum(axis=0))
