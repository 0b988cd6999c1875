"""Copies of arrays that wrap memory: what is written to either is not seen in the other."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.host_memory_pool import pool

COPIES: dict[str, Callable[[Any], Any]] = {
    "copy.copy": copy.copy,
    "copy.deepcopy": copy.deepcopy,
    "method": lambda x: x.copy(),
    "np.copy": np.copy,
    "la.copy": la.copy,
    "la.array": la.array,
    "flatten": lambda x: x.flatten().reshape(x.shape),
}


@pytest.mark.parametrize("size", [10, 50_000])
@pytest.mark.parametrize("name", COPIES)
def test_a_copy_has_elements_of_its_own(name: str, size: int) -> None:
    memory = np.arange(float(size))
    for immediate in (0, 4096):
        for part in (slice(None), slice(2, None), slice(None, None, -1)):
            with la.config(immediate=immediate):
                own = COPIES[name](la.asarray(memory)[part])
                assert not np.shares_memory(np.asarray(own), memory)
            expected = memory[part].copy()
            if immediate or part == slice(None):
                memory[5] = -memory[5]
            np.testing.assert_array_equal(np.asarray(own), expected)
            memory[5] = abs(memory[5])


@pytest.mark.parametrize("size", [10, 50_000])
@pytest.mark.parametrize("name", COPIES)
def test_a_write_to_a_copy_reaches_nothing_else(name: str, size: int) -> None:
    memory = np.arange(float(size))
    for immediate in (0, 4096):
        with la.config(immediate=immediate):
            wrapped = la.asarray(memory)
            own = COPIES[name](wrapped)
            own[3] = 100.0
            assert memory[3] == 3.0 and float(wrapped[3]) == 3.0 and float(own[3]) == 100.0


@pytest.mark.parametrize("order", "CFKA")
def test_order_of_the_copy(order: Any) -> None:
    memory = np.asfortranarray(np.arange(60_000.0).reshape(200, 300))
    assert la.asarray(memory).copy(order).strides == memory.copy(order).strides


def test_integrators_do_not_write_to_what_they_are_given() -> None:
    odeint = pytest.importorskip("scipy.integrate").odeint
    start = np.array([1.0, 2.0])
    odeint(lambda y, t: -y, la.asarray(start), [0.0, 1.0])
    assert start.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", COPIES)
def test_a_large_copy_is_written_to_in_pages_that_the_last_one_had(name: str) -> None:
    x = la.asarray(np.arange(200_000.0))
    mappings = []
    for _ in range(4):
        own = COPIES[name](x)
        own[3] = 7
        assert own[3] == 7 and x[3] == 3
        del own
        mappings.append(pool.info().mappings)
    assert mappings[1:] == [mappings[1]] * 3


def test_large_zeros_are_written_to_in_pages_that_the_last_ones_had() -> None:
    mappings = []
    for _ in range(4):
        x = la.zeros(200_000)
        x[5] = 1
        assert la.evaluate(x).sum() == 1
        del x
        mappings.append(pool.info().mappings)
    assert mappings[1:] == [mappings[1]] * 3


_IN_STEPS = {
    "backwards": lambda: np.arange(24.0)[::-2],
    "every third": lambda: np.arange(24.0)[1::3],
    "a column": lambda: np.arange(24.0).reshape(6, 4)[:, 1],
}
_COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": lambda x: x.copy(),
    "flatten": lambda x: x.flatten(),
    "astype": lambda x: x.astype(x.dtype),
    "copy of a copy": lambda x: x.copy().copy(),
}


@pytest.mark.parametrize("immediate", [0, 1, 4096])
@pytest.mark.parametrize("is_written", [False, True])
@pytest.mark.parametrize("copied", _COPIES)
@pytest.mark.parametrize("source", _IN_STEPS)
def test_copies_of_one_axis_lie_side_by_side(
    source: str, copied: str, is_written: bool, immediate: int
) -> None:
    with la.config(immediate=immediate):
        array, lazy = _IN_STEPS[source](), la.asarray(_IN_STEPS[source]())
        if is_written:
            array[1] = lazy[1] = 7
        expected, result = _COPIES[copied](array), _COPIES[copied](lazy)
        assert result.strides == expected.strides
        view, lazy_view = expected.ravel(), result.ravel()
        view[0] = lazy_view[0] = 5
        np.testing.assert_array_equal(result.compute(), expected)
