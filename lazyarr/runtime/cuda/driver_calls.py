"""Calls of the driver through its bindings."""

from __future__ import annotations

from typing import Any

from lazyarr.errors import DeviceError

__all__ = ["order_streams", "succeeded"]


def succeeded(answer: tuple[Any, ...]) -> Any:
    """Return the value of a call of the driver's bindings; raise if it failed."""
    if int(answer[0]):
        raise DeviceError(f"the CUDA driver failed: {answer[0]}")
    return answer[1] if len(answer) > 1 else None


def order_streams(driver: Any, before: int, after: int) -> None:
    """Let later work in a stream wait for the queued work in another.

    Parameters
    ----------
    driver : module
        ``cuda.bindings.driver``; the context must be current.
    before, after : int
        The handles of the streams.
    """
    event = succeeded(driver.cuEventCreate(driver.CUevent_flags.CU_EVENT_DISABLE_TIMING))
    try:
        succeeded(driver.cuEventRecord(event, driver.CUstream(before)))
        succeeded(driver.cuStreamWaitEvent(driver.CUstream(after), event, 0))
    finally:
        # The driver keeps it until it has served.
        succeeded(driver.cuEventDestroy(event))
