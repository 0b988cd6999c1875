"""Page-locked memory of reports is given back where the context is current."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from lazyarr.execution.cuda.bounds_reports import BoundsReports


class _Memory(np.ndarray[Any, Any]):
    """Memory to which a weak reference can be made."""


class _Device:
    """A device that notes what it is to give back later."""

    def __init__(self) -> None:
        self.retired: list[Callable[[], None]] = []

    def page_locked(self, nbytes: int) -> Any:
        return np.full(nbytes, 0xA5, np.uint8).view(_Memory)

    def retire(self, function: Callable[[], None]) -> None:
        self.retired.append(function)


class _Status:
    nbytes = 16


def test_a_plan_that_any_thread_drops_frees_its_reports_with_the_device() -> None:
    device = _Device()
    reports = [BoundsReports(device, _Status())]  # type: ignore[arg-type]
    taken = [reports[0].take() for _ in range(2)]
    alive = [weakref.ref(report.memory) for report in taken]
    for report in taken:
        reports[0].give_back(report)
    taken.clear()
    del report
    thread = threading.Thread(target=reports.clear)
    thread.start()
    thread.join()
    gc.collect()
    assert all(reference() is not None for reference in alive)
    (give_back,) = device.retired
    give_back()
    assert all(reference() is None for reference in alive)


def test_a_plan_that_never_ran_gives_nothing_back() -> None:
    device = _Device()
    reports = BoundsReports(device, _Status())  # type: ignore[arg-type]
    del reports
    gc.collect()
    assert not device.retired
