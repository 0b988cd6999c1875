"""The description of the processor that cached machine code must match.

Where :mod:`lazyarr.runtime.cpu.objects.linker` loads object code, this is asked without LLVM, whose
library
takes longer to load than a kernel takes to run. Elsewhere LLVM is asked.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from functools import cache

from lazyarr.runtime.cpu.objects.executable_memory import EXECUTABLE, Pages

__all__ = ["architecture", "describe_processor", "why_not"]

# void cpuid(uint32 leaf, uint32 subleaf, uint32 registers[4])
_CPUID = bytes.fromhex(
    "53"  # push rbx
    "4989d0"  # mov r8, rdx
    "89f8"  # mov eax, edi
    "89f1"  # mov ecx, esi
    "0fa2"  # cpuid
    "418900"  # mov [r8], eax
    "41895804"  # mov [r8 + 4], ebx
    "41894808"  # mov [r8 + 8], ecx
    "4189500c"  # mov [r8 + 12], edx
    "5b"  # pop rbx
    "c3"  # ret
)
# uint64 xgetbv(void)
_XGETBV = bytes.fromhex(
    "31c9"  # xor ecx, ecx
    "0f01d0"  # xgetbv
    "48c1e220"  # shl rdx, 32
    "4809d0"  # or rax, rdx
    "c3"  # ret
)
_XGETBV_AT = 64

_A, _B, _C, _D = range(4)
#: Leaf, subleaf, and the registers that report what the processor can do: all that LLVM reads in
#: ``getHostCPUFeatures``. Others describe one core, or of what is switched on now.
_LEAVES = (
    (0x0, 0, (_A, _B, _C, _D)),  # the highest leaf, and the vendor
    (0x1, 0, (_A, _C, _D)),  # family, model and stepping; SSE to AVX, FMA, F16C
    (0x7, 0, (_A, _B, _C, _D)),  # AVX2, BMI, AVX-512
    (0x7, 1, (_A, _B, _C, _D)),
    (0xD, 1, (_A,)),  # how registers are saved
    (0x14, 0, (_B,)),
    (0x19, 0, (_B,)),
    (0x1E, 1, (_A,)),  # tiles
    (0x24, 0, (_B,)),  # AVX10
    (0x80000000, 0, (_A,)),  # the highest of these leaves
    (0x80000001, 0, (_C, _D)),
    (0x80000008, 0, (_B,)),
)
_EXTENDED = 0x80000000
_OSXSAVE = 1 << 27


@cache
def why_not() -> str:
    """Return the reason for which object code is loaded by llvmlite here, or ""."""
    machine = os.uname().machine if hasattr(os, "uname") else ""
    if sys.platform != "linux" or machine != "x86_64" or sys.maxsize < 1 << 32:
        return f"lazyarr has no loader for {sys.platform} {machine}".rstrip()
    try:
        _processor()
    except OSError as error:
        if error.errno == errno.ENOMEM:
            raise MemoryError("cannot allocate memory for machine code") from error
        return str(error)  # a policy forbids memory that was written to be run
    return ""


def architecture() -> str:
    """Return LLVM's name of the target architecture, such as "x86_64"."""
    if not why_not():
        return "x86_64"
    from lazyarr.runtime.cpu.objects import mcjit

    return mcjit.triple().partition("-")[0]


def describe_processor() -> tuple[str, ...]:
    """Return texts that differ wherever LLVM would make other code for the processor."""
    if not why_not():
        return ("x86_64-linux", _text_of(_processor()))
    from lazyarr.runtime.cpu.objects import mcjit

    return mcjit.describe_processor()


@cache
def _text_of(numbers: tuple[int, ...]) -> str:
    return " ".join([f"{number:x}" for number in numbers])


@cache
def _processor() -> tuple[int, ...]:
    """Return the name of an x86-64 processor by CPUID, as LLVM does."""
    pages = Pages(_XGETBV_AT + len(_XGETBV))
    pages.write(0, _CPUID)
    pages.write(_XGETBV_AT, _XGETBV)
    pages.protect(0, pages.nbytes, EXECUTABLE)
    word = ctypes.c_uint32
    cpuid = ctypes.CFUNCTYPE(None, word, word, ctypes.c_void_p)(pages.address)
    registers = (word * 4)()
    words: list[int] = []
    highest = 0
    for leaf, subleaf, read in _LEAVES:
        if leaf in (0, _EXTENDED):
            highest = leaf
        if leaf > highest:
            words += [0] * len(read)  # a processor answers anything
            continue
        cpuid(leaf, subleaf, registers)
        if leaf in (0, _EXTENDED):
            highest = registers[_A]
        words += [registers[register] for register in read]
        if leaf == 1 and registers[_C] & _OSXSAVE:
            # Which registers the system keeps for a process.
            words.append(ctypes.CFUNCTYPE(ctypes.c_uint64)(pages.address + _XGETBV_AT)())
    return tuple(words)
