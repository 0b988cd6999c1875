"""Plans that are nothing but kernels: the short way gives what the long way gives."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.cpu import small_calls
from lazyarr.execution.cpu.kernel_sequence import KernelSequence


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that gets the number of kernels of each run that takes the short way."""
    collected: list[int] = []
    launch = KernelSequence.launch

    def noted(self: KernelSequence, *args: Any) -> Any:
        results = launch(self, *args)
        if results is not None:
            collected.append(len(self.code.calls))
        return results

    monkeypatch.setattr(KernelSequence, "launch", noted)
    monkeypatch.setattr(small_calls, "COMPILED", None)  # which has a way of its own
    return collected


def standardised(x: Any) -> Any:
    return (x - x.mean(axis=0)) / x.std(axis=0)


def several(x: Any) -> Any:
    centred = x - x.mean()
    return (centred * centred).sum(), centred, x.max(axis=1)


def chained(x: Any) -> Any:
    """Needs an intermediate: the rows' sums are read across them."""
    rows = (x * 2).sum(axis=1)
    return rows[::-1] - rows, x + rows[:, None]


@pytest.mark.parametrize("function", [standardised, several, chained])
@pytest.mark.parametrize("shape", [(40, 30), (700, 900)])
def test_several_kernels(
    runs: list[int], function: Callable[[Any], Any], shape: tuple[int, int]
) -> None:
    rng = np.random.default_rng(3)
    fast = la.jit(function)
    for _ in range(3):
        x = rng.standard_normal(shape)
        runs.clear()
        result = fast(x)
        assert len(runs) == 1
        with la.profile():  # which takes the long way
            expected = fast(x)
        assert len(runs) == 1
        if not isinstance(result, tuple):
            result, expected = (result,), (expected,)
        for one, other in zip(result, expected, strict=True):
            np.testing.assert_array_equal(one, other)
    assert runs[0] > 1


def test_results_in_another_order_than_their_buffers(runs: list[int]) -> None:
    fast = la.jit(lambda x: (x.sum(axis=0), x + 1, x.mean()))
    back = la.jit(lambda x: (x.mean(), x + 1, x.sum(axis=0)))
    x = np.random.default_rng(4).standard_normal((60, 50))
    for one, other in zip(fast(x), reversed(back(x)), strict=True):
        np.testing.assert_array_equal(one, other)
    assert len(runs) == 2


def test_what_kernels_report_is_followed_up(runs: list[int]) -> None:
    fast = la.jit(lambda x: (1 / x, (1 / x).sum()))
    x = np.ones(100_000)
    fast(x)
    x[77_777] = 0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        fast(x)
    assert len(runs) >= 2  # and what finds out what happened


def test_many_threads_at_once(runs: list[int]) -> None:
    fast = la.jit(several)
    arrays = [np.random.default_rng(k).standard_normal((300, 400)) for k in range(8)]
    expected = [fast(x) for x in arrays]
    wrong: list[int] = []

    def work(k: int) -> None:
        for _ in range(30):
            for one, other in zip(fast(arrays[k]), expected[k], strict=True):
                if not np.array_equal(one, other):
                    wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and len(runs) == 8 * 31


def test_unaligned_arrays_take_the_long_way(runs: list[int]) -> None:
    fast = la.jit(several)
    x = np.random.default_rng(5).standard_normal((30, 40))
    shifted = np.empty(x.nbytes + 1, np.uint8)[1:].view(np.uint8)
    unaligned = np.ndarray(x.shape, x.dtype, shifted.data)
    unaligned[...] = x
    for one, other in zip(fast(unaligned), fast(x), strict=True):
        np.testing.assert_array_equal(one, other)


def test_results_of_another_shape_are_launched_by_their_addresses() -> None:
    x = np.random.default_rng(3).random((3, 40))
    kept = la.jit(lambda x: la.log(la.sum(x, axis=1, keepdims=True)))
    shaped = la.jit(lambda x: (2 * x + 1).reshape(40, 3))
    pair = la.jit(lambda x: (la.max(x, axis=0, keepdims=True), (x - 1).reshape(-1)))
    for _ in range(3):
        result = kept(x)
        assert result.shape == (3, 1) and result.flags.c_contiguous
        np.testing.assert_allclose(result, np.log(x.sum(axis=1, keepdims=True)), rtol=1e-15)
        np.testing.assert_array_equal(shaped(x), (2 * x + 1).reshape(40, 3))
        most, line = pair(x)
        np.testing.assert_array_equal(most, x.max(axis=0, keepdims=True))
        np.testing.assert_array_equal(line, (x - 1).reshape(-1))
    for function in (kept, shaped, pair):
        assert function._tables.small[1], "it is no short call"


def test_a_donated_array_of_another_shape_gives_its_memory() -> None:
    x = np.random.default_rng(4).random((6, 40))
    function = la.jit(lambda x: (2 * x + 1).reshape(40, 6), donate=0)
    for _ in range(2):
        result = function(x.copy())
        assert result.shape == (40, 6)
        np.testing.assert_array_equal(result, (2 * x + 1).reshape(40, 6))
