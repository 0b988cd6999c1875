"""Memory that knows which call of a kernel wrote each element."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.loop_ir.kernel import (
    Pointer,
)
from tests.support.kernel_checks import HALF, Fault


class Memory:
    """Bytes, as the scalars that were stored at each byte offset."""

    def __init__(self, name: str, values: dict[int, Any] | None = None) -> None:
        self.name = name
        self.values: dict[int, Any] = {} if values is None else values
        self.limit: int | None = None
        self.calls_written: dict[int, tuple[int, str]] = {}
        self.calls_read: dict[int, tuple[int, str]] = {}

    def begin_launch(self) -> None:
        """Forget who touched what."""
        self.calls_written.clear()
        self.calls_read.clear()


class Window:
    """Memory as one pointer of one call sees it."""

    __slots__ = ("call", "dtype", "memory", "offset", "pointer", "register")

    def __init__(self, memory: Memory, offset: int, pointer: Pointer, call: int) -> None:
        self.memory = memory
        self.offset = offset
        self.pointer = pointer.name
        self.dtype = pointer.dtype
        self.call = call
        self.register = np.float32 if pointer.dtype == HALF else pointer.dtype.type

    def load(self, index: int) -> Any:
        memory = self.memory
        at = self.offset + int(index) * self.dtype.itemsize
        value = memory.values.get(at)
        if value is None:
            raise Fault(f"{self.pointer}[{index}] reads nothing: {memory.name} at byte {at}")
        if value.dtype != self.dtype:
            raise Fault(f"{self.pointer}[{index}] reads {value.dtype} as {self.dtype}")
        written = memory.calls_written.get(at)
        if written is not None and written != (self.call, self.pointer):
            raise Fault(f"{self.pointer}[{index}] in call {self.call} reads what {written} wrote")
        array = memory.calls_read.get(at)
        mine = (self.call, self.pointer)
        if array is None:
            memory.calls_read[at] = mine
        elif array != mine:
            memory.calls_read[at] = (-1, "several")
        return self.register(value)

    def store(self, index: int, value: Any) -> None:
        memory = self.memory
        at = self.offset + int(index) * self.dtype.itemsize
        if at < 0 or (memory.limit is not None and at + self.dtype.itemsize > memory.limit):
            raise Fault(f"{self.pointer}[{index}] is outside {memory.name}: byte {at}")
        mine = (self.call, self.pointer)
        for array in (memory.calls_written.get(at), memory.calls_read.get(at)):
            if array is not None and array != mine:
                raise Fault(f"{self.pointer}[{index}] in call {self.call} writes what {array} uses")
        memory.calls_written[at] = mine
        memory.values[at] = self.dtype.type(value)
