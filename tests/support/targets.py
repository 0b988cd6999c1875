"""Where tests run: processors, a GPU where there is one, and what stands in for it elsewhere."""

from __future__ import annotations

import shutil
from functools import cache

import pytest

from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

__all__ = ["TARGETS", "emulate_where_there_is_none", "has_gpu"]

#: What compiles kernels for processors, and a GPU: parameters of a fixture named `target`.
TARGETS = ("llvm", "numba", "cuda")


@cache
def has_gpu() -> bool:
    """Whether a CUDA device answers."""
    try:
        driver.device()
    except DeviceError:
        return False
    return True


def emulate_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the emulator be the CUDA device, unless there is a real one."""
    if has_gpu():
        return
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    monkeypatch.setattr(driver, "_devices", [EmulatedDevice()])
