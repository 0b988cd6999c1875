"""Cholesky factors and inverses of stacks, on several threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cpu import factor_stacks
from lazyarr.runtime.cpu.factor_stacks import FUNCTIONS

pytestmark = pytest.mark.host

Array = np.ndarray[Any, Any]


def _stack(shape: tuple[int, ...], letter: str) -> Array:
    random = np.random.default_rng(3)
    a = random.standard_normal(shape)
    if letter in "FD":
        a = a + 1j * random.standard_normal(shape)
    return (a @ a.conj().mT / shape[-1] + np.eye(shape[-1])).astype(letter)


@pytest.mark.parametrize("letter", ["f", "d", "F", "D"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_stacks_have_numpys_bits(name: str, letter: str) -> None:
    for shape in ((40, 30, 30), (3, 9, 64, 64), (900, 5, 5), (2, 3, 3)):
        a = _stack(shape, letter)
        for stack in (a, a[::-1], a.mT, np.asfortranarray(a)):
            expected = getattr(np.linalg, name)(stack)
            with la.config(threads=3):
                result = FUNCTIONS[name](stack)
            assert result.dtype == expected.dtype
            assert result.tobytes() == expected.tobytes()
    with la.config(threads=3):
        traced = la.jit(lambda a: getattr(la.linalg, name)(a * 2) + 1)(_stack((40, 30, 30), letter))
    expected = getattr(np.linalg, name)(_stack((40, 30, 30), letter) * 2) + 1
    np.testing.assert_array_equal(traced, expected)


@pytest.mark.parametrize(("name", "bad"), [("cholesky", -1.0), ("inv", 0.0)])
def test_matrices_without_results_are_numpys_errors(name: str, bad: float) -> None:
    a = _stack((60, 30, 30), "d")
    a[17] *= bad
    with pytest.raises(np.linalg.LinAlgError) as expected:
        getattr(np.linalg, name)(a)
    with la.config(threads=2), pytest.raises(np.linalg.LinAlgError) as error:
        FUNCTIONS[name](a)
    assert str(error.value) == str(expected.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_numbers_that_are_none(name: str) -> None:
    a = _stack((60, 30, 30), "d")
    a[5, 20, 3], a[9] = np.nan, 1e300
    outcomes = []
    for function in (getattr(np.linalg, name), FUNCTIONS[name]):
        with la.config(threads=2):
            try:
                outcomes.append(function(a).tobytes())
            except np.linalg.LinAlgError as error:
                outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_other_arrays_are_numpys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factor_stacks, "routines", None)
    monkeypatch.setattr(factor_stacks, "Fortran", None)
    for a in (_stack((90, 90), "d"), _stack((3, 70, 70), "d"), _stack((2, 2, 2), "d")):
        for name, function in FUNCTIONS.items():
            with la.config(threads=2):
                assert np.array_equal(function(a), getattr(np.linalg, name)(a))
    with la.config(threads=2):
        upper = FUNCTIONS["cholesky"](_stack((60, 30, 30), "d"), upper=True)
    assert np.array_equal(upper, np.linalg.cholesky(_stack((60, 30, 30), "d"), upper=True))
