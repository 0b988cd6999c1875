"""Complex numbers in kernels: rows, layouts and reductions against NumPy, on every target."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.scalar import covers
from lazyarr.graph.node import Op
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Let, Value
from lazyarr.loop_ir.pair import Pair
from lazyarr.loop_ir.primitives import PRIMITIVES
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.table import output_of
from tests.support.targets import TARGETS

pytestmark = pytest.mark.each_device

Array = np.ndarray[Any, Any]
COMPLEX = ("complex64", "complex128")
PARTS = (0.0, -0.0, 1.0, -1.0, 3.5, np.inf, -np.inf, np.nan, 1e-310, 1e300, -1e-30, 4e38)
#: Units in the last place of a result's size. Those of one real function: hypot and atan2. Those
#: of several, where NumPy's own are 5 ulp off.
ULPS, ULPS_OF_SEVERAL = 4, 8


def _rows() -> list[Op]:
    """Return the rows of ufuncs that kernels compute on complex operands."""
    results = []
    for op in ELEMENTWISE.values():
        if op.ufunc is not None and not output_of(op) and op.ufunc.nout == 1 and _code(op):
            results.append(op)
    return results


def _code(op: Op) -> tuple[Any, ...]:
    """Return the statements of a row on complex numbers; empty if it has none."""
    assert op.ufunc is not None
    if op.expand is None or "F" * op.ufunc.nin not in (t.split("->")[0] for t in op.ufunc.types):
        return ()
    builder = Builder()
    part = np.dtype(np.float32)
    names = "abc"[: op.ufunc.nin]
    values = [Pair(Value(f"{n}r", part), Value(f"{n}i", part)) for n in names]
    if op.expand(builder, *values) is None:
        return ()
    return (*builder.finish(), None)


def _is_exact(op: Op) -> bool:
    """Whether NumPy's bits are promised: no function of the mathematics library is called."""
    lets = [s for s in _code(op) if isinstance(s, Let) and s.primitive != "copy"]
    return not any(PRIMITIVES[let.primitive].math for let in lets)


@pytest.fixture
def target(target: str) -> Iterator[str]:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield target


def _grid(dtype: str) -> Array:
    grid = np.array(list(itertools.product(PARTS, PARTS)))
    with np.errstate(all="ignore"):
        return grid.astype(np.dtype(dtype).type(0).real.dtype).view(dtype)[:, 0]


def _operands(dtype: str, count: int) -> list[Array]:
    grid = _grid(dtype)
    rng = np.random.default_rng(5)
    random = (rng.standard_normal((2, 501)) + 1j * rng.standard_normal((2, 501))).astype(dtype)
    if count == 1:
        small = random[1] * 1e-4
        circle = np.exp(1j * np.linspace(-3, 3, 301)) * (1 + 1e-7 * random[0][:301].real)
        edges = [1 + small, 1j - small, small - 1, small, 30 * random[0], circle.astype(dtype)]
        return [np.concatenate([grid, random[0], *edges])]
    left, right = np.repeat(grid, grid.size), np.tile(grid, grid.size)
    return [np.concatenate([left, random[0]]), np.concatenate([right, random[1]])]


def _parts(values: Array) -> Array:
    return values.view(values.real.dtype) if values.dtype.kind == "c" else values


def _same_bits(got: Array, expected: Array) -> Array:
    got, expected = _parts(got), _parts(expected)
    if got.dtype.kind != "f":
        return np.asarray(got == expected)
    word = f"u{got.dtype.itemsize}"
    return (got.view(word) == expected.view(word)) | (np.isnan(got) & np.isnan(expected))


