"""CUDA graphs: recorded kernels that one call of the driver queues."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from lazyarr.runtime.cuda.interfaces import RetiringDevice
from lazyarr.runtime.cuda.launch_batch import driver_library, not_launched

__all__ = ["Graph"]


class Graph:
    """Kernels that the driver queues together.

    Attributes
    ----------
    launch : callable
        Queues them, and returns the driver's status. The stream says in which context.
    """

    __slots__ = ("__weakref__", "_device", "_driver", "_ready", "_retained", "launch")

    def __init__(
        self, device: RetiringDevice, driver: Any, ready: Any, to: int, retained: Sequence[object]
    ) -> None:
        self._device = device
        self._driver = driver
        self._ready = ready
        self._retained = retained  # memory that its kernels work in
        # The driver's function itself: the bindings' takes twice as long to call. Arguments are as
        # ctypes would hand them over: to make that takes it as long as the rest of a call.
        arguments = map(ctypes.c_void_p.from_param, (int(ready), to))
        self.launch: Callable[[], int] = partial(driver_library().cuGraphLaunch, *arguments)

    def __call__(self) -> None:
        """Queue them."""
        status = self.launch()
        if status:
            raise not_launched(status)

    def close(self) -> None:
        """Give it back; the context must be current."""
        if self._ready is not None:
            self._driver.cuGraphExecDestroy(self._ready)
            self._ready = None

    def __del__(self) -> None:
        # The last replay may still run, and no context need be current here.
        driver, ready, retained = self._driver, self._ready, self._retained
        if ready is not None:
            self._device.retire(lambda: _destroy(driver, ready, retained))


def _destroy(driver: Any, ready: Any, retained: Sequence[object]) -> None:
    driver.cuGraphExecDestroy(ready)
    del retained  # memory that it worked in
