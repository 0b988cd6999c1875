"""Sorts of rows without Python, on any number of threads, have the bits of NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.cpu import sorts
from lazyarr.runtime.cpu.calling_convention import FAILED
from lazyarr.runtime.cpu.line_sorts import kernel
from lazyarr.runtime.cpu.numpy_loops import COMPILED

pytestmark = [
    pytest.mark.host,
    pytest.mark.skipif(COMPILED is None, reason="NumPy sorts without the extension module"),
]

DTYPES = ("?", "i1", "u2", "i4", "u8", "f2", "f4", "f8", "c8", "c16")


@pytest.fixture
def by_kernel(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """A list that says of each library step that is planned whether a kernel sorts."""
    outcomes: list[bool] = []
    sort_of = sorts.sort_of

    def noted(group: Any, layouts: Any) -> Any:
        kernel = sort_of(group, layouts)
        outcomes.append(kernel is not None)
        return kernel

    monkeypatch.setattr("lazyarr.execution.cpu.sorts.sort_of", noted)
    la.cache.clear()
    return outcomes


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", [None, "stable", "heapsort"])
def test_rows_are_sorted_as_numpy_sorts_them(by_kernel: list[bool], dtype: str, kind: Any) -> None:
    random = np.random.default_rng(1)
    x = (random.standard_normal((3, 17, 900)) * 3).astype(dtype)
    if dtype[0] in "fc":
        x.reshape(-1)[::7] = random.choice([0.0, -0.0, np.nan, -np.nan, np.inf], x.size // 7 + 1)
    functions = (
        lambda xp, x: xp.sort(x, kind=kind),
        lambda xp, x: xp.argsort(x, kind=kind),
        lambda xp, x: xp.sort(x[:, ::2], stable=True),
    )
    with la.config(threads=3):
        for function in functions:
            expected = function(np, x)
            result = la.jit(lambda x, function=function: function(la, x))(x)
            assert result.dtype == expected.dtype
            assert result.tobytes() == expected.tobytes()
    assert by_kernel[-1] is False
    assert by_kernel[:2] == [True, True] or kind == "heapsort"  # of which NumPy has several


def test_computed_rows_and_parts_of_results(by_kernel: list[bool]) -> None:
    x = np.random.default_rng(2).standard_normal((40, 500))

    def compute(xp: Any, x: Any) -> Any:
        return xp.concatenate([xp.sort(x * 2), x]) + 1, xp.argsort(x + 1)[3:, ::2]

    for threads in (2, 1):
        with la.config(threads=threads):
            for value, expected in zip(
                la.jit(lambda x: compute(la, x))(x), compute(np, x), strict=True
            ):
                np.testing.assert_array_equal(value, expected)
        assert any(by_kernel)
        by_kernel.clear()


@pytest.mark.parametrize(
    "function",
    [
        lambda xp, x: xp.sort(x, axis=0),
        lambda xp, x: xp.sort(x[:, ::2]),
        lambda xp, x: xp.sort(x[::2, ::-1]),
        lambda xp, x: xp.partition(x, 3),
    ],
)
def test_other_sorts_are_numpys(by_kernel: list[bool], function: Any) -> None:
    x = np.random.default_rng(2).standard_normal((40, 500))
    with la.config(threads=2):
        result = la.jit(lambda x: function(la, x))(x)
    np.testing.assert_array_equal(result, function(np, x))
    assert not any(by_kernel)


@pytest.mark.parametrize("seed", range(6))
def test_few_rows_are_sorted_on_one_thread(by_kernel: list[bool], seed: int) -> None:
    random = np.random.default_rng([seed, 41])
    shape = tuple(int(n) for n in random.integers(1, 12, random.integers(2, 4)))
    x = random.standard_normal(shape).astype(random.choice(["f4", "f8"]))
    with la.config(threads=1):
        result = la.jit(lambda x: la.sort(2 * x - 1))(x)
    np.testing.assert_array_equal(result, np.sort(2 * x - 1))
    assert by_kernel == [True]


def test_a_sort_without_memory_is_an_error() -> None:
    assert kernel().check(0) == 0
    with pytest.raises(MemoryError, match="to sort rows"):
        kernel().check(FAILED)
