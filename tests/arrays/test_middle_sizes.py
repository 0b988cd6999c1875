"""Arrays of some ten to hundred thousand elements: written at once, and what is in use stays."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import pipeline

Array = np.ndarray[Any, Any]
Statement = Callable[[Any, dict[str, Any], np.random.Generator], None]

#: Elements beyond what runs at once, of less than a mebibyte.
SHAPES = [(50_000,), (300, 301), (2_500, 20)]


def _key(shape: tuple[int, ...], random: np.random.Generator) -> tuple[Any, Any]:
    """Return two basic indices that choose parts of one shape."""
    cut = int(random.integers(1, 4))
    pairs = [
        ((slice(cut, None),), (slice(None, -cut),)),
        ((slice(None, -cut),), (slice(cut, None),)),
        ((slice(1, -1),), (slice(None, -2),)),
        ((slice(None, None, 2),), (slice(None, None, -2),)),
    ]
    if len(shape) > 1:
        pairs += [
            ((slice(1, -1), slice(1, -1)), (slice(2, None), slice(None, -2))),
            ((slice(None), 0), (slice(None), -1)),
            ((slice(None), slice(cut, None)), (slice(None), slice(None, -cut))),
        ]
    return pairs[int(random.integers(len(pairs)))]


def _in_place(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    a["x"] += a["y"] * 0.5


def _of_a_name(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    named = a["x"] * 0.25 + a["y"]
    a["y"] -= named
    a["x"] *= 0.5
    a["z"] = named - a["x"]


def _in_place_of_itself(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    a["x"] -= xp.sqrt(abs(a["x"])) * a["y"]


def _slice(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    to, at = _key(a["x"].shape, random)
    a["x"][to] = a["x"][at] * 0.5 - a["y"][to] * a["y"][at]


def _slice_of_a_copy(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    to, at = _key(a["x"].shape, random)
    old = a["x"].copy()
    a["x"][to] = old[to] - 0.3 * (old[at] - a["y"][to])
    a["old"] = old


def _slice_in_place(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    to, at = _key(a["x"].shape, random)
    a["x"][to] += a["y"][at] * 0.125


def _fresh(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    to, at = _key(a["x"].shape, random)
    a["z"] = xp.zeros_like(a["x"])
    a["z"][to] = a["x"][at] + a["y"][to]
    a["z"][at] -= a["y"][at]


def _truth(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    to, at = _key(a["x"].shape, random)
    near = xp.zeros(a["x"].shape, dtype=bool)
    is_large = a["x"] > a["y"]
    near[to] |= is_large[at]
    a["x"][near & (a["y"] < 0.5)] = 0.25
    a["near"] = near


def _mask(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    mask = a["x"] < 0.5
    a["x"][mask] = a["y"][mask] * 2 - a["x"][mask]
    a["y"][mask] *= 0.75
    a["count"] = mask.sum()


def _mask_of_an_expression(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    mask = a["x"] * 2 < a["y"] + 0.1
    a["x"][mask] = -a["x"][mask]
    a["x"][~mask] += 1


def _view(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    to, at = _key(a["x"].shape, random)
    view = a["x"][to]
    view *= 0.5
    a["y"][at] = view + 1
    a["view"] = view


def _elements(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    where = xp.asarray(random.integers(0, a["x"].shape[0], 40))
    a["x"][where] = a["y"][where] + 1
    a["x"][3] = a["x"][4] * 0.5
    a["most"] = a["x"].max(axis=0)


def _shown(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    named = xp.sqrt(a["x"] * a["x"] + 1) * a["y"]
    flat, turned = named.ravel(), named.T
    rows = named.reshape(-1, 10)
    a["z"] = (rows * 2 - rows[0]).reshape(named.shape) + turned.T
    flat[7] = 3.0
    turned[1] *= 0.5
    rows[2:4] += 1
    a["named"], a["flat"] = named, flat - 1


def _sorted(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    x = a["x"] * 0.5 + a["y"] * a["x"]
    x.sort(axis=0)
    part = a["y"][3:-2]
    part.sort(axis=-1)
    x.T.sort()
    a["z"] = x + a["y"]


def _stacked(xp: Any, a: dict[str, Any], random: np.random.Generator) -> None:
    parts = [a["x"] * 2 - a["y"], a["y"].astype("f4") + 1, (a["x"] > a["y"]) * 3]
    axis = int(random.integers(-1, a["x"].ndim))
    a["stack"] = xp.stack(parts, axis) if axis else xp.array(parts)
    a["x"] += a["stack"].sum(axis=axis) if axis else a["stack"][1]


STATEMENTS: list[Statement] = [
    _in_place,
    _of_a_name,
    _in_place_of_itself,
    _slice,
    _slice_of_a_copy,
    _slice_in_place,
    _fresh,
    _truth,
    _mask,
    _mask_of_an_expression,
    _view,
    _elements,
    _shown,
    _sorted,
    _stacked,
]


@contextmanager
def straight() -> Iterator[None]:
    """Let kernels write to memory, as where no warning raises; with the default setting."""
    with la.config(immediate=4096), warnings.catch_warnings():
        warnings.simplefilter("default")
        yield


def _run(xp: Any, shape: tuple[int, ...], seed: int) -> list[Array]:
    random = np.random.default_rng(seed)
    arrays: dict[str, Any] = {name: xp.asarray(random.random(shape)) for name in "xyz"}
    if seed % 2:
        arrays = {name: array + 0 for name, array in arrays.items()}  # expressions
    for number in random.integers(len(STATEMENTS), size=7):
        STATEMENTS[number](xp, arrays, random)
    return [np.asarray(array) for _, array in sorted(arrays.items())]


@pytest.mark.host
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(14))
def test_random_programs_agree_with_numpy(shape: tuple[int, ...], seed: int) -> None:
    with straight():
        results = _run(la, shape, seed)
    for result, expected in zip(results, _run(np, shape, seed), strict=True):
        np.testing.assert_array_equal(result, expected)


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of evaluations, as a list of one."""
    count = [0]
    evaluate = pipeline.evaluate

    def counted(*args: Any, **keywords: Any) -> Any:
        count[0] += 1
        return evaluate(*args, **keywords)

    monkeypatch.setattr(pipeline, "evaluate", counted)
    return count


