"""Why a function was traced again: the guards that failed, and the warning for one line's."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ConfigError, RepetitionWarning, RetraceWarning
from lazyarr.function_transforms.retracing import INLINED_CALLS, RETRACES
from lazyarr.runtime import run_log

X = np.ones(3)


def only(f: Any) -> Any:
    (retrace,) = f.cache_info().retraces
    return retrace


def line_of(text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [at for at, line in enumerate(lines, 1) if line.endswith(text)]
    return number


def test_nothing_failed_yet() -> None:
    f = la.jit(lambda x, n: x * n)
    for n in (1, 2, 3):
        f(np.ones(n), n)
    assert f.cache_info().retraces == ()


def test_numbers() -> None:
    @la.jit
    def f(x: Any, n: Any, factors: Any) -> Any:
        if n * factors["a"] > 2:  # looks at a number
            return x * n
        return x - n

    f(X, 1, {"a": 1.0, "b": 2.0})
    f(X, 2, {"a": 1.0, "b": 9.0})
    f(X, 3, {"a": 1.0, "b": 2.0})
    retrace = only(f)
    assert retrace.kind == "number"
    assert retrace.reason == "n * factors['a'] > 2 was False, and is True"
    assert retrace.origin == (__file__, line_of("# looks at a number"))
    assert "numpy.asarray(n)" in retrace.hint


def test_sizes() -> None:
    @la.jit
    def f(y: Any, x: Any) -> Any:
        return y.sum() + x / len(x)  # looks at a size

    f(X, X)
    f(np.ones(4), np.ones(3))
    retrace = only(f)
    assert retrace.kind == "size"
    assert retrace.reason == "y had shape (3,), and has (4,); the function read sizes"
    assert retrace.origin == (__file__, line_of("# looks at a size"))


@pytest.mark.parametrize(
    ("first", "second", "kind", "reason"),
    [
        ((X, 1), (X.astype("f4"), 1), "type", "x was float64 of 1 axis, and is float32 of 1 axis"),
        ((X, 1), (np.ones((2, 2)), 1), "type", "x was float64 of 1 axis, and is float64 of 2 axes"),
        ((X, 1), (X, 1.0), "type", "n was of type int, and is of type float"),
        ((X, "a"), (X, "b"), "static", "n was 'a', and is 'b'"),
        (
            (X, [1, 2]),
            (X, (1, 2)),
            "structure",
            "the call was f(x=*, n=[*, *]), and is f(x=*, n=(*, *))",
        ),
    ],
)
def test_what_no_trace_has_in_common(first: Any, second: Any, kind: str, reason: str) -> None:
    @la.jit
    def f(x: Any, n: Any) -> Any:
        return x + (n if isinstance(n, (int, float)) else 1)

    f(*first)
    f(*second)
    retrace = only(f)
    assert (retrace.kind, retrace.reason) == (kind, reason)
    code = f.__wrapped__.__code__
    assert retrace.origin == (code.co_filename, code.co_firstlineno)


def test_static_arguments_and_keywords() -> None:
    f = la.jit(lambda x, axis: x.sum(axis), static_argnames="axis")
    f(np.ones((2, 2)), axis=0)
    f(np.ones((2, 2)), axis=1)
    assert only(f).reason == "axis was 0, and is 1"
    f.cache_clear()
    assert f.cache_info().retraces == ()


def test_one_line_warns_once() -> None:
    def function(x: Any) -> Any:
        return x * len(x)  # is warned of

    f = la.jit(function)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for size in range(1, RETRACES + 1):
            f(np.ones(size))
        assert not caught
        for size in range(RETRACES + 1, RETRACES + 9):
            f(np.ones(size))
    (warning,) = caught
    assert warning.category is RetraceWarning
    assert (warning.filename, warning.lineno) == (__file__, line_of("# is warned of"))
    text = str(warning.message)
    assert f"function was traced again {RETRACES} times because of this line" in text
    assert "hint: use functions such as mean instead of sizes" in text
    assert "config(hints=False)" in text


def test_hints_can_be_turned_off() -> None:
    f, g = la.jit(lambda x: x * len(x)), la.jit(lambda x, mode: x, static_argnames="mode")
    with la.config(hints=False):
        for size in range(1, 13):
            f(np.ones(size))
    for mode in range(12):  # static values are meant to be traced each
        g(X, mode=mode)
    assert len(f.cache_info().retraces) == len(g.cache_info().retraces) == 11
    for value in (1, "yes"):
        with (
            pytest.raises(ConfigError, match="hints must be True or False"),
            la.config(hints=value),
        ):
            pass


def test_listeners_hear_of_it() -> None:
    f = la.jit(lambda x: x * len(x))
    f(X)
    records: list[run_log.RetraceRecord] = []
    with run_log.listen_for_retraces(records.append):
        f(np.ones(7))
        f(np.ones(7))
    f(np.ones(8))
    (record,) = records
    assert record.name == "<lambda>" and "has (7,)" in record.reason
    assert record.origin is not None and record.origin[0] == __file__


def _chain(operations: int) -> Any:
    def chain(x):
        for _ in range(operations // 2):
            x = x * 0.5 + 1
        return {"last": (x, 3)}

    return la.jit(chain)


@pytest.mark.lazy
def test_a_large_function_that_is_built_anew_is_named_once():
    x, chain = la.asarray(np.ones(3)), _chain(60)
    for _ in range(INLINED_CALLS - 1):
        chain(x)
    with pytest.warns(RepetitionWarning, match=r"chain was called 256 times .* of 60 operations"):
        chain(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(INLINED_CALLS):
            chain(x)  # once is enough
        small, silent = _chain(4), _chain(60)
        with la.config(hints=False):
            for _ in range(INLINED_CALLS):
                small(x), silent(x)
        for _ in range(INLINED_CALLS):
            la.jit(lambda x: chain(x)["last"][0])(np.ones(3))  # part of another function
