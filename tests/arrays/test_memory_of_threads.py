"""Threads that read an array while others let it have other memory: nobody reads what was freed."""

from __future__ import annotations

import operator
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import (
    aliasing,
    native,
    native_items,
    residence,
    shared_memory,
    slice_writes,
    storing,
)
from lazyarr.compiler import compilation
from lazyarr.compiler.reuse import store
from lazyarr.graph.leaf import Leaf
from lazyarr.ops.elementwise import ELEMENTWISE

pytestmark = pytest.mark.host

#: What elements are; memory that was freed has other bits. A copy that goes byte by byte is seen
#: between the bytes of an element, as NumPy's is: no mix of theirs is more.
ELEMENTS = 1.0 + np.arange(9) / 16
MOST = ELEMENTS.max()
WRITERS, SECONDS = 3, 0.35

READS: dict[str, Callable[[Any], Any]] = {
    "row": lambda a: a[1],
    "part": lambda a: a[1:, ::2],
    "element": lambda a: a[1, 2],
    "mask": lambda a: a[np.ones(a.shape, bool)],
    "index": lambda a: a[[1, 0]],
    "transposed": lambda a: a.T,
    "interface": lambda a: np.asarray(a),
    "interface of a view": lambda a: np.asarray(a[1]),
    "copy": lambda a: np.array(a[1:]),
    "operator": lambda a: a[1] - 0.0,
    "operator of two": lambda a: a[:1] + 0.0 * a[1:2],
    "negative": lambda a: -(-a[1:]),
    "function": lambda a: la.abs(a[1]),
    "ufunc": lambda a: np.abs(a),
    "reduction": lambda a: a[1].max(),
    "reduction along an axis": lambda a: a.max(axis=0),
    "scan": lambda a: la.maximum.accumulate(a[1]),
    "method": lambda a: a.clip(0, MOST),
    "sorted": lambda a: la.sort(a[1]),
    "joined": lambda a: la.concatenate([a[0], a[1]]),
    "chosen": lambda a: la.where(a[0] > 1.5, a[0], a[1]),
    "product": lambda a: a[:1].min(axis=0) @ np.eye(1, a.shape[1])[0],
    "iteration": lambda a: next(iter(a)),
    "number": lambda a: float(a[0, 0]),
    "output": lambda a: la.add(a[0], 0.0, out=la.zeros(a.shape[1])),
    "in place": lambda a: _in_place(a[0].copy(), a[1]),
    "write": lambda a: _written(la.zeros(a.shape), a[1]),
    "write under a mask": lambda a: _under(la.zeros(a.shape[1]), a[0] >= 0, a[1]),
}


def _in_place(x: Any, y: Any) -> Any:
    x *= 0.0
    x += y
    return x


def _written(x: Any, y: Any) -> Any:
    x[0] = y
    x[1:, 1:] = y[1:]
    return x


def _under(x: Any, mask: Any, y: Any) -> Any:
    x[mask] = y[0]
    return x


