"""Every elementwise row of every dtype on corner values, compiled, against NumPy."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import DTypeError
from lazyarr.graph.node import Kind, Op, unique_node
from lazyarr.ops.elementwise import BY_UFUNC, ELEMENTWISE, resolve
from lazyarr.ops.table import output_of
from tests.support.compiled import BACKENDS
from tests.support.rows import Case, lower, run
from tests.support.values import EXACT, distances, exact, fits, samples

pytestmark = pytest.mark.each_device

DType = np.dtype[Any]
Array = np.ndarray[Any, Any]

CODES = "?bBhHiIlLqQefd"
DTYPES = [np.dtype(code) for code in "?bBhHiIlLefd"]

# Rows that give the one or the other zero where operands are zeros of both signs, as NumPy does.
EITHER_ZERO = {"maximum", "minimum", "fmax", "fmin", "clip"}
# What NumPy evaluates, for it depends on values or has no short expansion.
LIBRARY = {"gcd", "lcm", "nextafter", "spacing"}


def _cases() -> Iterator[Case]:
    for op in ELEMENTWISE.values():
        seen = set()
        for loop in _loops(op):
            try:
                resolved, result = resolve(op, loop)
            except DTypeError:
                continue
            if resolved == loop and loop not in seen:
                seen.add(loop)
                yield Case(op, loop, result)
    cast = ELEMENTWISE["cast"]
    for source in DTYPES:
        for target in DTYPES:
            yield Case(cast, (source,), target)


def _loops(op: Op) -> Iterator[tuple[DType, ...]]:
    if op.ufunc is not None:
        for loop in op.ufunc.types:
            inputs = loop.split("->")[0]
            if set(inputs) <= set(CODES):
                yield tuple(np.dtype(code) for code in inputs)
    elif op.name == "where":
        for dtype in DTYPES:
            yield np.dtype(np.bool_), dtype, dtype
    elif op.name != "cast":
        for dtype in DTYPES:
            yield (dtype,)


CASES = list(_cases())
PAIRS = [(case, lowered) for case in CASES if (lowered := lower(case)) is not None]
#: The dtypes of one row that kernels compute, by the name of its op.
ROWS = {name: list(pairs) for name, pairs in itertools.groupby(PAIRS, lambda pair: pair[0].op.name)}


def _operands(case: Case) -> tuple[Array, ...]:
    # One length for all dtypes: a compiled function holds many rows.
    length = 8000
    if len(set(case.loop)) == 1:
        arrays = samples(case.loop[0], len(case.loop))
        return tuple(np.resize(array, length) for array in arrays)
    # Lengths of different dtypes differ, so that resizing alone makes most of the pairs.
    return tuple(
        np.roll(np.resize(samples(dtype, 3)[i], length), i) for i, dtype in enumerate(case.loop)
    )


def _evaluate(case: Case, arrays: tuple[Array, ...]) -> Array:
    node = unique_node(case.op, (), case.result, arrays[0].shape)
    with np.errstate(all="ignore"):
        return case.op.evaluate(node, *arrays)


def _reference(case: Case, arrays: tuple[Array, ...]) -> Array:
    """Return the result in more digits than the operands have."""
    name = case.op.name
    with np.errstate(all="ignore"):
        if name in ("erf", "erfc"):
            return exact(name, arrays)
        wide = tuple(array.astype(np.longdouble) for array in arrays)
        if name == "expit":
            return np.asarray(1 / (1 + np.exp(-wide[0])))
        if name == "logit":
            near = np.log1p((2 * wide[0] - 1) / (1 - wide[0]))
            return np.where(wide[0] < 0.25, np.log(wide[0] / (1 - wide[0])), near)
        if name in ("power", "float_power"):
            return EXACT["pow"](*wide)
        if name == "exp10":
            return EXACT["pow"](np.full_like(wide[0], 10), wide[0])
        ufunc = case.op.ufunc
        assert ufunc is not None
        return np.asarray(ufunc(*wide))


def _check_exact(case: Case, got: Array, expected: Array) -> None:
    assert expected.dtype == case.result, case
    if case.op.name == "cast":
        keep = fits(_operands(case)[0], case.result)
        got, expected = got[keep], expected[keep]
    np.testing.assert_array_equal(got, expected, err_msg=str(case))
    if got.dtype.kind == "f" and case.op.name not in EITHER_ZERO:
        number = ~np.isnan(expected)
        same = np.signbit(got) == np.signbit(expected)
        assert same[number].all(), f"sign of zero in {case}"


def _check_close(case: Case, arrays: tuple[Array, ...], got: Array) -> None:
    expected = _reference(case, arrays)
    error = distances(got, expected)
    if case.op.name.startswith("logaddexp"):
        # Its terms cancel where the result is near zero, in NumPy's formula too.
        with np.errstate(all="ignore"):
            size = np.maximum(np.abs(arrays[0]), np.abs(arrays[1])).astype(case.result)
            slack = 4 * np.spacing(size).astype(np.longdouble)
            error = np.where(np.abs(got - expected) <= slack, 0.0, error)
    worst = int(np.argmax(error))
    arguments = [array[worst] for array in arrays]
    assert error[worst] <= 4, f"{case} of {arguments}: {got[worst]!r} against {expected[worst]!r}"


@pytest.mark.parametrize("name", ROWS)
def test_compiled_rows_are_numpys(name: str) -> None:
    group = ROWS[name]
    operands = [_operands(case) for case, _ in group]
    results = [run(group, operands, backend) for backend in BACKENDS]
    for (case, lowered), arrays, got, other in zip(group, operands, *results, strict=True):
        if lowered.mathematics:
            _check_close(case, arrays, got)
        else:
            _check_exact(case, got, _evaluate(case, arrays))
        _check_same_bits(case, got, other)


def _check_same_bits(case: Case, got: Array, other: Array) -> None:
    """Compare two backends; which NaN it is stays open, as in IEEE 754."""
    np.testing.assert_array_equal(got, other, err_msg=str(case))
    if got.dtype.kind == "f":
        number = ~np.isnan(got)
        assert got[number].tobytes() == other[number].tobytes(), f"sign of zero in {case}"


def test_what_numpy_evaluates() -> None:
    missing = {str(case) for case in CASES if lower(case) is None}
    assert {name.split("(")[0] for name in missing} == LIBRARY | {"power"}
    # Integer powers alone: whether one is refused depends on the exponents' values.
    assert not any(name.startswith("power(float") for name in missing)


def test_every_elementwise_ufunc_has_a_row() -> None:
    ufuncs = {value for value in vars(np).values() if isinstance(value, np.ufunc)}
    contractions = {ufunc for ufunc in ufuncs if ufunc.signature is not None}
    assert ufuncs - contractions - set(BY_UFUNC) == {np.isnat}
    for ufunc, ops in BY_UFUNC.items():
        assert len(ops) == ufunc.nout
        assert [output_of(op) for op in ops] == list(range(ufunc.nout))
    assert all(op.kind is Kind.ELEMENTWISE for op in ELEMENTWISE.values())


@pytest.mark.parametrize("name", ["add", "divide", "power", "less", "arctan2", "left_shift"])
def test_dtypes_resolve_as_numpy_does(name: str) -> None:
    op = ELEMENTWISE[name]
    assert op.ufunc is not None
    scalars: list[tuple[Any, Any]] = [(int, 1), (float, 1.0), (complex, 1j)]
    complexes = [np.dtype("F"), np.dtype("D")]
    arguments = [(dtype, np.ones(3, dtype)) for dtype in (*DTYPES, *complexes)]
    for first, x in arguments:
        for second, y in (*arguments, *scalars):
            try:
                expected = op.ufunc(x, y).dtype
            except TypeError as error:
                with pytest.raises(DTypeError, match=re.escape(str(error))):
                    resolve(op, (first, second))
            else:
                assert resolve(op, (first, second))[1] == expected


def test_unsupported_dtypes_are_refused() -> None:
    for name in ("object", "datetime64[s]", "U3", "longdouble", ">f8"):
        with pytest.raises(DTypeError, match="does not support"):
            resolve(ELEMENTWISE["add"], (np.dtype(name), np.dtype("f8")))


def test_asked_dtype_chooses_the_loop() -> None:
    single = np.dtype("f4")
    loop, result = resolve(ELEMENTWISE["add"], (np.dtype("i2"), int), dtype=single)
    assert (loop, result) == ((single, single), single)
    with pytest.raises(DTypeError, match="with dtype=int32"):
        resolve(ELEMENTWISE["sin"], (single,), dtype=np.dtype("i4"))


def test_choice_follows_result_type() -> None:
    op = ELEMENTWISE["where"]
    byte, single, flag = np.dtype("i1"), np.dtype("f4"), np.dtype("?")
    assert resolve(op, (flag, byte, single)) == ((flag, single, single), single)
    assert resolve(op, (byte, single, float)) == ((flag, single, single), single)
    assert resolve(op, (flag, int, float))[1] == np.float64


def test_special_functions_need_no_scipy(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    values = np.linspace(0.01, 0.99, 50)
    for name in ("erf", "erfc", "expit", "logit"):
        case = Case(ELEMENTWISE[name], (values.dtype,), values.dtype)
        expected = _evaluate(case, (values,))
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, "scipy.special", None)
            without = _evaluate(case, (values,))
        np.testing.assert_allclose(without, expected, rtol=1e-14)


def _check_bits(results: Sequence[Array], known: Sequence[Array]) -> None:
    for result, expected in zip(results, known, strict=True):
        np.testing.assert_array_equal(result, expected)
        sure = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(result[sure]), np.signbit(expected[sure]))


def test_extrema_of_float16_are_the_first_of_two_zeros() -> None:
    special = [0.0, -0.0, 1.0, -np.inf, np.nan, 6e-8, -6e-8, 65504.0]
    x, y, z = (a.ravel() for a in np.meshgrid(*3 * [np.array(special, np.float16)]))
    table = np.stack((x, y, z))
    pairs = (np.maximum, np.minimum, np.fmax, np.fmin)
    along = (np.maximum.accumulate, np.minimum.accumulate)
    with la.config(optimize=False, immediate=0):
        a, b, c, d = (la.array(values) for values in (x, y, z, table))
        results = [f(a, b) for f in pairs] + [f(d, 0) for f in along] + [a.clip(b, c)]
        results = la.evaluate(*results, a.clip(-0.0, 0.0), a.clip(0.0, 1.0))
    known = [f(x, y) for f in pairs] + [f(table, 0) for f in along] + [x.clip(y, z)]
    _check_bits(results, [*known, x.clip(-0.0, 0.0), x.clip(0.0, 1.0)])


@pytest.mark.host
def test_extrema_of_float16_down_columns_are_the_first_of_two_zeros() -> None:
    x = np.random.default_rng(7).choice(np.array([0.0, -0.0], np.float16), (5, 40))
    with la.config(optimize=False, immediate=0):
        a = la.array(x)
        _check_bits(la.evaluate(a.max(0), a.min(0)), [x.max(0), x.min(0)])


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_zeros_between_numbers_stay_and_others_are_those_of_the_second(dtype: str) -> None:
    special = np.array([0.0, -0.0, 1.0, -2.0, np.nan, np.inf], dtype)
    x, y = (a.ravel() for a in np.meshgrid(special, special))
    y = y[: x.size // 2 * 2]
    bounds = ((0.0, 1.0), (-0.0, 1.0), (-1.0, 0.0), (-1.0, -0.0), (np.nan, 1.0), (0.0, np.nan))
    with la.config(optimize=False, immediate=0):
        a, b = la.array(x), la.array(y)
        lazy = [a.clip(low, high) for low, high in bounds]
        results = la.evaluate(*lazy, a.clip(b, x + 1), a.clip(x - 1, b), np.fmax(a, b))
    known = [x.clip(low, high) for low, high in bounds] + [x.clip(y, x + 1), x.clip(x - 1, y)]
    _check_bits(results, [*known, np.where((x <= y) | np.isnan(x), y, x)])


@pytest.mark.host
def test_one_element_between_arrays_is_as_many_between_arrays() -> None:
    """NumPy broadcasts nothing where operands have the shape of the result or no axes."""
    ones: list[tuple[int, ...]] = [(), (1,), (1, 1)]
    shapes = itertools.product([*ones, (2,)], ones, ones)
    cases = [(np.zeros(s), np.full(low, -1.0), np.full(high, -0.0)) for s, low, high in shapes]
    with la.config(optimize=False, immediate=0):
        lazy = [la.array(x).clip(low, high) for x, low, high in cases]
        _check_bits(la.evaluate(*lazy), [x.clip(low, high) for x, low, high in cases])
