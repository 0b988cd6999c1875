"""Library calls of plans as entries: functions that calls in C run without Python.

On small arrays NumPy's functions, and those that call LAPACK, take most of their time in Python. An
entry is the loop or the routine that such a function calls, or a copy of its operands, with the
same bits. Where one meets a fault the function itself is called, which warns of it or raises.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any, TypeAlias

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.execution.cpu.entry_blocks import (
    Block,
    Place,
    Reserve,
    Row,
    copy_entry,
    even_step,
    keywords_of,
    reserved,
    whole,
)
from lazyarr.execution.cpu.factor_entries import FACTOR_ENTRIES
from lazyarr.execution.cpu.library_step import LibraryStep
from lazyarr.execution.cpu.orthogonal_entries import orthogonal_entries
from lazyarr.graph.node import Node, Op
from lazyarr.ops.library import (
    LIBRARY,
    Call,
    Slot,
    packed_starts,
    summed_at,
    thaw,
)
from lazyarr.runtime.cpu.factor_stacks import is_divided
from lazyarr.runtime.cpu.matrix_loops import MatrixLoop, matrix_loop, product_loop
from lazyarr.runtime.cpu.numpy_loops import COMPILED

__all__ = ["entries_of", "part_of"]

_MATMUL, _PACK, _UNPACK = LIBRARY["matmul"], LIBRARY["pack"], LIBRARY["unpack"]
#: Extents of a loop that the C source has room for.
_MOST_EXTENTS = 8


def entries_of(step: LibraryStep, result: Place, reserve: Reserve) -> tuple[Row, ...]:
    """Return the entries that compute a library call; none if only its function does.

    Parameters
    ----------
    step : LibraryStep
        The call.
    result : Place
        Where its result lies, apart from its operands.
    reserve : callable
        Returns memory of the call, for intermediate values.
    """
    node = step.node
    operands = [_place(row) for row in step.places()]
    if COMPILED is None or None in operands or not _is_supported(node):
        return ()
    function = node.op.calls
    build = FACTOR_ENTRIES.get(node.op) or _BUILDERS.get(node.op)
    if build is None and function is summed_at:
        build = _sums
    if build is None and function is not None and _module(function) == "numpy.linalg":
        build = _linear_algebra
    if build is None:
        return ()
    entries = build(node, [place for place in operands if place is not None], result, reserve)
    return () if entries is None else tuple(entries)


def part_of(step: LibraryStep) -> tuple[int, int] | None:
    """Return the base and the offset of the memory that is the result of a call; None if it is own.

    Parameters
    ----------
    step : LibraryStep
        The call.
    """
    node = step.node
    if node.op is not _UNPACK or not step.shares:
        return None
    source = _place(step.places()[0])
    if source is None or not source.is_in_order:
        return None
    return source.base, source.offset + _unpacked_start(node)


def _is_supported(node: Node) -> bool:
    """Whether a value and its sources have elements."""
    return all(value.size for value in (node, *node.src))


def _place(row: tuple[int, int, tuple[Any, ...]] | np.ndarray[Any, Any] | None) -> Place | None:
    """Return the place of an operand; None of a number of the run."""
    if row is None:
        return None
    if isinstance(row, np.ndarray):
        return Place(-1, address_of(row), row.dtype, row.shape, row.strides)
    base, offset, (dtype, shape, strides, _) = row
    return Place(base, offset, dtype, shape, strides)


def _module(function: Callable[..., Any]) -> str:
    return str(getattr(function, "__module__", ""))


def _unpacked_start(node: Node) -> int:
    call = node.attr
    assert isinstance(call, Call)
    start: int = thaw(call.args[1], ())
    return start


def _loop_call(loop: MatrixLoop, places: Sequence[Place]) -> Row | None:
    """Return the entry of a loop of NumPy's; None if its stacks do not lie in even steps."""
    sizes: dict[str, int] = {}
    missing: set[str] = set()
    steps: list[int] = []
    stack: tuple[int, ...] = ()
    outer: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
    for position, (core, place) in enumerate(zip(loop.cores, places, strict=True)):
        # A vector has no axis where the signature says that it may be missing, nor has the result.
        if position < loop.inputs and len(place.shape) < len(core):
            missing.update(axis for axis in core if axis.endswith("?"))
        rank = sum(axis not in missing for axis in core)
        first = len(place.shape) - rank
        if first < 0:
            return None
        present = iter(zip(place.shape[first:], place.strides[first:], strict=True))
        for axis in core:
            length, step = (1, 0) if axis in missing else next(present)
            if sizes.setdefault(axis, length) != length:
                return None
            steps.append(step)
        outer.append((place.shape[:first], place.strides[:first]))
        stack = max(stack, place.shape[:first], key=len)
    count = prod(stack)
    moves = [even_step(shape, strides, stack) for shape, strides in outer]
    if None in moves or len(sizes) >= _MOST_EXTENTS:
        return None
    assert COMPILED is not None
    block = Block(COMPILED.CALL_LOOP)
    numbers = len(places), 1 + len(sizes), len(places) + len(steps)
    block.add(*loop.routine, loop.ignored, *numbers)
    for place in places:
        block.add_address(place.base, place.offset)
    block.add(count, *sizes.values(), *[move for move in moves if move is not None], *steps)
    return block.row


