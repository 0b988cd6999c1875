"""Whole programs in plain NumPy style give NumPy's values when their inputs are lazy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from benchmarks.programs.catalogue import PROGRAMS
from benchmarks.programs.program import Program

#: Elements of the main array here, where what is computed at once and what is compiled both count.
ELEMENTS = 900


def _values(result: Any) -> list[np.ndarray[Any, Any]]:
    return [np.asarray(part) for part in (result if isinstance(result, tuple) else (result,))]


def _check(program: Program, result: Any, expected: Any) -> None:
    for mine, theirs in zip(_values(result), _values(expected), strict=True):
        assert mine.shape == theirs.shape
        scale = float(np.max(np.abs(theirs), initial=0))
        error = np.abs(mine.astype("c16") - theirs.astype("c16"))
        assert np.max(error, initial=0) <= program.tolerance * max(scale, 1e-300)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_computes_what_numpy_computes(name: str) -> None:
    program = PROGRAMS[name]
    arrays = program.arrays(ELEMENTS)
    expected = program.run(np, *[array.copy() for array in arrays])
    before = [array.copy() for array in arrays]
    with la.config(immediate=16384):
        leaves = [la.asarray(array) for array in arrays]
        _check(program, program.run(la, *leaves), expected)
        kernels = la.cache.info().kernels.compiled
        _check(program, program.run(la, *leaves), expected)
        assert la.cache.info().kernels.compiled - kernels <= 2, "the second run compiles"
    for array, untouched in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, untouched)


COMPILED = [
    "jacobi_2d",
    "heat_3d",
    "wave_2d",
    "advection",
    "life",
    "convolution",
    "nbody",
    "dft",
    "power",
    "histogram",
]


@pytest.mark.parametrize("name", COMPILED)
def test_a_program_computes_it_with_kernels(name: str) -> None:
    program = PROGRAMS[name]
    arrays = program.arrays(ELEMENTS)
    expected = program.run(np, *[array.copy() for array in arrays])
    with la.config(immediate=0):
        _check(program, program.run(la, *map(la.asarray, arrays)), expected)
