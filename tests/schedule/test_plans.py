"""The fusions that must happen, shown by kernels, bytes and temporaries; values against NumPy.

`plans.run` also checks for each that the planned peak memory is the measured one, to the byte.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.compilation import analyse
from tests.support.plans import run

Array = np.ndarray[Any, Any]

ROWS, COLUMNS = 300, 500
FULL = ROWS * COLUMNS * 8


def matrix(seed: int = 0, shape: tuple[int, ...] = (ROWS, COLUMNS)) -> Array:
    return np.random.default_rng(seed).random(shape) + 0.5


def close(result: Array, expected: Array) -> None:
    np.testing.assert_allclose(result, expected, rtol=1e-12, atol=1e-14)


def test_chain_of_fifty_operations_is_one_kernel() -> None:
    a = matrix()

    def chain(x: Any) -> Any:
        for k in range(25):
            x = np.sqrt(x + 0.25 * (k + 3))
        return x

    ran = run(chain(la.asarray(a)))
    assert ran.kernels == 1
    assert len(ran.explanation.kernels[0].nodes) >= 50
    assert not ran.explanation.fallbacks
    assert (ran.read, ran.written, ran.temporary) == (FULL, FULL, 0)
    assert ran.explanation.peak_bytes == FULL
    close(ran.values[0], chain(a))


def test_weighted_sum_of_squares_has_no_temporary() -> None:
    a, b, c = matrix(1), matrix(2), matrix(3)
    x, y, z = map(la.asarray, (a, b, c))
    ran = run(((x - y) ** 2 * z).sum())
    assert ran.kernels == 1
    assert (ran.read, ran.written, ran.temporary) == (3 * FULL, 8, 0)
    assert ran.explanation.peak_bytes < 4096
    close(ran.values[0], ((a - b) ** 2 * c).sum())


def test_gaussian_of_row_distances_is_one_kernel() -> None:
    a, b = matrix(1), matrix(2)
    x, y = la.asarray(a), la.asarray(b)
    ran = run(np.exp(-((x - y) ** 2).sum(axis=1)))
    assert ran.kernels == 1
    assert (ran.read, ran.written, ran.temporary) == (2 * FULL, ROWS * 8, 0)
    close(ran.values[0], np.exp(-((a - b) ** 2).sum(axis=1)))


@pytest.mark.parametrize("shape", [(ROWS, COLUMNS), (40, 50), (200_000,)])
def test_statistics_evaluated_together_read_once(shape: tuple[int, ...]) -> None:
    a = matrix(4, shape)
    x = la.asarray(a)
    ran = run(x.mean(), x.var(), x.min())
    assert ran.kernels == 1
    assert ran.read == a.nbytes
    assert ran.written == 3 * 8
    close(ran.values[0], a.mean())
    close(ran.values[1], a.var())
    close(ran.values[2], a.min())


def test_row_statistics_evaluated_together_read_once() -> None:
    a = matrix(4)
    x = la.asarray(a)
    ran = run(x.mean(axis=1), x.std(axis=1), x.max(axis=1))
    assert ran.kernels == 1
    assert (ran.read, ran.written, ran.temporary) == (FULL, 3 * ROWS * 8, 0)
    close(ran.values[1], a.std(axis=1))


def test_column_statistics_evaluated_together_read_once() -> None:
    a = matrix(4)
    x = la.asarray(a)
    ran = run(x.mean(axis=0), x.var(axis=0))
    assert ran.kernels == 1
    assert ran.read == FULL
    close(ran.values[1], a.var(axis=0))


def test_outputs_that_share_subexpressions_are_one_kernel() -> None:
    a, b = matrix(1), matrix(2)
    x, y = la.asarray(a), la.asarray(b)
    shared = np.exp(x * y)
    ran = run(shared + x, shared - y)
    assert ran.kernels == 1
    assert (ran.read, ran.written, ran.temporary) == (2 * FULL, 2 * FULL, 0)
    assert sum(node.op.name == "exp" for node in ran.explanation.kernels[0].nodes) == 1
    close(ran.values[0], np.exp(a * b) + a)
    close(ran.values[1], np.exp(a * b) - b)


def test_an_output_used_by_another_is_one_kernel() -> None:
    a = matrix(1)
    x = la.asarray(a)
    first = np.exp(x)
    ran = run(first, first.sum(axis=1))
    assert ran.kernels == 1
    assert (ran.read, ran.written) == (FULL, FULL + ROWS * 8)
    close(ran.values[1], np.exp(a).sum(axis=1))


def softmax(x: Any) -> Any:
    shifted = np.exp(x - x.max(axis=-1, keepdims=True))
    return shifted / shifted.sum(axis=-1, keepdims=True)


def layer_norm(x: Any) -> Any:
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5)


@pytest.mark.parametrize("function", [softmax, layer_norm])
def test_normalisations_of_rows_are_one_kernel(function: Callable[[Any], Any]) -> None:
    a = matrix(5)
    with la.config(threads=2):
        ran = run(function(la.asarray(a)))
    assert ran.kernels == 1
    assert (ran.read, ran.written, ran.temporary) == (FULL, FULL, 0)
    # A few rows of scratch for each thread are the only other memory.
    assert ran.explanation.peak_bytes <= FULL + 16 * COLUMNS * 8
    close(ran.values[0], function(a))


def test_pairwise_distances_need_no_memory_of_all_differences() -> None:
    n, m, d = 200, 150, 16
    a, b = matrix(1, (n, d)), matrix(2, (m, d))
    x, y = la.asarray(a), la.asarray(b)
    with la.config(threads=2):
        ran = run(((x[:, None, :] - y[None, :, :]) ** 2).sum(-1))
    assert ran.kernels == 1
    assert (ran.written, ran.temporary) == (n * m * 8, 0)
    assert ran.read == (n + m) * d * 8
    # Each worker packs a block of both operands; how many bytes does not depend on n and m.
    assert ran.explanation.peak_bytes < n * m * 8 + (1 << 19)
    close(ran.values[0], ((a[:, None, :] - b[None, :, :]) ** 2).sum(-1))


def stencil(u: Any) -> Any:
    return u[1:-1, 1:-1] + 0.1 * (
        u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1]
    )


def test_stencil_is_one_kernel_without_copies() -> None:
    a = matrix(6)
    ran = run(stencil(la.asarray(a)))
    inner = (ROWS - 2) * (COLUMNS - 2) * 8
    assert ran.kernels == 1
    assert (ran.written, ran.temporary) == (inner, 0)
    assert ran.read <= FULL
    assert ran.explanation.peak_bytes == inner
    close(ran.values[0], stencil(a))


@pytest.mark.parametrize("axis", [0, 1])
def test_concatenation_writes_both_parts_in_place(axis: int) -> None:
    a, b = matrix(1), matrix(2)
    x, y = la.asarray(a), la.asarray(b)
    ran = run(np.concatenate([np.exp(x), np.sqrt(y)], axis=axis))
    assert (ran.read, ran.written, ran.temporary) == (2 * FULL, 2 * FULL, 0)
    assert ran.explanation.peak_bytes == 2 * FULL
    assert not ran.explanation.not_fused
    close(ran.values[0], np.concatenate([np.exp(a), np.sqrt(b)], axis=axis))


def test_sigmoid_layer_allocates_one_result() -> None:
    w, v, b = matrix(1, (80, 100)) - 1, matrix(2, (100, 200)) - 1, matrix(3, (80, 1))
    x, y, z = map(la.asarray, (w, v, b))
    ran = run(1 / (1 + np.exp(-(x @ y + z))))
    result = 80 * 200 * 8
    assert ran.kernels == 1
    assert [fallback.op for fallback in ran.explanation.fallbacks] == ["matmul"]
    assert [(buffer.kind, buffer.nbytes) for buffer in ran.buffers] == [("output", result)]
    assert ran.explanation.peak_bytes == result
    close(ran.values[0], 1 / (1 + np.exp(-(w @ v + b))))


def test_sigmoid_layer_of_a_large_product_allocates_one_result_too() -> None:
    # By a kernel or by BLAS, whichever is faster here; a kernel packs blocks of its operands.
    w, v, b = matrix(1, (256, 200)) - 1, matrix(2, (200, 300)) - 1, matrix(3, (256, 1))
    x, y, z = map(la.asarray, (w, v, b))
    with la.config(threads=2):
        ran = run(1 / (1 + np.exp(-(x @ y + z))))
    result = 256 * 300 * 8
    assert ran.kernels == 1
    assert [buffer.nbytes for buffer in ran.buffers if buffer.kind == "output"] == [result]
    assert ran.temporary == 0
    assert ran.explanation.peak_bytes <= result + 2 * 2_000_000
    close(ran.values[0], 1 / (1 + np.exp(-(w @ v + b))))


def test_prologue_product_and_epilogue_hold_two_arrays() -> None:
    a, b = matrix(1, (120, 120)), matrix(2, (120, 120))
    x, y = la.asarray(a), la.asarray(b)
    ran = run(np.tanh(np.exp(-x) @ y) + 1)
    assert ran.kernels == 2
    # The product's operand and the product, which the epilogue overwrites.
    assert ran.explanation.peak_bytes == 2 * 120 * 120 * 8
    close(ran.values[0], np.tanh(np.exp(-a) @ b) + 1)


def test_masked_sum_gathers_nothing() -> None:
    a = matrix(7)
    x = la.asarray(a)
    ran = run(x[x > 1].sum())
    assert ran.kernels == 1
    assert (ran.read, ran.temporary) == (FULL, 0)
    close(ran.values[0], a[a > 1].sum())


def test_standardised_columns_have_no_full_size_temporary() -> None:
    a = matrix(8)
    x = la.asarray(a)
    ran = run((x - x.mean(axis=0)) / x.std(axis=0))
    assert ran.kernels == 2
    assert ran.temporary == 2 * COLUMNS * 8
    close(ran.values[0], (a - a.mean(axis=0)) / a.std(axis=0))


def test_elementwise_results_overwrite_operands_that_die() -> None:
    a = matrix(1, (200, 200))
    x = la.asarray(a)
    ran = run((np.exp(x @ x) * 0.5) @ x - 1)
    # The first product becomes its own exponential, which the second product reads.
    assert [buffer.nbytes for buffer in ran.buffers] == [200 * 200 * 8] * 2
    close(ran.values[0], (np.exp(a @ a) * 0.5) @ a - 1)


def test_values_are_not_computed_too_often() -> None:
    a = matrix(9, (400, 300))
    x = la.asarray(a)
    exp = np.exp(x).sum(axis=1)
    # Without storing the 400 sums, each pair would sum a row again.
    ran = run(exp[:, None] - exp[None, :])
    assert ran.kernels == 2
    expected = np.exp(a).sum(axis=1)
    np.testing.assert_allclose(ran.values[0], expected[:, None] - expected[None, :], atol=1e-11)


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x.T.reshape(-1),
        lambda x: x[:, ::2].reshape(-1),
        lambda x: (x + 1).T.reshape(-1),
        lambda x: (x + 1)[::-1].reshape(COLUMNS, ROWS),
        lambda x: (x + 1)[:, ::2].reshape(-1),
    ],
)
def test_a_reshape_in_another_order_is_copied_once(build: Callable[[Any], Any]) -> None:
    a = matrix()
    expected = build(a)
    expression = build(la.asarray(a))
    with la.config(threads=2):
        tiles = analyse((expression._node,)).plan.scratch_bytes  # of a transpose, for each worker
        ran = run(expression)
    assert tiles < 1 << 18
    assert ran.kernels == 1
    assert (ran.written, ran.temporary) == (expected.nbytes, 0)
    assert ran.explanation.peak_bytes == expected.nbytes + tiles
    np.testing.assert_array_equal(ran.values[0], expected)


@pytest.mark.parametrize(
    "build",
    [
        lambda x: x.T * 2 + np.ones(x.shape[::-1]),
        lambda x: np.exp(x).sum(axis=0) - x.max(axis=0),
        lambda x: np.exp(x - x.mean(axis=1, keepdims=True)).var(axis=1),
    ],
    ids="transposed columns rows".split(),
)
def test_scratch_memory_is_that_of_threads_with_work(build: Callable[[Any], Any]) -> None:
    a = matrix()[:45, :32]
    expected, sizes = build(a), []
    for threads in 1, 2, 64:
        with la.config(threads=threads):
            expression = build(la.asarray(a))
            sizes.append(analyse((expression._node,)).plan.scratch_bytes)
            np.testing.assert_allclose(expression, expected)
    assert 0 < sizes[0] == sizes[1] == sizes[2], "there is one chunk of work"


@pytest.mark.parametrize("mode", ["constant", "edge", "wrap", "reflect", "symmetric"])
@pytest.mark.parametrize("computed", [False, True])
def test_padding_writes_every_element_once(mode: str, computed: bool) -> None:
    a = matrix()
    x = la.asarray(a)
    expected = np.pad(a * 2 if computed else a, ((1, 2), (3, 0)), mode=mode)
    ran = run(np.pad(x * 2 if computed else x, ((1, 2), (3, 0)), mode=mode))
    assert (ran.written, ran.temporary) == (expected.nbytes, 0)
    assert ran.explanation.peak_bytes == expected.nbytes
    np.testing.assert_array_equal(ran.values[0], expected)