@pytest.fixture
def frequent_switches() -> Iterator[None]:
    """Let Python switch between threads wherever it may."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.parametrize("columns", [40, 3000])
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_elements_are_of_this_array(
    read: Callable[[Any], Any], columns: int, frequent_switches: None
) -> None:
    array = la.zeros((3, columns))
    done = threading.Event()

    def write(seed: int) -> None:
        # Each thread has settings of its own, which are asked for by Python's code.
        with la.config(implicit="allow", immediate=4000 + seed):
            rng = np.random.default_rng(seed)
            while not done.is_set():
                seen = array + 1.0  # so that the next write lets the array have other memory
                array[rng.integers(3), rng.integers(columns) :] = float(rng.choice(ELEMENTS))
                array[...] = np.full((3, columns), rng.choice(ELEMENTS))
                assert 1 <= float(seen[0, 0]) <= MOST + 1

    def look(seed: int) -> None:
        with la.config(implicit="allow", immediate=4000 + seed):
            while not done.is_set():
                values = np.asarray(read(array))
                assert values.min() >= 0
                assert values.max() <= MOST

    with ThreadPoolExecutor(2 * WRITERS) as pool:
        threads = [pool.submit(write, k) for k in range(WRITERS)]
        threads += [pool.submit(look, 100 + k) for k in range(WRITERS)]
        timer = threading.Timer(SECONDS, done.set)
        timer.start()
        try:
            for thread in threads:
                thread.result()
        finally:
            done.set()
            timer.cancel()


# Values of expressions that threads share. What another thread does in between is done here, at the
# very place, by what is called there.


def test_what_is_stored_in_between_is_seen_by_the_next_binding() -> None:
    x = la.array(np.arange(3_000.0))
    with la.config(optimize=False, immediate=0):
        part = x * 2.0
        total = (part + 1.0).sum()
        for _ in range(3):
            assert la.evaluate(total) == 9_000_000.0  # bound as it is from the second one on
        store((part._known,), [Leaf(np.arange(3_000.0) * 2.0)])
        with la.config(threads=2):  # whose plans are others
            assert la.evaluate(total) == 9_000_000.0


def test_what_is_stored_while_a_plan_is_made_takes_no_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = la.array(np.arange(3_000.0))
    original = compilation.canonicalize

    def stored(*args: Any) -> Any:
        store((part._known,), [Leaf(np.arange(3_000.0) * 2.0)])
        return original(*args)

    monkeypatch.setattr(compilation, "canonicalize", stored)
    with la.config(optimize=False, immediate=0):
        part = x * 2.0
        total = (la.negative(part) + 3.0).max()
        assert la.evaluate(total) == 3.0
    assert part._known.stored is not None


def test_a_write_right_after_a_value_was_kept_is_not_seen_by_what_was_made_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = la.array(np.arange(300.0).reshape(30, 10))
    with la.config(immediate=0):
        x[0] = 1.0  # an expression
        total = x.sum()
    before = float(np.arange(10, 300).sum() + 10)
    original = residence.take

    def taken(array: Any, *rest: Any) -> bool:
        took = original(array, *rest)
        array[5:20] = -1.0
        return took

    with la.config(immediate=100):
        monkeypatch.setattr(residence, "take", taken)
        assert residence.compute_owner(x)
        monkeypatch.undo()
    assert float(total) == before
    assert float(x.sum()) == float(np.asarray(x).sum()) < before


def test_a_copy_that_was_taken_during_a_write_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    original = aliasing._leaf_or_part

    def written(array: Any, *rest: Any) -> Any:
        value = original(array, *rest)
        assert native_items.write_item(x, 5, 2.0)
        return value

    for index, total in ((slice(None), 3.0), (slice(2, 20), 2.0)):
        with la.config(immediate=100):
            x = la.array(np.zeros(40))
            x[0] = 1.0
            shown = x[index]
            with monkeypatch.context() as patched:
                patched.setattr(aliasing, "_leaf_or_part", written)
                assert shown._node.shape == shown.shape
        with la.config(immediate=0):
            assert float((shown + 0.0).sum()) == total


def test_a_leaf_that_another_thread_made_first_is_the_one(monkeypatch: pytest.MonkeyPatch) -> None:
    x = la.array(np.zeros(1_000))
    original, first = shared_memory.origin, []

    def made() -> Any:
        monkeypatch.undo()
        first.append(x * 2.0)  # which reads the array's memory
        return original()

    with la.config(immediate=100):
        x[0] = 1.0
        monkeypatch.setattr(shared_memory, "origin", made)
        shared_memory.leaf_of(x)
        x[:100] = 5.0
    assert float(first[0].sum()) == 2.0


def test_a_write_waits_for_who_looks_whether_memory_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def known(array: Any) -> None:
        monkeypatch.undo()
        array._history = storing.BORROWED  # as the other thread has it for that long
        storing.forget_node(array)

    with la.config(immediate=100):
        x = la.array(np.zeros(1_000))
        x[0] = 1.0
        seen = x * 2.0
        monkeypatch.setattr(shared_memory, "known_node", known)
        assert native_items.write_item(x, slice(0, 100), 5.0)
    assert float(seen.sum()) == 2.0
    assert float(x.sum()) == 500.0


def test_an_operand_that_another_thread_makes_an_expression_is_not_computed_with(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    x = la.array(np.zeros(1_000))
    x[0] = 1.0
    original = native.limit_of

    def left(op: Any) -> int:
        aliasing.leave_memory(x)
        return original(op)

    monkeypatch.setattr(native, "limit_of", left)
    with la.config(immediate=4000):
        assert native.computed_with(ELEMENTWISE["add"], operator.add, x, 1.0, False) is None


def test_a_view_that_another_thread_makes_an_expression_is_not_written_straight(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def left(view: Any, *_: Any) -> bool:
        aliasing.leave_memory(view)
        aliasing.leave_memory(x)
        return False

    monkeypatch.setattr(slice_writes, "_write_straight", left)
    values = np.arange(400_000.0)
    x = la.array(values)
    with la.config(immediate=4000):
        x[0] = 1.0
        view = x[1:]
        view *= la.asarray(values[1:]) + 2.0
    expected = values * (values + 2.0)
    expected[0] = 1.0
    np.testing.assert_array_equal(np.asarray(x), expected)


def test_threads_that_share_an_expression(frequent_switches: None) -> None:
    values = np.arange(60.0 * 90).reshape(60, 90)
    with la.config(immediate=500):
        x = la.array(values)
        x[0, 0] = 0
        shared = [x * 2, x[:20] + 1, x.max(axis=1), x.sum(), (x + x)[:3]]
    expected: list[Any] = [values * 2, values[:20] + 1, values.max(axis=1), values.sum()]
    expected.append((values + values)[:3])

    def use(seed: int) -> None:
        with la.config(implicit="allow", immediate=[500, 64, 0][seed % 3]):
            for k in range(5):
                value, known = shared[(k + seed) % 5], expected[(k + seed) % 5]
                if k == 2:
                    x[seed * 10 : seed * 10 + 9, 1:] = -1.0
                ways = value.copy, lambda v=value: v + 0, lambda v=value: np.array(v)
                np.testing.assert_array_equal(np.asarray(ways[(k * seed) % 3]()), known)

    with ThreadPoolExecutor(4) as pool:
        for thread in [pool.submit(use, seed) for seed in range(4)]:
            thread.result()
    for seed in range(4):
        values[seed * 10 : seed * 10 + 9, 1:] = -1.0
    np.testing.assert_array_equal(np.asarray(x), values)
