"""Rows that several threads write are all kept, whatever an array is when they begin."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]
ROWS = 8


@pytest.fixture(autouse=True)
def quick_switches() -> Iterator[None]:
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    with la.config(implicit="allow"):
        yield
    sys.setswitchinterval(interval)


def _array(kind: str, length: int) -> tuple[Any, Any]:
    """Return an array of zeros, and what refers to its present value."""
    wrapped = la.asarray(np.zeros((ROWS, length)))
    if kind == "wrapped":
        return wrapped, None
    if kind == "constant":
        return la.zeros((ROWS, length)), None
    if kind == "pending":
        return wrapped * 1, None
    own = la.asarray(np.zeros((ROWS, length)), copy=True)
    own[0, 0] = 0
    if kind == "read":
        return own, own + 1  # an expression that sees the zeros
    assert kind == "exported"
    return own, np.asarray(own)


def _by_view(array: Any, i: int, value: Array) -> None:
    array[i][...] = value


def _by_item(array: Any, i: int, value: Array) -> None:
    array[i] = value


def _in_place(array: Any, i: int, value: Array) -> None:
    row = array[i]
    row += value


def _by_output(array: Any, i: int, value: Array) -> None:
    np.multiply(value, 1, out=array[i])


def _by_expression(array: Any, i: int, value: Array) -> None:
    array[i] = la.asarray(value) * 1


def _by_elements(array: Any, i: int, value: Array) -> None:
    for k in range(min(value.size, 6)):
        array[i, k] = value[k]
    array[i, 6:] = value[6:]


WRITES = [_by_view, _by_item, _in_place, _by_output, _by_expression, _by_elements]


def _in_threads(write: Callable[[Any, int, Array], None], array: Any, length: int) -> None:
    start = threading.Barrier(ROWS)

    def run(i: int) -> None:
        start.wait()
        write(array, i, np.full(length, i + 1.0))

    with ThreadPoolExecutor(ROWS) as pool:
        list(pool.map(run, range(ROWS)))


@pytest.mark.parametrize("kind", ["wrapped", "constant", "pending", "read", "exported"])
@pytest.mark.parametrize("length", [10, 10_000])
@pytest.mark.parametrize("write", WRITES)
def test_rows_that_threads_write_are_kept(
    write: Callable[[Any, int, Array], None], length: int, kind: str
) -> None:
    right = np.repeat(np.arange(1.0, ROWS + 1), length).reshape(ROWS, length)
    for _ in range(3):
        array, seen = _array(kind, length)
        _in_threads(write, array, length)
        np.testing.assert_array_equal(np.asarray(array), right)
        if seen is not None:
            np.testing.assert_array_equal(np.asarray(seen), 1.0 if kind == "read" else 0.0)


@pytest.mark.parametrize("length", [10, 10_000])
def test_rows_are_kept_while_another_thread_reads(length: int) -> None:
    array = la.zeros((ROWS, length))
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            # An expression of the present value: of zeros, or of twos, which differ in one byte. A
            # copy that goes byte by byte may be seen between those of an element.
            seen = array[1] + 1
            assert float(seen[0]) in (1.0, 3.0)

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read)
        try:
            for k in range(12):
                array[...] = 0
                _in_threads(WRITES[k % len(WRITES)], array, length)
                right = np.repeat(np.arange(1.0, ROWS + 1), length).reshape(ROWS, length)
                np.testing.assert_array_equal(np.array(array), right)
        finally:
            done.set()
        reader.result()


@pytest.mark.parametrize("immediate", [4096, 0])
def test_rows_are_kept_while_each_thread_reads_its_own(immediate: int) -> None:
    length, writes = (5000, 1500) if immediate else (40, 8)
    array = la.zeros((ROWS, length))

    def run(i: int) -> None:
        right = np.zeros(length)
        with la.config(implicit="allow", immediate=immediate):
            for k in range(writes):
                start = (k * 7919 + i * 104729) % length
                array[i, start:] = right[start:] = k + i / ROWS
                np.testing.assert_array_equal(np.asarray(array[i]), right)

    with ThreadPoolExecutor(ROWS) as pool:
        list(pool.map(run, range(ROWS)))
