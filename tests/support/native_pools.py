"""Jobs of native pools, and pools of other systems."""

from __future__ import annotations

import ctypes
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

from lazyarr.core.config import Config
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.threads import native_pool
from lazyarr.runtime.cpu.threads.native_pool import NativePool
from lazyarr.runtime.cpu.threads.native_pool_ir import ENTRY, pool_text
from lazyarr.runtime.cpu.threads.native_pool_layout import ASLEEP, PARKING_SLOTS

INT64 = np.dtype(np.int64)
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p)

#: Adds one to the count of each item, atomically, after some arithmetic.
TALLY = Source(
    "llvm",
    """
define void @kernel(i64 %begin, i64 %end, ptr %counts, i64 %work) #0 {
entry:
  %any = icmp slt i64 %begin, %end
  br i1 %any, label %items, label %done
items:
  %i = phi i64 [ %begin, %entry ], [ %i.next, %after ]
  br label %loop
loop:
  %k = phi i64 [ 0, %items ], [ %k.next, %loop ]
  %v = phi i64 [ %i, %items ], [ %v.next, %loop ]
  %x = mul i64 %v, 6364136223846793005
  %v.next = add i64 %x, 1442695040888963407
  %k.next = add i64 %k, 1
  %more = icmp slt i64 %k.next, %work
  br i1 %more, label %loop, label %after
after:
  call void asm sideeffect "", "r"(i64 %v.next)  ; so that the arithmetic is done
  %at = getelementptr i64, ptr %counts, i64 %i
  %old = atomicrmw add ptr %at, i64 1 monotonic
  %i.next = add i64 %i, 1
  %i.more = icmp slt i64 %i.next, %end
  br i1 %i.more, label %items, label %done
done:
  ret void
}
""",
    "kernel",
    (Parameter("counts", INT64, True), Parameter("work", INT64, False)),
)


def build(architecture: str, steering: bool) -> NativePool:
    """Return a pool whose text is that of another system."""
    text = pool_text(architecture, time.CLOCK_MONOTONIC, steering)
    source = Source("llvm", text, ENTRY, (Parameter("places", INT64, True),))
    return NativePool(native_pool._bind(compiler.load_support(source, Config(cache_dir="off"))))


def run(
    team: NativePool,
    work: Callable[[int, int, int], int | None],
    count: int,
    *,
    threads: int,
    chunk: int,
    block: bytes = b"\0" * 8,
    scratch: tuple[int, tuple[int, ...]] | None = None,
) -> int:
    """Let a pool call ``work(begin, end, address of the block)``; raise what it raises."""
    errors: list[BaseException] = []

    def call(begin: int, end: int, address: int) -> int:
        try:
            return work(begin, end, address) or 0
        except BaseException as error:  # noqa: BLE001 - raised below
            errors.append(error)
            return 0

    entry = CALLBACK(call)
    address = ctypes.cast(entry, ctypes.c_void_p).value
    assert address is not None
    result = team.run(address, block, count, threads, chunk, scratch)
    if errors:
        raise errors[0]
    return result


def asleep(team: NativePool) -> int:
    """Return the number of workers that sleep: one who is called is not among them any more."""
    bits = ctypes.string_at(team._address + ASLEEP, PARKING_SLOTS // 8)
    return int.from_bytes(bits, "little").bit_count()


def fall_asleep(team: NativePool) -> None:
    """Wait until all workers sleep, however long others keep them from it."""
    while asleep(team) < team.size:
        time.sleep(0.001)


def subprocess_output(code: str, timeout: float = 600) -> str:
    """Return the output of a fresh interpreter."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout.strip()
