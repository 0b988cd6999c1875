"""Writes to parts of arrays happen in the memory of the array before, where nobody reads it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import stages
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.graph.node import Node
from lazyarr.schedule import updates_in_place
from lazyarr.schedule.groups import Fusion, Layout, layout_of
from lazyarr.schedule.updates_in_place import update_in_place
from tests.support.comparison import bits
from tests.support.cuda_emulator import EmulatedDevice
from tests.support.gpu_launches import opened
from tests.support.tracing_calls import entries

Array = np.ndarray[Any, Any]


def running(function: Callable[..., Any], *arrays: Array) -> Any:
    """Return the run of a call of a traced function, after its first one."""
    traced = la.jit(lambda *inputs: function(la, *inputs))
    traced(*arrays)
    with la.profile() as profile:
        results = traced(*arrays)
    expected = function(np, *arrays)
    several = expected if isinstance(expected, tuple) else (expected,)
    for mine, theirs in zip(
        results if isinstance(results, tuple) else (results,), several, strict=True
    ):
        assert bits(np.asarray(mine)) == bits(np.asarray(theirs))
    return profile.runs[-1]


def recursive(xp: Any, x: Any) -> Any:
    y = xp.zeros_like(x)
    for j in range(1, x.shape[1]):
        y[:, j] = 0.5 * x[:, j] + y[:, j - 1]
    return y


def backward(xp: Any, x: Any) -> Any:
    y = xp.array(x)
    for i in range(x.shape[0] - 2, -1, -1):
        y[i] -= 0.25 * y[i + 1]
    return y


def elements(xp: Any, x: Any) -> Any:
    y = xp.zeros(12)
    for i in range(1, 12):
        y[i] = y[i - 1] * 0.5 + x[i, 0]
    return y


def inner(xp: Any, x: Any) -> Any:
    y = x * 2
    for i in range(1, x.shape[0] - 1):
        y[i, 1:-1] += x[i, :-2]
    return y


def summed(xp: Any, x: Any) -> Any:
    maps = xp.zeros((3, *x.shape))
    for k in range(3):
        for j in range(4):
            maps[k] += x[j] * (j + k)
    return maps


@pytest.mark.host
@pytest.mark.parametrize(
    ("program", "writes", "part"),
    [
        (recursive, 15, 16),
        (backward, 15, 16),
        (elements, 11, 1),
        (inner, 14, 14),
        (summed, 12, 256),
    ],
)
def test_loops_of_writes_copy_nothing(program: Callable[..., Any], writes: int, part: int) -> None:
    x = np.random.default_rng(0).integers(-9, 9, (16, 16)).astype(float)
    run = running(program, x)
    written = program(np, x).nbytes
    assert run.planned_peak <= 2 * written
    # What is there at first, and each write.
    assert sum(step.bytes_written for step in run.steps) <= 2 * written + writes * part * 8


def red_black(xp: Any, x: Any) -> Any:
    u = x * 1
    for _ in range(3):
        u[1:-1:2, 1:-1:2] = u[:-2:2, 1:-1:2] + u[2::2, 1:-1:2] - u[1:-1:2, 2::2]
        u[2:-1:2, 2:-1:2] = u[1:-2:2, 2:-1:2] + u[3::2, 2:-1:2] - u[2:-1:2, 3::2]
    return u


def interleaved(xp: Any, x: Any) -> Any:
    y = xp.zeros(2 * x.size)
    y[::2] = x.ravel() + 1
    y[1::2] = x.ravel() * 2
    return y


@pytest.mark.host
@pytest.mark.parametrize(("program", "arrays"), [(red_black, 1), (interleaved, 1)])
def test_writes_with_steps_copy_nothing(program: Callable[..., Any], arrays: int) -> None:
    x = np.random.default_rng(3).integers(-9, 9, (17, 17)).astype(float)
    run = running(program, x)
    assert all(step.kind == "kernel" for step in run.steps)
    assert run.planned_peak == arrays * program(np, x).nbytes


@pytest.mark.host
def test_memory_of_a_loop_of_writes_is_one_array() -> None:
    x = np.ones((32, 16))
    assert running(recursive, x).planned_peak == x.nbytes


def old_values(xp: Any, x: Any) -> Any:
    """Values before a write are read after it."""
    y = x * 1
    before = y[:, :4] + y[:, 4:8]
    y[:, 2] = x[:, 9]
    y[:, 3] = before[:, 0] + y[:, 2]
    return before, y


def shifted(xp: Any, x: Any) -> Any:
    """A write reads elements that it overwrites, at other places."""
    y = x * 1
    y[1:] = y[:-1] + x[1:]
    y[:, 1:] = y[:, :-1] - y[:, 1:]
    return y


def branches(xp: Any, x: Any) -> Any:
    """Two arrays begin as one."""
    y = x * 2
    z = y.copy()
    y[0] = x[3]
    z[1] = y[0] + z[0]
    y[1] = z[1] + z[2]
    return y, z


def both_results(xp: Any, x: Any) -> Any:
    """The array before a write is a result."""
    y = x * 2
    first = y.copy()
    y[2:5] = x[:3]
    return first, y


def gathered(xp: Any, x: Any) -> Any:
    """A write reads the array at indices."""
    y = x * 2
    y[3] = y[xp.array([5, 3, 3]), 0].max() + y[xp.array([7, 8, 0]), :].max(axis=0)
    y[:] = y[xp.array([5, 3, 1, 0, 2, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])]
    return y


def products(xp: Any, x: Any) -> Any:
    """Library calls read the array and write to it."""
    y = x * 1
    for j in range(1, 4):
        y[:, j] -= y[:, :j] @ y[0, :j]
    y[4:8, 4:8] = y[:4, :4] @ y[4:8, 4:8]
    y[8:12, :4] = y[8:12, :4] @ y[:4, :4]
    return y


def neighbours(xp: Any, x: Any) -> Any:
    """A write with steps reads elements of both kinds."""
    y = x * 1
    y[::2] = y[::2] + y[1::2]
    y[:, 1::3] -= y[:, :-1:3]
    y[::-1, ::2] = y[:, 1::2]
    return y


HAZARDS = [neighbours, old_values, shifted, branches, both_results, gathered, products]


@pytest.mark.host
@pytest.mark.parametrize("program", HAZARDS)
@pytest.mark.parametrize("backend", ["llvm", "numba"])
def test_nothing_is_overwritten_that_is_read_later(
    program: Callable[..., Any], backend: str
) -> None:
    x = np.random.default_rng(1).integers(-3, 3, (16, 16)).astype(float)
    with la.config(backend=backend):
        running(program, x)


class Program:
    """A random program of writes to parts, reads of parts, and values that are read later.

    Its numbers are whole and small: every order of additions gives the same bits.
    """

    def __init__(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        self.shape = tuple(int(n) for n in rng.integers(3, 9, rng.integers(1, 4)))
        self.steps = [self.step(rng) for _ in range(int(rng.integers(4, 14)))]
        self.x = rng.integers(-9, 9, self.shape).astype(rng.choice(["f8", "f4", "i8"]))

    def box(self, rng: np.random.Generator, lengths: tuple[int, ...] | None = None) -> Any:
        """A part of the array, of the given lengths or of random ones."""
        key = []
        for axis, n in enumerate(self.shape):
            length = int(rng.integers(1, n + 1)) if lengths is None else lengths[axis]
            step = int(rng.choice([1, 1, 1, 2, 3]))
            step = step if (length - 1) * step < n else 1
            extent = (length - 1) * step + 1
            start = int(rng.integers(0, n - extent + 1))
            part = slice(start, start + extent, step)
            if rng.random() < 0.1:
                last = start + extent - 1
                part = slice(last, start - 1 if start else None, -step)
            key.append(part)
        return tuple(key)

    def step(self, rng: np.random.Generator) -> tuple[Any, ...]:
        kind = str(rng.choice(["write", "write", "write", "add", "keep", "copy", "most", "view"]))
        target = self.box(rng)
        lengths = np.empty(self.shape)[target].shape
        sources = [self.box(rng, lengths), self.box(rng, lengths)]
        # Reads at the place of the write, and beside it, are the interesting ones.
        if rng.random() < 0.3:
            sources[0] = target
        arrays = [int(k) for k in rng.integers(0, 4, 3)]
        return kind, target, sources, arrays

    def run(self, xp: Any, x: Any) -> Any:
        arrays, kept = [x + 0, x - 1], []
        for kind, target, (first, second), (k, m, n) in self.steps:
            y = arrays[k % len(arrays)]
            one, other = arrays[m % len(arrays)], arrays[n % len(arrays)]
            if kind == "write":
                y[target] = one[first] - other[second]
            elif kind == "add":
                y[target] += one[first]
            elif kind == "keep":
                kept.append(y[target] + one[first])
            elif kind == "copy":
                arrays.append(y.copy())
            elif kind == "most":
                y[target] = one[first].max(axis=0) + kept[-1].min() if kept else one.max()
            else:
                view = y[target]
                view[...] = other[second] + view
        return (*arrays, *kept)


@pytest.mark.host
@pytest.mark.parametrize("seed", range(40))
def test_random_programs(seed: int) -> None:
    program = Program(seed)
    running(program.run, program.x)


@pytest.mark.host
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1400))
def test_more_random_programs(seed: int) -> None:
    program = Program(seed)
    running(program.run, program.x)


def reduced(xp: Any, x: Any) -> Any:
    """Arrays that begin as one, of which no result keeps the memory."""
    y = x * 1
    y[0] = x[1]
    z, w = y.copy(), y.copy()
    y[1] = x[5] + z[0]
    z[2] = x[6] - y[3]
    w[4] = x[2] + y[0] * z[2]
    z[::2] = w[1::2] + z[::2]
    return w.max(axis=0), z.max(axis=0), y.min(axis=1), z @ x, w[::-1].min(axis=1)


def fused(
    monkeypatch: pytest.MonkeyPatch, folder: Path, function: Callable[..., Any], x: Array
) -> Fusion:
    """Return the groups of a function before writes happen in place."""
    seen: list[Fusion] = []

    def watched(fusion: Fusion) -> Fusion:
        seen.append(fusion)
        return update_in_place(fusion)

    monkeypatch.setattr(updates_in_place, "update_in_place", watched)
    forget_plans()
    with la.config(cache_dir=str(folder)):
        la.jit(lambda x: function(la, x))(x)
    return seen[0]


def in_any_order(fusion: Fusion, rng: np.random.Generator) -> Fusion:
    """Return a fusion whose groups are in another order that respects their dependences."""
    writers: dict[Node, set[int]] = {}
    for number, group in enumerate(fusion.groups):
        for output in group.outputs:
            writers.setdefault(output.layout.owner, set()).add(number)
    before = []
    for group in fusion.groups:
        layouts = [layout_of(node, fusion.layouts) for node in group.inputs]
        owners = [layout.owner for layout in layouts if layout is not None]
        before.append(set().union(*[writers.get(owner, set()) for owner in owners]))
    order: list[int] = []
    while len(order) < len(before):
        ready = [k for k in range(len(before)) if k not in order and before[k] <= {*order}]
        order.append(int(rng.choice(ready)))
    return dataclasses.replace(fusion, groups=tuple(fusion.groups[k] for k in order))


def replayed(fusion: Fusion) -> dict[str, int]:
    """Return numbers that stand for the operands of each group that computes, and for results.

    A number stands for the element of an output and for all that its group reads. Copies pass
    numbers on.
    """
    memories: dict[Node, Any] = {}

    def seen(node: Node) -> Any:
        layout = layout_of(node, fusion.layouts)
        if layout is None:
            return np.zeros(node.shape, np.int64)
        return shown(layout, node.shape)

    def shown(layout: Layout, shape: tuple[int, ...]) -> Any:
        owner = layout.owner
        memory = memories.setdefault(owner, np.arange(owner.size) + hash(str(owner.attr)) % 10**9)
        steps = [8 * step for step in layout.strides]
        return np.lib.stride_tricks.as_strided(memory[layout.offset :], shape, steps)

    read = {}
    for group in fusion.groups:
        name = group.name.partition("_")[0]
        inputs = [seen(node).copy() for node in group.inputs]
        digest = hash((name, *[array.tobytes() for array in inputs])) % 10**9
        if group.members or group.kind == "library" or len(group.nodes):
            read[name] = digest
        for place, output in enumerate(group.outputs):
            is_copy = layout_of(output.node, fusion.layouts) is not None
            is_copy = is_copy and not group.members and group.kind == "kernel"
            tags = np.arange(output.node.size).reshape(output.node.shape) + digest + place * 10**4
            tags = seen(output.node).copy() if is_copy else tags
            shown(output.layout, output.node.shape)[...] = tags
    for place, root in enumerate(fusion.roots):
        read[f"result {place}"] = hash(seen(root).tobytes())
    return read


@pytest.mark.host
@pytest.mark.parametrize("program", [reduced, branches, red_black, recursive, old_values])
def test_every_order_of_groups_reads_what_was_written(
    program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rng = np.random.default_rng(4)
    fusion = fused(monkeypatch, tmp_path, program, rng.integers(-3, 3, (16, 16)).astype(float))
    expected, fewer = replayed(fusion), 0
    for _ in range(60):
        ordered = in_any_order(fusion, rng)
        updated = update_in_place(ordered)
        fewer += len(updated.groups) < len(ordered.groups)
        mine = replayed(updated)
        assert {name: expected[name] for name in mine} == mine
    assert fewer


@pytest.mark.host
@pytest.mark.parametrize("program", [recursive, neighbours, shifted, red_black, reduced])
def test_other_lengths(program: Callable[..., Any]) -> None:
    """Plans of other lengths are over symbols, and fit others again."""
    rng = np.random.default_rng(5)
    for length in (16, 12, 24, 10, 30, 14, 22):
        x = rng.integers(-3, 3, (length, length)).astype(float)
        mine, theirs = program(la, la.asarray(x)), program(np, x)
        several = mine if isinstance(mine, tuple) else (mine,)
        expected = theirs if isinstance(theirs, tuple) else (theirs,)
        for one, other in zip(
            la.evaluate(*several, several[0]), (*expected, expected[0]), strict=True
        ):
            np.testing.assert_array_equal(one, other)


def tridiagonal(xp: Any, x: Any) -> Any:
    p, q, u = xp.zeros_like(x), xp.zeros_like(x), xp.array(x)
    n = x.shape[0]
    for j in range(1, n - 1):
        p[:, j] = 0.4 / (1.8 - 0.4 * p[:, j - 1])
        q[:, j] = (x[j, :] + 0.4 * q[:, j - 1]) / (1.8 - 0.4 * p[:, j - 1])
    for j in range(n - 2, 0, -1):
        u[:, j] = p[:, j] * u[:, j + 1] + q[:, j]
    return u


@pytest.mark.host
@pytest.mark.parametrize("program", [recursive, backward, tridiagonal])
def test_the_work_is_linear_in_the_writes(
    program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Calls of functions count: there are as many for each write, however many there are."""
    calls = []
    for length in (50, 200):
        fusion = fused(monkeypatch, tmp_path, program, np.ones((length, length)))
        count = len(entries(lambda fusion=fusion: update_in_place(fusion)))
        calls.append(count / len(fusion.groups))
    assert calls[1] <= 1.05 * calls[0]


