"""The time of a GPU's elementwise kernel, predicted from its loads and operations.

::

    time = launch + norm(memory, L2, max(L1, arithmetic, issue), waiting)

Memory is what the kernel reads and writes of DRAM, each byte once; L2 is what its blocks load, each
sector once a block; L1 counts the cache lines that each load of a warp touches; arithmetic is the
op table's cost of each element at the rate of its dtype's pipe, and issue the instructions of all
warps. Waiting is the time of a thread's loads, nearly one after another since compilers keep few of
them under way, by the rounds in which the multiprocessors hold all threads: a thread's registers
bound how many there are at a time. The norm is that of order 4, a maximum that
ties do not escape. The rates are those of the architecture's tuning row.
"""

from __future__ import annotations

from lazyarr.codegen.cuda import tuning
from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.cuda_kernel import WARP

__all__ = ["BlockWork", "predict"]


@dataclass(frozen=True, slots=True)
class BlockWork:
    """The work of a kernel's blocks.

    Attributes
    ----------
    blocks, threads : int
        Of the kernel, and of a block.
    memory_bytes : int
        That are read and written, each once.
    block_bytes : int
        That a block loads, each sector once.
    lines : float
        Cache lines that the loads and stores of a warp touch, counted once a load.
    arithmetic : float
        Cycles of a multiprocessor for the arithmetic of a warp.
    instructions : float
        Of a warp.
    registers : int
        Of a thread.
    loads : float
        Of a thread, one after another.
    """

    blocks: int
    threads: int
    memory_bytes: int
    block_bytes: int
    lines: float
    arithmetic: float
    instructions: float
    registers: int
    loads: float


def resident_threads(registers: int, threads: int) -> int:
    """Return the threads that a multiprocessor holds at a time.

    Parameters
    ----------
    registers : int
        Of a thread.
    threads : int
        Of a block.

    Examples
    --------
    >>> resident_threads(32, 256), resident_threads(128, 256)
    (2048, 512)
    """
    row = tuning.row()
    room = row.registers // (-(-registers // 8) * 8)
    return max(1, min(row.resident_threads, room) // threads) * threads


def predict(work: BlockWork) -> float:
    """Return the predicted seconds of one run."""
    row = tuning.row()
    warps = work.blocks * work.threads / WARP
    resident = resident_threads(work.registers, work.threads)
    rate = row.memory_rate if work.memory_bytes > row.l2_bytes else row.l2_rate
    rounds = work.blocks * work.threads / (row.multiprocessors * resident)
    busy = max(1, min(work.blocks, row.multiprocessors)) / row.multiprocessors
    cycles = max(work.lines, work.arithmetic, work.instructions / row.issued) * warps
    waiting = max(1.0, rounds) * work.loads * row.load_ns
    parts = (
        work.memory_bytes / rate / busy,
        work.blocks * work.block_bytes / row.l2_rate / busy,
        cycles / row.multiprocessors / row.clock / busy,
        waiting,
    )
    # Of parts that take alike each hides less of the others.
    together = float(sum(part**row.overlap for part in parts) ** (1 / row.overlap))
    return (row.launch_ns + together) / row.second_ns
