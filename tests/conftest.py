"""Devices that tests run on, and the code that they run.

Where there is a GPU, tests marked `each_device` run a second time there, marked `cuda`.

Tests of what functions mean have kernels that are compiled quickly (``config(optimize=False)``),
which give the same bits; ``LAZYARR_TEST_OPTIMIZE=1`` has all of them optimised. Modules marked
`optimized` need that. Of the tests of code itself every fourth has optimised kernels.

Operations on small arrays become expressions (``config(immediate=0)``), which are compiled.
``LAZYARR_IMMEDIATE=4096`` has them computed at once, as users have it, except in tests marked
`lazy`, in those of a `target`'s kernels, and in the folders of tests of plans and kernels. Tests
that set the limit themselves are marked `own_limit` then: they are the same ones in each run.
``LAZYARR_TEST_ONE_OF=2`` runs half of the tests, the same ones each time.
"""

from __future__ import annotations

import functools
import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import hypothesis
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.config import BASE, Config
from lazyarr.core.frozen import replace
from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda import driver
from lazyarr.runtime.cuda.libraries import nccl
from lazyarr.runtime.disk_cache import DiskCache, open_cache
from tests.support.comparison import compare_with_numpy
from tests.support.own_limits import sets_own_limit
from tests.support.targets import emulate_where_there_is_none, has_gpu

# A busy machine takes long at times: how long an example takes says nothing of what it computes.
hypothesis.settings.register_profile("any speed", deadline=None)
hypothesis.settings.load_profile("any speed")

#: Folders of tests of what functions mean, whatever code computes it.
QUICKLY_COMPILED = frozenset(
    "arrays compiler control_flow core differentiation function_transforms graph inspect"
    " integration interop nn numpy_api optim parallel passes placement random schedule"
    " tracing".split()
)
#: Folders of tests of code, in which members of a family differ in what is compiled, not in how.
PARTLY_OPTIMIZED = (
    "codegen/",
    "execution/cpu/",
    "execution/cuda/",
    "execution/fp_errors/test_warnings_beyond_elementwise",
    "ops/test_complex",
)
#: Folders of tests of plans and kernels: all their tests are `lazy`.
LAZY = frozenset(
    "autotuning codegen compiler execution graph inspect loop_ir passes placement runtime schedule"
    " tracing".split()
)
#: Tests of such a folder among which one has optimised kernels.
_ONE_OF = 4
_FOLDER = Path(__file__).parent
# One object for all modules: plans are kept by the identity of the settings.
_QUICK = replace(BASE[0], optimize=os.environ.get("LAZYARR_TEST_OPTIMIZE", "0") == "1")


@functools.cache
def _lazy(settings: Config) -> Config:
    """Return settings with which no operation runs at once: one object for equal ones."""
    return replace(settings, immediate=0) if settings.immediate else settings


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marker = metafunc.definition.get_closest_marker
    if marker("each_device") is None or marker("host") is not None:
        return
    # A test that names its own targets has a GPU among them.
    if has_gpu() and not _own_targets(metafunc):
        devices = ["cpu", pytest.param("cuda", marks=pytest.mark.cuda)]
        metafunc.parametrize("device_of_all_threads", devices, indirect=True, scope="module")


def _own_targets(metafunc: pytest.Metafunc) -> bool:
    return "target" in metafunc.fixturenames


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    share = int(os.environ.get("LAZYARR_TEST_ONE_OF", "1"))
    left_out = [item for item in items if crc32(item.nodeid.encode()) % share]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not crc32(item.nodeid.encode()) % share]
    for item in items:
        call = getattr(item, "callspec", None)
        if call is not None and call.params.get("target") == "cuda" and has_gpu():
            item.add_marker("cuda")
        if _folder(item.path) in LAZY or "target" in getattr(item, "fixturenames", ()):
            item.add_marker("lazy")
        if BASE[0].immediate and item.path.is_relative_to(_FOLDER) and sets_own_limit(item.path):
            item.add_marker("own_limit")


@functools.cache  # asked for each test of a file
def _folder(path: Path) -> str:
    """Return the folder of `tests` that has a module; an empty text for one elsewhere."""
    return "".join(path.relative_to(_FOLDER).parts[:1]) if path.is_relative_to(_FOLDER) else ""


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Iterator[None]:
    """Import the modules of `LAZY` folders, and what they build then, as their tests run."""
    before = BASE[0]
    if _folder(collector.path) in LAZY:
        BASE[0] = _lazy(before)
    try:
        return (yield)
    finally:
        BASE[0] = before


