"""Where there is a GPU, the tests against NumPy run a second time there, marked `cuda`."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import lazyarr as la

#: What is asked of every device, by folder or file.
EVERYWHERE = ("tests/numpy/", "tests/integration/test_concurrency.py")


@cache
def has_gpu() -> bool:
    """Whether a CUDA device answers."""
    from lazyarr.errors import DeviceError
    from lazyarr.runtime import cuda

    try:
        cuda.device()
    except DeviceError:
        return False
    return True


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker("host") is not None:
        return
    here = Path(metafunc.module.__file__).as_posix()
    if any(place in here for place in EVERYWHERE) and has_gpu():
        metafunc.fixturenames.append("target")
        targets = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
        metafunc.parametrize("target", targets, indirect=True)


# Of the module, so that a Hypothesis test may use it: it stays the same for all examples.
@pytest.fixture(scope="module")
def target(request: pytest.FixtureRequest) -> Iterator[str]:
    """Evaluate on this device."""
    with la.config(device=request.param):
        yield request.param