@pytest.mark.host
@pytest.mark.parametrize("program", [recursive, tridiagonal])
def test_a_first_call_is_linear_in_the_writes(
    program: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def calls_for_each(length: int) -> float:
        forget_plans()
        traced = la.jit(lambda x: program(la, x))
        with la.config(cache_dir=str(tmp_path)):
            count = len(entries(lambda: traced(np.ones((length, length)))))
        return count / (length - 2)

    monkeypatch.setattr(stages, "CHECK", False)
    calls_for_each(20)  # imports and kernels
    assert calls_for_each(80) <= 1.1 * calls_for_each(20)


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Any:
    yield from opened(EmulatedDevice(), monkeypatch)


@pytest.mark.parametrize("program", [recursive, old_values, shifted, branches, gathered])
def test_on_a_gpu(device: EmulatedDevice, program: Callable[..., Any]) -> None:
    host = np.random.default_rng(2).integers(-3, 3, (16, 16)).astype(float)
    traced = la.jit(lambda x: program(la, x))
    results, expected = traced(la.asarray(host, device="cuda")), program(np, host)
    if not isinstance(expected, tuple):
        results, expected = (results,), (expected,)
    for mine, theirs in zip(results, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(mine), theirs)


@pytest.mark.parametrize("seed", range(100, 108))
def test_random_programs_on_a_gpu(device: EmulatedDevice, seed: int) -> None:
    program = Program(seed)
    results = la.jit(lambda x: program.run(la, x))(la.asarray(program.x, device="cuda"))
    for mine, theirs in zip(results, program.run(np, program.x), strict=True):
        np.testing.assert_array_equal(np.asarray(mine), theirs)
