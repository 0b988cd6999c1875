"""LLVM IR that watches the processor's floating-point flags.

On x86-64 that is two instructions on the register MXCSR, elsewhere C's ``fenv.h``. The flags that
were set before stay set.
"""

from __future__ import annotations

import platform
from typing import Any

from llvmlite import ir

from lazyarr.runtime.cpu.fp_flags import bits, mask_of

__all__ = ["raise_flags", "watch_begin", "watch_end"]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any

WORD = ir.IntType(32)
#: All six flags of MXCSR.
STICKY = 0x3F


def _has_register() -> bool:
    return platform.machine().lower() in ("x86_64", "amd64")


def watch_begin(builder: Builder) -> IRValue:
    """Clear the flags, and return the value that :func:`watch_end` restores them from."""
    if _has_register():
        before = _read(builder)
        _write(builder, builder.and_(before, WORD(~STICKY)))
        return before
    mask = WORD(mask_of(bits()))
    before = builder.call(_library(builder, "fetestexcept"), [mask])
    builder.call(_library(builder, "feclearexcept"), [mask])
    return before


def watch_end(builder: Builder, report: IRValue, before: IRValue) -> None:
    """Add the flags that are set to those at an address, and set them as they were.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    report : llvmlite.ir.Value
        The address of a 32-bit word.
    before : llvmlite.ir.Value
        The value of :func:`watch_begin`.
    """
    mask = WORD(mask_of(bits()))
    register = _has_register()
    now = _read(builder) if register else builder.call(_library(builder, "fetestexcept"), [mask])
    raised = builder.and_(now, mask)
    with builder.if_then(builder.icmp_unsigned("!=", raised, WORD(0)), likely=False):
        # Other threads may report to the same address.
        word = builder.bitcast(report, WORD.as_pointer())
        builder.atomic_rmw("or", word, raised, "monotonic")
    if register:
        _write(builder, before)
    else:
        builder.call(_library(builder, "feclearexcept"), [mask])
        builder.call(_library(builder, "feraiseexcept"), [before])


def raise_flags(builder: Builder, flags: IRValue) -> None:
    """Set flags beside those that are set.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    flags : llvmlite.ir.Value
        The bits of those to set.
    """
    if _has_register():
        now = _read(builder)
        every = builder.or_(now, flags)
        # Writing takes longer than reading, and as a rule the flags are set from the first time on.
        with builder.if_then(builder.icmp_unsigned("!=", now, every), likely=False):
            _write(builder, every)
    else:
        builder.call(_library(builder, "feraiseexcept"), [flags])


def _read(builder: Builder) -> IRValue:
    place = _slot(builder)
    builder.call(_register_access(builder, "stmxcsr"), [place])
    return builder.load(builder.bitcast(place, WORD.as_pointer()))


def _write(builder: Builder, value: IRValue) -> None:
    place = _slot(builder)
    builder.store(value, builder.bitcast(place, WORD.as_pointer()))
    builder.call(_register_access(builder, "ldmxcsr"), [place])


def _slot(builder: Builder) -> IRValue:
    with builder.goto_entry_block():
        return builder.bitcast(builder.alloca(WORD), ir.IntType(8).as_pointer())


def _register_access(builder: Builder, name: str) -> IRValue:
    kind = ir.FunctionType(ir.VoidType(), [ir.IntType(8).as_pointer()])
    return _declared(builder, f"llvm.x86.sse.{name}", kind)


def _library(builder: Builder, name: str) -> IRValue:
    return _declared(builder, name, ir.FunctionType(WORD, [WORD]))


def _declared(builder: Builder, name: str, kind: Any) -> IRValue:
    function = builder.module.globals.get(name)
    return function if function is not None else ir.Function(builder.module, kind, name)
