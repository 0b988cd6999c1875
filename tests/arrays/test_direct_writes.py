"""One operation that NumPy computes straight in the place that its value is written to."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.compiler import pipeline

pytestmark = pytest.mark.host


@contextmanager
def _quiet() -> Iterator[None]:
    """Let warnings be none that raise, as they are in tests, and as few programs have them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


_PASSES: dict[str, Any] = {
    "difference": lambda x, y: x[1:] - x[:-1],
    "product": lambda x, y: x[1:] * 2.5,
    "quotient": lambda x, y: x[1:] / y[1:],
    "sum backwards": lambda x, y: x[:0:-1] + y[1:],
    "negative": lambda x, y: -y[1:],
    "number": lambda x, y: 3 - x[:-1],
    "with itself": lambda x, y: y[1:] + y[:-1],
}


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(
    name=st.sampled_from(sorted(_PASSES)),
    dtype=st.sampled_from(["f8", "f4", "i8", "i4", "u1", "c16"]),
    size=st.sampled_from([70, 40_000, 70_001]),
    whole=st.booleans(),
    seed=st.integers(0, 1 << 16),
)
def test_one_operation_is_written_as_numpy_does(
    name: str, dtype: str, size: int, whole: bool, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    values = (rng.random((2, size)) * 50 + 1).astype(dtype)
    x, y = values[0], values[1].copy()
    before, part = y.copy(), slice(None) if whole else slice(1, None)
    with la.config(immediate=4096), np.errstate(all="ignore"), _quiet():
        lazy_x, lazy_y = la.array(x), la.array(y)
        older, view = lazy_y + 0, lazy_y[3:9]
        for _ in range(2):
            if whole:
                y[part] = np.concatenate([y[:1], _PASSES[name](x, y)]) + 0
                lazy_y[part] = la.concatenate([lazy_y[:1], _PASSES[name](lazy_x, lazy_y)]) + 0
            else:
                y[part] = _PASSES[name](x, y)
                lazy_y[part] = _PASSES[name](lazy_x, lazy_y)
            assert np.asarray(lazy_y).tobytes() == y.tobytes()
            assert np.asarray(view).tobytes() == y[3:9].tobytes()
        assert np.asarray(older).tobytes() == (before + 0).tobytes()


@pytest.mark.parametrize("through", ["raise", "error", "warn"])
def test_one_operation_that_meets_an_exception_is_written_if_that_does_not_raise(
    through: str,
) -> None:
    x = np.ones(60_000)
    x[7] = 0
    y = np.full(60_000, 5.0)
    state = "raise" if through == "raise" else "warn"
    kinds = {"raise": FloatingPointError, "error": RuntimeWarning}
    with la.config(immediate=4096), np.errstate(divide=state), warnings.catch_warnings():
        warnings.simplefilter("error" if through == "error" else "always")
        lazy_x, lazy_y = la.array(x), la.array(y)
        if through == "warn":
            with pytest.warns(RuntimeWarning, match="divide by zero"):
                lazy_y[1:] = 2.0 / lazy_x[1:]
            with pytest.warns(RuntimeWarning):
                y[1:] = 2.0 / x[1:]
        else:
            with pytest.raises(kinds[through]):
                lazy_y[1:] = 2.0 / lazy_x[1:]
        assert np.asarray(lazy_y).tobytes() == y.tobytes()


def test_one_operation_is_written_without_a_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    if COMPILED is None:
        pytest.skip("the compiled form writes so")
    monkeypatch.setattr(pipeline, "evaluate", None)
    with la.config(immediate=4096, threads=1), _quiet():
        x, y = la.array(np.arange(100_000.0)), la.array(np.zeros(100_000))
        y[1:] = x[1:] - x[:-1]
        y[:50_000] = 2 * x[50_000:]
        y[:] = x / 3
        assert np.asarray(y).tobytes() == (np.arange(100_000.0) / 3).tobytes()
