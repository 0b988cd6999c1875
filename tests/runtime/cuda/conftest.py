"""A GPU that is emulated, for tests of libraries that no GPU is needed for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice


@pytest.fixture
def emulated_gpu(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice()
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda", cache_dir="off"):
        yield emulated
    forget_plans()
