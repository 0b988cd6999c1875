"""Every primitive of every dtype, compiled by both backends, against NumPy."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.intrinsics import REASSOCIABLE
from lazyarr.loop_ir.kernel import Index, Pointer
from lazyarr.loop_ir.primitives import PRIMITIVES
from lazyarr.runtime.cpu import vector_math
from tests.support.compiled import BACKENDS, BEGIN, END, Compiled, kernel
from tests.support.interpreter import fused_multiply_add
from tests.support.processor_functions import forget_functions
from tests.support.values import fits, samples, ulps

DType = np.dtype[Any]
Array = np.ndarray[Any, Any]

BOOL = np.dtype(np.bool_)
INTEGERS = [np.dtype(f"{kind}{size}") for kind in "iu" for size in (1, 2, 4, 8)]
FLOATS = [np.dtype("f4"), np.dtype("f8")]
pytestmark = pytest.mark.parametrize("backend", BACKENDS)

DTYPES = [BOOL, *INTEGERS, *FLOATS]


def _truncated_quotient(a: Array, b: Array) -> Array:
    if a.dtype.kind == "f":
        return np.divide(a, b)
    # In Python's integers: NumPy only has the floored quotient.
    pairs = zip(a.tolist(), b.tolist(), strict=True)
    quotients = [abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1) for x, y in pairs]
    return np.array([q % 2**64 for q in quotients], np.uint64).astype(a.dtype)


def _bitwise(name: str) -> Callable[..., Array]:
    return {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[name]


REFERENCES: dict[str, Callable[..., Array]] = {
    "divide": _truncated_quotient,
    "remainder": np.fmod,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "not": np.invert,
    "shift_left": np.left_shift,
    "shift_right": np.right_shift,
    "select": lambda c, a, b: np.where(c, a, b),
    "fma": lambda a, b, c: np.array(
        [fused_multiply_add(*each) for each in zip(a, b, c, strict=True)], a.dtype
    ),
    "round_half": lambda x: x.astype(np.float16).astype(x.dtype),
}


def _reference(name: str) -> Callable[..., Array]:
    return REFERENCES.get(name) or getattr(np, name)


def _operands(primitive: str, dtype: DType) -> tuple[Array, ...]:
    arity = PRIMITIVES[primitive].arity
    if primitive == "select":
        a, b = samples(dtype, 2)
        return np.arange(len(a)) % 3 == 0, a, b
    arrays = samples(dtype, arity)
    if dtype.kind in "iu" and primitive in ("divide", "remainder"):
        a, b = arrays
        b = np.where(b == 0, 7, b).astype(dtype)
        # INT_MIN / -1 has no quotient in the type.
        return a, np.where(b == -1, 3, b).astype(dtype) if dtype.kind == "i" else b
    if primitive.startswith("shift"):
        bits = 8 * dtype.itemsize
        return arrays[0], (np.arange(len(arrays[0])) % bits).astype(dtype)
    return arrays


def _plain() -> Iterator[tuple[str, DType]]:
    for row in PRIMITIVES.values():
        if not row.math and row.result != "given":
            for dtype in DTYPES:
                if dtype.kind in row.kinds:
                    yield row.name, dtype


def run(
    calls: list[tuple[str, list[DType], DType]], operands: list[tuple[Array, ...]], backend: str
) -> tuple[list[Array], Compiled]:
    """Compute several primitives in one compiled function, each in a loop of its own."""
    builder = Builder()
    pointers: list[Pointer] = []
    for number, (primitive, dtypes, result) in enumerate(calls):
        mine = [Pointer(f"p{number}_{i}", dtype) for i, dtype in enumerate(dtypes)]
        target = Pointer(f"p{number}", result, written=True)
        pointers += [*mine, target]
        with builder.loop("i", BEGIN, END) as i:
            index = Index(0, ((1, i),))
            args = [builder.load(pointer, index) for pointer in mine]
            builder.store(target, index, builder.call(primitive, *args, dtype=result))
    results = [np.empty(len(operands[0][0]), result) for _, _, result in calls]
    pairs = list(zip(operands, results, strict=True))
    arrays = [array for group, result in pairs for array in (*group, result)]
    compiled = Compiled(kernel(builder, *pointers), backend)
    compiled(0, len(operands[0][0]), *arrays)
    return results, compiled


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_plain_primitives_are_numpys_bits(dtype: DType, backend: str) -> None:
    chosen = [name for name, candidate in _plain() if candidate == dtype]
    operands = [_operands(name, dtype) for name in chosen]
    calls = []
    for name, arrays in zip(chosen, operands, strict=True):
        result = BOOL if PRIMITIVES[name].result == "bool" else dtype
        calls.append((name, [array.dtype for array in arrays], result))
    results, _ = run(calls, operands, backend)
    with np.errstate(all="ignore"):
        for name, arrays, got in zip(chosen, operands, results, strict=True):
            expected = _reference(name)(*arrays)
            assert got.dtype == expected.dtype, name
            np.testing.assert_array_equal(got, expected, err_msg=name)
            if dtype.kind == "f" and got.dtype == dtype and name not in ("minimum", "maximum"):
                number = ~np.isnan(expected)
                same_sign = np.signbit(got) == np.signbit(expected)
                assert same_sign[number].all(), f"sign of zero in {name}"


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_conversions_are_numpys(dtype: DType, backend: str) -> None:
    (values,) = samples(dtype, 1)
    calls = [("convert", [dtype], target) for target in DTYPES]
    results, _ = run(calls, [(values,)] * len(calls), backend)
    with np.errstate(all="ignore"):
        for target, got in zip(DTYPES, results, strict=True):
            expected = values.astype(target)
            keep = fits(values, target)
            got, expected = got[keep], expected[keep]
            np.testing.assert_array_equal(got, expected, err_msg=f"{dtype} to {target}")


def test_bitcasts_keep_bits(backend: str) -> None:
    pairs = [("f8", "u8"), ("u8", "f8"), ("f4", "i4"), ("i4", "f4"), ("i2", "u2")]
    for source, target in pairs:
        (values,) = samples(np.dtype(source), 1)
        (got,), _ = run([("bitcast", [values.dtype], np.dtype(target))], [(values,)], backend)
        assert got.tobytes() == values.tobytes()


def test_half_memory_is_numpys(backend: str) -> None:
    every = np.arange(2**16, dtype=np.uint16).view(np.float16)
    (values,) = samples(np.dtype("f4"), 1)
    values = np.resize(values, every.shape)
    half, single = Pointer("half", every.dtype), Pointer("single", values.dtype)
    wide = Pointer("wide", values.dtype, written=True)
    narrow = Pointer("narrow", every.dtype, written=True)
    builder = Builder()
    with builder.loop("i", BEGIN, END) as i:
        index = Index(0, ((1, i),))
        builder.store(wide, index, builder.load(half, index))
        builder.store(narrow, index, builder.load(single, index))
    widened, narrowed = np.empty_like(values), np.empty_like(every)
    arrays = (every, values, widened, narrowed)
    compiled = Compiled(kernel(builder, half, single, wide, narrow), backend)
    compiled(0, len(every), *arrays)
    np.testing.assert_array_equal(widened, every.astype(np.float32))
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(narrowed, values.astype(np.float16))
    if "ymm" in compiled.assembly:
        assert "vcvtph2ps" in compiled.assembly
        assert "vcvtps2ph" in compiled.assembly


REDUCTIONS = [(name, dtype) for name in sorted(REASSOCIABLE) for dtype in (*INTEGERS, *FLOATS)]


def test_reassociable_forms_reduce(backend: str) -> None:
    for name, dtype in REDUCTIONS:
        source, target = Pointer("source", dtype), Pointer("target", dtype, written=True)
        builder = Builder()
        total = builder.declare("a", builder.literal(1, dtype))
        with builder.loop("i", BEGIN, END) as i:
            value = builder.load(source, Index(0, ((1, i),)))
            builder.update(total, name, total, value, reassociate=True)
        builder.store(target, Index(), total)
        compiled = Compiled(kernel(builder, source, target), backend)
        values = np.tile(np.array([1, 2, 1, 1], dtype), 17)
        got = np.empty(1, dtype)
        compiled(0, len(values), values, got)
        with np.errstate(over="ignore"):
            expected = getattr(np, name).reduce(values, initial=1, dtype=dtype)
        assert got[0] == expected, (name, dtype)
        if dtype.kind == "f" and name in ("minimum", "maximum"):
            values[40] = np.nan
            compiled(0, len(values), values, got)
            assert np.isnan(got[0])
        if dtype.kind == "f" and "xmm" in compiled.assembly:
            assert re.search(r"\b(v?)(add|mul|min|max|cmp)\w*p[sd]\b", compiled.assembly), name


def test_literals_have_their_dtype(backend: str) -> None:
    cases = [
        (True, BOOL), (-5, np.dtype("i1")), (2**64 - 1, np.dtype("u8")), (-(2**63), np.dtype("i8")),
        (2**63, np.dtype("u8")), (0.1, np.dtype("f8")), (-0.0, np.dtype("f8")),
        (float(np.float32(0.1)), np.dtype("f4")), (-np.inf, np.dtype("f4")),
        (np.nan, np.dtype("f8")), (np.inf, np.dtype("f8")),
    ]  # fmt: skip
    for value, dtype in cases:
        target = Pointer("target", dtype, written=True)
        builder = Builder()
        builder.store(target, Index(), builder.literal(value, dtype))
        compiled = Compiled(kernel(builder, target), backend)
        got = np.empty(1, dtype)
        compiled(0, 1, got)
        expected = np.array([value], dtype)
        np.testing.assert_array_equal(got, expected)
        if dtype.kind == "f":
            assert np.signbit(got) == np.signbit(expected)


MATHEMATICS = [row for row in PRIMITIVES.values() if row.math]


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_mathematics_is_within_four_ulps(dtype: DType, backend: str) -> None:
    calls = [(row.name, [dtype] * row.arity, dtype) for row in MATHEMATICS]
    operands = [samples(dtype, row.arity) for row in MATHEMATICS]
    results, compiled = run(calls, operands, backend)
    worst = {
        row.name: ulps(row.name, arrays, got)
        for row, arrays, got in zip(MATHEMATICS, operands, results, strict=True)
    }
    assert {name: error for name, error in worst.items() if not error <= 4} == {}
    if vector_math.variant("tan", 1, 8):
        name = "tan" if dtype.itemsize == 8 else "tanf"
        assert re.search(rf"_ZGV\w+_{name}\b", compiled.assembly)
    else:
        assert "_ZGV" not in compiled.assembly


@pytest.mark.parametrize("levels", [(("d", 32),), (("b", 16),), ()], ids=["avx2", "sse2", "none"])
def test_mathematics_on_lesser_processors(
    levels: tuple[tuple[str, int], ...], backend: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    available = vector_math._levels()
    if levels and levels[0] not in available:
        pytest.skip("this processor has not these vectors")
    monkeypatch.setattr(vector_math, "_levels", lambda: levels)
    forget_functions()
    try:
        for dtype in FLOATS:
            test_mathematics_is_within_four_ulps(dtype, backend)
        if not levels:
            assert vector_math.describe() == "scalar"
    finally:
        forget_functions()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_mathematics_gives_the_same_bits_at_every_place(dtype: DType, backend: str) -> None:
    first, second = (np.ascontiguousarray(array[:1500]) for array in samples(dtype, 2))
    pointers = [Pointer("first", dtype), Pointer("second", dtype)]
    targets = [Pointer(f"target_{row.name}", dtype, written=True) for row in MATHEMATICS]
    builder = Builder()
    for row, target in zip(MATHEMATICS, targets, strict=True):
        with builder.loop("i", BEGIN, END) as i:
            index = Index(0, ((1, i),))
            args = [builder.load(pointer, index) for pointer in pointers[: row.arity]]
            builder.store(target, index, builder.call(row.name, *args))
    compiled = Compiled(kernel(builder, *pointers, *targets), backend)
    whole = [np.empty_like(first) for _ in MATHEMATICS]
    pieces = [np.empty_like(first) for _ in MATHEMATICS]
    compiled(0, len(first), first, second, *whole)
    at = 0
    for step in range(1, 60):
        stop = min(at + step, len(first))
        compiled(at, stop, first, second, *pieces)
        at = stop
    assert at == len(first)
    for row, expected, got in zip(MATHEMATICS, whole, pieces, strict=True):
        assert got.tobytes() == expected.tobytes(), row.name