def _near(got: Array, expected: Array, exact: Array | None = None) -> Array:
    """Return a mask of the elements that agree to a few ulp of their size, special values exactly.

    Where a wider type says what is exact, it is that or NumPy's result that counts.
    """
    special = ~np.isfinite(expected)
    ulps = ULPS if exact is None else ULPS_OF_SEVERAL
    size = ulps * np.spacing(np.abs(np.where(special, 1, expected)).astype(expected.real.dtype))
    with np.errstate(all="ignore"):
        close = np.abs(got - expected) <= size
        if exact is not None:
            close |= np.abs(got - exact) <= size
    # Beside an infinite or unknown part, the other is as near as it would be alone.
    of_parts = _same_bits(np.ascontiguousarray(got), np.ascontiguousarray(expected))
    if got.dtype.kind == "c":
        mine, theirs = _parts(got), _parts(expected)
        finite = np.isfinite(theirs) & (theirs != 0)
        size = ulps * np.spacing(np.abs(np.where(finite, theirs, 1)))
        with np.errstate(all="ignore"):
            of_parts |= finite & (np.abs(mine - theirs) <= size)
        of_parts = of_parts.reshape(-1, 2).all(axis=1)
    return np.where(special, of_parts, close)


def _exact(op: Op, operands: list[Array]) -> Array | None:
    """Return the values of a function of real numbers, computed in a wider type."""
    assert op.ufunc is not None
    lets = [s for s in _code(op) if isinstance(s, Let)]
    if sum(PRIMITIVES[let.primitive].math for let in lets) < 2 or op.ufunc.nin > 1:
        return None
    wide = np.dtype(np.complex128 if operands[0].dtype == np.complex64 else np.clongdouble)
    (z,) = (a.astype(wide) for a in operands)
    if op.ufunc is np.log1p:  # NumPy adds 1 first, and loses what is small beside it
        with np.errstate(all="ignore"):
            series = sum(-((-z) ** n) / n for n in range(14, 0, -1))
            return np.asarray(np.where(np.abs(z) < 0.02, series, np.log1p(z)))
    return np.asarray(op.ufunc(z))


@pytest.mark.parametrize("target", TARGETS, indirect=True)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("numerics", ["strict", "fast"])
def test_rows(target: str, dtype: str, numerics: str) -> None:
    # Functions of several real ones are NumPy's own on processors, unless they may be less close.
    rows = _rows() if numerics == "strict" else [op for op in _rows() if op.approximate]
    assert len(rows) > (45 if numerics == "strict" else 15)
    with la.config(numerics=numerics):
        _check_rows(rows, dtype, numerics == "strict" and target != "cuda")


def _check_rows(rows: list[Op], dtype: str, close: bool) -> None:
    for count in sorted({op.ufunc.nin for op in rows if op.ufunc is not None}):
        operands = _operands(dtype, count)
        chosen = [op for op in rows if op.ufunc is not None and op.ufunc.nin == count]
        lazy = [la.asarray(a) for a in operands]
        expressions = [getattr(la, op.name)(*lazy) for op in chosen]
        assert all(covers(e._node) for e in expressions)
        for op, got in zip(chosen, la.evaluate(*expressions), strict=True):
            assert op.ufunc is not None
            expected = op.ufunc(*operands)
            assert got.dtype == expected.dtype
            good = (
                _same_bits(got, expected)
                if _is_exact(op) or (close and op.approximate)
                else _near(got, expected, _exact(op, operands))
            )
            wrong = np.flatnonzero(~good)
            first = wrong[:1] // (good.size // expected.size)
            assert not wrong.size, (
                op.name,
                [a[first] for a in operands],
                expected[first],
                got[first],
            )


@pytest.mark.parametrize("target", TARGETS, indirect=True)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_parts_casts_and_choices(target: str, dtype: str) -> None:
    x = _grid(dtype)
    lazy = la.asarray(x)
    cases = [(lambda v: v.real), (lambda v: v.imag), (lambda v: v.conj())]
    for other in ("?", "f4", "f8", "c8", "c16"):
        cases.append(lambda v, other=other: v.astype(other))
    for case in cases:
        got = la.evaluate(case(lazy))
        assert _same_bits(got, np.ascontiguousarray(case(x))).all()
    for other in ("?", "i1", "u4", "i8", "f2", "f4", "f8"):
        real = np.arange(20).astype(other)
        got = la.evaluate(la.asarray(real).astype(dtype))
        assert _same_bits(got, real.astype(dtype)).all()
    condition = np.arange(x.size) % 3 == 0
    got = la.evaluate(la.where(la.asarray(condition), lazy, -2.5 + 1j))
    assert _same_bits(got, np.where(condition, x, x.dtype.type(-2.5 + 1j))).all()
    near = _near(la.evaluate(la.angle(lazy)), np.angle(x))
    assert near.all(), x[~near]


