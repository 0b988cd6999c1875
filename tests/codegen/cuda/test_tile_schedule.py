"""Tiles of registers as lists of steps: what they load, in which order, and how far they reach."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cuda.tile_schedule import Compute, Load, Store, ThreadTile, TileSchedule
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Frame
from lazyarr.compiler import compilation

OFFSETS = st.lists(st.tuples(*[st.integers(-2, 2)] * 3), min_size=1, max_size=9, unique=True)
SIDES = st.tuples(st.integers(5, 9), st.integers(5, 9), st.sampled_from([8, 12, 16, 20, 9]))


def _terms(shape: tuple[int, ...], offsets: list[tuple[int, ...]]) -> tuple[GroupTerms, Frame]:
    """Return the terms and the loops of a sum of neighbours."""
    x = la.asarray(np.ones(shape))
    total = 0.0
    for weight, offset in enumerate(offsets):
        where = tuple(slice(2 + o, n - 2 + o) for o, n in zip(offset, shape, strict=True))
        total = total + (weight + 0.5) * x[where]
    with la.config(device="cuda"):
        program = compilation.analyse((total._node,))
    (step,) = program.plan.steps
    group = GroupTerms(step.group, program.fusion.layouts)
    return group, group.frame(range(len(group.domain)))


@settings(max_examples=25, deadline=None)
@given(SIDES, OFFSETS, st.integers(1, 4), st.sampled_from([1, 2, 4]), st.integers(0, 2))
def test_steps_compute_all_from_chunks_that_are_loaded_once(
    shape: tuple[int, ...], offsets: list[tuple[int, ...]], lines: int, width: int, along: int
) -> None:
    group, frame = _terms(shape, offsets)
    if len(frame.axes) < 3:
        return
    chosen = group.needed([k for k, _ in group.stores])
    across = frame.axes[along] if along < 2 else None
    lines = lines if across is not None else 1
    tile = TileSchedule(group, chosen, ThreadTile(frame.axes[-1], across, lines, width))
    steps, registers = tile.best()
    loads = [step.chunk for step in steps if isinstance(step, Load)]
    assert len(loads) == len(set(loads)) and set(loads) == set(tile.chunks)
    there = {None}
    for step in steps:
        if isinstance(step, Load):
            there |= set(tile.elements(step.chunk))
            continue
        if isinstance(step, Compute):
            line, lane, term = step.key
            assert {tile.key(line, lane, a) for a in group.terms[term].args} <= there
            assert step.key not in there
            there.add(step.key)
        else:
            term = group.stores[step.position][0]
            assert {tile.key(step.line, lane, term) for lane in range(width)} <= there
    stored = [step.line for step in steps if isinstance(step, Store)]
    assert sorted(stored) == list(range(lines))
    assert 0 < registers <= 2 * (len(tile.chunks) * width + tile.statements)


@settings(max_examples=25, deadline=None)
@given(SIDES, OFFSETS, st.integers(1, 4), st.sampled_from([2, 4]), st.integers(0, 1))
def test_no_tile_reads_behind_what_the_kernel_reads(
    shape: tuple[int, ...], offsets: list[tuple[int, ...]], lines: int, width: int, along: int
) -> None:
    group, frame = _terms(shape, offsets)
    if len(frame.axes) < 3:
        return
    chosen = group.needed([k for k, _ in group.stores])
    across = frame.axes[along]
    lines = min(lines, across.size)
    tile = TileSchedule(group, chosen, ThreadTile(frame.axes[-1], across, lines, width))
    room = tile.room(0, frame)
    strides = tile.streams[0].place.strides
    last = max(
        a.offset + sum((n - 1) * s for n, s in zip(group.domain, strides, strict=True))
        for a in group.accesses.values()
    )
    eaches = [
        width if axis is frame.axes[-1] else lines if axis is across else 1 for axis in frame.axes
    ]
    starts = [
        range(0, axis.size - each + 1, each) for axis, each in zip(frame.axes, eaches, strict=True)
    ]
    refused = 0
    for place in product(*starts):
        index = sum(at * axis.stride(strides) for at, axis in zip(place, frame.axes, strict=True))
        ends = [index + chunk.address + width - 1 for chunk in tile.chunks]
        if room is None or index < room:
            assert max(ends) <= last
        else:
            refused += 1
            assert max(ends) > last
    assert room is None or refused


def test_a_sum_line_by_line_keeps_one_line() -> None:
    # 27 points, planes outermost: of eight planes of results, few values are alive at a time.
    offsets = list(product((-1, 0, 1), repeat=3))
    group, frame = _terms((20, 20, 20), offsets)
    chosen = group.needed([k for k, _ in group.stores])
    tile = TileSchedule(group, chosen, ThreadTile(frame.axes[-1], frame.axes[0], 8))
    steps, registers = tile.best()
    assert len(tile.chunks) == 9 * (8 + 2) and tile.statements > len(steps) / 2
    assert registers < 2 * 27  # float64: two registers each
