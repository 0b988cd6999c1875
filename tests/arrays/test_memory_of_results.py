"""Memory of arrays that NumPy computes for lazyarr: blocks that were freed are used again."""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
from numpy._core import multiarray

import lazyarr as la
from lazyarr.arrays.fields import COMPILED
from lazyarr.core.addresses import address_of

Array = np.ndarray[Any, Any]

pytestmark = [
    pytest.mark.host,
    pytest.mark.skipif(COMPILED is None, reason="Python's form takes NumPy's memory"),
]

LENGTH = 12_000
OWN = "lazyarr"


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _handler(array: Any) -> str:
    name: str = multiarray.get_handler_name(array)  # type: ignore[attr-defined]
    return name


def _handler_now() -> str:
    name: str = multiarray.get_handler_name()  # type: ignore[attr-defined]
    return name


def _numbers(length: int = LENGTH) -> Array:
    return np.linspace(-1.0, 1.0, length)


CALLS: dict[str, Callable[[Any], Any]] = {
    "an operator": lambda x: x + x,
    "an operator of integers": lambda x: x.astype(int) // 3,
    "a sign": lambda x: -x,
    "a ufunc": lambda x: la.floor(x),
    "a method": lambda x: x.round(1),
    "a copy": lambda x: x.copy(),
    "a function": lambda x: la.flip(x).copy(),
    "a join": lambda x: la.concatenate([x, x]),
    "a sort": lambda x: la.sort(x),
    "places": lambda x: x[la.argsort(x)],
    "a mask": lambda x: x[x > -0.9],
}


@pytest.mark.parametrize("name", CALLS)
def test_results_lie_in_blocks_and_numpys_arrays_do_not(name: str) -> None:
    before = _handler_now()
    result = CALLS[name](la.array(_numbers()))
    assert _handler(result._array) == OWN
    assert _handler_now() == before != OWN
    assert _handler(_numbers() + 1) == before


def test_pending_values_lie_in_blocks() -> None:
    x = la.array(_numbers(40_000))
    pending = x * 2 + x
    assert pending._array is None
    np.testing.assert_array_equal(np.asarray(pending), _numbers(40_000) * 2 + _numbers(40_000))
    assert _handler(pending._array) == OWN


def test_small_results_do_not() -> None:
    assert _handler((la.array(_numbers(900)) + 1)._array) != OWN


def test_a_block_is_used_again_by_one_array_at_a_time() -> None:
    x = la.array(_numbers())
    first, second = x + 1, x + 2
    assert not np.shares_memory(first._array, second._array)
    address = first._array.ctypes.data
    del first
    third = x + 3
    assert third._array.ctypes.data == address
    np.testing.assert_array_equal(second._array, _numbers() + 2)
    np.testing.assert_array_equal(third._array, _numbers() + 3)


def test_zeros_in_a_used_block_are_zero() -> None:
    x = la.array(np.full(LENGTH, 7.0))
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(la.tril((x + 1).reshape(-1, 100)))[0, 1:], 0)


@pytest.mark.parametrize("length", [8_191, 8_192, 8_193, 12_345, 70_000, 131_072])
def test_lengths_of_all_classes(length: int) -> None:
    x = la.array(_numbers(length))
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(x < 0.5), _numbers(length) < 0.5)
        np.testing.assert_array_equal(np.asarray(la.sort(x)), _numbers(length))


def test_an_array_that_was_handed_out_may_be_resized() -> None:
    owned = (la.array(_numbers()) + 1)._array.copy()
    lent = la.array(_numbers())
    result = lent + 1
    memory = result._array
    del result
    memory.resize(3 * LENGTH, refcheck=False)
    np.testing.assert_array_equal(memory[:LENGTH], owned)
    np.testing.assert_array_equal(memory[LENGTH:], 0)
    memory.resize(9, refcheck=False)
    np.testing.assert_array_equal(memory, owned[:9])


def test_numpys_handler_is_back_after_an_error() -> None:
    before = _handler_now()
    x = la.array(_numbers())
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        x / (x - x)
    with pytest.raises(la.errors.ShapeError):
        x + x[:7]
    assert _handler_now() == before


