"""Threads that help, of which any number may not begin."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable
from itertools import chain

import pytest

from lazyarr.runtime.cpu.threads.helpers import Helpers


def test_helpers_share_the_work() -> None:
    pieces = iter(range(10_000))
    barrier = threading.Barrier(3)
    done: list[list[int]] = []

    def work() -> None:
        barrier.wait(30)
        done.append(list(pieces))

    helpers = Helpers(work)
    helpers.start(2)
    work()
    helpers.join()
    assert len(done) == 3
    assert sorted(chain.from_iterable(done)) == list(range(10_000))


def test_join_waits_for_who_has_begun() -> None:
    begun, ended = threading.Event(), threading.Event()
    goes_on = threading.Event()

    def work() -> None:
        begun.set()
        assert goes_on.wait(30)
        ended.set()

    helpers = Helpers(work)
    helpers.start(1)
    assert begun.wait(30)
    threading.Timer(0.05, goes_on.set).start()
    helpers.join()
    assert ended.is_set()


def refuse(work: Callable[[], None], arguments: tuple[()]) -> int:
    raise RuntimeError("can't start new thread")


def without_memory(work: Callable[[], None], arguments: tuple[()]) -> int:
    raise MemoryError


def never_begin(work: Callable[[], None], arguments: tuple[()]) -> int:
    return 1


@pytest.mark.parametrize("start", [refuse, without_memory, never_begin])
def test_nobody_waits_for_helpers_that_do_not_begin(
    start: Callable[..., int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_thread, "start_new_thread", start)
    helpers = Helpers(lambda: None)
    helpers.start(3)
    helpers.join()
