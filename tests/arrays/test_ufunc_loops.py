"""Ufuncs of small arrays by NumPy's own loops: bits, dtypes, exceptions and outputs are NumPy's."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host

UFUNCS = [
    ufunc
    for name in la.__all__
    if isinstance(ufunc := getattr(np, name, None), np.ufunc)
    and ufunc.nout == 1
    and ufunc.nin <= 2
    and ufunc.signature is None
]
DTYPES = "float64 float32 int64 int32 uint8 bool complex128 int8 float16".split()
NUMBERS = [2, -1, 300, 1 << 40, 0.5, 2.0, np.nan, 1e300, 1j, np.float64(1.5), np.int64(7)]
SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-310, 800.0, -800.0]


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def member(rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    """Return an array of a random dtype, perhaps with special values."""
    values = rng.normal(size=shape) * 3
    if rng.random() < 0.3:
        values.flat[rng.integers(values.size)] = rng.choice(SPECIAL)
    with np.errstate(all="ignore"):
        return values.astype(rng.choice(DTYPES))


def outcome(call: Callable[[], Any]) -> tuple[Any, ...]:
    """Return the result of a call with its dtype and warnings, or the kind of its error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            result = np.asarray(call())
        except (TypeError, ValueError, OverflowError, FloatingPointError) as error:
            kinds = (FloatingPointError, OverflowError, TypeError, ValueError)
            return tuple(kind for kind in kinds if isinstance(error, kind))
    messages = sorted(str(warning.message) for warning in caught)
    return result.dtype, result.shape, result.tobytes(), messages


@pytest.mark.parametrize("seed", range(3))
def test_ufuncs_by_loops(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for ufunc in UFUNCS:
        shape = [(7,), (40,), (3, 4), (1,)][rng.integers(4)]
        args: list[Any] = [member(rng, shape) for _ in range(ufunc.nin)]
        if len(args) == 2 and rng.random() < 0.5:
            args[rng.integers(2)] = NUMBERS[rng.integers(len(NUMBERS))]
        lazy = [la.array(arg) if isinstance(arg, np.ndarray) else arg for arg in args]
        step = [1, 1, 2, -1][rng.integers(4)]  # in another layout loops may give other bits
        args, lazy = (
            [x[..., ::step] if np.ndim(x) else x for x in operands] for operands in (args, lazy)
        )
        with np.errstate(under=["ignore", "warn"][rng.integers(2)]):
            expected = outcome(lambda ufunc=ufunc, args=args: ufunc(*args))
            assert outcome(lambda ufunc=ufunc, args=lazy: ufunc(*args)) == expected
            own = getattr(la, ufunc.__name__)
            assert outcome(lambda own=own, args=lazy: own(*args)) == expected


@pytest.mark.parametrize("size", [5, 1000])
def test_outputs_that_overlap_operands(size: int) -> None:
    for start, ufunc in enumerate([np.add, np.logaddexp, np.arctan2, np.floor_divide] * 2):
        x = np.linspace(1, 2, size)
        y = la.array(x)
        views = (x[1:], x[:-1]) if start < 4 else (x, x)
        lazy = (y[1:], y[:-1]) if start < 4 else (y, y)
        ufunc(*views, out=views[0])
        assert ufunc(*lazy, out=lazy[0]) is lazy[0]
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("size", [5, 1000])
def test_outputs_are_written_where_exceptions_are_met(size: int) -> None:
    x, out = np.arange(size) - 2.5, np.zeros(size)
    lazy, written = la.array(x), la.array(out)
    for own in (np.log, la.log):
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            own(lazy, out=written)
        with pytest.warns(RuntimeWarning, match="invalid value encountered in log"):
            own(lazy, out=written)
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(written, np.log(x, out=out))
    with pytest.warns(RuntimeWarning, match="divide by zero encountered in floor_divide") as caught:
        lazy //= np.zeros(size)
    assert {warning.filename for warning in caught} == {__file__}


@pytest.mark.parametrize("size", [6, 1000])
@pytest.mark.parametrize("dtype", ["f8", "i8", "f4"])
def test_functions_of_three_operands_write_to_outputs(dtype: str, size: int) -> None:
    for _ in range(20):  # what lies beside the operands differs from call to call
        x = np.arange(size, dtype=dtype)
        y = la.array(x)
        np.clip(x[1:], 1, 3, out=x[:-1])
        la.clip(y[1:], 1, 3, out=y[:-1])
        np.clip(x, x[::-1], x[1], out=x)
        np.clip(y, y[::-1], y[1], out=y)
        np.testing.assert_array_equal(y, x)
