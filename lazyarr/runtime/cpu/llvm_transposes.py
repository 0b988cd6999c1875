"""LLVM IR of blocks that are transposed in registers.

Each line of a block is a vector. A step interleaves the vectors of two lines, in pairs whose
numbers differ in one bit: first within each 128 bits, which all processors can by one instruction,
then whole parts of 128 bits.
"""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from lazyarr.runtime.cpu.llvm_primitives import memory_type

__all__ = ["define_transpose"]

Builder = Any  # ir.IRBuilder; llvmlite ships no types
IRValue = Any
Lanes = tuple[tuple[int, int], ...]

INDEX = ir.IntType(64)
#: Bytes within which instructions interleave the elements of two vectors.
PART_BYTES = 16


def define_transpose(module: Any, name: str, suffix: str, side: int) -> None:
    """Define the copy of a square block whose lines become columns.

    Parameters
    ----------
    module : llvmlite.ir.Module
        Where to append ``void name(source, source pitch, result, result pitch)``; pitches are in
        elements.
    name : str
        Of the function.
    suffix : str
        Name of the dtype in memory, as in :data:`lazyarr.loop_ir.intrinsics.SUFFIXES`.
    side : int
        Lines of the block, a power of two.
    """
    element = memory_type(suffix)
    pointer = element.as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [pointer, INDEX, pointer, INDEX])
    function = ir.Function(module, kind, name)
    function.linkage = "internal"
    function.attributes.add("alwaysinline")
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    vector = ir.VectorType(element, side)
    itemsize = max(1, int(suffix[1:]) // 8)

    def line(base: IRValue, pitch: IRValue, number: int) -> IRValue:
        at = builder.gep(base, [builder.mul(pitch, INDEX(number))], inbounds=True)
        return builder.bitcast(at, vector.as_pointer())

    source, source_pitch, result, result_pitch = function.args
    lines = [builder.load(line(source, source_pitch, k), align=itemsize) for k in range(side)]
    for column, value in enumerate(_columns(builder, lines, PART_BYTES // itemsize)):
        builder.store(value, line(result, result_pitch, column), align=itemsize)
    builder.ret_void()


def _columns(builder: Builder, lines: list[IRValue], part: int) -> list[IRValue]:
    """Return the columns of a block.

    Parameters
    ----------
    builder : llvmlite.ir.IRBuilder
        Where to append.
    lines : list of llvmlite.ir.Value
        Its lines, as many as they have elements: a power of two.
    part : int
        Elements within which two vectors are interleaved.
    """
    side = len(lines)
    part = min(part, side)
    # Where the elements of each vector come from: their rows and columns.
    origins: list[Lanes] = [tuple((row, column) for column in range(side)) for row in range(side)]
    bit = 1
    while bit < side:
        masks = _interleaving(side, part, bit) if bit < part else _parts(side, part)
        for first in range(side):
            if first & bit:
                continue
            pair = (lines[first], lines[first | bit])
            both = origins[first] + origins[first | bit]
            for target, mask in zip((first, first | bit), masks, strict=True):
                lines[target] = _shuffle(builder, *pair, mask)
                origins[target] = tuple(both[lane] for lane in mask)
        bit *= 2
    order = {lanes[0][1]: value for lanes, value in zip(origins, lines, strict=True)}
    return [order[column] for column in range(side)]


def _interleaving(side: int, part: int, group: int) -> tuple[list[int], list[int]]:
    """Return the lanes of two vectors whose groups alternate, of the halves of each part."""
    masks: tuple[list[int], list[int]] = ([], [])
    for half, mask in enumerate(masks):
        for begin in range(0, side, part):
            for at in range(begin + half * part // 2, begin + (half + 1) * part // 2, group):
                mask += range(at, at + group)
                mask += range(side + at, side + at + group)
    return masks


def _parts(side: int, part: int) -> tuple[list[int], list[int]]:
    """Return the lanes of the even parts of two vectors, and those of the odd ones."""
    masks: tuple[list[int], list[int]] = ([], [])
    for odd, mask in enumerate(masks):
        for begin in range(odd * part, 2 * side, 2 * part):
            mask += range(begin, begin + part)
    return masks


def _shuffle(builder: Builder, a: IRValue, b: IRValue, lanes: list[int]) -> IRValue:
    mask = ir.Constant(ir.VectorType(ir.IntType(32), len(lanes)), lanes)
    return builder.shuffle_vector(a, b, mask)
