"""Whole programs in plain NumPy style: NumPy's values, bounded work, and no compiling again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from benchmarks.programs.catalogue import PROGRAMS
from benchmarks.programs.program import Program
from tests.support.eager_count import CountingNumpy

#: Elements of the main array at which operations run at once, in part or not at all, and at which
#: kernels compute; with the limit of what runs at once.
SIZES = {"small": (900, 16384), "small in kernels": (900, 0), "large": (40_000, 4096)}

#: Kernels at most that a program compiles, of any of these sizes and in a process of its own.
KERNELS = {
    "jacobi_1d": 3,
    "jacobi_2d": 4,
    "jacobi_test": 5,
    "heat_3d": 5,
    "red_black": 9,
    "wave_2d": 3,
    "advection": 12,
    "fdtd": 13,
    "life": 19,
    "convolution": 4,
    "cavity": 18,
    "channel": 22,
    "adi": 37,
    "recursive_filter": 15,
    "recurrence": 7,
    "elements": 5,
    "mixing": 4,
    "power": 7,
    "cg": 13,
    "gram_schmidt": 18,
    "covariance": 13,
    "correlation": 15,
    "nbody": 11,
    "kmeans": 15,
    "mandelbrot": 5,
    "rejection": 3,
    "histogram": 5,
    "dft": 2,
    "floyd_warshall": 3,
    "lorenz": 4,
    "logistic": 9,
    "lenet": 8,
    "sparse": 10,
    "spearman": 3,
    "rotation": 7,
    "alignment": 10,
    "base64": 4,
    "residuals": 8,
    "percolation": 17,
    "householder": 30,
    "lifting": 8,
}
#: They read and write single elements, which kernels do by writing the array anew.
ELEMENTS = frozenset(("recurrence", "elements", "residuals"))
#: Their operations on what a mask selects are computed for all elements and count so.
MASKS = frozenset(("kmeans", "mandelbrot", "rejection", "rotation"))


def _values(result: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


def _check(program: Program, result: Any, expected: Any) -> None:
    for mine, theirs in zip(_values(result), _values(expected), strict=True):
        assert mine.shape == theirs.shape
        scale = float(np.max(np.abs(theirs), initial=0))
        error = np.abs(mine.astype("c16") - theirs.astype("c16"))
        assert np.max(error, initial=0) <= program.tolerance * max(scale, 1e-300)


def _loaded() -> int:
    kernels = la.cache.info().kernels
    return int(kernels.compiled + kernels.disk_hits)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_keeps_the_contract(name: str, size: str) -> None:
    program = PROGRAMS[name]
    elements, limit = SIZES[size]
    arrays = program.arrays(elements)
    numpy = CountingNumpy()
    expected = program.run(numpy, *[numpy.watched(array.copy()) for array in arrays])
    before = [array.copy() for array in arrays]
    with la.config(immediate=limit):
        leaves = [la.asarray(array) for array in arrays]
        begun = _loaded()
        _check(program, program.run(la, *leaves), expected)
        assert _loaded() - begun <= KERNELS[name]
        for _ in range(2):
            info, loaded = la.cache.info(), _loaded()
            _check(program, program.run(la, *leaves), expected)
            after = la.cache.info()
            if limit or name not in ELEMENTS:
                assert _loaded() == loaded
                assert after.plans.misses == info.plans.misses
                computed = after.work.computed - info.work.computed
                eager = after.work.eager - info.work.eager
                assert computed <= 2 * (eager if name in MASKS else numpy.elements)
    for array, untouched in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, untouched)
