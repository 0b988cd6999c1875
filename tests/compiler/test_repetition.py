"""The hint that names a line which builds and evaluates one form hundreds of times."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import repetition
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.errors import RepetitionWarning

pytestmark = pytest.mark.host

#: Above what runs at once, and so short that building takes longer.
X = np.linspace(0, 1, 5000)
ITERATIONS = 400


@pytest.fixture(autouse=True)
def no_line_is_named() -> Iterator[None]:
    forget_plans()  # and the counts of their evaluations
    with la.config(immediate=0):
        yield


def hints(program: Callable[[], object]) -> list[warnings.WarningMessage]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program()
    return [warning for warning in caught if warning.category is RepetitionWarning]


def line_of(text: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (number,) = [n for n, line in enumerate(lines, 1) if line.endswith(text)]
    return number


@pytest.fixture
def timed(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let runs take as long as the test says, in microseconds."""
    seconds = [1.0]
    monkeypatch.setattr(repetition, "_run_seconds", lambda plan, request: seconds[0] * 1e-6)
    return seconds


def loop(evaluate: Callable[[Any], object] = la.evaluate, count: int = ITERATIONS) -> None:
    x = la.asarray(X)
    for k in range(count):
        evaluate((x * k + 1) * (x - k))  # is named


@pytest.mark.parametrize("evaluate", [la.evaluate, np.asarray, la.persist])
def test_one_hint_names_the_line(evaluate: Callable[[Any], object], timed: list[float]) -> None:
    (hint,) = hints(lambda: loop(evaluate))
    assert (hint.filename, hint.lineno) == (__file__, line_of("# is named"))
    assert "evaluated 320 times" in str(hint.message)
    assert "hint: decorate the function with lazyarr.jit" in str(hint.message)
    assert not hints(lambda: loop(evaluate))


def test_hints_can_be_turned_off(timed: list[float]) -> None:
    with la.config(hints=False):
        assert not hints(loop)
    assert len(hints(loop)) == 1


def test_few_evaluations_and_long_runs_have_no_hint(timed: list[float]) -> None:
    assert not hints(lambda: loop(count=200))
    timed[0] = 100.0
    assert not hints(loop)


def test_a_form_that_several_lines_build_has_no_hint(timed: list[float]) -> None:
    x = la.asarray(X)

    def program() -> None:
        for k in range(ITERATIONS // 64):
            for _ in range(64):
                if k % 2:
                    la.evaluate((x - k) * k + x * 3)
                else:
                    la.evaluate((x - k) * k + x * 3)

    assert not hints(program)


def test_what_is_built_once_and_what_is_jitted_has_no_hint(timed: list[float]) -> None:
    x = la.asarray(X)
    total = (x * 2 + 1).sum()
    assert not hints(lambda: [la.evaluate(total) for _ in range(ITERATIONS)])
    f = la.jit(lambda x, k: (x * k + 1).sum())
    assert not hints(lambda: [f(X, k) for k in range(ITERATIONS)])


def test_lengths_that_change_are_one_form(timed: list[float]) -> None:
    def program() -> None:
        for k in range(ITERATIONS):
            la.evaluate(la.asarray(X[: 3000 + k]) * 2 - k)

    assert len(hints(program)) == 1


def test_a_run_is_timed_without_a_trace() -> None:
    with np.errstate(all="raise"), la.config(threads=1):
        x = la.asarray(np.r_[X, 1e308])
        before = la.cache.info().work
        with np.errstate(over="ignore"):
            for _ in range(ITERATIONS):
                la.evaluate(x * 10 + 1)
        work = la.cache.info().work
    assert work.computed - before.computed == ITERATIONS * 2 * 5001
    assert work.eager - before.eager == ITERATIONS * 2 * 5001


def test_writes_are_not_repeated(timed: list[float]) -> None:
    u = la.zeros(200_000)
    for k in range(ITERATIONS):
        u[1:] += k
    assert float(u[1]) == ITERATIONS * (ITERATIONS - 1) / 2
