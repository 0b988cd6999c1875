"""Matrix products that a plan calls as it calls kernels: NumPy's bits, warnings and limits."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cpu import contraction_analysis
from lazyarr.execution import tuning
from lazyarr.execution.cpu import products, step_by_step
from lazyarr.execution.cpu.products import Blocks, Cut, Product, product_of
from lazyarr.runtime.cpu import blas
from lazyarr.runtime.cpu.blas_threads import limited

Array = np.ndarray[Any, Any]

needs_blas = pytest.mark.skipif(
    blas.routine(np.dtype(np.float32)) is None, reason="NumPy's BLAS has no routine that is known"
)


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[Product | None]:
    """A list that gets the call of each library product of a new plan."""
    seen: list[Product | None] = []

    def noted(*args: Any) -> Product | None:
        seen.append(product_of(*args))
        return seen[-1]

    monkeypatch.setattr(products, "product_of", noted)
    la.cache.clear()
    return seen


def matrix(shape: tuple[int, ...], dtype: str = "f4", seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@needs_blas
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("left", ["as is", "transposed"])
@pytest.mark.parametrize("right", ["as is", "transposed"])
def test_bits_of_numpy(called: list[Product | None], dtype: str, left: str, right: str) -> None:
    a, b = matrix((70, 90), dtype), matrix((90, 80), dtype, 1)
    a = a if left == "as is" else a.T.copy().T
    b = b if right == "as is" else b.T.copy().T
    result = la.jit(np.matmul)(a, b)
    with limited(1):
        np.testing.assert_array_equal(result, a @ b)
    assert len(called) == 1 and called[0] is not None


@needs_blas
@settings(max_examples=30, deadline=None)
@given(
    st.sampled_from([(), (3,), (2, 3), (1, 3)]),
    st.sampled_from([(), (3,), (2, 1), (2, 3)]),
    st.tuples(*[st.integers(1, 40)] * 3),
    st.booleans(),
)
def test_stacks(
    left: tuple[int, ...], right: tuple[int, ...], sizes: tuple[int, int, int], swapped: bool
) -> None:
    rows, inner, columns = sizes
    a, b = matrix((*left, rows, inner)), matrix((*right, inner, columns), seed=1)
    if swapped:
        a = np.swapaxes(np.swapaxes(a, -1, -2).copy(), -1, -2)
    result = la.jit(lambda a, b: la.exp(a @ b * 0.01))(a, b)
    np.testing.assert_allclose(result, np.exp(a @ b * np.float32(0.01)), rtol=2e-6)


@needs_blas
def test_slices_and_what_blas_cannot_read(called: list[Product | None]) -> None:
    a, b = matrix((70, 120)), matrix((120, 90), seed=1)
    slices = la.jit(lambda a, b: a[10:60, 20:90] @ b[5:75, :80])
    np.testing.assert_array_equal(slices(a, b), a[10:60, 20:90] @ b[5:75, :80])
    assert [product is not None for product in called] == [True]
    strided = la.jit(lambda a, b: a[:, ::2] @ b[::2])
    np.testing.assert_array_equal(strided(a, b), a[:, ::2] @ b[::2])
    own = la.jit(lambda a: a @ a.T)  # NumPy has another routine for it
    np.testing.assert_array_equal(own(a), a @ a.T)
    stacked = la.jit(lambda a, x: a @ x)
    stack, x = a[:8].reshape(2, 4, 120), b[:, 0].copy()
    np.testing.assert_array_equal(stacked(stack, x), stack @ x)
    assert not any(called[1:])


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 300),
    st.integers(1, 300),
    st.sampled_from(["f4", "f8"]),
    st.sampled_from(["as is", "transposed", "strided", "reversed"]),
)
def test_products_with_a_vector_are_kernels(rows: int, inner: int, dtype: str, layout: str) -> None:
    a, x = matrix((rows, 2 * inner), dtype), matrix((2 * inner,), dtype, 1)
    if layout == "as is":
        a, x = a[:, :inner].copy(), x[:inner].copy()
    elif layout == "transposed":
        a, x = a.T.copy().T[:, :inner], x[:inner]
    else:
        step = 2 if layout == "strided" else -2
        a, x = a[:, ::step], x[::step]
    product = la.jit(lambda a, x: a @ x + 1)
    wide = np.longdouble if dtype == "f8" else np.float64
    exact = a.astype(wide) @ x.astype(wide) + 1
    bound = (inner + 2) * np.finfo(dtype).eps * (np.abs(a) @ np.abs(x) + 1)
    assert np.all(np.abs(product(a, x) - exact) <= bound)
    if min(rows, inner) > 1:
        assert not product.explain(a, x).library_calls


@needs_blas
@pytest.mark.parametrize("profiled", [False, True])
def test_faults_are_those_of_numpy(profiled: bool) -> None:
    a, b = matrix((64, 64)), matrix((64, 64), seed=1)
    product = la.jit(lambda a, b: (a @ b, a + b))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        product(a, b)
    a[3, 4] = np.inf
    b[4, 5] = 0.0

    def run() -> Any:
        if not profiled:
            return product(a, b)
        with la.profile():
            return product(a, b)

    with pytest.warns(RuntimeWarning, match="invalid value encountered in matmul") as caught:
        result, _ = run()
    assert [warning.filename for warning in caught] == [__file__]
    assert np.isnan(result[3, 5])
    with np.errstate(invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        run()
    with np.errstate(invalid="raise"), pytest.raises(FloatingPointError, match="in matmul"):
        run()


@needs_blas
def test_beside_other_library_calls(called: list[Product | None]) -> None:
    a, b = matrix((64, 48)), matrix((48, 80), seed=1)
    result = la.jit(lambda a, b: np.sort(a @ b, axis=0) + 1)(a, b)
    np.testing.assert_array_equal(result, np.sort(a @ b, axis=0) + 1)
    assert [product is not None for product in called] == [True]


@needs_blas
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("beside_others", [False, True])
def test_blas_computes_a_block_on_one_thread(
    monkeypatch: pytest.MonkeyPatch, threads: int, beside_others: bool
) -> None:
    asked: list[int] = []

    def noted(most: int) -> Any:
        asked.append(most)
        return limited(most)

    monkeypatch.setattr("lazyarr.execution.cpu.kernel_sequence.limited", noted)
    monkeypatch.setattr(step_by_step.blas_threads, "limited", noted)
    with la.config(threads=threads):
        product = la.jit(lambda a, b: np.linalg.inv(a @ b) if beside_others else a @ b)
        for size, bounds in ((64, []), (90, [1])):  # OpenBLAS takes one thread for small ones
            asked.clear()
            product(matrix((size, size)), matrix((size, size), seed=1))
            assert asked == [threads] * beside_others + bounds


def operands(
    dtype: str, sizes: tuple[int, int, int], stack: tuple[int, ...], transposed: tuple[bool, bool]
) -> tuple[Array, Array]:
    rows, inner, columns = sizes
    pair = matrix((*stack, rows, inner), dtype), matrix((*stack, inner, columns), dtype, 1)
    a, b = (
        np.swapaxes(np.swapaxes(x, -1, -2).copy(), -1, -2) if turned else x
        for x, turned in zip(pair, transposed, strict=True)
    )
    return a, b


@needs_blas
@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["f4", "f8"]),
    st.tuples(st.integers(2, 400), st.integers(2, 600), st.integers(2, 400)),
    st.sampled_from([(), (), (2,), (3, 2)]),
    st.tuples(st.booleans(), st.booleans()),
)
def test_blocks_have_the_same_bits_for_any_number_of_threads(
    dtype: str,
    sizes: tuple[int, int, int],
    stack: tuple[int, ...],
    transposed: tuple[bool, bool],
) -> None:
    a, b = operands(dtype, sizes, stack, transposed)
    results = []
    for threads in (1, 2, 5):
        with la.config(threads=threads):
            results.append(la.jit(np.matmul)(a, b))
    exact = a.astype(np.longdouble) @ b.astype(np.longdouble)
    bound = sizes[1] * np.finfo(dtype).eps * (np.abs(a) @ np.abs(b))
    assert np.all(np.abs(results[0] - exact) <= bound)
    for result in results[1:]:
        np.testing.assert_array_equal(result, results[0])


@needs_blas
@settings(max_examples=10, deadline=None)
@given(
    st.sampled_from(["f4", "f8"]),
    st.tuples(st.integers(200, 600), st.integers(130, 500), st.integers(100, 130)),
    st.tuples(st.booleans(), st.booleans()),
)
def test_blocks_of_rows_have_the_bits_of_one_thread(
    dtype: str, sizes: tuple[int, int, int], transposed: tuple[bool, bool]
) -> None:
    a, b = operands(dtype, sizes, (), transposed)
    with limited(1):
        expected = a @ b
    with pytest.MonkeyPatch.context() as patch:
        # Where BLAS has narrower vectors than the processor, a kernel computes such products.
        patch.setattr(contraction_analysis, "product_pays", lambda value, nbytes: False)
        for threads in (1, 2, 5):
            with la.config(threads=threads):
                np.testing.assert_array_equal(la.jit(np.matmul)(a, b), expected)


GRAINS = [((24, 48), (4, 16)), ((12, 192),), ((4, 16),), ((12, 0),), ((24, 0),)]


@given(
    st.tuples(st.integers(2, 5000), st.integers(2, 5000), st.integers(2, 5000)),
    st.sampled_from([1, 2, 16]),
    st.sampled_from(GRAINS),
)
def test_cuts(size: tuple[int, int, int], threads: int, grains: blas.Grains) -> None:
    cut, row = Cut.of(size, threads, grains), tuning.row()
    rows, columns, inner = size
    work = rows * columns * inner
    if cut.count > 1:
        # Each block has a whole strip, and enough work for a call.
        assert rows // cut.rows.strip >= cut.rows.count and cut.chunk == 1
        assert columns // cut.columns.strip >= cut.columns.count
        assert work >= cut.count * row.product_block
    else:
        assert cut.chunk * work >= row.product_block
    if cut != Cut.of(size, 1, grains):
        # The least block has whole strips of a grain, and is no small product.
        pairs = [(cut.rows, 0), (cut.columns, 1)]
        assert any(all(b.count == 1 or b.strip == g[k] for b, k in pairs) for g in grains)
        assert cut.rows.shortest(rows) * cut.columns.shortest(columns) * inner >= row.row_block
    assert Cut.of(size, threads, grains, 1000).count <= cut.count


@given(st.integers(1, 40), st.integers(1, 48), st.integers(0, 5000))
def test_longest_and_shortest_blocks(count: int, strip: int, more: int) -> None:
    size = count * strip + more
    strips = size // strip
    edges = [-(-strips * block // count) * strip for block in range(count)] + [size]
    lengths = [high - low for low, high in pairwise(edges)]
    blocks = Blocks(count, strip)
    assert blocks.longest(size) == max(lengths)
    assert strip <= blocks.shortest(size) <= min(lengths) or count == 1


@needs_blas
@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(["f4", "f8"]),
    st.tuples(st.integers(70, 700), st.integers(70, 900), st.integers(70, 900)),
    st.tuples(st.booleans(), st.booleans()),
    st.tuples(st.integers(1, 6), st.integers(1, 5)),
    st.integers(0, 1),
)
def test_blocks_of_a_grain_have_the_bits_of_the_whole(
    dtype: str,
    sizes: tuple[int, int, int],
    transposed: tuple[bool, bool],
    counts: tuple[int, int],
    grain: int,
) -> None:
    routine = blas.routine(np.dtype(dtype))
    assert routine is not None
    grains = routine.grains
    strips = grains[min(grain, len(grains) - 1)]
    rows, inner, columns = sizes
    row_blocks = Blocks(max(1, min(counts[0], rows // strips[0])), strips[0])
    most = columns // strips[1] if strips[1] else 1
    column_blocks = Blocks(max(1, min(counts[1], most)), strips[1] if most > 1 else 1)
    least = row_blocks.shortest(rows) * column_blocks.shortest(columns) * inner
    assume(least >= tuning.row().row_block)
    cut = Cut(row_blocks, column_blocks, 1)
    a, b = operands(dtype, sizes, (), transposed)
    with limited(1):
        expected = a @ b
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(contraction_analysis, "product_pays", lambda value, nbytes: False)
        patch.setattr(Cut, "of", lambda *args: cut)
        la.cache.clear()
        np.testing.assert_array_equal(la.jit(np.matmul)(a, b), expected)
    la.cache.clear()


@needs_blas
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="no times of threads")
def test_the_threads_of_blas_and_of_the_pool_do_not_work_side_by_side() -> None:
    code = """
