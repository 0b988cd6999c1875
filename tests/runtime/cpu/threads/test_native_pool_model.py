"""Every interleaving of a small model of the pool's protocol.

A thread of the model is a place in a program, and a few numbers. Each step is one atomic operation
of ``lazyarr/runtime/cpu/threads/native_pool_ir.py``, or a section under a mutex; a step that
returns None cannot be
taken now. The walk takes every order of steps, and checks in each state that

- a job is never replaced while somebody reads it, and no chunk is done twice;
- all chunks are done when the caller returns;
- some thread can go on, unless all have ended: no waking is lost. A worker that a caller fails to
  wake would only cost time; so at the end the workers are stopped, who then must wake.

The model is sequentially consistent. That suffices: the code uses weaker orders only for data that
the gate guards, and the places that need one order for all (the epoch, the sleepers' bits, and the
number of the spinning) have it.

One thing differs: where all slots are taken, a caller of the model waits and does not work alone,
so that callers fight for the one slot that there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest


class World:
    """What all threads share. All values are immutable, so that a copy is shallow."""

    def __init__(self, workers: int, chunks: int, ranges: int, late: bool) -> None:
        self.workers = workers
        self.chunks = chunks
        self.ends = tuple((k + 1) * chunks // ranges for k in range(ranges))
        self.late = late  # whether the caller's time is up after each chunk
        self.epoch = 0
        self.stop = False
        self.spinning = 0
        self.asleep: frozenset[int] = frozenset()
        self.called = (False,) * workers
        self.locked = (False,) * (workers + 1)  # the parking slots' mutexes, and the slot's
        self.waiting = (False,) * (workers + 1)  # who sleeps on their conditions
        self.owner = False
        self.open = False
        self.waiter = False
        self.inside = 0
        self.next = self.ends
        self.closed = True
        self.job = 0
        self.reading = 0  # for checking alone
        self.done = (0,) * chunks
        self.callers = 0


class Thread:
    """Where a thread is, and its own variables."""

    def __init__(self, place: str, index: int, jobs: int = 0) -> None:
        self.place = place
        self.index = index
        self.jobs = jobs
        self.job = self.seen = self.want = self.who = self.chunk = 0
        self.range = self.visited = 0
        self.flag = False


Step = Callable[[World, Thread], str | None]
Part = TypeVar("Part", World, Thread)


def copied(part: Part) -> Part:
    """Return a shallow copy, in a third of the time of `copy.copy`."""
    result = object.__new__(type(part))
    vars(result).update(vars(part))
    return result


def put(values: tuple[bool, ...], at: int, value: bool) -> tuple[bool, ...]:
    return (*values[:at], value, *values[at + 1 :])


def programs(mistake: str) -> dict[str, Step]:
    """Return the steps by place; `mistake` leaves out or exchanges one."""
    steps: dict[str, Step] = {}

    def step(function: Step) -> Step:
        steps[function.__name__] = function
        return function

    # -- a caller

    @step
    def claim(w: World, t: Thread) -> str | None:
        if w.owner:
            return None
        w.owner = True
        return "write"

    @step
    def write(w: World, t: Thread) -> str:
        assert w.reading == 0, "a job is replaced while somebody reads it"
        w.job += 1
        t.job = w.job
        w.next = (0, *w.ends[:-1])
        w.closed = False
        w.done = (0,) * w.chunks
        return "open_gate"

    @step
    def open_gate(w: World, t: Thread) -> str:
        w.open = True
        return "publish"

    @step
    def publish(w: World, t: Thread) -> str:
        w.epoch += 1
        return "count_spinning"

    @step
    def count_spinning(w: World, t: Thread) -> str:
        t.want = min(2, w.workers - w.spinning)
        return "wake"

    @step
    def wake(w: World, t: Thread) -> str:
        if t.want <= 0 or not w.asleep:
            if t.index >= 0:
                return "begin"
            return "stop_publish" if mistake == "epoch last" else "end"
        t.who = min(w.asleep)
        return "wake_bit"

    @step
    def wake_bit(w: World, t: Thread) -> str:
        if t.who not in w.asleep:
            return "wake"
        w.asleep -= {t.who}
        return "wake_call"

    @step
    def wake_call(w: World, t: Thread) -> str | None:
        if w.locked[t.who]:
            return None
        w.called = put(w.called, t.who, True)
        return "wake_signal"

    @step
    def wake_signal(w: World, t: Thread) -> str:
        w.waiting = put(w.waiting, t.who, False)
        t.want -= 1
        return "wake"

    @step
    def begin(w: World, t: Thread) -> str:
        # The caller is number 0, and helpers are others.
        t.range = 0 if t.jobs else (1 + t.index) % len(w.ends)
        t.visited = 1
        return "look_closed"

    @step
    def look_closed(w: World, t: Thread) -> str:
        assert w.job == t.job, "a job is replaced while somebody works on it"
        return "out" if w.closed else "peek"

    @step
    def peek(w: World, t: Thread) -> str:
        assert w.job == t.job, "a job is replaced while somebody works on it"
        return "take" if w.next[t.range] < w.ends[t.range] else elsewhere(w, t)

    @step
    def take(w: World, t: Thread) -> str:
        assert w.job == t.job, "a job is replaced while somebody works on it"
        t.chunk = w.next[t.range]
        w.next = (*w.next[: t.range], t.chunk + 1, *w.next[t.range + 1 :])
        return "do" if t.chunk < w.ends[t.range] else elsewhere(w, t)

    def elsewhere(w: World, t: Thread) -> str:
        if t.visited == len(w.ends):
            return "close"
        t.visited += 1
        t.range = (t.range + 1) % len(w.ends)
        return "look_closed"

    @step
    def do(w: World, t: Thread) -> str:
        assert w.job == t.job, "a job is replaced while somebody works on it"
        done = list(w.done)
        done[t.chunk] += 1
        w.done = tuple(done)
        return "close" if t.jobs and w.late else "look_closed"

    @step
    def close(w: World, t: Thread) -> str:
        w.closed = True
        return "out"

    @step
    def out(w: World, t: Thread) -> str:
        if t.jobs:
            return "shut"
        w.reading -= 1
        return "leave"

    @step
    def shut(w: World, t: Thread) -> str:
        w.open = False
        return "check" if mistake == "no waiting" else "look_inside"

    @step
    def look_inside(w: World, t: Thread) -> str:
        return "say" if w.inside else "check"

    @step
    def say(w: World, t: Thread) -> str:
        w.waiter = True
        return "wait_lock"

    @step
    def wait_lock(w: World, t: Thread) -> str | None:
        if w.locked[-1]:
            return None
        w.locked = put(w.locked, w.workers, True)
        return "wait_look"

    @step
    def wait_look(w: World, t: Thread) -> str:
        if w.inside or mistake == "no second look":
            return "wait_fall_asleep"
        w.locked = put(w.locked, w.workers, False)
        return "unsay"

    @step
    def wait_fall_asleep(w: World, t: Thread) -> str:
        w.locked = put(w.locked, w.workers, False)
        w.waiting = put(w.waiting, w.workers, True)
        return "wait_sleep"

    @step
    def wait_sleep(w: World, t: Thread) -> str | None:
        if w.waiting[-1]:
            return None
        return "unsay" if mistake == "no second look" else "wait_lock"

    @step
    def unsay(w: World, t: Thread) -> str:
        w.waiter = False
        return "check"

    @step
    def check(w: World, t: Thread) -> str:
        if any(at < end for at, end in zip(w.next, w.ends, strict=True)):
            assert w.late and w.reading == 0
            return "go_on"
        assert w.done == (1,) * w.chunks, "a caller returns before all is done"
        w.owner = False
        t.jobs -= 1
        if t.jobs:
            return "claim"
        w.callers -= 1
        return "end"

    @step
    def go_on(w: World, t: Thread) -> str:
        w.closed = False
        return "open_gate"

    # -- a worker

    @step
    def read(w: World, t: Thread) -> str:
        t.seen = w.epoch
        return "look_stop"

    @step
    def look_stop(w: World, t: Thread) -> str:
        return "end" if w.stop else "guess"

    @step
    def guess(w: World, t: Thread) -> str:
        t.flag = w.open and not w.closed
        return "enter" if t.flag else "spin"

    @step
    def enter(w: World, t: Thread) -> str:
        if mistake != "enter unseen":
            t.flag = w.open  # what the addition to the gate found there
        w.inside += 1
        return "join" if t.flag else "leave"

    @step
    def join(w: World, t: Thread) -> str:
        w.reading += 1
        t.job = w.job
        return "begin"

    @step
    def leave(w: World, t: Thread) -> str:
        last = w.inside == 1 and w.waiter
        w.inside -= 1
        if last:
            return "leave_unlocked" if mistake == "no mutex" else "leave_locked"
        return "read" if t.flag else "spin"

    @step
    def leave_locked(w: World, t: Thread) -> str | None:
        return None if w.locked[-1] else leave_unlocked(w, t)

    @step
    def leave_unlocked(w: World, t: Thread) -> str | None:
        w.waiting = put(w.waiting, w.workers, False)
        return "read" if t.flag else "spin"

    @step
    def spin(w: World, t: Thread) -> str:
        w.spinning += 1
        return "spin_look"

    @step
    def spin_look(w: World, t: Thread) -> str:
        t.flag = w.epoch != t.seen
        return "spin_end"

    @step
    def spin_end(w: World, t: Thread) -> str:
        w.spinning -= 1
        if t.flag:
            return "read"
        return "again" if mistake == "bit last" else "uncall"

    @step
    def uncall(w: World, t: Thread) -> str | None:
        if w.locked[t.index]:
            return None
        w.called = put(w.called, t.index, False)
        return "lie_down"

    @step
    def lie_down(w: World, t: Thread) -> str:
        w.asleep |= {t.index}
        return "park" if mistake == "bit last" else "again"

    @step
    def again(w: World, t: Thread) -> str:
        if mistake == "bit last":
            return "uncall" if w.epoch == t.seen else "read"
        return "park" if w.epoch == t.seen else "get_up"

    @step
    def get_up(w: World, t: Thread) -> str:
        if t.index in w.asleep:
            w.asleep -= {t.index}
            return "read"
        return "park"

    @step
    def park(w: World, t: Thread) -> str | None:
        if w.locked[t.index]:
            return None
        w.locked = put(w.locked, t.index, True)
        return "park_look"

    @step
    def park_look(w: World, t: Thread) -> str:
        if not w.called[t.index]:
            return "park_fall_asleep"
        w.locked = put(w.locked, t.index, False)
        return "read"

    @step
    def park_fall_asleep(w: World, t: Thread) -> str:
        w.locked = put(w.locked, t.index, False)
        w.waiting = put(w.waiting, t.index, True)
        return "park_sleep"

    @step
    def park_sleep(w: World, t: Thread) -> str | None:
        return None if w.waiting[t.index] else "park"

    # -- who stops the workers when the callers are through: nothing but a waking can end these

    @step
    def stop(w: World, t: Thread) -> str | None:
        if w.callers:
            return None
        w.stop = True
        t.want = w.workers
        return "wake" if mistake == "epoch last" else "stop_publish"

    @step
    def stop_publish(w: World, t: Thread) -> str:
        w.epoch += 1
        return "stop_end" if mistake == "epoch last" else "wake"

    @step
    def stop_end(w: World, t: Thread) -> str:
        return "end"

    return steps


def explore(
    jobs: tuple[int, ...],
    workers: int,
    chunks: int,
    ranges: int = 1,
    late: bool = False,
    mistake: str = "",
) -> int:
    """Walk through all orders of steps; return the number of states."""
    steps = programs(mistake)
    world = World(workers, chunks, ranges, late)
    world.callers = len(jobs)
    threads = [Thread("claim", k, count) for k, count in enumerate(jobs)]
    threads += [Thread("read", k) for k in range(workers)]
    threads.append(Thread("stop", -1))
    seen: set[object] = set()
    states = tuple(tuple(vars(thread).values()) for thread in threads)
    stack = [(world, tuple(threads), states)]
    while stack:
        world, here, states = stack.pop()
        stuck = True
        for number, thread in enumerate(here):
            if thread.place == "end":
                continue
            after, moved = copied(world), copied(thread)
            place = steps[thread.place](after, moved)
            if place is None:
                continue
            stuck = False
            moved.place = place
            state = tuple(vars(moved).values())
            new = (*states[:number], state, *states[number + 1 :])
            key = (*vars(after).values(), new)
            if key not in seen:
                seen.add(key)
                stack.append((after, (*here[:number], moved, *here[number + 1 :]), new))
        if stuck:
            places = [thread.place for thread in here]
            assert set(places) == {"end"}, f"nobody can go on: {places}"
    return len(seen)


#: Jobs of each caller, workers, chunks, ranges, and whether the caller's time is always up.
CASES = [
    ((1,), 1, 1, 1, False),
    ((2,), 1, 1, 1, False),
    ((2,), 1, 2, 1, False),
    ((1,), 1, 3, 2, False),
    ((2,), 1, 2, 2, True),
    ((1, 1), 1, 1, 1, False),
]


@pytest.mark.parametrize("jobs, workers, chunks, ranges, late", CASES)
def test_every_order_of_steps(
    jobs: tuple[int, ...], workers: int, chunks: int, ranges: int, late: bool
) -> None:
    assert explore(jobs, workers, chunks, ranges, late) > 100


@pytest.mark.slow
@pytest.mark.parametrize(
    "jobs, workers, chunks, ranges, late",
    [((1,), 2, 1, 1, False), ((1,), 1, 4, 2, True), ((1, 1), 1, 2, 1, False)],
)
def test_every_order_of_more_steps(
    jobs: tuple[int, ...], workers: int, chunks: int, ranges: int, late: bool
) -> None:
    assert explore(jobs, workers, chunks, ranges, late) > 1000


@pytest.mark.parametrize(
    "mistake",
    ["epoch last", "bit last", "no waiting", "no second look", "no mutex", "enter unseen"],
)
def test_the_model_notices(mistake: str) -> None:
    with pytest.raises(AssertionError):
        for case in CASES:
            explore(*case, mistake)
