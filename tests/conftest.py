"""Where there is a GPU, the tests against NumPy run a second time there, marked `cuda`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

import lazyarr as la
from tests.support.targets import has_gpu

# A busy machine takes long at times: how long an example takes says nothing of what it computes.
hypothesis.settings.register_profile("any speed", deadline=None)
hypothesis.settings.load_profile("any speed")

#: What is asked of every device, by folder or file.
EVERYWHERE = ("tests/numpy/", "tests/integration/test_concurrency.py")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if metafunc.definition.get_closest_marker("host") is not None:
        return
    here = Path(metafunc.module.__file__).as_posix()
    # A test that names its own targets has a GPU among them.
    if any(place in here for place in EVERYWHERE) and has_gpu() and not _own_targets(metafunc):
        devices = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
        metafunc.parametrize("device_of_all_threads", devices, indirect=True, scope="module")


def _own_targets(metafunc: pytest.Metafunc) -> bool:
    return "target" in metafunc.fixturenames


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        call = getattr(item, "callspec", None)
        if call is not None and call.params.get("target") == "cuda" and has_gpu():
            item.add_marker("cuda")


# Used by all, since pytest leaves a fixture out that nobody asks for. Of the module, so that a
# Hypothesis test may use it: it stays the same for all examples.
@pytest.fixture(scope="module", autouse=True)
def device_of_all_threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """Evaluate on a device, in every thread."""
    if not hasattr(request, "param"):
        yield
        return
    before = la.get_config().device
    la.set_config(device=request.param)
    yield
    la.set_config(device=before)
