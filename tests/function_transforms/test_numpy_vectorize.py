"""Functions that ``numpy.vectorize`` calls, as their results are no numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la


@pytest.mark.host
@pytest.mark.parametrize("otypes", [[object], ["U8"], "O", ["m8[s]"], [str]])
def test_results_that_are_no_numbers_are_numpys(otypes: Any) -> None:
    def text(a: Any, b: int = 1) -> Any:
        return f"{a * b}" if "m8" not in str(otypes) else int(a * b)

    mine, theirs = (m.vectorize(text, otypes=otypes, doc="A text.") for m in (la, np))
    for x in (np.arange(3), np.ones((2, 2)), np.array(5)):
        result, expected = mine(la.asarray(x), 3), theirs(x, 3)
        assert type(result) is type(expected) and mine.__doc__ == "A text."
        np.testing.assert_array_equal(result, expected, strict=True)


HALF = np.dtype("e").type


def _half_by_name(x: Any) -> Any:
    return np.half(x)


def _half_by_value(x: Any) -> Any:
    return HALF(x)


def _half_among_others(x: Any) -> Any:
    return np.float16(x) if x > 1 else np.float16(-1) * np.float16(np.sqrt(abs(x)))


@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
@pytest.mark.parametrize("function", [_half_by_name, _half_by_value, _half_among_others])
def test_casts_to_float16_round_as_numpys(function: Any) -> None:
    rng = np.random.default_rng(3)
    halves = np.arange(0, 0x7BFF, 37).astype("u2").view("e").astype(float)
    ends = [65519.9, 65520.0, np.inf, np.nan, 1e-8, 5e-324, -0.0, 2.0**-25, 3 * 2.0**-25]
    middles = (halves[1:] + halves[:-1]) / 2
    values = np.concatenate([halves, -middles, rng.normal(0, 3e4, 200), ends])
    expected = np.vectorize(function)(values)
    result = np.asarray(la.vectorize(function)(values))
    assert result.dtype == expected.dtype == np.float16
    np.testing.assert_array_equal(result, expected)
    assert (np.signbit(result) == np.signbit(expected))[expected == 0].all()
    for dtype in "?Bqe" if function is _half_by_name else "":
        some = np.arange(5).astype(dtype)
        result = la.vectorize(function)(some)
        expected = np.vectorize(function)(some)
        assert result.dtype == expected.dtype
        np.testing.assert_array_equal(result, expected)


def test_casts_to_a_captured_type() -> None:
    local = HALF
    result = la.vectorize(lambda x: local(x))(np.array([2049.0, 0.1]))
    assert result.dtype == np.float16 and result.tolist() == [2048.0, float(np.float16(0.1))]