def pytest_collection() -> None:
    """Collect tests without the garbage collector, which would take a third of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Keep the garbage collector from tens of thousands of tests: it took a second each time."""
    gc.collect()
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session", autouse=True)
def shared_kernels() -> Iterator[None]:
    """Leave the kernels on disk that all tests share, whichever of them clears the cache."""
    shared = open_cache(BASE[0].cache_dir)
    clear = DiskCache.clear

    def clear_own(cache: DiskCache) -> None:
        if cache is not shared:
            clear(cache)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DiskCache, "clear", clear_own)
        yield


#: Full garbage collections before the last module began.
_collections = [0]


@pytest.fixture(scope="module", autouse=True)
def known_objects() -> None:
    """Keep the garbage collector from what modules before have left, once it has looked at it."""
    collections = gc.get_stats()[2]["collections"]
    if collections != _collections[0]:
        _collections[0] = collections
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Compile kernels quickly for three of four tests of code: the same ones in each run."""
    if (
        not item.path.is_relative_to(_FOLDER)
        or not item.path.relative_to(_FOLDER).as_posix().startswith(PARTLY_OPTIMIZED)
        or item.get_closest_marker("optimized")
        or crc32(item.nodeid.encode()) % _ONE_OF == 0
    ):
        return (yield)
    before = BASE[0]
    BASE[0] = _QUICK
    try:
        return (yield)
    finally:
        BASE[0] = before


@pytest.fixture(scope="module", autouse=True)
def code_of_all_threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """Compile kernels quickly for tests that do not depend on it."""
    if _folder(request.node.path) not in QUICKLY_COMPILED or request.node.get_closest_marker(
        "optimized"
    ):
        yield
        return
    before = BASE[0]
    BASE[0] = _QUICK
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAZYARR_OPTIMIZE", str(int(_QUICK.optimize)))  # of other processes
        yield
    BASE[0] = before


# Used by all, since pytest leaves a fixture out that nobody asks for. Of the module, so that a
# Hypothesis test may use it: it stays the same for all examples.
@pytest.fixture(scope="module", autouse=True)
def device_of_all_threads(
    request: pytest.FixtureRequest, code_of_all_threads: None
) -> Iterator[None]:
    """Evaluate on a device, in every thread."""
    if not hasattr(request, "param"):
        yield
        return
    before = la.get_config().device
    la.set_config(device=request.param)
    yield
    la.set_config(device=before)


@pytest.fixture(autouse=True)
def expressions_of_all_threads(request: pytest.FixtureRequest) -> Iterator[None]:
    """Let no operation of a `lazy` test run at once, in any thread or process."""
    if request.node.get_closest_marker("lazy") is None:
        yield
        return
    before = BASE[0]
    BASE[0] = _lazy(before)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAZYARR_IMMEDIATE", "0")
        yield
    BASE[0] = before


@pytest.fixture
def device() -> Iterator[Any]:
    """Compute on the GPU, and skip where there is none."""
    try:
        value = driver.device()
    except DeviceError as error:
        pytest.skip(f"no CUDA device: {error.message}")
    with la.config(device="cuda"):
        yield value


@pytest.fixture
def two_gpus() -> list[str]:
    """The names of two GPUs that NCCL connects; skips where there are none, or no NCCL."""
    names = ["cuda:0", "cuda:1"]
    try:
        if driver.device().count < 2:
            pytest.skip("there is one GPU")
        nccl.communicators(
            [driver.device(name) for name in names],
            lambda: driver.device().main.libraries.module("nccl"),
        )
    except DeviceError as error:
        pytest.skip(str(error))
    return names


@pytest.fixture
def compare() -> Callable[..., None]:
    """Return a function that calls another on ndarrays and on LazyArrays and compares."""
    return compare_with_numpy


@pytest.fixture
def target(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Compute on the target of this name, one of :data:`tests.support.targets.TARGETS`."""
    name: str = request.param
    forget_plans()
    if name == "cuda":
        emulate_where_there_is_none(monkeypatch)
    with la.config(device="cuda") if name == "cuda" else la.config(backend=name):
        yield name
    forget_plans()
