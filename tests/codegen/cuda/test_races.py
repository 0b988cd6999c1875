"""Kernels whose warps go on alone as far as they can: what lacks a barrier is wrong."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice, EmulatedFunction
from tests.support.device_check import check
from tests.support.expressions import EXPRESSIONS, Expression

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

#: Those in which threads exchange anything.
MEETING = [
    e
    for e in EXPRESSIONS
    if re.match(r"softmax|layernorm|sum|columns|moments|standard|extremes|arg|any|all|cum", e.name)
]


@pytest.fixture(autouse=True, params=[1, -1], ids=["forwards", "backwards"])
def device(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    emulated = EmulatedDevice(warps=request.param)
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda"):
        yield emulated
    forget_plans()


@pytest.mark.parametrize("expression", MEETING, ids=str)
def test_agrees_with_numpy(expression: Expression) -> None:
    check(expression)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("shape", [(70_001,), (3000, 5), (2, 40_000), (9, 300)])
def test_many_reductions_together(shape: tuple[int, ...], dtype: str) -> None:
    values = np.random.default_rng(1).normal(5, 2, shape).astype(dtype)
    wide = values.astype(np.longdouble)
    axis = 0 if shape[0] > 9 else -1
    x = la.asarray(values)
    result = la.evaluate(
        x.var(axis), x.mean(axis), x.min(axis), x.max(axis), (x * x).sum(axis), x.argmax(axis)
    )
    expected = [wide.var(axis), wide.mean(axis), values.min(axis), values.max(axis)]
    expected += [(wide * wide).sum(axis), values.argmax(axis)]
    for ours, theirs in zip(result, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=4e-6 if dtype == "f4" else 1e-13)


def test_a_missing_barrier_shows(device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without those before a tree in memory that another tree has used."""
    compiled = device.kernels.compile_all
    stores = r"((?:\s+__shared__ \w+ tree\d+\[\d+\];)*\s+tree\d+\[thread\] = )"

    def without_barriers(source: Source, settings: Any) -> EmulatedFunction:
        text = re.sub(r"__syncthreads\(\);" + stores, r"\1", source.text)
        assert text != source.text
        changed = Source("cuda", text, source.entry, source.parameters)
        function: EmulatedFunction = compiled((changed,), settings)[changed]
        return function

    def all_without_barriers(sources: Sequence[Source], settings: Any) -> dict[Source, Any]:
        return {source: without_barriers(source, settings) for source in sources}

    monkeypatch.setattr(device.kernels, "compile_all", all_without_barriers)
    values = np.random.default_rng(1).normal(5, 2, 70_001)
    x = la.asarray(values)
    result = la.evaluate(x.var(), x.mean(), x.min(), x.max(), (x * x).sum(), x.argmax())
    expected = [values.var(), values.mean(), values.min(), values.max()]
    expected += [(values * values).sum(), values.argmax()]
    assert not np.allclose(result, expected, rtol=1e-9)
