"""Errors and warnings of small arrays in memory come at the call, as NumPy's do."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host


@pytest.fixture(autouse=True)
def at_once() -> Any:
    with la.config(immediate=4096, implicit="allow"):
        yield


ARRAYS: dict[str, Any] = {
    "big": np.array([1e308, 1e308]),
    "i": np.array([1, 2]),
    "k": np.array([-1, 5]),
    "s": np.zeros((2, 2)),
    "b": np.array([127, 1, 0, 1], "i1"),
    "n": np.array([np.nan, np.nan]),
}

CALLS = """
    m.power(i, k)
    m.floor_divide.reduce(b)
    m.floor_divide.accumulate(b)
    big.astype('f4')
    big.sum()
    big.cumsum()
    big @ big
    m.nanargmax(n)
    m.choose(k, [i, i])
    m.take_along_axis(i, k, 0)
    m.searchsorted(i, 1, sorter=k)
    m.linalg.inv(s)
    m.linalg.cholesky(s - 1)
    m.linalg.solve(s, i)
    m.linalg.matrix_power(s, -1)
    m.put(b, [99], 1)
    m.copyto(m.zeros(2, 'f4'), big)
    m.zeros(2, 'f4').__setitem__(slice(None), big * 1)
    m.fft.fft(big)
    m.cov(big)
    big.var()
    m.median(m.zeros(0))
    m.sort(m.zeros((0, 3)))
"""


def _faults(m: Any, call: str, how: str) -> tuple[Any, ...]:
    arrays = {name: m.asarray(array.copy()) for name, array in ARRAYS.items()}
    with np.errstate(all=how), warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        try:
            eval(call, {"m": m, **arrays})
        except (ValueError, IndexError, FloatingPointError) as error:
            kind = next(
                k for k in type(error).__mro__ if k.__module__ in ("builtins", "numpy.linalg")
            )
            return kind, str(error).partition("\n")[0][:12]
    return {str(entry.message).partition(" in ")[0] for entry in issued}, ""


@pytest.mark.parametrize("call", [line.strip() for line in CALLS.strip().splitlines()])
def test_they_come_where_numpys_do(call: str) -> None:
    for how in ("warn", "raise"):
        assert _faults(la, call, how) == _faults(np, call, how)


def test_what_is_refused_is_not_written() -> None:
    x = la.arange(3)
    with pytest.raises(IndexError):
        la.put(x, [7], 1)
    with pytest.raises(ValueError, match="negative integer powers"):
        x **= -x
    assert x.tolist() == [0, 1, 2]


def test_a_fault_is_reported_once() -> None:
    x = la.asarray(np.array([1e308, 1e308]))
    with pytest.warns(RuntimeWarning, match="overflow encountered in reduce") as issued:
        total = x.sum()
        assert float(total) == np.inf
        assert float(total + 1) == np.inf
    assert len(issued) == 1


def test_elements_that_where_leaves_out_have_none() -> None:
    for m in np, la:
        x, out, chosen = (
            m.asarray([-1.0, 2.0, 0.0]),
            m.asarray([7.0, 8.0, 9.0]),
            [False, True, False],
        )
        with np.errstate(all="raise"):
            m.log(x, out=out, where=np.array(chosen), order="F")
            m.arccosh(x, out=out, where=m.asarray(chosen))
        with pytest.raises(FloatingPointError), np.errstate(all="raise"):
            m.log(x, out=out, where=np.array([False, True, True]), order="F")
        whole = m.zeros(3, int)
        with np.errstate(all="raise"):  # nor has the cast to an output
            m.divide(x, [0.0, 1.0, 0.0], where=chosen, out=whole, casting="unsafe")
            m.sqrt(x, where=m.asarray(chosen), out=whole, casting="unsafe")
            m.multiply(x, 1e300, where=False, out=m.zeros(3, "f4"))


@pytest.mark.parametrize(
    ("dtype", "other", "locked"),
    [
        ("?", 2**70, False),
        ("i4", np.zeros((5, 3), "i4"), False),
        ("i4", np.zeros(4, "i4"), False),
        ("i4", np.zeros(3), False),
        ("i4", np.zeros(3), True),
        ("i4", 2**70, True),
    ],
)
def test_outputs_are_refused_before_anything_is_computed(
    dtype: str, other: Any, locked: bool
) -> None:
    texts = []
    for m in np, la:
        array = m.asarray(np.ones(3, dtype))
        if locked:
            array.flags.writeable = False
        with np.errstate(all="raise"), pytest.raises((TypeError, ValueError, OverflowError)) as one:
            array //= other
        text = str(one.value).partition("\n")[0].strip().partition(" in floor_divide")[0]
        texts.append((one.type is OverflowError, text))
    assert texts[0] == texts[1]