@pytest.mark.parametrize("target", TARGETS, indirect=True)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_layouts(target: str, dtype: str) -> None:
    rng = np.random.default_rng(0)
    x = (rng.standard_normal((12, 20)) + 1j * rng.standard_normal((12, 20))).astype(dtype)
    for view in (x, x.T, x[::-1, ::2], x[1:, 3:], np.asfortranarray(x), x[:1] + 0 * x):
        got = la.evaluate(la.asarray(view) * 2j + view.conj())
        assert _same_bits(got, np.ascontiguousarray(view * 2j + view.conj())).all()
        copied = la.evaluate(la.asarray(view)[..., ::-1])
        assert _same_bits(copied, np.ascontiguousarray(view[..., ::-1])).all()
    got = la.evaluate(la.concatenate([la.asarray(x), la.asarray(x) + 1], axis=1).reshape(-1))
    assert _same_bits(got, np.concatenate([x, x + 1], axis=1).reshape(-1)).all()
    row = la.asarray(x[0])
    assert _same_bits(la.evaluate(la.asarray(x) - row), x - x[0]).all()


@pytest.mark.parametrize("target", TARGETS, indirect=True)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("shape", [(5,), (400, 3), (7, 300), (3, 4, 5), (70_001,), (900, 33)])
def test_reductions(target: str, dtype: str, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(1)
    x = (rng.standard_normal(shape) + 1j * rng.standard_normal(shape)).astype(dtype)
    lazy = la.asarray(x)
    wide = x.astype(np.complex128)
    for axis in (None, *range(len(shape))):
        count = x.size if axis is None else shape[axis]
        bound = 4 * np.finfo(dtype).eps * np.sqrt(count) * (1 + np.abs(wide).sum(axis) / count)
        # Two at a time are one kernel.
        for names in (("sum", "mean"), ("var", "std"), ("any", "all")):
            results = la.evaluate(*(getattr(lazy, name)(axis=axis) for name in names))
            for name, got in zip(names, results, strict=True):
                if name in ("any", "all"):
                    np.testing.assert_array_equal(got, getattr(x, name)(axis=axis))
                    continue
                expected = getattr(wide, name)(axis=axis)
                assert got.dtype == getattr(x, name)(axis=axis).dtype
                scale = count if name == "sum" else 4
                assert (np.abs(got - expected) <= bound * scale).all(), (name, axis)
    norm = la.evaluate(la.sqrt((lazy * lazy.conj()).real.sum()))
    assert np.isclose(norm, np.linalg.norm(wide), rtol=1e-5)


@pytest.mark.parametrize("target", TARGETS, indirect=True)
def test_rows_normalised(target: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((9, 100)) + 1j * rng.standard_normal((9, 100))
    lazy = la.asarray(x)
    result = lazy - lazy.mean(axis=1, keepdims=True)
    result = result / la.sqrt((la.abs(result) ** 2).sum(axis=1, keepdims=True))
    expected = x - x.mean(axis=1, keepdims=True)
    expected = expected / np.sqrt((np.abs(expected) ** 2).sum(axis=1, keepdims=True))
    report = la.explain(result)
    assert len(report.kernels) == 1 and not report.fallbacks
    np.testing.assert_allclose(la.evaluate(result), expected, rtol=1e-13)


@pytest.mark.host  # a GPU computes them
def test_what_is_left_to_numpy() -> None:
    x = la.asarray(np.ones(4, np.complex128))
    (step,) = la.explain(la.exp(x) + 1).fallbacks
    assert step.op == "exp"
    assert 'numerics="fast"' in step.reason
    with la.config(numerics="fast"):
        assert not la.explain(la.exp(x) + 1).fallbacks
    report = la.explain(x.prod() + la.asarray(1.0))
    assert [step.op for step in report.fallbacks] == ["prod"]


def test_complex_times_one() -> None:
    array = np.array([complex(np.inf, 0), complex(1, -0.0)])
    with np.errstate(invalid="ignore"):
        got, expected = (la.asarray(array) * 1).compute(), array * 1
    np.testing.assert_array_equal(got.view(np.int64), expected.view(np.int64))
