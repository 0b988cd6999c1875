"""What was computed while an expression was being built is listed by ``explain`` and drawn."""

from __future__ import annotations

import gc
import inspect
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.inspect.explanation import Fallback

ARRAY = np.array([3.0, 1.0, 0.0, 3.0, -2.0, 0.0])


def line() -> int:
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None
    return frame.f_back.f_lineno


def only(expression: Any) -> Fallback:
    (report,) = la.explain(expression).computed_when_built
    return report


DATA_SHAPED: list[tuple[str, Callable[[Any], Any]]] = [
    ("numpy.unique", np.unique),
    ("numpy.unique", lambda x: np.unique(x, return_counts=True)[1]),
    ("numpy.unique_values", np.unique_values),
    ("numpy.unique_inverse", lambda x: np.unique_inverse(x).inverse_indices),
    ("numpy.union1d", lambda x: np.union1d(x, [9.0])),
    ("numpy.setdiff1d", lambda x: np.setdiff1d(x, [3.0])),
    ("numpy.trim_zeros", lambda x: np.trim_zeros(x[1:] * 1)),
    ("numpy.bincount", lambda x: np.bincount((x * x).astype(int))),
    ("numpy.nonzero", lambda x: np.nonzero(x)[0]),
    ("numpy.nonzero", lambda x: x.nonzero()[0]),
    ("numpy.nonzero", np.flatnonzero),
    ("numpy.nonzero", lambda x: np.where(x > 0)[0]),
    ("numpy.argwhere", np.argwhere),
    ("a boolean index", lambda x: x.reshape(2, 3)[0, (x > 0)[:3]]),
    ("numpy.repeat", lambda x: np.repeat(x, abs(x).astype(int))),
    ("the size of x[mask]", lambda x: x[x > 0].reshape(3, 1)),
]


@pytest.mark.parametrize(("name", "function"), DATA_SHAPED)
def test_shapes_that_only_the_data_tell(name: str, function: Callable[[Any], Any]) -> None:
    expected = function(ARRAY)
    x = la.asarray(ARRAY)
    value = function(x)
    assert isinstance(value, la.LazyArray)
    twice = value * 2
    result = only(twice)
    assert result.op == name
    assert result.reason == "its shape depends on the data"
    assert result.origin is not None and result.origin[0] == __file__
    assert result.bytes_read > 0
    assert result.when == "built" and result.name == ""
    np.testing.assert_array_equal(twice.compute(), expected * 2)


@pytest.mark.parametrize(("name", "function"), DATA_SHAPED)
def test_arguments_are_free_without_the_garbage_collector(
    name: str, function: Callable[[Any], Any]
) -> None:
    def argument_of_a_call() -> weakref.ref[Any]:
        x = la.asarray(ARRAY) * 2.0
        function(x)
        return weakref.ref(x._node)

    gc.collect()
    gc.disable()
    try:
        assert argument_of_a_call()() is None
    finally:
        gc.enable()


def test_the_report_names_function_line_and_bytes() -> None:
    x = la.asarray(ARRAY) * 2
    values, built = np.unique(x), line()
    report = la.explain(values + 1)
    assert [step.op for step in report.fallbacks] == ["numpy.unique"]
    assert report.library_calls == ()
    assert report.fallbacks[0].origin == (__file__, built)
    assert (report.fallbacks[0].bytes_read, report.fallbacks[0].bytes_written) == (48, 32)
    text = str(report)
    assert "1 computation done when built" in text
    assert "computed when built, outside of this plan" in text
    assert f"test_early.py:{built}" in text
    assert "its shape depends on the data" in text
    (entry,) = report.to_dict()["fallbacks"]
    assert entry["when"] == "built" and entry["origin"] == [__file__, built]


def test_a_function_without_a_lazy_form_and_a_value_asked_for() -> None:
    x = la.asarray(ARRAY)
    counts, _ = np.histogram(x, 3)
    assert (only(counts * 1.5).op, only(counts).reason) == (
        "numpy.histogram",
        "it has no lazy form",
    )
    total = x.sum()
    assert float(total) == 5.0
    assert (only(total + 1).op, only(total).reason) == ("float(x)", "its value was asked for")


def test_bad_arguments_name_the_line() -> None:
    x = la.asarray(ARRAY)
    for call in (
        lambda: la.explain(3),
        lambda: la.explain(),
        lambda: la.visualize(x, stage="nothing"),
        lambda: la.visualize(x, filename="picture.nothing"),
    ):
        with pytest.raises(la.errors.ArgumentError, match=r"built at .*test_early\.py"):
            call()


def test_what_is_given_or_asked_for_is_not_listed() -> None:
    x = la.asarray(ARRAY)
    assert la.explain(x + 1).fallbacks == ()
    assert la.explain(la.persist(x + 1) * 2).fallbacks == ()


@pytest.mark.parametrize("stage", ["raw", "simplified", "fused"])
def test_pictures_show_it(stage: str) -> None:
    x = la.asarray(ARRAY)
    drawn = la.visualize(np.unique(x) * 2, stage=stage)
    text = drawn.svg()
    assert "numpy.unique" in text
    assert "computed when built" in text
    assert "its shape depends on the data" in text


class TestSelections:
    """``x[mask]``: how many elements there are is known only when it is evaluated."""

    def test_nothing_is_computed_to_explain_or_draw(self) -> None:
        x = la.asarray(ARRAY)
        selection = x[x > 0] * 2
        with la.profile() as timings, la.config(implicit="raise"):
            report = la.explain(selection)
            la.visualize(selection)
            la.to_networkx(selection)
        assert timings.runs == []
        (gather,) = report.fallbacks
        assert gather.op == "compress" and gather.when == "evaluated"
        assert "unknown until it is evaluated" in gather.reason
        assert gather.output.shape == (6,)
        assert "unknown" in repr(selection)
        np.testing.assert_array_equal(selection.compute(), ARRAY[ARRAY > 0] * 2)

    def test_evaluating_is_not_implicit(self) -> None:
        x = la.asarray(ARRAY)
        with la.config(implicit="raise"):
            np.testing.assert_array_equal(la.evaluate(x[x > 0]), [3.0, 1.0, 3.0])
            np.testing.assert_array_equal(la.persist(x[x > 0]).compute(), [3.0, 1.0, 3.0])
            with pytest.raises(la.errors.ImplicitEvaluationError, match="size of x"):
                x[x > 0].shape

    @pytest.mark.parametrize("of_arrays", [False, True])
    def test_values_of_constants_alone_are_not_stored(self, of_arrays: bool) -> None:
        """Plans hold the very nodes that are made of constants: a leaf would get into kernels."""
        with la.config(immediate=4096, implicit="allow"):
            # So many that they do not lie in memory.
            start = la.asarray(np.zeros((800, 800))) if of_arrays else la.zeros((800, 800))
            inside = abs(start) < 2.0
            value = la.evaluate(start[inside] ** 2 + 1)
        assert value.shape == (640_000,)
        assert (inside._node.stored is not None) == of_arrays

    def test_rows(self) -> None:
        array = np.arange(12.0).reshape(4, 3)
        x = la.asarray(array)
        rows = x[x[:, 0] > 2]
        assert la.explain(rows).fallbacks[0].output.shape == (4, 3)
        np.testing.assert_array_equal(rows.compute(), array[array[:, 0] > 2])
