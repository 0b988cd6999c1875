"""A GPU is opened ahead, in threads, and nothing of it is left behind; no GPU needed here."""

# ruff: noqa: N802 - names of the driver

from __future__ import annotations

import ctypes
import importlib
import os
import subprocess
import sys
import textwrap
import threading
from typing import Any

import pytest

from lazyarr.errors import CompileError, DeviceError
from lazyarr.runtime.cuda import driver, startup
from lazyarr.runtime.cuda.startup import Opening


class Driver:
    """Stands for the driver's library: a GPU of compute capability 9.0, or none."""

    def __init__(self, status: int = 0) -> None:
        self.status = status
        self.holds = 0
        self.go_on = threading.Event()
        self.go_on.set()

    def cuInit(self, flags: int) -> int:
        self.go_on.wait()
        return self.status

    def cuDeviceGet(self, place: Any, ordinal: int) -> int:
        place._obj.value = 7
        return 0

    def cuDeviceGetAttribute(self, place: Any, attribute: int, device: Any) -> int:
        assert device.value == 7
        place._obj.value = {75: 9, 76: 0}[attribute]
        return 0

    def cuDevicePrimaryCtxRetain(self, place: Any, device: Any) -> int:
        assert isinstance(place._obj, ctypes.c_void_p) and device.value == 7
        self.holds += 1
        return 0

    def cuDevicePrimaryCtxRelease_v2(self, device: Any) -> int:
        assert device.value == 7
        self.holds -= 1
        return 0


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was loaded, and what NVRTC has compiled for."""
    asked: list[str] = []
    monkeypatch.setattr(startup, "load_nvrtc", lambda: asked.append("nvrtc"))
    monkeypatch.setattr(startup, "load", asked.append)
    monkeypatch.setattr(startup, "warm_up", asked.append)
    return asked


def thread_failures(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Return the list that collects exceptions that end threads."""
    results: list[object] = []
    monkeypatch.setattr(threading, "excepthook", results.append)
    return results


def opened(monkeypatch: pytest.MonkeyPatch, driver: Driver) -> Opening:
    monkeypatch.setattr(startup, "driver_library", lambda: driver)
    return Opening()


def test_the_context_is_held_until_it_is_let_go(
    monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    driver = Driver()
    opening = opened(monkeypatch, driver)
    opening.wait_for_driver()
    opening.wait_for_compiler()
    assert (opening.architecture, driver.holds) == ("sm_90", 1)
    assert loaded == ["nvrtc", "sm_90"]
    opening.let_go()
    opening.let_go()
    assert driver.holds == 0


def test_libraries_are_loaded_in_a_thread(
    monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    threads: list[threading.Thread] = []
    done = threading.Event()

    def load(name: str) -> None:
        threads.append(threading.current_thread())
        loaded.append(name)
        if name == "cufft":
            done.set()

    monkeypatch.setattr(startup, "load", load)
    monkeypatch.setattr(startup, "_openings", [opened(monkeypatch, Driver(status=100))])
    monkeypatch.setattr(driver, "_devices", [])
    driver.begin_opening(["cublas", "cufft"])
    assert done.wait(300)
    assert [name for name in loaded if name != "nvrtc"] == ["cublas", "cufft"]
    assert threading.current_thread() not in threads


def test_nvrtc_is_loaded_while_the_driver_starts(
    monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    driver = Driver()
    driver.go_on.clear()
    begun = threading.Event()
    monkeypatch.setattr(startup, "load_nvrtc", begun.set)
    opening = opened(monkeypatch, driver)
    assert begun.wait(300)
    assert opening.in_use() and not opening.architecture and not loaded
    driver.go_on.set()
    opening.wait_for_compiler()
    opening.let_go()
    assert loaded == ["sm_90"]


def test_without_a_gpu_nothing_is_held_nor_compiled(
    monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    driver = Driver(status=100)  # CUDA_ERROR_NO_DEVICE
    opening = opened(monkeypatch, driver)
    opening.wait_for_compiler()
    opening.let_go()
    assert (opening.in_use(), opening.architecture, driver.holds) == (False, "", 0)
    assert loaded == ["nvrtc"]


def test_without_a_driver_or_nvrtc_no_thread_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    failures = thread_failures(monkeypatch)

    def no_library() -> Any:
        raise OSError("libcuda.so.1: cannot open shared object file")

    def no_compiler() -> None:
        raise DeviceError("NVRTC is not installed")

    monkeypatch.setattr(startup, "driver_library", no_library)
    monkeypatch.setattr(startup, "load_nvrtc", no_compiler)
    monkeypatch.setattr(startup, "load", lambda name: importlib.import_module(f"no.{name}"))
    opening = Opening()
    opening.load(["cublas"])
    opening.wait_for_compiler()
    for thread in threading.enumerate():
        if thread.name == "lazyarr-libraries":
            thread.join()
    opening.let_go()
    assert not opening.in_use()
    assert not failures


def test_an_nvrtc_that_does_not_know_the_gpu_fails_where_a_kernel_is_wanted(
    monkeypatch: pytest.MonkeyPatch, loaded: list[str]
) -> None:
    failures = thread_failures(monkeypatch)

    def refuse(architecture: str) -> None:
        loaded.append(architecture)
        raise CompileError("invalid value for --gpu-architecture")

    monkeypatch.setattr(startup, "warm_up", refuse)
    opening = opened(monkeypatch, Driver())
    opening.wait_for_compiler()
    opening.let_go()
    assert loaded == ["nvrtc", "sm_90"]
    assert not failures


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("status", [0, 100], ids=["a GPU", "no GPU"])
def test_a_child_that_is_forked_meanwhile_opens_nothing(status: int) -> None:
    script = f"""
    import os, sys, threading, warnings
    from tests.runtime.cuda.test_startup import Driver
    from lazyarr.runtime.cuda import driver, startup
    from lazyarr.errors import DeviceError
    warnings.simplefilter("ignore")
    library = Driver({status})
    library.go_on.clear()
    startup.driver_library = lambda: library
    driver.begin_opening()

    def reports(word):
        child = os.fork()
        if child:
            return os.waitpid(child, 0)[1] == 0
        try:
            driver.begin_opening()
            driver.device()
        except DeviceError as error:
            os._exit(word not in str(error))
        os._exit(9)

    assert reports("forked")  # while the driver starts
    library.go_on.set()
    startup.begin().wait_for_driver()
    assert reports("forked" if not {status} else "device=")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_device_that_is_open_is_not_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_devices", [object()])
    monkeypatch.setattr(driver, "begin", lambda: pytest.fail("it began to open another one"))
    driver.begin_opening()
