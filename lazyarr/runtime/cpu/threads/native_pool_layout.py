"""The memory layout of the native pool: offsets in its memory and in job descriptors, and flags.

:mod:`lazyarr.runtime.cpu.threads.native_pool_ir` says what they are for.
"""

from __future__ import annotations

from lazyarr.runtime.cpu import tuning

#: Workers at most, and jobs in flight at most; more callers work alone.
PARKING_SLOTS = 1024
SLOTS = 32

# Offsets in bytes. What different threads write lies in different cache lines.
EPOCH = 0
STOP = 64
SPINNING = 128
LAST = 192
ASLEEP = 256  # PARKING_SLOTS bits
HEADER = 448  # eight numbers that Python writes once: see `SPINS`
SLOT_AT, SLOT_SIZE = 512, 832 + 64 * 64
PARKING_AT, PARKING_SIZE = SLOT_AT + SLOTS * SLOT_SIZE, 256
SIZE = PARKING_AT + PARKING_SLOTS * PARKING_SIZE

SPINS = {"worker_spin": HEADER, "caller_spin": HEADER + 8, "spinners": HEADER + 16}

OWNER = 0
GATE = 64
CLOSED = 128
JOINED, RESULT = 192, 200
JOB = 256  # copied from the descriptor, then the block and the positions
SLOT_MUTEX, SLOT_CONDITION = 384, 512
PROCESSOR, MASK_BYTES, MASK = 640, 128, 704  # where the caller runs, and all where it may but there
#: Ranges of a job at most, each in a cache line of its own: the next item, and the end.
RANGES, RANGES_AT, RANGE_SIZE = 64, 832, 64

CALLED, THREAD, AVOIDED = 0, 8, 16
PARKING_MUTEX, PARKING_CONDITION = 64, 160

# A descriptor: these numbers, then the positions.
_NUMBERS = (
    "entry",
    "words",
    "count",
    "chunk",
    "limit",
    "ranges",
    "scratch",
    "positions",
    "calls",
    "budget",
    "alone",
)
DESCRIPTOR = {name: 8 * place for place, name in enumerate(_NUMBERS)}
NUMBERS_SIZE = 8 * len(_NUMBERS)

#: Nanoseconds.
BUSY = tuning.row().busy_ns
LONG = tuning.row().long_ns

OPEN = 1 << 32
WAITER = 1 << 33
INSIDE = OPEN - 1
#: What `run` says of the rest of a job is above, what happened below.
RESULT_BITS = 16
#: What `run` says of the rest: 0, there is none; this, it is in the job's slot; and what is above,
#: less one, is the item where it begins.
IN_SLOT = 1