def _product(
    node: Node, operands: Sequence[Place], result: Place, _: Reserve
) -> Sequence[Row] | None:
    """Return the entry of a product of matrices or vectors."""
    loop = product_loop(node.dtype)
    if loop is None or keywords_of(node) != {} or any(x.dtype != node.dtype for x in operands):
        return None
    return whole([_loop_call(loop, [*operands, result])])


def _linear_algebra(
    node: Node, operands: Sequence[Place], result: Place, reserve: Reserve
) -> Sequence[Row] | None:
    """Return the entries of a function of ``numpy.linalg`` with one result."""
    assert node.op.calls is not None
    return _matrix_entries(node, node.op.calls, 0, operands, [result], reserve)


def _packed(
    node: Node, operands: Sequence[Place], result: Place, reserve: Reserve
) -> Sequence[Row] | None:
    """Return the entries of a function of ``numpy.linalg`` with several results."""
    call = node.attr
    if not isinstance(call, Call) or not call.outputs or not callable(call.args[0]):
        return None
    if _module(call.args[0]) != "numpy.linalg" or not result.is_in_order:
        return None
    starts, _ = packed_starts([prod(shape) * dtype.itemsize for shape, dtype in call.outputs])
    results = [
        Place.in_order((result.base, result.offset + start), dtype, shape)
        for start, (shape, dtype) in zip(starts, call.outputs, strict=True)
    ]
    return _matrix_entries(node, call.args[0], 1, operands, results, reserve)


def _matrix_entries(
    node: Node,
    function: Callable[..., Any],
    first: int,
    operands: Sequence[Place],
    results: Sequence[Place],
    reserve: Reserve,
) -> Sequence[Row] | None:
    """Return the entries of a function of ``numpy.linalg``, which computes in double precision."""
    keywords, dtype = keywords_of(node, first), operands[0].dtype
    if keywords is None or any(x.dtype != dtype for x in operands) or is_divided(operands[0].shape):
        return None
    if function is np.linalg.qr:
        return orthogonal_entries(keywords, operands[0], results, reserve, _loop_call)
    ndims = tuple(len(x.shape) for x in operands)
    loop = matrix_loop(function.__name__, keywords, dtype, ndims)
    if loop is None or len(loop.cores) != len(operands) + len(results):
        return None
    before: list[Row | None] = []
    after: list[Row | None] = []
    places: list[Place] = []
    for place, wide in zip((*operands, *results), loop.dtypes, strict=True):
        copy = place
        if place.dtype != wide:
            copy = reserved(reserve, wide, place.shape)
            if len(places) < loop.inputs:
                before.append(copy_entry(place, copy))
            else:
                after.append(copy_entry(copy, place))
        places.append(copy)
    return whole([*before, _loop_call(loop, places), *after])


def _unpack(node: Node, operands: Sequence[Place], result: Place, _: Reserve) -> Sequence[Row]:
    """Return the entry that copies an output of a pack."""
    (pack,) = operands
    where = pack.base, pack.offset + _unpacked_start(node)
    entry = copy_entry(Place.in_order(where, node.dtype, node.shape), result)
    return () if entry is None or not pack.is_in_order else (entry,)


def _sums(node: Node, operands: Sequence[Place], result: Place, _: Reserve) -> Sequence[Row]:
    """Return the entry that adds values at positions."""
    call = node.attr
    if node.op.calls is not summed_at or not isinstance(call, Call) or call.keywords:
        return ()
    if call.args[:2] != (Slot(0), Slot(1)):
        return ()
    values, positions = operands
    if positions.dtype != np.int64 or values.dtype.char not in "fd" or node.dtype != values.dtype:
        return ()
    steps = [_vector_step(positions), _vector_step(values)]
    if positions.shape != values.shape or None in steps or not result.is_in_order:
        return ()
    assert COMPILED is not None
    block = Block(COMPILED.ADD_AT)
    for place in (result, positions, values):
        block.add_address(place.base, place.offset)
    block.add(prod(values.shape), node.size, values.dtype == np.float64)
    block.add(*[step for step in steps if step is not None])
    return (block.row,)


def _vector_step(place: Place) -> int | None:
    """Return the bytes from one element to the next in C order; None if they differ."""
    if not any(place.strides):
        return 0
    return even_step(place.shape, place.strides, place.shape)


_Builder: TypeAlias = Callable[[Node, Sequence[Place], Place, Reserve], Sequence[Row] | None]
_BUILDERS: dict[Op, _Builder] = {_MATMUL: _product, _PACK: _packed, _UNPACK: _unpack}
