"""Orders and distinct elements from numbers that hold an element and its position."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import packed_order, tuning

LEAST = tuning.row().ordered_elements
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
FORMS = ("all", "top", "bottom", "sorted", "middle", "matrix", "strided", "runs")
KINDS: tuple[dict[str, Any], ...] = (
    {},
    {"kind": "stable"},
    {"stable": True},
    {"kind": "mergesort"},
    {"kind": "heapsort"},
)


def integers(form: str, code: str, random: np.random.Generator) -> Any:
    """Return integers of a type, of which many are equal or none are."""
    size, dtype, bounds = int(random.integers(LEAST, 3 * LEAST)), np.dtype(code), np.iinfo(code)
    match form:
        case "top":
            return random.integers(bounds.max - 50, bounds.max, size, dtype, endpoint=True)
        case "bottom":
            return random.integers(bounds.min, bounds.min + 50, size, dtype)
        case "sorted":
            return np.sort(random.integers(0, 100, size).astype(dtype))
        case "middle":
            return random.integers(max(bounds.min, -1000), min(bounds.max, 9999), size).astype(
                dtype
            )
        case "matrix":
            return random.integers(0, 100, (size // 4, 4)).astype(dtype)
        case "strided":
            return random.integers(0, 100, 2 * size).astype(dtype)[::-2]
        case "runs":
            return np.repeat(random.integers(0, 100, size // 16), 16).astype(dtype)
    return random.integers(bounds.min, bounds.max, size, dtype, endpoint=True)


def numbers(form: str, random: np.random.Generator, code: str = "f8") -> Any:
    """Return floats, some with special values or equal in their leading bits."""
    size = int(random.integers(LEAST, 3 * LEAST))
    values = random.standard_normal(size).astype(code)
    match form:
        case "top":
            values[random.integers(0, size, 3)] = np.nan
        case "bottom":
            values[random.integers(0, size, 5)] = [0.0, -0.0, np.inf, -np.inf, -0.0]
        case "sorted":
            values = np.sort(values)
        case "middle":
            values = np.round(values, 2)
        case "matrix":
            values = values[: size // 4 * 4].reshape(-1, 4)
        case "strided":
            values = values[::-2]
        case "runs":
            steps = random.integers(0, 3, size // 16 * 16).astype(code)
            values = np.repeat(values[: size // 16], 16) * (1 + steps * np.finfo(code).eps)
    return values


def assert_same(got: Any, expected: Any) -> None:
    """Assert that results have the same bits, shapes and types."""
    pairs = zip(
        got if isinstance(got, tuple) else (got,),
        expected if isinstance(expected, tuple) else (expected,),
        strict=True,
    )
    for ours, numpys in pairs:
        assert (ours.dtype, ours.shape) == (numpys.dtype, numpys.shape)
        assert np.asarray(ours).tobytes() == numpys.tobytes()


def assert_numpys(values: Any, random: np.random.Generator) -> None:
    """Assert that all functions have NumPy's results."""
    for kind in KINDS:
        assert_same(packed_order.argsort(values, **kind), values.argsort(**kind))
    for flags in itertools.product((False, True), repeat=3):
        assert_same(packed_order.unique(values, *flags), np.unique(values, *flags))
    if values.ndim == 1:
        few = random.integers(0, 5, len(values))
        for keys in ((values, few), (few, values), (few, few, values)):
            assert_same(packed_order.lexsort(keys), np.lexsort(keys))
    others = random.permutation(values.ravel())[:LEAST]
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        function = getattr(packed_order, name)
        assert_same(function(values, others), getattr(np, name)(values, others))
    for chosen in (others[:1], others[:9], others, others[:5].astype(np.int64), [1, 2], 3):
        for invert in (False, True):
            expected = np.isin(values, chosen, invert=invert)
            assert_same(packed_order.isin(values, chosen, invert=invert), expected)


@pytest.mark.parametrize("code", INTEGERS)
@pytest.mark.parametrize("form", FORMS)
def test_integers_are_ordered_as_numpy_does(form: str, code: str) -> None:
    random = np.random.default_rng(FORMS.index(form))
    assert_numpys(integers(form, code, random), random)


@pytest.mark.parametrize("code", ["f4", "f8"])
@pytest.mark.parametrize("form", FORMS)
def test_floats_are_ordered_as_numpy_does(form: str, code: str) -> None:
    random = np.random.default_rng(FORMS.index(form))
    assert_numpys(numbers(form, random, code), random)


@pytest.mark.parametrize("form", FORMS)
def test_float64_without_equal_elements_are_ordered_by_their_bits(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packed_order, "_LEAST_DISTINCT", LEAST)
    random = np.random.default_rng(10 + FORMS.index(form))
    values = numbers(form, random)
    assert_same(packed_order.argsort(values), values.argsort())


def test_what_is_called_by_their_names_has_the_same_results() -> None:
    random = np.random.default_rng(2)
    keys, weights = random.integers(0, 1 << 40, 2 * LEAST), random.random(2 * LEAST)
    few = keys % 100
    calls = {
        "argsort": lambda xp, x, w: xp.argsort(x, kind="stable"),
        "lexsort": lambda xp, x, w: xp.lexsort((w, x)),
        "unique": lambda xp, x, w: xp.unique(x, return_index=True, return_inverse=True)[1:],
        "union1d": lambda xp, x, w: xp.union1d(x, x + 1),
        "setdiff1d": lambda xp, x, w: xp.setdiff1d(x, x[::2]),
    }
    for call in calls.values():
        for array in (keys, few):
            got = call(la, la.asarray(array), la.asarray(weights))
            expected = call(np, array, weights)
            parts = got if isinstance(got, tuple) else (got,)
            numpys = expected if isinstance(expected, tuple) else (expected,)
            assert_same(tuple(map(np.asarray, parts)), numpys)
    ordered = la.asarray(few).argsort(kind="stable")
    np.testing.assert_array_equal(np.asarray(ordered), few.argsort(kind="stable"))
