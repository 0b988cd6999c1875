"""Python functions of numbers in kernels."""

import math

import numpy as np

import lazyarr as la


def test_functions_of_one_name_in_one_kernel_are_two() -> None:
    x = np.array([0.3, 1.2, -0.7])
    cosine, sine = la.vectorize(lambda v: math.cos(v)), la.vectorize(lambda v: math.sin(v))
    lazy = la.asarray(x) * 1.0
    result = la.evaluate(cosine(lazy) * 3 + sine(lazy))
    np.testing.assert_allclose(result, 3 * np.cos(x) + np.sin(x), rtol=1e-15)
