"""Other ways to cut a kernel: the same bits, today's choice first, ranked by the cost model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.cost_model import HostRates, KernelWork, predict
from lazyarr.codegen.processor_tilings import MapTiling
from tests.support.candidates import results_of_candidates

Expression = Callable[[np.random.Generator], la.LazyArray]


def _random(rng: np.random.Generator, *shape: int, dtype: str = "f4") -> la.LazyArray:
    # Of very different sizes, so that any other order of additions shows.
    return la.asarray(
        (rng.standard_normal(shape) * 10.0 ** rng.integers(-3, 4, shape)).astype(dtype)
    )


def _softmax(rng: np.random.Generator) -> la.LazyArray:
    x = _random(rng, 300, 120)
    e = la.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


EXPRESSIONS: dict[str, Expression] = {
    "flat map": lambda rng: la.exp(-(_random(rng, 30_011) ** 2)),
    "cut map": lambda rng: _random(rng, 3, 50_011) * _random(rng, 100_022)[::2],
    "order": lambda rng: (
        _random(rng, 9, 31, 28, 2) + _random(rng, 28, 31, 9, 2).transpose(2, 1, 0, 3)
    ),
    "n x 2": lambda rng: _random(rng, 5001, 2) * _random(rng, 2, 5001).T,
    "joined": lambda rng: (
        _random(rng, 9, 31, 28, 3) * _random(rng, 28, 1) - _random(rng, 31, 1, 3) / 3
    ),
    "joined functions": lambda rng: la.exp(-abs(_random(rng, 40, 5, 7) * _random(rng, 5, 1))),
    "tiles": lambda rng: _random(rng, 130, 157) + _random(rng, 157, 130).T,
    "rows": lambda rng: _random(rng, 600, 33).sum(axis=1),
    "row tiles": lambda rng: la.sqrt(abs(_random(rng, 3000, 20).sum(axis=1))),
    "kept rows": _softmax,
    "split": lambda rng: (_random(rng, 70_001) * _random(rng, 70_001)).sum(),
    "columns": lambda rng: _random(rng, 700, 2300).sum(axis=0),
    "column moments": lambda rng: _random(rng, 501, 1500, dtype="f8").std(axis=0),
    "column positions": lambda rng: _random(rng, 300, 1500).argmax(axis=0),
    "scan": lambda rng: la.cumsum(_random(rng, 70, 300), axis=1),
    "scan down": lambda rng: la.cumsum(_random(rng, 70, 2300), axis=0),
    "pairs": lambda rng: ((_random(rng, 130, 1, 40) - _random(rng, 1, 170, 40)) ** 2).sum(-1),
    "nearest": lambda rng: (abs(_random(rng, 90, 1, 7) - _random(rng, 1, 200, 7))).max(-1),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_no_candidate_changes_a_bit(name: str) -> None:
    assert results_of_candidates(EXPRESSIONS[name](np.random.default_rng(1)))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_they_are_ranked_and_explained(name: str) -> None:
    expression = EXPRESSIONS[name](np.random.default_rng(1))
    explanation = la.explain(expression)
    for kernel in explanation.kernels:
        first, *others = kernel.candidates
        assert first.is_used and first.tiling == kernel.tiling
        times = [cut.predicted for cut in others]
        assert times == sorted(times) and all(time > 0 for time in times)
        names = [cut.name for cut in kernel.candidates]
        assert len(set(names)) == len(names)
        if others:
            assert str(others[0].tiling) in str(explanation)
    candidates = explanation.to_dict()["kernels"][0]["candidates"]
    assert [cut["name"] for cut in candidates] == [
        cut.name for cut in explanation.kernels[0].candidates
    ]


def test_the_model_prefers_short_loops_written_out_or_joined_to_other_orders() -> None:
    expression = EXPRESSIONS["n x 2"](np.random.default_rng(1))
    (kernel,) = la.explain(expression).kernels
    assert isinstance(kernel.tiling, MapTiling)
    assert kernel.tiling.constant or kernel.tiling.joined
    today, *others = kernel.candidates
    orders = [cut for cut in others if cut.name.startswith("inner")]
    assert orders and all(cut.predicted > today.predicted for cut in orders)
    # A library's function may round otherwise at the ends of loops.
    (kernel,) = la.explain(la.exp(expression)).kernels
    assert not [cut for cut in kernel.candidates if cut.name.startswith("inner")]


def _work(elements: int, additions: float) -> KernelWork:
    return KernelWork(elements, 16 * elements, additions, elements, 1, elements, 0, 8, (0,), False)


@given(st.integers(1, 1 << 26), st.floats(0, 1e9), st.integers(1, 64))
def test_more_work_takes_longer_and_threads_help(elements: int, ns: float, threads: int) -> None:
    tiling = MapTiling(elements, elements, 1024)
    several, one = HostRates(threads), HostRates(1)
    time = predict(_work(elements, ns), tiling, several)
    assert 0 < time <= predict(_work(elements, 2 * ns), tiling, several)
    handing = (tuning.row().dispatch_ns + tuning.row().launch_ns) / 1e9
    assert time <= 2 * predict(_work(elements, ns), tiling, one) + handing


def test_a_measured_copy_rate_is_used() -> None:
    work, tiling = _work(1 << 26, 0.0), MapTiling(1 << 26, 1 << 26, 1024)
    slow, fast = HostRates(8, 1.0), HostRates(8, 2.0)
    assert predict(work, tiling, slow) == pytest.approx(2 * predict(work, tiling, fast), rel=1e-2)


@pytest.mark.parametrize("shape", [(0,), (0, 5), (5, 0), (0, 0), (3, 0, 4), (0, 3, 4), (3, 4, 0)])
def test_arrays_without_elements_have_candidates_too(shape: tuple[int, ...]) -> None:
    x = np.ones(shape)
    functions = [
        lambda x: x.sum(0),
        lambda x: x.sum(-1),
        lambda x: x * 2 + 1,
        lambda x: x.cumsum(-1),
        lambda x: x.T * 2,
        lambda x: (x[:, None] * x[None]).sum(-1),
    ]
    with la.config(immediate=0):
        for function in functions:
            np.testing.assert_array_equal(la.evaluate(function(la.asarray(x))), function(x))
