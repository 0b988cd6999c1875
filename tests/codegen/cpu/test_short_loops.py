"""Short innermost loops of elementwise kernels are written out, with the same bits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.codegen.cpu import elementwise
from lazyarr.codegen.cpu.elementwise import choose_literal_strides
from lazyarr.core.vector_registers import Registers

pytestmark = pytest.mark.host


def stencil(x: Any, y: Any) -> Any:
    inner = x[1:-1, 1:-1] * 0.5 - x[:-2, 1:-1] / 3 + x[2:, 1:-1]
    return inner + abs(x[1:-1, :-2] - x[1:-1, 2:]) * y


def tiling_of(x: Any, y: Any) -> str:
    (kernel,) = la.explain(stencil(la.asarray(x), la.asarray(y))).kernels
    return str(kernel.tiling)


@settings(max_examples=25, deadline=None)
@given(
    rows=st.integers(1, 40),
    length=st.integers(1, 20),
    dtype=st.sampled_from([np.float32, np.float64, np.float16]),
    step=st.sampled_from([1, 2, -1]),
    jitted=st.booleans(),
)
def test_bits_are_those_of_numpy(
    rows: int, length: int, dtype: type, step: int, jitted: bool
) -> None:
    rng = np.random.default_rng(rows + 100 * length)
    wide = (rng.random((rows + 2, (length + 2) * abs(step))) - 0.5).astype(dtype)
    x, y = wide[:, ::step], rng.random((rows, 1)).astype(dtype)
    if jitted:
        result = la.jit(stencil)(x, y)
    else:
        result = stencil(la.asarray(x), la.asarray(y)).compute()
    np.testing.assert_array_equal(result, stencil(x, y))


@settings(max_examples=40, deadline=None)
@given(
    shape=st.tuples(*[st.integers(1, 40)] * 2),
    dtype=st.sampled_from([np.float32, np.float64, np.float16, np.int8, np.complex64]),
    step=st.integers(2, 10),
    backwards=st.booleans(),
)
def test_elements_apart_have_the_bits_of_numpy(
    shape: tuple[int, int], dtype: type, step: int, backwards: bool
) -> None:
    rng = np.random.default_rng(step)
    rows, length = shape
    wide = (rng.random((rows, length, step)) * 90).astype(dtype)
    pair = wide[:, :, 0], wide[:, ::-1, -1] if backwards else wide[:, :, -1]
    result = la.jit(stepped)(*pair)
    np.testing.assert_array_equal(result, stepped(*pair))
    axes = (0, 2, 1)
    result = la.jit(lambda x, y: stepped(x.transpose(axes), y))(wide, pair[0][:, None])
    np.testing.assert_array_equal(result, stepped(wide.transpose(axes), pair[0][:, None]))


def stepped(x: Any, y: Any) -> Any:
    return x * y + x


@pytest.mark.parametrize(
    ("dtype", "of_wide_vectors"),
    [(np.int8, 8), (np.float32, 8), (np.float64, 4), (np.complex128, 3)],
)
def test_strides_that_are_constants(
    monkeypatch: pytest.MonkeyPatch, dtype: type, of_wide_vectors: int
) -> None:
    group: Any = SimpleNamespace(terms=[SimpleNamespace(dtype=np.dtype(dtype))])
    for nbytes, expected in ((32, 3), (64, of_wide_vectors)):
        monkeypatch.setattr(elementwise, "registers", lambda n=nbytes: Registers(n, 32))
        assert choose_literal_strides(group) == expected


@pytest.mark.parametrize(
    ("length", "is_written_out"),
    [(2, False), (3, False), (4, True), (12, True), (13, False)],
)
def test_which_are_written_out(length: int, is_written_out: bool) -> None:
    x, y = np.ones((1002, length + 2)), np.ones((1000, 1))
    assert ("written out" in tiling_of(x, y)) == is_written_out


@pytest.mark.parametrize("length", range(2, 13))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_in_any_place_are_written_out(length: int, dtype: type) -> None:
    rng = np.random.default_rng(length)
    a, b = rng.random((2, 5000, length)).astype(dtype)
    places = rng.integers(0, 5000, 5000)
    expressions: list[tuple[Any, tuple[Any, ...]]] = [
        (lambda a, i: 2 * a[i] + 1, (a, places)),
        (lambda a, c: a * c + 1, (a, b[:, :1])),
        (lambda a, b: a[:, ::-1] * 2 + b, (a, b)),
        (lambda a, b, c: a * c + b, (a, b[0], b[:, :1])),
    ]
    for function, arrays in expressions:
        jitted = la.jit(function)
        np.testing.assert_array_equal(jitted(*arrays), function(*arrays))
        (kernel,) = jitted.explain(*arrays).kernels
        assert f"loops of {length} elements, written out" in str(kernel.tiling)


def test_a_form_of_many_lengths_has_one_kernel() -> None:
    rng = np.random.default_rng(1)
    for length in range(3, 12):
        x, y = rng.random((50, length)), rng.random((48, 1))
        np.testing.assert_array_equal(
            stencil(la.asarray(x), la.asarray(y)).compute(), stencil(x, y)
        )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_stencils_of_many_points(dtype: type) -> None:
    """Their innermost loop is written out, however many statements that makes."""
    random = np.random.default_rng(5)
    # Every other element: rows whose elements lie side by side would be padded.
    data = random.standard_normal((9, 30, 22)).astype(dtype)[..., ::2]
    offsets = list(np.ndindex(5, 5, 5))[:55]
    factors = random.uniform(-1, 1, len(offsets))

    def stencil(x: Any) -> Any:
        total: Any = 0.0
        for (i, j, k), factor in zip(offsets, factors, strict=True):
            total = total + float(factor) * x[i : i + 5, j : j + 26, k : k + 7]
        return total

    with la.config(optimize=False):
        result = stencil(la.asarray(data))
        (kernel,) = la.explain(result).kernels
        assert kernel.tiling.constant and not kernel.tiling.joined
        np.testing.assert_array_equal(la.evaluate(result), stencil(data))
