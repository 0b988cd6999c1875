"""Start-up of a GPU: slow initialisation, started in the background at the first request.

The driver takes 0.1 s to start and as much to make a context. Meanwhile NVRTC and the libraries of
a plan are loaded, each in a thread of its own, and the evaluation that wants the GPU imports
lazyarr's compiler, plans and lowers its expression.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Sequence
from contextlib import suppress

from lazyarr.errors import LazyarrError
from lazyarr.runtime.cuda.compiler import load_nvrtc, warm_up
from lazyarr.runtime.cuda.launch_batch import driver_library
from lazyarr.runtime.cuda.libraries.handles import load

__all__ = ["Opening", "begin", "begun"]

#: The driver's numbers of attributes: compute capability, major and minor.
_CAPABILITY = (75, 76)


class Opening:
    """The driver and NVRTC, on their way.

    What goes wrong is no error yet: it goes wrong again where the device is opened, and is raised
    there.

    Parameters
    ----------
    number : int, optional
        Of the GPU.

    Attributes
    ----------
    number : int
        As given.
    architecture : str
        "sm_90"; empty unless there is a GPU, and the driver has started.
    """

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.architecture = ""
        self._known = threading.Event()
        self._device = ctypes.c_int()
        self._holds_context = False
        self._driver = threading.Thread(target=self._start_driver, name="lazyarr-driver")
        self._compiler = threading.Thread(target=self._load_compiler, name="lazyarr-nvrtc")
        self._driver.start()
        self._compiler.start()

    def _start_driver(self) -> None:
        try:
            library = driver_library()
            self.architecture = _architecture(library, self._device, self.number)
        except OSError:
            return
        finally:
            self._known.set()
        if self.architecture:
            context = ctypes.c_void_p()
            retained = library.cuDevicePrimaryCtxRetain(ctypes.byref(context), self._device)
            self._holds_context = retained == 0

    def _load_compiler(self) -> None:
        with suppress(LazyarrError):
            load_nvrtc()
            self._known.wait()
            # A process that ends meanwhile need not wait for more.
            if self.architecture and threading.main_thread().is_alive():
                warm_up(self.architecture)

    def load(self, names: Sequence[str]) -> None:
        """Import the bindings of NVIDIA's libraries in a thread of its own."""

        def load_all() -> None:
            with suppress(ImportError, RuntimeError, OSError):
                for name in names:
                    load(name)

        threading.Thread(target=load_all, name="lazyarr-libraries").start()

    def in_use(self) -> bool:
        """Whether the driver has started, or may yet."""
        return bool(self.architecture) or not self._known.is_set()

    def wait_for_driver(self) -> None:
        """Wait until the driver has started, and holds the device's primary context."""
        self._driver.join()

    def wait_for_compiler(self) -> None:
        """Wait until NVRTC has compiled something."""
        self._compiler.join()

    def let_go(self) -> None:
        """Release the context, which is retained elsewhere or not needed."""
        self.wait_for_driver()
        if self._holds_context:
            self._holds_context = False
            driver_library().cuDevicePrimaryCtxRelease_v2(self._device)


def _architecture(library: ctypes.CDLL, device: ctypes.c_int, number: int) -> str:
    """Start the driver; return the architecture of one of its devices, or "" without it.

    Parameters
    ----------
    library : ctypes.CDLL
        The driver's.
    device : ctypes.c_int
        Is given the driver's handle of the device.
    number : int
        Which device.
    """
    if library.cuInit(0) or library.cuDeviceGet(ctypes.byref(device), number):
        return ""
    numbers = [ctypes.c_int() for _ in _CAPABILITY]
    for place, attribute in zip(numbers, _CAPABILITY, strict=True):
        if library.cuDeviceGetAttribute(ctypes.byref(place), attribute, device):
            return ""
    major, minor = numbers
    return f"sm_{major.value}{minor.value}"


_lock = threading.Lock()
_openings: list[Opening] = []


def begin(number: int = 0) -> Opening:
    """Begin to open a device of the process in a thread, if that is not in progress.

    Parameters
    ----------
    number : int, optional
        Which one.
    """
    with _lock:
        for opening in _openings:
            if opening.number == number:
                return opening
        _openings.append(Opening(number))
        return _openings[-1]


def begun() -> bool:
    """Whether the process uses the driver, or is about to."""
    return any(opening.in_use() for opening in _openings)


def _after_fork() -> None:
    global _lock
    _lock = threading.Lock()  # it may be held by a thread that the child does not have


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
