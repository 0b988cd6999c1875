"""Loops on a GPU are written out as long as that does not keep NVRTC."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.cuda import compile_cost
from lazyarr.codegen.cuda.compile_cost import kernel_milliseconds, milliseconds
from lazyarr.loop_ir.kernel import AxisKind, Comment, For, Literal, Statement, Value
from lazyarr.loop_ir.primitives import PRIMITIVES
from tests.support.device_sources import cuda_sources

FLOATS = np.ones(1 << 20, np.float32)


def text(result: Any) -> str:
    return cuda_sources([result])[0].text


def iterations(result: Any) -> int:
    """Return the number of iterations of a loop over elements that are written out."""
    elements, _, _ = text(result).partition("atomicInc")  # what follows combines blocks
    matches = re.findall(r"#pragma unroll\n +for \(int j\d+ = 0; j\d+ < (\d+);", elements)
    return max(map(int, matches), default=1)


@pytest.mark.parametrize(
    ("function", "single", "double"),
    [("exp", 4, 4), ("log", 4, 2), ("sin", 2, 2), ("tan", 1, 2), ("arcsinh", 2, 1)],
)
def test_turns_are_written_out_where_their_code_is_short(
    function: str, single: int, double: int
) -> None:
    compute = getattr(la, function)
    for dtype, expected in (("f4", single), ("f8", double)):
        x = la.asarray(FLOATS.astype(dtype))
        assert iterations(compute(x).sum()) == expected
        assert iterations(compute(x.reshape(4096, 256)).sum(axis=0)) == expected


def test_a_scan_has_the_code_of_an_element_once() -> None:
    """Rows that no number of pieces fills have no second copy for the last piece."""
    x = la.asarray(np.ones(1_000_004, np.float32))
    assert len(re.findall(r"\bsine\(v\d+\)", text(la.sin(x).cumsum()))) == 4
    assert len(re.findall(r"\bexpf\(", text(la.exp(x).cumsum()))) == 8


def test_effort_is_known_of_every_primitive_that_is_a_function() -> None:
    functions = {name for name, row in PRIMITIVES.items() if row.math}
    assert functions <= set(compile_cost._MEASURED) <= set(PRIMITIVES)


def test_effort_is_that_of_the_primitives() -> None:
    x, y = la.asarray(FLOATS), la.asarray(FLOATS.astype(np.float64))
    z = la.asarray(FLOATS.astype(np.complex64))
    assert milliseconds([la.sin(x)._node, la.sin(x)._node]) == 2 * 2.7
    assert milliseconds([la.sin(y)._node]) == 5.5
    assert milliseconds([(x + 1)._node, (x * x)._node]) < 0.1
    assert milliseconds([(x // y)._node]) > milliseconds([(x % y)._node]) / 2 > 1
    assert milliseconds([la.sin(z)._node]) > 2.7
    assert milliseconds([la.random.default_rng(1).random(3)._node]) > 1
    assert milliseconds([(la.asarray(np.ones(3, np.int64)) // 3)._node]) < 1
    assert milliseconds([x.sum()._node]) == 0


def test_effort_of_a_loop_is_that_of_its_turn() -> None:
    x = la.asarray(FLOATS)
    looped = la.fori_loop(0, 5, lambda k, state: la.sin(state), x)
    assert 2.7 <= milliseconds([looped._node]) < 3


def test_a_float64_remainder_is_a_function_that_takes_long_once() -> None:
    x = la.asarray(FLOATS.astype(np.float64))
    for result in (x % 2.5, x // 2.5, (x % 2.5) % 1.5):
        (source,) = cuda_sources([result])[:1]
        assert source.tiered and source.text.count("fmod(") == 1


def test_effort_of_a_kernel_counts_what_is_written_out() -> None:
    index = np.dtype(np.int32)
    body: tuple[Any, ...] = (Comment("a"), Comment("b"))

    def statements(*body: Any) -> int:
        per_statement = compile_cost._STATEMENT
        return round((kernel_milliseconds(body) - compile_cost._EMPTY) / per_statement)

    def loop(stop: Any, *body: Any, unroll: int | None = None) -> Statement:
        kind = AxisKind.SERIAL if unroll is None else AxisKind.UNROLLED
        return For(Value("i", index), Literal(0, index), stop, body, kind, unroll)

    five, some = Literal(5, index), Value("n", index)
    assert statements(*body) == 2
    assert statements(loop(five, *body)) == 3
    assert statements(loop(five, *body, unroll=0), *body) == 1 + 5 * 2 + 2
    assert statements(loop(some, *body, unroll=2), loop(some, *body)) == 1 + 3 * 2 + 1 + 2
    assert statements(loop(some, *body, unroll=1)) == 3
    assert statements(loop(five, loop(five, *body, unroll=0), unroll=0)) == 1 + 5 * (1 + 5 * 2)


def test_what_takes_long_to_compile_has_two_tiers() -> None:
    x = la.asarray(FLOATS)
    for short in (x + 1, x.sum(), la.exp(x)):
        assert not any(source.tiered for source in cuda_sources([short]))
    for long in (x.cumsum(), la.arcsinh(x).sum(), la.sin(x) * la.cos(x) * la.tan(x)):
        assert any(source.tiered for source in cuda_sources([long]))


def test_many_powers_of_float32_are_code_of_whole_vectors() -> None:
    """They cost much, and their code is short."""
    for size in (1 << 20, 1_000_003):
        x = la.asarray(np.ones(size, np.float32))
        assert "f32x4" in text(sum(x**k for k in range(2, 14)))
