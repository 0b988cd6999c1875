"""The native half of the pool: LLVM IR that hands out chunks, waits, sleeps and wakes.

The text is in ``native_pool.ll`` and, of callers, ``native_pool_callers.ll``. What follows is the
protocol, with the order of each atomic operation and why it suffices.
``tests/runtime/cpu/threads/test_native_pool_model.py`` walks through every interleaving of a model
of it.

Memory
    One block of ``SIZE`` bytes, of which nothing is ever freed: a thread that comes late may
    touch a slot or a parking slot whose job or sleeper is long gone, and finds only counters there.

    *pool*: ``epoch`` counts publications, ``spinning`` the workers that look for work without
    sleeping, ``asleep`` has a bit for each worker that sleeps or is about to.
    *slot*: one job in flight. ``owner`` is the caller's number for it, or 0. ``gate`` counts, in
    its low half, the threads inside, and has two flags: OPEN, while helpers may enter, and WAITER,
    while the caller sleeps until all are out. A *range* has the items from one to another. There
    are as many as threads, so that each goes through memory of its own, in order, and finds there
    what it left in its cache the last time. A range's ``next`` is its first item not handed out.
    ``closed`` says that nothing more is to be taken, ``joined`` counts the threads that ever
    entered, ``result`` is what happened.
    *parking slot*: where one worker sleeps: ``called``, a mutex and a condition.

A caller
    1. takes a free slot: ``owner`` 0 -> its number, *acquire*, after the last owner's *release*;
    2. writes the job; then ``gate += OPEN``, *release*: who enters sees the job;
    3. ``epoch += 1``, *sequentially consistent*; then reads ``spinning`` and ``asleep``, likewise,
       and calls as many sleepers as the spinning leave wanting, two at most: those call others.
       For a job of few chunks it does so only if another came within the last ``BUSY`` nanoseconds,
       or if it is known to be long: its descriptor keeps about the least time that it took one
       thread, which its callers write, *relaxed*, for any of these times will do;
    4. takes chunks, ``next += chunk``, *relaxed*: the addition alone makes a chunk one thread's.
       It begins with the range of its own number, and helps in the others when that is done. Who
       finds them all done sets ``closed``, *relaxed*, which only spares others the same walk;
    5. ``gate -= OPEN``: nobody enters any more. It waits until nobody is inside: each leaving is
       a *release*, each look an *acquire*, so all that helpers wrote is there to read. It spins
       first; then it sets WAITER and sleeps, and looks again with the slot's mutex held. Who leaves
       last and finds WAITER takes that mutex before it wakes the caller: either the caller's look
       comes after the leaving, or the waking after the caller's falling asleep;
    6. ``owner = 0``, *release*.

A worker
    1. reads ``epoch``, *acquire*, then looks through all slots;
    2. enters an open one: ``gate += 1``, *acquire*. Only if OPEN was set it is inside and reads the
       job; else it leaves at once. It may so enter another job than it meant to, which is as good;
    3. takes ``joined += 1`` as its number, which chooses its scratch memory; works; leaves;
    4. finds no work: spins while ``epoch`` is what it read, and lets others run on its processor
       every microsecond: BLAS's workers, say, whose callers would wait for them;
    5. ``spinning -= 1``, sets its bit in ``asleep``, and reads ``epoch``, all *sequentially
       consistent*. A caller adds to ``epoch`` before it reads those two. So, of the two, one sees
       what the other wrote: the worker a new epoch, or the caller a sleeper (Dekker's argument);
    6. sleeps until ``called``. Who clears a bit in ``asleep`` calls, and nobody else. A worker that
       wants to stay awake after all clears its own, and if another was quicker awaits that call.

Linux likes to run a woken thread where its waker runs, expecting the waker to sleep soon. Ours goes
on to work, and the two would share one processor for milliseconds while another idles. So a caller
notes in its slot on which processor it is, and who is woken for that job is first forbidden to run
there, if it is not already; who comes in on that very processor goes elsewhere.

A caller depends on no worker: with none it does all the work. So nothing here can deadlock, in
whatever thread and however deeply nested it is called.

Chunks end when the caller's time is up: it sets ``closed``, waits as above, and returns with its
slot still taken and the ranges as they are, for the next call to open again. In between Python
handles signals; if one raises, it gives the slot up. A job outside the slots has one range, and
what is left of it is where that begins.
"""

from __future__ import annotations

from lazyarr.core.text_files import filled_in, text_file
from lazyarr.runtime.cpu.threads import native_pool_layout

__all__ = ["ENTRY", "PLACES", "STEERING", "SYMBOLS", "pool_text"]

#: What the module calls.
SYMBOLS = (
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_cond_init",
    "pthread_cond_wait",
    "pthread_cond_signal",
    "clock_gettime",
    "sched_yield",
)
#: And where threads can be steered to processors: ``affinity.ll``, or else ``no_affinity.ll``.
STEERING = ("sched_getcpu", "sched_getaffinity", "sched_setaffinity")

_PACKAGE = "lazyarr.runtime.cpu.threads"

ENTRY = "pool"
#: What `ENTRY` stores, in this order: the addresses of these functions.
PLACES = ("prepare", "serve", "run", "stop", "abandon")

_PAUSES = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    "aarch64": ("declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"),
}


def pool_text(architecture: str, clock: int, steering: bool) -> str:
    """Return the module.

    Parameters
    ----------
    architecture : str
        The first part of LLVM's target triple.
    clock : int
        The system's number of its monotonic clock.
    steering : bool
        Whether the system has the functions of :data:`STEERING`.
    """
    declaration, pause = _PAUSES.get(architecture.replace("arm64", "aarch64"), ("", ""))
    numbers = {name: n for name, n in vars(native_pool_layout).items() if isinstance(n, int)}
    places = native_pool_layout.DESCRIPTOR.items()
    names = {
        "clock": clock,
        "declare_pause": declaration,
        "pause": pause,
        **numbers,
        **{f"in_{name}": place for name, place in places},
        **{f"job_{name}": native_pool_layout.JOB + place for name, place in places},
        **{f"header_{name}": place for name, place in native_pool_layout.SPINS.items()},
        "job_block": native_pool_layout.JOB + native_pool_layout.NUMBERS_SIZE,
        "job_where": native_pool_layout.JOB + native_pool_layout.NUMBERS_SIZE + 8,
        "ASLEEP_WORDS": native_pool_layout.PARKING_SLOTS // 64,
        "NOT_WAITER": ~native_pool_layout.WAITER,
    }
    affinity = "affinity.ll" if steering else "no_affinity.ll"
    files = "native_pool.ll", "native_pool_callers.ll", affinity
    text = "".join("\n" + text_file(_PACKAGE, file) for file in files)
    return filled_in(text, names)
