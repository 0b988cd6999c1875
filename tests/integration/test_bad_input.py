"""Bad input that only evaluation can see, and bad ``out=``: the line is named, nothing changes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import ArgumentError, DTypeError, LazyarrError, ShapeError
from lazyarr.runtime.host_memory_pool import pool

A = np.arange(12.0).reshape(3, 4)


def here() -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


def text(error: BaseException) -> str:
    return "\n".join([str(error), *getattr(error, "__notes__", ())])


@pytest.mark.parametrize(
    ("out", "kind", "message"),
    [
        (np.zeros((4, 3)), ShapeError, r"\(4, 3\).*\(3, 4\)"),
        (np.zeros((3, 4), np.float32), DTypeError, "float32.*float64"),
        (np.zeros((3, 4), ">f8"), DTypeError, ">f8.*float64"),
        ([[0.0] * 4] * 3, ArgumentError, "3 out= arrays for 1"),
        ("text", ArgumentError, "str"),
    ],
)
def test_bad_out_names_the_line(out: Any, kind: type[LazyarrError], message: str) -> None:
    x = la.asarray(A)
    before = pool.info().in_use
    kept = np.array(out, copy=True) if isinstance(out, np.ndarray) else None
    with pytest.raises(kind, match=message) as caught:
        la.evaluate(x + 1, out=out)
    assert f"{__file__}:{here() - 1}" in text(caught.value)
    if kept is not None:
        np.testing.assert_array_equal(out, kept)
    assert pool.info().in_use == before


def test_read_only_out() -> None:
    out = np.zeros((3, 4))
    out.flags.writeable = False
    with pytest.raises(ArgumentError, match="read-only"):
        la.evaluate(la.asarray(A) + 1, out=out)


def late_index() -> tuple[Any, int]:
    index = la.asarray(np.array([0, 2])) * 5  # 10 is out of range, as only its value shows
    return la.asarray(A)[index] + 1, here()


def late_inverse() -> tuple[Any, int]:
    zeros = la.asarray(np.ones((3, 3))) - 1
    return np.linalg.inv(zeros) + 1, here()


def late_cholesky() -> tuple[Any, int]:
    negative = la.asarray(np.eye(3)) * -1
    return np.linalg.cholesky(negative), here()


@pytest.mark.lazy
@pytest.mark.parametrize(
    ("build", "kind"),
    [
        (late_index, IndexError),
        (late_inverse, np.linalg.LinAlgError),
        (late_cholesky, np.linalg.LinAlgError),
    ],
)
def test_what_evaluation_finds_names_the_line_that_built_it(
    build: Callable[[], tuple[Any, int]], kind: type[Exception]
) -> None:
    for _ in range(2):  # a plan made for one expression serves another
        expression, line = build()
        with pytest.raises(kind) as caught:
            la.evaluate(expression)
        assert f"{__file__}:{line}" in text(caught.value)


def test_the_line_is_that_of_this_expression_not_of_one_alike() -> None:
    memory = la.asarray(A)

    def first() -> Any:
        return memory[la.asarray(np.array([0, 1])) * 5]

    def second() -> Any:
        return memory[la.asarray(np.array([0, 1])) * 7]

    for build in (first, second):
        with pytest.raises(IndexError) as caught:
            la.evaluate(build())
        assert f"{__file__}:{build.__code__.co_firstlineno + 1}" in text(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        lambda x: x + np.ones(5),
        lambda x: x.mean(axis=3),
        lambda x: np.concatenate([x, x.T]),
        lambda x: x.astype("nonsense"),
        lambda x: la.evaluate([1, 2]),
        lambda x: x[7],
    ],
)
def test_inputs_do_not_change_and_errors_are_findable(bad: Callable[[Any], Any]) -> None:
    memory = A.copy()
    with pytest.raises(LazyarrError) as caught:
        bad(la.asarray(memory))
    assert re.search(re.escape(__file__) + r":\d+", text(caught.value))
    np.testing.assert_array_equal(memory, A)
