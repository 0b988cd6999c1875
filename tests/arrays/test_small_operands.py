"""Small operands of library functions are computed for the call, which then runs at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.small_operands import in_memory


@pytest.fixture(autouse=True)
def small_arrays_run_at_once() -> Iterator[None]:
    with la.config(immediate=4096):
        yield


def sums(np_: Any, rows: int, columns: int) -> Any:
    """Return a few numbers that are made of many elements."""
    x = np_.linspace(-1.0, 1.0, rows)[:, None] * np_.arange(1.0, columns + 1.0)
    return np_.cos(x).sum(axis=0) / rows + 0.25


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "sort": lambda n, d: n.sort(d),
    "argsort": lambda n, d: n.argsort(-d),
    "interp": lambda n, d: n.interp(0.3, n.arange(d.shape[0]) * 1.0, d),
    "solve": lambda n, d: n.linalg.solve(n.outer(d, d) + n.eye(d.shape[0]), d),
    "eigh": lambda n, d: n.linalg.eigh(n.outer(d, d))[0],
    "fft": lambda n, d: n.abs(n.fft.fft(d)),
    "median": lambda n, d: n.median(d),
    "percentile": lambda n, d: n.percentile(d, [25, 75]),
    "searchsorted": lambda n, d: n.searchsorted(n.sort(d), d[:3]),
    "convolve": lambda n, d: n.convolve(d, d[:4], mode="same"),
    "svd": lambda n, d: n.linalg.svd(n.outer(d, d[:3]))[1],
}


@pytest.mark.parametrize("name", CALLS)
def test_values_are_numpys(name: str) -> None:
    ours = CALLS[name](la, sums(la, 3_000, 20))
    expected = CALLS[name](np, sums(np, 3_000, 20))
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=1e-9, atol=1e-9)


def test_what_follows_a_library_call_is_in_memory() -> None:
    d = sums(la, 3_000, 20)
    ordered = la.sort(d)
    assert d._array is not None or d._node.stored is not None
    assert ordered._array is not None
    text = la.explain(ordered)
    assert "sort" in str(text)


def test_operands_are_computed_together() -> None:
    d, e = sums(la, 3_000, 20), sums(la, 3_000, 21)[:20]
    la.searchsorted(d, e)
    before = la.cache.info().work.computed
    np.asarray(d)
    np.asarray(e)
    assert la.cache.info().work.computed - before <= 64


@pytest.mark.parametrize(
    "operand",
    [
        lambda: la.cos(la.linspace(0.0, 1.0, 100_000)),
        lambda: la.cos(la.linspace(0.0, 1.0, 1_000_000)).reshape(-1, 10).sum(axis=0),
    ],
    ids=["large", "of many elements"],
)
def test_other_operands_stay_expressions(operand: Callable[[], Any]) -> None:
    d = operand()
    la.sort(d)
    assert d._node.src
    assert d._node.stored is None


@pytest.mark.parametrize("settings", [{"immediate": 0}, {"implicit": "raise"}])
def test_settings_that_ask_for_expressions_get_them(settings: dict[str, Any]) -> None:
    with la.config(**settings):
        d = sums(la, 3_000, 20)
        ordered = la.sort(d)
        assert d._node.stored is None
        assert ordered._node.src


def test_traced_and_differentiated_functions_are_not_computed() -> None:
    def f(x: Any) -> Any:
        return (la.sort(la.cos(x).reshape(-1, 10).sum(axis=0)) * la.arange(10.0)).sum()

    x = np.linspace(0.0, 3.0, 50_000)
    expected = np.sort(np.cos(x).reshape(-1, 10).sum(axis=0)) @ np.arange(10.0)
    assert float(la.jit(f)(la.asarray(x))) == pytest.approx(expected)
    slope = np.asarray(la.grad(f)(la.asarray(x)))
    step = 1e-6
    moved = x.copy()
    moved[17] += step
    numeric = (float(f(la.asarray(moved))) - float(f(la.asarray(x)))) / step
    assert slope[17] == pytest.approx(numeric, abs=1e-3)


def test_nothing_pending_is_left_as_it_is() -> None:
    nodes = [la.asarray([1.0, 2.0])._node, la.asarray(np.arange(3.0))._node]
    assert in_memory(nodes) is nodes


def test_stored_values_are_handed_out_without_a_plan() -> None:
    y = la.exp(la.linspace(0.0, 1.0, 60_000))
    float((y * 2).sum())
    stored = y._node.stored
    assert stored is not None
    before = la.cache.info().plans
    value = np.asarray(y)
    after = la.cache.info().plans
    assert (after.hits, after.misses) == (before.hits, before.misses)
    np.testing.assert_allclose(value, np.exp(np.linspace(0.0, 1.0, 60_000)), rtol=1e-14)
    y += 1.0
    np.testing.assert_allclose(np.asarray(y)[0], 2.0)
    assert value[0] == 1.0
