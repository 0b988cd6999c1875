"""What tests of a real GPU share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import lazyarr as la
from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda import driver


@pytest.fixture
def device() -> Iterator[Any]:
    """Compute on the GPU, and skip where there is none."""
    try:
        value = driver.device()
    except DeviceError as error:
        pytest.skip(f"no CUDA device: {error.message}")
    with la.config(device="cuda"):
        yield value
