"""Indices out of bounds in work that the host does not wait for: the results raise when read."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from random import Random
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.execution.cuda.step_by_step import StepByStep
from lazyarr.runtime.cuda import driver, tuning
from lazyarr.runtime.cuda.deferred_reports import DeferredReports
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.tuning_rows import use_row

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

OUT = "index 77 is out of bounds for axis 0 with size 60"


@pytest.fixture(params=[None, 0, 1])
def device(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice(None if request.param is None else Random(request.param))
    monkeypatch.setattr(driver, "_devices", [emulated])
    forget_plans()
    with la.config(device="cuda", cache_dir="off"):
        yield emulated
    forget_plans()


def on_gpu(array: Any) -> Any:
    return la.asarray(array, device="cuda")


class Case:
    """A function that gathers, called so often that its work is queued at once."""

    def __init__(self, calls: int = 6) -> None:
        self.table = np.arange(60.0)
        self.indices = np.arange(0, 60, 3)
        self.on_gpu = on_gpu(self.indices)
        self.x = on_gpu(self.table)
        self.function = la.jit(lambda x, i: x[i] * 2)
        for _ in range(calls):
            results = [self.call() for _ in range(4)]
            for result in results:
                self.right(result)

    def call(self) -> Any:
        """Queue the work."""
        return self.function.persist(self.x, self.on_gpu)

    def write(self, indices: Any) -> None:
        """Queue other indices, in the same memory."""
        array = self.on_gpu._node.attr.device_array
        array.queue.upload(array.address, indices.view(np.uint8))

    def wrong(self) -> Any:
        """Queue the work with an index out of bounds."""
        indices = self.indices.copy()
        indices[5] = 77
        self.write(indices)
        result = self.call()
        self.write(self.indices)
        return result

    def right(self, result: Any) -> None:
        np.testing.assert_array_equal(result.compute(), self.table[self.indices] * 2)


def test_work_that_is_queued_at_once_is_not_waited_for(device: EmulatedDevice) -> None:
    case = Case()
    results = [case.call() for _ in range(4)]
    assert device.main.deferred.pending
    for result in results:
        case.right(result)
    assert not device.main.deferred.pending
    assert not device.main.deferred.failures


@pytest.mark.parametrize("read", [np.asarray, la.evaluate, float, np.from_dlpack])
def test_what_came_of_it_is_refused_each_time(device: EmulatedDevice, read: Any) -> None:
    case = Case()
    before = case.call()
    wrong = case.wrong()
    later = wrong + 1
    asked = wrong[0] if read is float else wrong
    for _ in range(2):
        with pytest.raises(IndexError, match=OUT):
            read(asked)
    for expression in (later, la.persist, la.jit(lambda y: y * 3)):
        with pytest.raises(IndexError, match=OUT):
            value = expression(wrong) if callable(expression) else expression
            np.asarray(value * 2)
    case.right(before)
    for _ in range(5):
        case.right(case.call())


def test_loops_stop(device: EmulatedDevice) -> None:
    case = Case()
    step = la.jit(lambda y, i: y + y[i].sum() * 0)
    y = on_gpu(np.arange(60.0))
    for _ in range(12):
        y = step.persist(y, case.on_gpu)
    np.asarray(y)
    case.write(case.indices + 30)
    with pytest.raises(IndexError, match=r"index (75|78|81|84|87) is out of bounds"):
        for _ in range(200):
            y = step.persist(y, case.on_gpu)
        np.asarray(y)


def test_an_array_that_is_written_to_stays_as_it_was(device: EmulatedDevice) -> None:
    case = Case()
    out = np.full(20, 5.0)
    with pytest.raises(IndexError, match=OUT):
        la.evaluate(case.wrong(), out=out)
    assert (out == 5).all()


def test_waiting_for_a_stream_raises(device: EmulatedDevice) -> None:
    with la.stream() as stream:
        case = Case()
        case.wrong()
        with la.stream() as other:
            other.synchronize()
        with pytest.raises(IndexError, match=OUT):
            stream.synchronize()
        stream.synchronize()
        case.right(case.call())


def test_another_stream_waits_before_it_reads(device: EmulatedDevice) -> None:
    case = Case()
    wrong = case.wrong()
    with la.stream(), pytest.raises(IndexError, match=OUT):
        np.asarray(wrong + 1)


def test_only_what_was_queued_in_between_is_suspect() -> None:
    tickets = iter(range(100))
    reports = DeferredReports(lambda: next(tickets))
    seen: list[str] = []

    def fails() -> None:
        seen.append("look")
        raise IndexError("far")

    reports.add("work", next(tickets), fails)
    reports.settle(0)  # not done yet
    reports.add("work", next(tickets), fails)
    assert not seen
    reports.settle(next(tickets))
    ((after, known, error),) = reports.failures
    assert str(error) == "far"
    for ticket in range(12):
        if after < ticket <= known:
            with pytest.raises(IndexError, match="far"):
                reports.refuse(ticket)
        else:
            reports.refuse(ticket)
    reports.settle(next(tickets))
    assert seen == ["look"]


def test_a_step_gives_nothing_away_before_it_is_known_to_be_right(device: EmulatedDevice) -> None:
    case = Case()
    step = la.jit(lambda y, x, i: y + x[i], donate=0)
    for _ in range(8):
        y = step.persist(on_gpu(np.zeros(20)), case.x, case.on_gpu)
        assert not device.main.deferred.pending
    kept = y.compute()
    case.write(np.full(20, 77))
    with pytest.raises(IndexError, match=OUT):
        step.persist(y, case.x, case.on_gpu)
    np.testing.assert_array_equal(y.compute(), kept)
    case.write(case.indices)
    again = step.persist(y, case.x, case.on_gpu)
    np.testing.assert_array_equal(again.compute(), kept + case.indices)


def test_results_of_work_that_is_waited_for_at_once_are_refused(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_row(monkeypatch, tuning, reports_pending=0, runs_before_ready=1, runs_before_replay=1000)
    case = Case()
    for _ in range(3):
        with pytest.raises(IndexError, match=OUT):
            case.wrong().compute()
        case.right(case.call())


def test_reports_that_are_read_before_results_are_made_count_for_these() -> None:
    tickets = iter(range(1, 100))
    reports = DeferredReports(lambda: next(tickets))

    def fails() -> None:
        raise IndexError("far")

    result = reports.add("work", next(tickets), fails)
    reports.settle(next(tickets))  # by another thread, say
    with pytest.raises(IndexError, match="far"):
        reports.refuse(result)


def test_what_is_seen_while_a_step_waits_counts_for_what_the_step_computes(
    device: EmulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = Case()
    wrong = case.wrong()
    queue = StepByStep._queue

    def waiting(self: StepByStep, request: Any) -> Any:
        device.main.synchronize()  # as a decomposition does, which looks at its outcome
        return queue(self, request)

    monkeypatch.setattr(StepByStep, "_queue", waiting)
    with pytest.raises(IndexError, match=OUT):
        la.persist(wrong * 5 - 2)
