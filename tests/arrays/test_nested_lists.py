"""Arrays of lists in lists; of those that are deeper than arrays have axes, NumPy's error."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host


def _in_itself() -> list[Any]:
    items: list[Any] = []
    items.append(items)
    return items


def _deep(depth: int) -> list[Any]:
    items: list[Any] = [1.0]
    for _ in range(depth):
        items = [items]
    return items


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "array": lambda m, x: m.array(x),
    "array of a dtype": lambda m, x: m.array([x], dtype=float),
    "asarray": lambda m, x: m.asarray(x, "i4"),
    "sum": lambda m, x: m.sum(x),
    "median": lambda m, x: m.median(x),
    "add": lambda m, x: m.add(m.ones(3), x),
    "dot": lambda m, x: m.dot(m.ones(3), x),
    "where": lambda m, x: m.where(m.ones(3) > 0, x, 1),
    "setitem": lambda m, x: m.ones(3).__setitem__(slice(None), x),
}


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("items", [_in_itself(), _deep(200)], ids=["in itself", "deep"])
@pytest.mark.parametrize("name", CALLS)
def test_too_deep_lists_are_refused(name: str, items: list[Any], limit: int) -> None:
    with pytest.raises(ValueError, match="sequence"):
        CALLS[name](np, items)
    with la.config(immediate=limit), pytest.raises(ValueError, match="sequence"):
        CALLS[name](la, items)


def test_lists_of_as_many_axes_as_numpy_has() -> None:
    x = la.array(_deep(31))
    assert (x.ndim, float(x.sum())) == (32, 1.0)


@pytest.mark.parametrize("limit", [0, 4096])
def test_lazy_arrays_in_nested_lists_are_computed_together(limit: int) -> None:
    angle = np.linspace(0, 1, 2_000_000)  # more than is computed at once
    expected = np.array([[angle.max(), -angle.min()], (angle.sum(), 1.0)])
    with la.config(immediate=limit):
        x = la.asarray(angle) * 1.0
        with la.profile() as profile:
            matrix = la.array([[x.max(), -x.min()], (x.sum(), 1.0)])
            np.testing.assert_allclose(np.asarray(matrix), expected, rtol=1e-12)
        assert len(profile.runs) == 1
        assert la.asarray([[x[:3], x[3:6]]], dtype="f4").shape == (1, 2, 3)
        with pytest.raises(ValueError, match="shape"):
            la.array([[x.max(), 1.0], [x.min()]])


def test_nested_lists_are_traced() -> None:
    def turned(angle: Any, point: Any) -> Any:
        rotation = la.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        return rotation @ point

    point = np.array([1.0, 2.0])
    expected = np.array([-2.0, 1.0])
    np.testing.assert_allclose(la.jit(turned)(np.pi / 2, point), expected, atol=1e-15)
    gradient = la.grad(lambda angle: turned(angle, point)[0])(la.asarray(np.pi / 2))
    np.testing.assert_allclose(np.asarray(gradient), -1.0, atol=1e-15)


@pytest.mark.parametrize("function", ["array", "asarray"])
@pytest.mark.parametrize("immediate", [4096, 0])
def test_numbers_and_arrays_in_lists_of_any_depth(function: str, immediate: int) -> None:
    with la.config(immediate=immediate):
        values, whole = np.array([1.5, -2.5, 3.5]), np.array([1, 2, 3])
        x, i = la.array(values), la.array(whole)
        for ours, theirs in (
            ([x[0], x[1]], [values[0], values[1]]),
            ([[x[0], 1], (2.5, i[2])], [[values[0], 1], (2.5, whole[2])]),
            ([i[0], i[1]], [whole[0], whole[1]]),
            ([x, i], [values, whole]),
            ([[x, values], [i, [1, 2, 3]]], [[values, values], [whole, [1, 2, 3]]]),
            ((x, [1.0, 2.0, 3.0]), (values, [1.0, 2.0, 3.0])),
            ([x[:2], x[1:]], [values[:2], values[1:]]),
            ([x[::2], x[::2]], [values[::2], values[::2]]),
            ([True, x[0]], [True, values[0]]),
            ([2**53 + 1, 1.0], [2**53 + 1, 1.0]),
            ([[[[[[[[[1.0]]]]]]]]], [[[[[[[[[1.0]]]]]]]]]),
            ([-0.0, np.nan], [-0.0, np.nan]),
            ([], []),
            ([[], []], [[], []]),
        ):
            result, expected = getattr(la, function)(ours), getattr(np, function)(theirs)
            np.testing.assert_array_equal(result, expected, strict=True)
            for dtype in (float, int, np.float32):
                with np.errstate(invalid="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        expected = getattr(np, function)(theirs, dtype=dtype)
                    except (OverflowError, ValueError) as error:
                        with pytest.raises(type(error)):
                            la.evaluate(getattr(la, function)(ours, dtype=dtype))
                        continue
                    result = getattr(la, function)(ours, dtype=dtype)
                    np.testing.assert_array_equal(result, expected, strict=True)
        ragged: Any
        for ragged in ([x, x[:2]], [x[0], [1.0]], [[1.0], 1.0], [x, 1.0]):
            with pytest.raises(ValueError):
                la.evaluate(getattr(la, function)(ragged))


def test_an_array_of_a_list_is_no_view_and_remembers_what_it_was() -> None:
    x = la.array([1.0, 2.0])
    items = [x[0], 3.0]
    y, z = la.array(items), la.array([x, x])
    x[0] = 5.0
    items[1] = 4.0
    assert y.tolist() == [1.0, 3.0]
    assert z.tolist() == [[1.0, 2.0], [1.0, 2.0]]
    w = la.array(x)
    x[1] = 7.0
    assert w.tolist() == [5.0, 2.0]
