"""Writes of expressions of other elements of the same array: straight to their places."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import slice_writes

SIDE = 1003


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    """Let operations on small arrays run at once, so that arrays lie in memory."""
    with la.config(immediate=4096), warnings.catch_warnings():
        warnings.resetwarnings()  # which would raise, so that nothing may be written straight
        yield


@pytest.fixture
def straight(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Collect whether writes went straight to their places."""
    answers: list[bool] = []
    write = slice_writes._write_straight

    def watched(*args: Any) -> bool:
        answers.append(write(*args))
        return answers[-1]

    monkeypatch.setattr(slice_writes, "_write_straight", watched)
    return answers


def _checks(xp: Any, u: Any) -> Any:
    u[1:-1:2, 1:-1:2] = 0.25 * (u[:-2:2, 1:-1:2] + u[2::2, 1:-1:2]) + 1
    u[::2, ::2] = u[::2, 1::2][:, :1].sum() * 1.0 + u[::2, 1::2][:, :1] * 2
    return u


def _columns(xp: Any, u: Any) -> Any:
    for j in range(1, 4):
        n = u[:, j::4].shape[1]
        u[:, j::4] -= 0.5 * u[:, j - 1 :: 4][:, :n] * u[:, j - 1 :: 4][:, :n]
    return u


def _every_third(xp: Any, u: Any) -> Any:
    v = u.reshape(-1)
    v[::3] = (v[1::3][: v[::3].size - 1].sum() + 0.5) * v[2::3][0]
    n = v[2::3].size
    v[::3][:n] = v[2::3] * 2 - v[1::3][:n]
    return u


def _turned(xp: Any, u: Any) -> Any:
    u[::2, 0::2] = u[1::2, 1::2][::-1, ::-1].sum() + 2 * u[::2, 1::2][:, :1]
    return u


def _waited_for(xp: Any, u: Any) -> Any:
    waits = u[:, 1::2] * 3
    seen = u[:, ::2].copy()
    u[:, 1::2] = u[:, :-1:2] * 0.5 + 1
    return u + waits.sum() + seen.sum()


def _named(xp: Any, u: Any) -> Any:
    term = u[:, :-1:2] + 1
    u[:, 1::2] = term * 2
    u[:, :-1:2] = u[:, 1::2] * 0.25
    return u + term.sum()


def _views(xp: Any, u: Any) -> Any:
    right, left = u[:, 1::2], u[:, :-1:2]
    for _ in range(3):
        right[...] = left * 0.75 + 0.25
        left[...] = right * 0.5 - 1
    return u


PROGRAMS = [_checks, _columns, _every_third, _turned, _waited_for, _named, _views]


@pytest.mark.parametrize("dtype", ["f8", "f4"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_values_are_numpys(program: Callable[..., Any], dtype: str) -> None:
    u = np.random.default_rng(1).random((SIDE, SIDE - 1)).astype(dtype)
    expected = program(np, u.copy())
    for _ in range(2):
        result = np.asarray(program(la, la.array(u)))
        np.testing.assert_allclose(result, expected, rtol=2e-5)


def test_elements_between_others_are_written_straight(straight: list[bool]) -> None:
    u = np.random.default_rng(2).random((SIDE, SIDE - 1))
    expected, lazy = _views(np, u.copy()), la.array(u)
    lazy[0, 0] = u[0, 0]  # it is copied by its first write
    result = _views(la, lazy)
    np.testing.assert_array_equal(np.asarray(result), expected)
    assert sum(straight) >= 5


def test_what_waits_for_the_array_has_the_values_before(straight: list[bool]) -> None:
    u = np.random.default_rng(3).random((SIDE, SIDE - 1))
    x = la.array(u)
    x[0, 0] = u[0, 0]
    waits = x[:, 1::2] * 3
    shown = np.asarray(x[:, 1::2])
    before = u.copy()
    x[:, 1::2] = x[:, :-1:2] * 0.5 + 1
    np.testing.assert_array_equal(np.asarray(waits), before[:, 1::2] * 3)
    np.testing.assert_array_equal(shown, before[:, 1::2])
    np.testing.assert_array_equal(np.asarray(x[:, 1::2]), before[:, :-1:2] * 0.5 + 1)


def test_elements_that_are_read_are_not_written_straight(straight: list[bool]) -> None:
    u = np.random.default_rng(4).random((SIDE, SIDE - 1))
    x = la.array(u)
    x[0, 0] = u[0, 0]
    expected = u.copy()
    for array in (x, expected):
        array[1:, ::2] = array[:-1, ::2] * 0.5
        array[::2, 1:] = array[::2, :-1] + 1
    np.testing.assert_array_equal(np.asarray(x), expected)
    assert not any(straight)