@pytest.mark.host
def test_zeros_are_written_to_without_a_plan(plans: list[int]) -> None:
    truths = la.asarray(np.arange(90_000).reshape(300, 300) % 3 == 0)
    with straight():
        near = la.zeros((300, 300), dtype=bool)
        near[1:] |= truths[:-1]
        near[:, :-1] |= truths[:, 1:]
    assert plans == [0]
    expected = np.zeros((300, 300), dtype=bool)
    expected[1:] |= np.asarray(truths)[:-1]
    expected[:, :-1] |= np.asarray(truths)[:, 1:]
    np.testing.assert_array_equal(np.asarray(near), expected)


@pytest.mark.host
def test_what_is_read_by_slices_is_computed_once(plans: list[int]) -> None:
    x = la.asarray(np.arange(90_000.0).reshape(300, 300))
    with straight():
        y = x * 2 + 1
        z = la.ones((300, 300))
        z[1:] += y[:-1]
        z[:-1] -= y[1:]
    assert plans == [1]
    expected, value = np.ones((300, 300)), np.arange(90_000.0).reshape(300, 300) * 2 + 1
    expected[1:] += value[:-1]
    expected[:-1] -= value[1:]
    np.testing.assert_array_equal(np.asarray(z), expected)


@pytest.mark.host
def test_a_value_in_use_is_not_computed_for_a_write(plans: list[int]) -> None:
    y = np.linspace(0, 1, 80_000)
    with straight():
        x = la.zeros(80_000)
        x += la.asarray(y) * 3 + 1
    assert plans == [1]  # of use to that write alone
    np.testing.assert_array_equal(np.asarray(x), y * 3 + 1)
    with straight():
        x = la.zeros(80_000)
        named = la.exp(la.asarray(y)) * 3
        x += named
        x += named * 2
    assert plans == [1]  # they are expressions, and what they share is computed once
    np.testing.assert_allclose(np.asarray(x), np.exp(y) * 3 + np.exp(y) * 6, rtol=1e-14)


@pytest.mark.host
def test_few_elements_are_computed_to_be_indexed(plans: list[int]) -> None:
    with straight():
        x = la.fromfunction(lambda i, j: (i + 1) % (j + 2), (100, 110))
        corners = [x[:50, :50] * 2, x[50:, 60:] - x[:50, :50], x[3, 4] + x[[2, 5], 1]]
        assert x._array is not None
        plans[0] = 1
        large = la.sin(la.asarray(np.arange(60_000.0)))
        difference = large[1:] - large[:-1]
        assert plans == [1]  # one kernel reads the sines where they are computed
    i, j = np.indices((100, 110), dtype=float)
    y = (i + 1) % (j + 2)
    expected = [y[:50, :50] * 2, y[50:, 60:] - y[:50, :50], y[3, 4] + y[[2, 5], 1]]
    for result, value in zip(corners, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(result), value)
    sines = np.sin(np.arange(60_000.0))
    np.testing.assert_allclose(np.asarray(difference), np.diff(sines), rtol=0, atol=1e-15)


@pytest.mark.host
def test_what_is_made_of_many_elements_is_not_computed_to_be_indexed(plans: list[int]) -> None:
    x = np.arange(400.0)
    with straight():
        lazy = la.asarray(x)
        force = (1 / (1 + (lazy[:, None] - lazy[None]) ** 2)).sum(axis=1)
        parts = [force[:-1] * 2, force[1:] - force[:-1]]  # of one evaluation
        assert plans == [0]
        results = la.evaluate(*parts)
    expected = (1 / (1 + (x[:, None] - x[None]) ** 2)).sum(axis=1)
    np.testing.assert_allclose(results[0], expected[:-1] * 2, rtol=1e-14)
    np.testing.assert_allclose(results[1], np.diff(expected), rtol=0, atol=1e-14)


@pytest.mark.host
def test_what_masks_select_of_long_expressions_is_computed_once(plans: list[int]) -> None:
    """Positions of a turned image, of forty operations, and where they lie in the image."""

    def turned(xp: Any, height: int, width: int) -> Any:
        y, x = xp.mgrid[0:height, 0:width]
        down = (0.9 * (y - height / 2) - 0.4 * (x - width / 2) + height / 2).round().astype(int)
        right = (0.4 * (y - height / 2) + 0.9 * (x - width / 2) + width / 2).round().astype(int)
        inside = (down >= 0) & (down < height) & (right >= 0) & (right < width)
        return down, right, inside, down[inside], right[inside]

    with straight():
        results = turned(la, 260, 300)
        assert plans[0] <= 2
        assert all(result._array is not None for result in results[:3])
        for result, expected in zip(results, turned(np, 260, 300), strict=True):
            np.testing.assert_array_equal(np.asarray(result), expected, strict=True)
        assert plans[0] <= 2
