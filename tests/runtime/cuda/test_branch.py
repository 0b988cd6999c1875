"""Branches of a run: the driver's calls by which a second stream forks and is joined."""

from __future__ import annotations

from collections import deque
from types import SimpleNamespace
from typing import Any

import pytest

from lazyarr.runtime.cuda.branch import Branch
from lazyarr.runtime.cuda.marks import Mark
from lazyarr.runtime.cuda.recorder import Recorder


class Driver:
    """What `pycuda.driver` is to a branch; `calls` is what it was asked for."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self.events = 0
        driver = self

        class Stream:
            def __init__(self, name: str = "side") -> None:
                self.name = name
                self.handle = {"main": 1, "side": 2}[name]

            def wait_for_event(self, event: Any) -> None:
                driver.calls.append((self.name, "waits for", event.name))

        class Event:
            def __init__(self, flags: int = 0) -> None:
                assert flags == driver.event_flags.DISABLE_TIMING
                self.name = f"e{driver.events}"
                driver.events += 1

            def record(self, stream: Stream) -> Any:
                driver.calls.append((stream.name, "records", self.name))
                return self

        self.event_flags = SimpleNamespace(DISABLE_TIMING=2)
        self.Stream, self.Event = Stream, Event

    def branch(self) -> Branch:
        side, free = self.Stream(), deque[Any]()

        def record(stream: Any) -> Mark:
            return Mark(self.Event(2).record(stream), free)

        return Branch(self.Stream("main"), lambda: side, record)


FORK = [("main", "records", "e0"), ("side", "waits for", "e0")]


def test_work_forks_where_its_operands_are_ready_and_is_joined_by_name() -> None:
    driver = Driver()
    with driver.branch() as branch:
        assert branch.fork() == 2
        branch.leave("first")
        assert branch.fork() == 2
        branch.leave("second")
        branch.join(["another"])
        branch.join(["first"])
        branch.join(["first"])  # it was waited for
        assert driver.calls == [
            *FORK,
            ("side", "records", "e1"),
            ("main", "records", "e2"),
            ("side", "waits for", "e2"),
            ("side", "records", "e3"),
            ("main", "waits for", "e1"),
        ]
    assert driver.calls[-1] == ("main", "waits for", "e3")


def test_what_does_not_fork_asks_the_driver_for_nothing() -> None:
    driver = Driver()
    with driver.branch() as branch:
        branch.leave("step")
        branch.join(["step"])
    assert not driver.calls


def test_memory_that_the_work_uses_is_kept_until_it_is_joined() -> None:
    class Block:
        """Memory; notes what the driver was asked for before it is given back."""

        def __del__(self) -> None:
            driver.calls.append(("given back",))

    driver = Driver()
    with driver.branch() as branch:
        branch.fork(Block())
        branch.leave("step")
        assert ("given back",) not in driver.calls
        branch.join(["step"])
        assert driver.calls[-2:] == [("main", "waits for", "e1"), ("given back",)]


def test_a_run_that_fails_waits_for_what_goes_on_beside_it() -> None:
    driver = Driver()
    with pytest.raises(KeyError), driver.branch() as branch:
        branch.fork()
        branch.leave("first")
        branch.fork()
        raise KeyError
    waits = [call for call in driver.calls if call[:2] == ("main", "waits for")]
    assert len(waits) == 2 and driver.calls[-2:] == waits
    assert driver.calls[-3] == ("side", "records", "e3")  # behind what was left unfinished


def test_the_error_of_a_run_is_not_hidden_by_that_of_the_driver() -> None:
    driver = Driver()

    def refuse(*_: Any) -> None:
        raise OSError("the context is destroyed")

    with pytest.raises(KeyError), driver.branch() as branch:
        branch.fork()
        driver.Event.record = refuse  # type: ignore[method-assign]
        raise KeyError


def test_a_recorder_captures_the_stream_beside_and_joins_it() -> None:
    driver = Driver()
    queue: Any = SimpleNamespace(libraries=None, compile=None, counters=None, pool=None)
    recorder = Recorder(queue, driver.Stream("main"), driver)
    for number in range(2):
        driver.calls.clear()
        with recorder.branch() as branch:
            assert branch.fork() == 2
            branch.leave("step")
        first, last = f"e{2 * number}", f"e{2 * number + 1}"
        assert driver.calls == [
            ("main", "records", first),
            ("side", "waits for", first),
            ("side", "records", last),
            ("main", "waits for", last),
        ]