import os, threading, time
import numpy as np, lazyarr as la

def times():
    return {
        task: int(open(f"/proc/self/task/{task}/schedstat").read().split()[0])
        for task in os.listdir("/proc/self/task")
    }

random = np.random.default_rng(0)
x = random.standard_normal((4000, 784)).astype(np.float32)
y = np.eye(10, dtype=np.float32)[random.integers(0, 10, 4000)]
w = np.zeros((784, 10), np.float32)

def step(w, x, y):
    scores = np.exp(x @ w)
    return w - np.float32(1e-4) * (x.T @ (scores / scores.sum(axis=1, keepdims=True) - y))

def epoch(step, w):
    for first in range(0, 4000, 1000):
        w = step(w, x[first : first + 1000], y[first : first + 1000])
    return w

x @ x.T  # BLAS has its threads now
with la.config(threads=2):
    fast = la.jit(step)
    np.testing.assert_allclose(epoch(fast, w), epoch(step, w), rtol=1e-4, atol=1e-6)
    time.sleep(0.3)  # BLAS's threads spin for a while after a product
    begun = times()
    for _ in range(10):
        w = epoch(fast, w)
    spent = {task: after - begun.get(task, 0) for task, after in times().items()}
ours = {str(thread.native_id) for thread in threading.enumerate()}
assert len(spent) > len(ours)
print(sum(t for task, t in spent.items() if task not in ours) / sum(spent.values()))
"""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "4"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert float(done.stdout) < 0.01


def test_other_blas_computes_by_numpy(
    monkeypatch: pytest.MonkeyPatch, called: list[Product | None]
) -> None:
    monkeypatch.setattr(blas, "routine", lambda dtype: None)
    a, b = matrix((64, 64)), matrix((64, 64), seed=1)
    np.testing.assert_array_equal(la.jit(np.matmul)(a, b), a @ b)
    assert called == [None]
