"""One call made with NumPy and with lazyarr: the same value, or the same kind of error."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import lazyarr as la

__all__ = ["Outcome", "agree", "outcome"]

_KINDS = (
    np.exceptions.AxisError,
    np.linalg.LinAlgError,
    IndexError,
    TypeError,
    ValueError,
    OverflowError,
    MemoryError,
    ZeroDivisionError,
    AttributeError,
)


class Outcome:
    """What a call gave: leaves of its result, or the exception and the stage that raised it.

    Attributes
    ----------
    values : list of ndarray
        Leaves of the result; empty if the call failed.
    error : Exception, optional
        What was raised.
    built : bool
        Whether the error came when the expression was evaluated, after it was built.
    """

    def __init__(self, values: list[Any], error: Exception | None, built: bool) -> None:
        self.values = values
        self.error = error
        self.built = built


def _leaves(result: Any) -> list[Any]:
    if isinstance(result, (tuple, list)):
        return [leaf for item in result for leaf in _leaves(item)]
    return [result]


def outcome(function: Callable[..., Any], module: Any, *arrays: Any) -> Outcome:
    """Call ``function(module, *arrays)`` on copies, lazy ones for lazyarr, and evaluate."""
    wrap = la.asarray if module is la else lambda x: x
    arguments = [wrap(x.copy("K")) if isinstance(x, np.ndarray) else x for x in arrays]
    built = False
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = function(module, *arguments)
            built = True
            # What is written in place counts as a result.
            leaves = _leaves(result) if result is not None else arguments
            values = [la.evaluate(x) if isinstance(x, la.LazyArray) else x for x in leaves]
        except Exception as error:  # noqa: BLE001 - whatever is raised is the outcome
            # A traceback would keep frames, and with them arrays, until the next collection.
            error.__context__ = error.__cause__ = None
            return Outcome([], error.with_traceback(None), built)
    return Outcome(values, None, built)


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0].rstrip()


def agree(
    function: Callable[..., Any],
    *arrays: Any,
    text: bool = False,
    early: bool = True,
    rtol: float = 0.0,
) -> None:
    """Assert that lazyarr does what NumPy does.

    Parameters
    ----------
    function : callable
        Takes the module, numpy or lazyarr, and the arrays.
    text : bool
        The error's text must begin with NumPy's.
    early : bool
        The error must come when the expression is built.
    rtol : float
        Tolerance; 0 asks for equal values, NaN and signs of zero included.
    """
    theirs = outcome(function, np, *arrays)
    mine = outcome(function, la, *arrays)
    if theirs.error is not None:
        assert mine.error is not None, f"NumPy raises {theirs.error!r}, lazyarr {mine.values!r}"
        reference = {kind for kind in _KINDS if isinstance(theirs.error, kind)}
        got = {kind for kind in _KINDS if isinstance(mine.error, kind)}
        assert reference & got, f"NumPy: {theirs.error!r}, lazyarr: {mine.error!r}"
        assert not early or not mine.built, f"raised on evaluation only: {mine.error!r}"
        if text:
            first = _first_line(theirs.error)
            assert str(mine.error).startswith(first), f"{first!r} not before {mine.error}"
        return
    assert mine.error is None, f"NumPy gives {theirs.values!r}, lazyarr {mine.error!r}"
    assert len(mine.values) == len(theirs.values)
    for result, expected in zip(mine.values, theirs.values, strict=True):
        if not isinstance(expected, (np.ndarray, np.generic, int, float, complex)):
            assert result == expected
            continue
        result, expected = np.asarray(result), np.asarray(expected)
        assert result.shape == expected.shape, f"{result.shape} for {expected.shape}"
        assert result.dtype == expected.dtype, f"{result.dtype} for {expected.dtype}"
        if rtol:
            np.testing.assert_allclose(result, expected, rtol=rtol, atol=rtol)
        else:
            np.testing.assert_array_equal(result, expected)
            if expected.dtype.kind in "fc":
                parts = [(result.real, expected.real), (result.imag, expected.imag)]
                for left, right in parts:
                    known = ~np.isnan(right)
                    np.testing.assert_array_equal(np.signbit(left[known]), np.signbit(right[known]))
