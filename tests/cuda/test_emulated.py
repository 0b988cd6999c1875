"""Every kernel template against NumPy, its threads emulated on the CPU."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest

import lazyarr as la
from lazyarr import pipeline
from lazyarr.runtime import cuda
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.device_check import check
from tests.support.expressions import EXPRESSIONS, Expression

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    made = EmulatedDevice()
    monkeypatch.setattr(cuda, "_devices", [made])
    pipeline.PLANS.clear()
    with la.config(device="cuda"):
        yield made
    pipeline.PLANS.clear()


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_agrees_with_numpy(expression: Expression) -> None:
    check(expression)
