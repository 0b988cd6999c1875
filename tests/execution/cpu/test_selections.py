"""Parts of sorted rows, which a kernel selects: the numbers are those of NumPy's sort."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.cpu import selections

Array = np.ndarray[Any, Any]


@pytest.fixture
def selected(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A list that says of each library step that is planned whether a kernel selects."""
    outcomes: list[bool] = []
    selection_of = selections.selection_of

    def noted(group: Any, layouts: Any) -> Any:
        selection = selection_of(group, layouts)
        outcomes.append(selection is not None)
        return selection

    monkeypatch.setattr("lazyarr.execution.cpu.selections.selection_of", noted)
    la.cache.clear()
    return outcomes


def rows_of(random: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Return rows with ties, and with numbers that order otherwise than their bits."""
    kind = random.integers(4)
    if dtype[0] == "i":
        bounds = np.iinfo(dtype)
        values = (
            random.integers(-5, 5, shape)
            if kind
            else random.integers(bounds.min, bounds.max, shape, endpoint=True)
        )
        return values.astype(dtype)
    x = np.asarray(random.standard_normal(shape)).astype(dtype)
    if kind == 0:
        x = np.round(x)
    elif kind == 1:
        special = np.array([np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1e-40], dtype)
        where = random.random(shape) < random.random()
        x = np.where(where, random.choice(special, shape), x)
    elif kind == 2:
        x = np.sort(x)[..., ::-1].copy()
    return x


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_selected_rows_are_those_of_a_sort(selected: list[bool], dtype: str) -> None:
    random = np.random.default_rng(7)
    for _ in range(60):
        length = int(random.choice([1, 2, 15, 16, 17, 31, 33, 100, 700]))
        count = int(random.integers(1, min(16, length) + 1))
        shape = (*random.integers(1, 6, random.integers(0, 3)), length)
        x = rows_of(random, shape, dtype)
        lazy = la.asarray(x) * 1
        selected.clear()
        ours = la.evaluate(la.sort(la.partition(lazy, count - 1)[..., :count]))
        np.testing.assert_array_equal(ours, np.sort(x)[..., :count])
        assert count == length or all(selected)
        np.testing.assert_array_equal(la.evaluate(la.sort(lazy)[..., :count]), ours)


def test_bits_of_nans_and_zeros(selected: list[bool]) -> None:
    x = np.array([[0.0, -0.0, -np.nan, 3.0, np.nan, np.inf, -np.inf, 0.0]] * 3)
    ours = la.evaluate(la.sort(la.asarray(x) + -0.0)[:, :7])
    assert selected == [True]
    np.testing.assert_array_equal(ours[0, :6], [-np.inf, -0.0, 0.0, 0.0, 3.0, np.inf])
    assert np.signbit(ours[0, :6]).tolist() == [True, True, False, False, False, False]
    assert np.isnan(ours[:, 6]).all()


@pytest.mark.parametrize(
    "view",
    [
        lambda x: x[::2],
        lambda x: x[:, 3:90],
        lambda x: x[::-1],
        lambda x: x[5],
        lambda x: x[5][None],
        lambda x: x.reshape(10, 2, 100),
        lambda x: x.reshape(10, 2, 100)[:, 1],
        lambda x: x.reshape(10, 2, 100)[:, ::-1],
        lambda x: x[:, ::2],
        lambda x: x.T,
        lambda x: x[:0],
    ],
)
def test_rows_that_lie_apart(view: Any) -> None:
    x = np.random.default_rng(3).random((20, 100))
    expected = np.sort(view(x))[..., :7]
    ours = la.evaluate(la.sort(view(la.asarray(x)))[..., :7] + 1)
    np.testing.assert_array_equal(ours, expected + 1)


@pytest.mark.parametrize(
    "part",
    [
        lambda xp, x: xp.sort(x)[:, -3:],
        lambda xp, x: xp.sort(x)[:, :17],
        lambda xp, x: xp.sort(x, axis=0)[:3],
        lambda xp, x: xp.argsort(x, kind="stable")[:, :3],
        lambda xp, x: xp.sort(x.astype("f2"))[:, :3],
        lambda xp, x: xp.sort(x + 1j * x)[:, :3],
        lambda xp, x: xp.sort(x)[:, [0, 3]],
        lambda xp, x: xp.sort(x)[:, 1],
        lambda xp, x: xp.sort(x)[:, 6:2:-2],
    ],
)
def test_other_parts(part: Any) -> None:
    x = np.random.default_rng(4).random((20, 100))
    np.testing.assert_array_equal(la.evaluate(part(la, la.asarray(x) * 2)), part(np, x * 2))


def test_forms_of_other_lengths() -> None:
    random = np.random.default_rng(5)
    for rows, length in ((9, 40), (30, 81), (5, 1000), (400, 9)):
        x = random.random((rows, length))
        ours = la.evaluate(la.sort(la.partition(la.asarray(x) * 2, 4)[:, :5], axis=1))
        np.testing.assert_array_equal(ours, np.sort(x * 2)[:, :5])


def test_sorts_of_whole_rows_serve_many_lengths() -> None:
    x = np.random.default_rng(6).random(4000)
    la.cache.clear()
    for length in (300, 411, 523, 640, 777):
        ours = la.evaluate(
            la.sort(la.asarray(x)[:length] * 2)[::-1] + la.asarray(x)[5 : 5 + length]
        )
        np.testing.assert_array_equal(ours, np.sort(x[:length] * 2)[::-1] + x[5 : 5 + length])
    assert la.cache.info().plans.filled >= 3