def test_threads_take_blocks_of_their_own() -> None:
    wrong: list[int] = []

    def work(number: int) -> None:
        x = la.array(_numbers())
        for step in range(200):
            with la.config(immediate=4096):
                result = x + float(number) + step
            if not np.array_equal(result._array, _numbers() + float(number) + step):
                wrong.append(number)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_arrays_in_memory_are_no_part_of_a_plan() -> None:
    """They are copied, and the expressions beside them have the plan that they have alone."""
    x = np.random.default_rng(7).normal(size=70_000)
    with la.config(immediate=4096, implicit="allow"):
        known, lazy = la.array(x), la.asarray(x)
        row = known[3:9]
        la.evaluate(la.sqrt(lazy * lazy + 2.0))
        with la.profile() as profile:
            values = la.evaluate(known, la.sqrt(lazy * lazy + 2.0), row, known[0])
    assert profile.compiled == 0
    for value, expected in zip(values, (x, np.sqrt(x * x + 2.0), x[3:9], x[0]), strict=True):
        np.testing.assert_array_equal(value, expected)
        assert value.flags.writeable
        value[...] = 0.0
    np.testing.assert_array_equal(np.asarray(known), x)


def test_a_value_with_a_weak_reference_is_not_given_away() -> None:
    """Other threads, and profilers as here, may have it by that before ``evaluate`` returns."""
    references: list[weakref.ref[Any]] = []
    seen: list[Any] = []

    def made() -> la.LazyArray:
        value = la.asarray(np.arange(1.0, 9.0)) + 1
        references.append(weakref.ref(value))
        return value

    def look(frame: FrameType, event: str, _: Any) -> None:
        if event == "return" and frame.f_code.co_name == "evaluate":
            seen.append(references[0]())

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        result = la.evaluate(made())
    finally:
        sys.setprofile(before)
    result[...] = -7.0
    np.testing.assert_array_equal(np.asarray(seen[0]), np.arange(2.0, 10.0))


def test_a_value_that_only_evaluate_has_is_given_away() -> None:
    """And whoever else has it, or a part of it, keeps what it was."""
    numbers = np.arange(1.0, 9.0)
    x = la.asarray(numbers)
    kept: list[Any] = [x]

    def made(*others: Callable[[la.LazyArray], Any]) -> la.LazyArray:
        value = x + 1
        kept.extend(other(value) for other in others)
        return value

    expected = numbers + 1
    addresses: list[int] = []
    result = la.evaluate(made(lambda value: addresses.append(address_of(value._array))))
    kept.pop()
    assert [address_of(result)] == addresses
    makers: list[Callable[[], la.LazyArray]] = [
        made,
        lambda: made()[0:],
        lambda: made(lambda value: value),
        lambda: made(lambda value: value[2:]),
        lambda: made(lambda value: value.reshape(2, 4)),
        lambda: made(np.asarray),
        lambda: made(memoryview),
        lambda: made(la.LazyArray.copy, la.asarray),
        lambda: made(la.exp, lambda value: value * 2, lambda value: value.cumsum()),
        lambda: np.add(x, 1, out=la.zeros(8)),
        lambda: la.persist(x + 1),
    ]
    for make in makers:
        result = la.evaluate(make())
        np.testing.assert_array_equal(result, expected)
        before = [np.array(value) for value in kept]
        result[...] = -7.0
        for value, was in zip(kept, before, strict=True):
            np.testing.assert_array_equal(np.asarray(value), was)
    np.testing.assert_array_equal(numbers, np.arange(1.0, 9.0))


def _asks_for_huge_pages() -> bool:
    try:
        return "[never]" not in Path("/sys/kernel/mm/transparent_hugepage/enabled").read_text()
    except OSError:
        return False


@pytest.mark.skipif(not _asks_for_huge_pages(), reason="the system has no huge pages")
def test_memory_beyond_the_largest_blocks_is_in_huge_pages_as_numpys() -> None:
    resource = pytest.importorskip("resource")
    x = la.asarray(np.zeros((9, 5 << 16)))  # 23 MB
    y = la.asarray(np.zeros((9, 5 << 17)))  # more than blocks have
    for array in (x, y):
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        la.evaluate(la.partition(array, 4, axis=0))
        after = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        assert after - before < array.nbytes / 4096 / 4
