"""Plans with kernels and library calls, run by addresses."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.numpy_api.library_calls import call_library

pytestmark = pytest.mark.host


def _jitted(function: Any) -> Any:
    return la.jit(function)


def test_runs_at_once_in_several_threads() -> None:
    function = _jitted(lambda a, b: np.fft.rfft(la.linalg.solve(a, b) * 2 + 1, axis=0).real + 1)
    wrong: list[int] = []

    def work(seed: int) -> None:
        rng = np.random.default_rng(seed)
        for _ in range(20):
            a, b = rng.normal(size=(2, 9, 9))
            expected = np.fft.rfft(np.linalg.solve(a, b) * 2 + 1, axis=0).real + 1
            if not np.array_equal(function(a, b), expected):
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_function_that_returns_its_operand_gives_memory_of_its_own() -> None:
    def function(x: Any) -> Any:
        inverse = la.linalg.inv(x + 1)
        same = call_library("same", lambda a: a, (inverse,), inverse.shape, inverse.dtype)
        return inverse, same, same + 1

    first, second, _ = _jitted(function)(np.eye(3))
    np.testing.assert_array_equal(first, second)
    assert not np.may_share_memory(first, second)


def test_errors_and_warnings_name_the_line() -> None:
    inverse = _jitted(lambda x: la.linalg.inv(x) + np.sort(x))
    inverse(np.eye(3))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        inverse(np.zeros((3, 3)))
    assert "in linalg.inv" in caught.value.__notes__[0]
    assert "test_mixed_sequence.py" in caught.value.__notes__[0]
    quotient = _jitted(lambda x: np.linalg.inv(x) / (x - 1) + np.sort(x))
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        quotient(np.eye(2))
