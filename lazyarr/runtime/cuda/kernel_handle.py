"""The driver's handles of kernels, which PyCUDA keeps to itself."""

from __future__ import annotations

from typing import Any

from lazyarr.runtime.cuda.driver_calls import succeeded
from lazyarr.runtime.cuda.kernel_cache import DeviceFunction

__all__ = ["kernel_handle"]


def kernel_handle(driver: Any, cuda: Any, function: DeviceFunction, threads: int) -> int:
    """Return the handle of the kernel that PyCUDA launches, read from a graph that never runs.

    Parameters
    ----------
    driver : module
        ``cuda.bindings.driver``.
    cuda : module
        ``pycuda.driver``.
    function : DeviceFunction
        The kernel.
    threads : int
        How many a block of it can have.

    Returns
    -------
    int
        The handle; 0 if the driver does not report it.
    """
    relaxed = driver.CUstreamCaptureMode.CU_STREAM_CAPTURE_MODE_RELAXED
    private = cuda.Stream()
    stream = driver.CUstream(private.handle)
    nothing = function.pack(*[0] * len(function.formats))
    succeeded(driver.cuStreamBeginCapture(stream, relaxed))
    graph = None
    try:
        try:
            function.start((1, 1), (threads, 1, 1), nothing, function.shared_bytes, private)
        finally:
            graph = succeeded(driver.cuStreamEndCapture(stream))
        (node,) = succeeded(driver.cuGraphGetNodes(graph, 1))
        node_parameters = succeeded(driver.cuGraphKernelNodeGetParams(node))
        return int(node_parameters.func) or int(node_parameters.kern)
    finally:
        if graph is not None:
            succeeded(driver.cuGraphDestroy(graph))
