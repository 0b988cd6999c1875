"""Clocks of GPU benchmarks: events of a stream, calls that alternate, the rate of copies."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from typing import Any

BATCH = 30
REPEATS = 7
ROUNDS = 9
#: Seconds without work before each measurement: what power limits depends on the work before.
REST = 0.05


class Timer:
    """Milliseconds of a call, by events of one stream."""

    def __init__(self, event: Callable[[], Any], elapsed: Callable[[Any, Any], float]) -> None:
        self.event = event
        self.elapsed = elapsed

    def __call__(
        self, call: Callable[[], Any], batch: int = BATCH, repeats: int = REPEATS
    ) -> float:
        for _ in range(min(3, batch)):
            call()
        return statistics.median(self.batch(call, batch) for _ in range(repeats))

    def batch(self, call: Callable[[], Any], batch: int = BATCH) -> float:
        """Time so many calls in a row."""
        begin = self.event()
        for _ in range(batch):
            call()
        return self.elapsed(begin, self.event()) / batch

    def within(self, call: Callable[[], Any], seconds: float) -> float:
        """Time a call in so many seconds at most, if a single one takes no longer."""
        begin = self.event()
        call()
        once = self.elapsed(begin, self.event()) / 1e3
        times = max(1, int(seconds / max(once, 1e-6)))
        if times < 3:
            return once * 1e3
        return self(call, min(BATCH, times // 2), min(REPEATS, max(1, times // BATCH)))


def torch_timer(torch: Any) -> Timer:
    def event() -> Any:
        value = torch.cuda.Event(enable_timing=True)
        value.record()
        return value

    def elapsed(begin: Any, end: Any) -> float:
        torch.cuda.synchronize()
        return float(begin.elapsed_time(end))

    return Timer(event, elapsed)


def lazyarr_timer() -> Timer:
    import pycuda.driver

    from lazyarr.runtime.cuda import driver

    device = driver.device()

    def event() -> Any:
        with device.current():
            return pycuda.driver.Event().record(device.main.stream)

    def elapsed(begin: Any, end: Any) -> float:
        with device.current():
            end.synchronize()
            return float(end.time_since(begin))

    return Timer(event, elapsed)


def until_there(call: Callable[[], Any], wait: Callable[[Any], Any]) -> float:
    """Return milliseconds of a call by the clock, of so many in a row as events are around."""
    wait(call())
    begin = time.perf_counter()
    for _ in range(BATCH):
        last = call()
    wait(last)
    return (time.perf_counter() - begin) * 1e3 / BATCH


def alternately(calls: dict[str, Callable[[], float]]) -> dict[str, float]:
    """Return the median of each call, measured alternately, after a rest."""
    for call in calls.values():
        call()
    results: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            time.sleep(REST)
            results[name].append(call())
    return {name: statistics.median(times) for name, times in results.items()}


def settle(call: Callable[[], Any]) -> None:
    """Call until what could be faster has been tried, and compiled beside the calls before."""
    for _ in range(3):
        call()
        # Without work meanwhile, as the peers' compilers leave the GPU at rest: it is faster then.
        for thread in threading.enumerate():
            if thread.name in ("lazyarr-tier-up", "lazyarr-fusion"):
                thread.join()
    call()


def copy_rate(torch: Any) -> float:
    """Return GB/s of a copy inside the device, bytes read and written."""
    source = torch.empty(1 << 29, dtype=torch.float32, device="cuda").normal_()
    target = torch.empty_like(source)
    milliseconds = torch_timer(torch)(lambda: target.copy_(source))
    return 2.0 * source.nbytes / milliseconds / 1e6
