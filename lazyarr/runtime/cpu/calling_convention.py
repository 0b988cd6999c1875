"""The calling convention of compiled kernels: three words, for any parameters.

::

    i32 packed(i64 begin, i64 end, ptr block)

The block holds the parameters, each in eight bytes of its own, in order; it begins at a multiple
of eight. A bool is a byte of 0 or 1, and what is shorter than eight bytes is at the lower address.
So the thread that hands out chunks need not know a kernel's parameters, and a call from Python
converts three arguments instead of a dozen. The result says in 16 bits what happened in this
range; those of all ranges of a launch are OR-ed together.
"""

from __future__ import annotations

import struct
from functools import cache
from typing import Any

import numpy as np

from lazyarr.core.dtypes import code_of
from lazyarr.loop_ir.source import Parameter, Source

__all__ = ["FAILED", "PACKED", "SLOT", "block_layout", "packed_entry", "type_of"]

#: The name of the function in each object file.
PACKED = "packed"
#: Bytes of one parameter in the block.
SLOT = 8
#: In the result: a Numba function returned a status, which kernels never do.
FAILED = 1 << 15

#: By NumPy's letter and size: the type in LLVM IR, and the format of the struct module.
_KINDS: dict[str, tuple[str, str]] = {
    "b1": ("i8", "?"),
    "i1": ("i8", "b"),
    "u1": ("i8", "B"),
    "i2": ("i16", "h"),
    "u2": ("i16", "H"),
    "i4": ("i32", "i"),
    "u4": ("i32", "I"),
    "i8": ("i64", "q"),
    "u8": ("i64", "Q"),
    "f2": ("half", "e"),
    "f4": ("float", "f"),
    "f8": ("double", "d"),
}
_POINTER = ("ptr", "Q")


def _kind(parameter: Parameter) -> tuple[str, str]:
    if parameter.pointer:
        return _POINTER
    dtype: np.dtype[Any] = parameter.dtype
    return _KINDS[code_of(dtype)]


def type_of(parameter: Parameter) -> str:
    """Return the type of an argument in LLVM IR.

    Parameters
    ----------
    parameter : Parameter
        The parameter.
    """
    return _kind(parameter)[0]


@cache
def block_layout(parameters: tuple[Parameter, ...]) -> struct.Struct:
    """Return the layout of a kernel's arguments in its block.

    Addresses are integers and scalars Python numbers.

    Examples
    --------
    >>> x, s = (Parameter("x", np.dtype("f4"), True), Parameter("s", np.dtype("f4"), False))
    >>> block_layout((x, s)).pack(64, 1.0).hex()
    '40000000000000000000803f00000000'
    """
    formats = (_kind(parameter)[1] for parameter in parameters)
    return struct.Struct("=" + "".join(f"{f}{SLOT - struct.calcsize('=' + f)}x" for f in formats))


def packed_entry(source: Source, symbol: str, declared: bool) -> str:
    """Return the LLVM IR of a kernel's packed entry.

    Parameters
    ----------
    source : Source
        The kernel, in the language "llvm" or "numba".
    symbol : str
        Its name in the object file.
    declared : bool
        Whether the text is a module of its own and must declare the kernel.
    """
    kinds = [_kind(parameter)[0] for parameter in source.parameters]
    lines = [f"define i32 @{PACKED}(i64 %begin, i64 %end, ptr readonly %block) #0 {{"]
    values = []
    for position, kind in enumerate(kinds):
        lines += [
            f"  %p{position} = getelementptr inbounds i8, ptr %block, i64 {SLOT * position}",
            f"  %a{position} = load {kind}, ptr %p{position}, align {SLOT}",
        ]
        values.append(f"{kind} %a{position}")
    ranged = ["i64 %begin", "i64 %end", *values]
    # Not inlined: the kernel would be compiled twice.
    if source.language == "numba":
        # Numba's convention has places for a result and an exception, and returns a status.
        lines += [
            "  %unused = alloca [2 x ptr], align 16",
            f"  %status = call i32 @{symbol}({_list('ptr %unused', 'ptr %unused', *ranged)}) #1",
            "  %bad = icmp ne i32 %status, 0",
            f"  %result = select i1 %bad, i32 {FAILED}, i32 0",
            "  ret i32 %result",
        ]
        kernel = f"declare i32 @{symbol}({_list('ptr', 'ptr', 'i64', 'i64', *kinds)})"
    else:
        lines += [f"  call void @{symbol}({_list(*ranged)}) #1", "  ret i32 0"]
        kernel = f"declare void @{symbol}({_list('i64', 'i64', *kinds)})"
    lines += ["}", "attributes #1 = { noinline }"]
    if declared:
        lines += [kernel, "attributes #0 = { nounwind }"]
    return "\n".join(lines) + "\n"


def _list(*parts: str) -> str:
    return ", ".join(parts)
