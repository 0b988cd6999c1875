"""Kernels that are compiled in two tiers, on a real device: the same bits from both."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda import tuning
from lazyarr.compiler.plan_cache import forget_plans
from tests.support.expressions import EXPRESSIONS, Expression
from tests.support.tuned import tune

pytestmark = pytest.mark.cuda


@pytest.fixture(autouse=True)
def device(device: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    # All kernels, whatever they take to compile.
    tune(monkeypatch, tuning, nvrtc_long=0.0)
    forget_plans()
    with la.config(cache_dir="off"):
        yield device
    forget_plans()


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_both_tiers_give_the_same_bits(device: Any, expression: Expression) -> None:
    arrays = [la.asarray(array) for array in expression.arrays()]

    def bits() -> list[bytes]:
        lazy = expression.function(la, *arrays)
        results = la.evaluate(*lazy) if isinstance(lazy, tuple) else [la.evaluate(lazy)]
        return [np.asarray(result).tobytes() for result in results]

    known = set(device.kernels._functions.values())
    first = bits()
    created = [f for f in device.kernels._functions.values() if f not in known]
    assert all(function.baseline for function in created if function.source.tiered)
    device.kernels.optimize(created)
    assert not any(function.baseline for function in created)
    for _ in range(4):
        assert bits() == first


def test_a_plan_that_runs_again_gets_the_second_tier_and_graphs(device: Any) -> None:
    host = np.random.default_rng(1).random((300, 70))
    x = la.asarray(host)
    lazy = (x - x.mean(axis=0)) / x.std(axis=0) * 1.2345
    known = set(device.kernels._functions.values())
    first = la.persist(lazy).compute().tobytes()
    created = [f for f in device.kernels._functions.values() if f not in known]
    assert created and all(function.baseline for function in created)
    graphs = device.figures().graphs
    assert la.persist(lazy).compute().tobytes() == first
    thread = device.kernels._thread
    if thread is not None:
        thread.join(300)
    assert not any(function.baseline for function in created)
    for _ in range(12):
        assert la.persist(lazy).compute().tobytes() == first
    assert device.figures().graphs > graphs


_ENDS = """
import sys, time
import numpy as np
import lazyarr as la

la.set_config(device="cuda", cache_dir="off")
x = la.asarray(np.linspace(0.5, 1.5, 100_000))
for function in (la.sin, la.tan, la.arcsinh, la.log1p):
    lazy = la.cumsum(function(x)) - function(x).std()
    for _ in range(int(sys.argv[1])):
        la.persist(lazy)
time.sleep(float(sys.argv[2]))
"""


@pytest.mark.parametrize(("runs", "seconds"), [(1, 0), (2, 0), (3, 0.1), (3, 0.3)])
def test_a_process_may_end_while_the_second_tier_is_compiled(runs: int, seconds: float) -> None:
    """What is not begun by then is not compiled any more."""
    run = subprocess.run(
        [sys.executable, "-c", _ENDS, str(runs), str(seconds)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert (run.returncode, run.stderr) == (0, "")
