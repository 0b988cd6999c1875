"""bfloat16 against the ufuncs of ml_dtypes: bits, dtypes, casts, sums, products, writes."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.errors import DTypeError
from tests.support.bfloat16 import (
    BFLOAT16,
    EVERY,
    apart,
    assert_same_bits,
    drawn,
    nearest,
    needs_bfloat16,
)

pytestmark = [pytest.mark.each_device, needs_bfloat16]

#: Ufuncs of one operand whose results are exact or correctly rounded in float32.
EXACT = "negative absolute fabs positive sqrt square reciprocal floor ceil trunc rint"
TESTS = "isnan isinf isfinite signbit logical_not"
#: Those that libraries of mathematics compute.
APPROXIMATE = (
    "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh "
    "arccosh arctanh cbrt"
)
BINARY = (
    "add subtract multiply divide maximum minimum fmax fmin copysign fmod floor_divide remainder "
    "equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor"
)
SOURCES = "?bBhHiIqQefd"


def _both(function: Callable[..., Any], *arrays: Any) -> tuple[Any, Any]:
    """Return the results of lazyarr and of NumPy."""
    with np.errstate(all="ignore"):
        lazy = function(*map(la.asarray, arrays))
        result = la.evaluate(*lazy) if isinstance(lazy, tuple) else la.evaluate(lazy)
        return result, function(*arrays)


@pytest.mark.parametrize("name", (EXACT + " " + TESTS).split())
def test_every_number_has_the_bits_of_ml_dtypes(name: str) -> None:
    assert_same_bits(*_both(getattr(np, name), EVERY))


@pytest.mark.parametrize("name", APPROXIMATE.split())
def test_functions_of_every_number_are_at_most_one_apart(name: str) -> None:
    """Another last bit of a float32 is another number only where that is half-way between two."""
    distance = apart(*_both(getattr(np, name), EVERY))
    assert distance.max() <= 1
    assert np.count_nonzero(distance) <= 16


def test_the_sign_of_numbers_is_numpys() -> None:
    """Of float32: the sign of -0 is 0, and that of ml_dtypes is -0."""
    with np.errstate(all="ignore"):
        expected = np.sign(EVERY.astype(np.float32)).astype(BFLOAT16)
    assert_same_bits(_both(np.sign, EVERY)[0], expected)


@pytest.mark.parametrize("name", BINARY.split())
def test_operations_have_the_bits_of_ml_dtypes(name: str) -> None:
    rng = np.random.default_rng(0)
    for x, y in ((EVERY, rng.permutation(EVERY)), (drawn(rng, 5000), drawn(rng, 5000))):
        result, expected = _both(getattr(np, name), x, y)
        if name in ("maximum", "minimum", "fmax", "fmin"):
            # Which zero is the larger is left open.
            with np.errstate(invalid="ignore"):
                result, expected = (v + np.float32(0.0) for v in (result, expected))
        assert_same_bits(result, expected)


@pytest.mark.parametrize("code", SOURCES)
def test_casts_round_as_ml_dtypes(code: str) -> None:
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 256, 8 * 20_000, dtype=np.uint8)
    numbers = bits.view(np.uint8) > 127 if code == "?" else bits.view(code)
    assert_same_bits(*_both(lambda x: x.astype(BFLOAT16), numbers))


@pytest.mark.parametrize("code", "?fdFD")
def test_casts_of_every_number(code: str) -> None:
    result, expected = _both(lambda x: x.astype(code), EVERY)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("code", "bBhHiIqQ")
def test_casts_to_integers(code: str) -> None:
    limits = np.iinfo(code)
    finite = EVERY[(EVERY.view(np.uint16) & 0x7FFF) < 0x7F80]
    known = finite[(finite > limits.min) & (finite < float(limits.max))]
    result, expected = _both(lambda x: x.astype(code), known)
    np.testing.assert_array_equal(result, expected)


def test_a_cast_to_float16_rounds_once() -> None:
    result, _ = _both(lambda x: x.astype(np.float16), EVERY)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(result, EVERY.astype(np.float32).astype(np.float16))


def test_a_cast_through_a_dtype_as_wide_is_not_left_out() -> None:
    """Each of the two 16-bit dtypes has numbers that the other lacks."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for numbers, through in ((halves, BFLOAT16), (EVERY, np.dtype(np.float16))):
        with np.errstate(all="ignore"):
            lazy = la.evaluate(la.asarray(numbers).astype(through).astype(np.float32))
            wide = numbers.astype(np.float32).astype(through).astype(np.float32)
        np.testing.assert_array_equal(lazy, wide)


_STEPS: list[Callable[..., Any]] = [
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    np.copysign,
    lambda x, y: -x,
    lambda x, y: abs(x) + y,
    lambda x, y: np.sqrt(abs(x)),
    lambda x, y: np.floor(x),
    lambda x, y: np.where(x < y, x, y),
    lambda x, y: x.astype(np.float32).astype(x.dtype) * y,
]


@pytest.mark.parametrize("seed", range(40))
def test_random_expressions_round_after_each_operation(seed: int) -> None:
    rng = np.random.default_rng(seed)
    shape = (7, int(rng.integers(1, 70)))
    arrays = [drawn(rng, *shape), drawn(rng, shape[1]), drawn(rng, shape[0], 1)]
    chosen = rng.integers(0, len(_STEPS), 12)
    operands = rng.integers(0, 3, 12)

    def expression(*values: Any) -> Any:
        x = values[0]
        for step, operand in zip(chosen, operands, strict=True):
            x = _STEPS[step](x, values[operand])
        return x

    assert_same_bits(*_both(expression, *arrays))


_SHAPED: dict[str, Callable[[Any, Any], Any]] = {
    "transposed": lambda x, y: (x * 2).T.copy() + y.reshape(y.shape[::-1]),
    "rows": lambda x, y: (x - x.max(axis=1, keepdims=True)) * y,
    "columns": lambda x, y: (x / x.max(axis=0)).min(axis=0),
    "joined": lambda x, y: np.concatenate([x + y, y - x], axis=1)[:, ::3],
    "stacked": lambda x, y: np.stack([x, y, x * y])[::-1, 1:, ::-2],
    "rolled": lambda x, y: np.roll(x, 3, axis=1) * 2 + y,
    "neighbours": lambda x, y: x[:, 2:] + x[:, 1:-1] * 2 + x[:, :-2],
    "gathered": lambda x, y: np.take(x, np.arange(x.shape[1])[::-1] // 2, axis=1) + y,
    "repeated": lambda x, y: np.repeat(x, 2, axis=0) * np.tile(y, (2, 1)),
    "positions": lambda x, y: (x * y).argmax(axis=1) + (x + y).argmin(axis=0)[0],
    "counted": lambda x, y: (x > y).sum(axis=0) + np.isnan(x * y).any(axis=1)[0],
    "triangle": lambda x, y: np.tril(x) + np.triu(y, 2),
    "differences": lambda x, y: np.diff(x, axis=1) * np.diff(y, axis=0)[0, 1:],
    "running": lambda x, y: np.maximum.accumulate(x, axis=1) + y,
}


@pytest.mark.parametrize("shape", [(3, 5), (300, 70), (64, 1024), (5, 40_000)])
@pytest.mark.parametrize("name", _SHAPED)
def test_programs_of_many_shapes(name: str, shape: tuple[int, int]) -> None:
    """Kernels of every template read and write it."""
    rng = np.random.default_rng(9)
    x, y = (rng.standard_normal(shape).astype(BFLOAT16) for _ in range(2))
    assert_same_bits(*_both(_SHAPED[name], x, y))


@pytest.mark.parametrize("immediate", [0, 1 << 10])
def test_forms_that_come_again_take_other_numbers(immediate: int) -> None:
    """The scalars of a plan are numbers of bfloat16, which kernels take as float32."""
    x = drawn(np.random.default_rng(11), 50, 3)
    with la.config(immediate=immediate), np.errstate(all="ignore"):
        for k in range(12):
            number = np.array(0.1 * k + 0.01, BFLOAT16)
            lazy = la.asarray(x[: 50 - k]) * (0.1 * k + 0.01) + la.asarray(number)
            assert_same_bits(la.evaluate(lazy), x[: 50 - k] * number + number)
        jitted = la.jit(lambda x, c: (x * c + 1).astype(x.dtype))
        for k in range(5):
            strong = np.array(k + 0.3, BFLOAT16)
            assert_same_bits(np.asarray(jitted(x, k + 0.3)), x * strong + np.array(1, BFLOAT16))


@pytest.mark.host
def test_both_backends_have_the_same_bits() -> None:
    rng = np.random.default_rng(10)
    x, y = drawn(rng, 40, 60), drawn(rng, 40, 60)
    results = []
    for backend in ("llvm", "numba"):
        with la.config(backend=backend), np.errstate(all="ignore"):
            a, b = la.asarray(x), la.asarray(y)
            results.append(la.evaluate(a * b + 0.5, (a * b).sum(axis=0), np.sqrt(abs(a))))
    for one, other in zip(*results, strict=True):
        assert_same_bits(one, other)


@pytest.mark.parametrize("number", [True, 2, -3, 0.1, 1e-40, float("inf"), 10**30])
def test_numbers_of_python_are_weak(number: Any) -> None:
    """ml_dtypes takes a float for a float32: here it is rounded first, as in JAX and PyTorch."""
    x = drawn(np.random.default_rng(2), 300)
    strong = np.array(float(number), BFLOAT16)
    with np.errstate(all="ignore"):
        for op in (operator.add, operator.mul, operator.truediv, operator.lt):
            assert_same_bits(la.evaluate(op(la.asarray(x), number)), op(x, strong))
            assert_same_bits(la.evaluate(op(number, la.asarray(x))), op(strong, x))
        chosen = la.evaluate(la.where(la.asarray(x) > 0, la.asarray(x), number))
        assert_same_bits(chosen, np.where(x > 0, x, strong))


@pytest.mark.parametrize("code", SOURCES + "FD")
def test_dtypes_of_operations_are_those_of_ufuncs(code: str) -> None:
    x, y = np.ones(3, BFLOAT16), np.ones(3, code)
    for op in (np.add, np.power, np.equal, np.maximum):
        assert op(la.asarray(x), la.asarray(y)).dtype == op(x, y).dtype
    try:
        common = np.result_type(x, y)
    except TypeError:
        for join in (lambda a, b: la.concatenate([a, b]), lambda a, b: la.where(True, a, b)):
            with pytest.raises(DTypeError):
                join(la.asarray(x), la.asarray(y))
    else:
        assert la.concatenate([la.asarray(x), la.asarray(y)]).dtype == common


def test_operations_without_a_loop_are_refused() -> None:
    x = la.asarray(np.ones(3, BFLOAT16))
    for op in (operator.and_, operator.lshift, np.gcd):
        with pytest.raises(DTypeError, match="bfloat16"):
            op(x, x)


@pytest.mark.parametrize("shape", [(1000,), (70_000,), (33, 40), (5, 7, 300), (0, 3), (3, 1)])
def test_sums_and_products_are_rounded_once(shape: tuple[int, ...]) -> None:
    """Those of ml_dtypes are rounded after each element."""
    x = np.random.default_rng(3).uniform(0.9, 1.1, shape).astype(BFLOAT16)
    wide = x.astype(np.float64)
    for axis in (None, *range(len(shape))):
        for name in ("sum", "prod", "max", "min", "mean"):
            if not x.size and name in ("max", "min", "mean"):
                continue
            lazy = la.evaluate(getattr(la, name)(la.asarray(x), axis=axis))
            with np.errstate(over="ignore"):
                exact = nearest(getattr(np, name)(wide, axis=axis).astype(np.float32))
            assert np.max(apart(np.asarray(lazy), np.asarray(exact)), initial=0) <= 1, name
        if x.size:
            result, expected = _both(lambda v, a=axis: np.argmax(v, axis=a), x)
            np.testing.assert_array_equal(result, expected)


def test_a_long_sum_goes_on() -> None:
    """256 + 1 is 256 in bfloat16, where a sum that is rounded after each element ends."""
    ones = np.ones(10_000, BFLOAT16)
    assert float(ones.sum()) == 256
    assert float(la.asarray(ones).sum()) == 9984
    assert la.asarray(ones).sum(dtype=np.float32).compute() == 10_000


def test_variances_are_taken_in_float32() -> None:
    x = np.random.default_rng(4).standard_normal((20, 500)).astype(BFLOAT16)
    for name in ("var", "std"):
        result = la.evaluate(getattr(la, name)(la.asarray(x), axis=1))
        exact = getattr(np, name)(x.astype(np.float64), axis=1)
        assert apart(result, nearest(exact)).max() <= 1


@pytest.mark.host
def test_running_sums_are_rounded_after_each_element() -> None:
    x = np.random.default_rng(5).standard_normal((30, 60)).astype(BFLOAT16)
    for name in ("cumsum", "cumprod"):
        for axis in (0, 1):
            assert_same_bits(*_both(lambda v, n=name, a=axis: getattr(np, n)(v, axis=a), x))


_PRODUCTS: dict[str, Callable[..., Any]] = {
    "matmul": lambda xp, x, y: x @ y,
    "dot": lambda xp, x, y: xp.dot(x, y),
    "vector": lambda xp, x, y: x[0] @ y,
    "inner": lambda xp, x, y: xp.inner(x, y.T),
    "tensordot": lambda xp, x, y: xp.tensordot(x, y, axes=1),
    "einsum": lambda xp, x, y: xp.einsum("ij,jk->ki", x, y),
    "einsum sum": lambda xp, x, y: xp.einsum("ij,ij->i", x, x),
    "vdot": lambda xp, x, y: xp.vdot(x, x),
    "convolve": lambda xp, x, y: xp.convolve(x[0], y[:, 0]),
    "stack": lambda xp, x, y: xp.matmul(xp.stack([x, x]), y),
}


@pytest.mark.parametrize("name", _PRODUCTS)
@pytest.mark.parametrize("sizes", [(3, 5, 2), (33, 40, 21), (130, 300, 90)])
def test_products_are_summed_in_float32(name: str, sizes: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(6)
    rows, deep, columns = sizes
    x = rng.standard_normal((rows, deep)).astype(BFLOAT16)
    y = rng.standard_normal((deep, columns)).astype(BFLOAT16)
    function = _PRODUCTS[name]
    result = la.evaluate(function(la, la.asarray(x), la.asarray(y)))
    wide = x.astype(np.float64), y.astype(np.float64)
    exact = np.asarray(function(np, *wide))
    scale = np.asarray(function(np, *map(np.abs, wide)))
    assert result.dtype == BFLOAT16
    error = np.abs(np.asarray(result, np.float64) - exact)
    assert np.all(error <= 2.0**-8 * np.abs(exact) + 1e-5 * scale)


def test_products_with_other_dtypes_are_numpys() -> None:
    x, y = np.ones((2, 3), BFLOAT16), np.ones((3, 2), np.float32)
    assert (la.asarray(x) @ y).dtype == np.float32
    assert (la.asarray(x) @ y.astype(np.float16)).dtype == np.float32
    assert la.matmul(x, x.T, dtype=np.float32).dtype == np.float32
    assert la.matmul(x, x.T, dtype=BFLOAT16).dtype == BFLOAT16


def test_views_indices_and_writes() -> None:
    rng = np.random.default_rng(7)
    start = drawn(rng, 12, 20)

    def program(x: Any) -> Any:
        x[1] = 1.5
        x[:, 2] += np.array(3.0, BFLOAT16)
        x[x > 1] = 0
        x[[3, 5], ::2] = x[[4, 6], 1::2]
        x[2:5] *= np.array(0.3, BFLOAT16)
        return x[::-1, 1::3].T + x[4, 5]

    mine = la.array(start)
    theirs = start.copy()
    with np.errstate(all="ignore"):
        assert_same_bits(la.evaluate(program(mine)), program(theirs))
        assert_same_bits(la.evaluate(mine), theirs)
    assert_same_bits(la.evaluate(la.asarray(start)[start[:, 0] > 0]), start[start[:, 0] > 0])
    assert_same_bits(la.evaluate(la.take(start, [3, 1, 3], axis=1)), start.take([3, 1, 3], axis=1))
    words = la.asarray(start).view(np.uint16)
    np.testing.assert_array_equal(la.evaluate(words), start.view(np.uint16))
    assert_same_bits(la.evaluate(words.view(BFLOAT16)), start)


@pytest.mark.parametrize("name", ["sort", "argsort", "unique", "median", "round"])
def test_what_numpy_computes(name: str) -> None:
    x = np.random.default_rng(8).permutation(EVERY[0x3000:0x4300:7])
    result, expected = _both(getattr(np, name), x)
    assert_same_bits(np.asarray(result), np.asarray(expected))


def test_numbers_in_the_place_of_nan_and_infinities() -> None:
    """NumPy's function leaves those of bfloat16 as they are."""
    x = np.array([np.nan, np.inf, -np.inf, 1.5], BFLOAT16)
    largest = np.array(0x7F7F, np.uint16).view(BFLOAT16)
    expected = np.array([0.0, largest, -largest, 1.5], BFLOAT16)
    assert_same_bits(la.evaluate(la.nan_to_num(x)), expected)


@pytest.mark.host
@pytest.mark.parametrize("immediate", [0, 1 << 10])
def test_small_arrays_have_the_bits_of_large_ones(immediate: int) -> None:
    """No operation on few elements is left to NumPy, whose sums are others."""
    x = np.full((3, 200), 1.01, BFLOAT16)
    with la.config(immediate=immediate):
        lazy = la.asarray(x)
        assert (lazy * 0.5).dtype == BFLOAT16
        assert_same_bits(la.evaluate(lazy.sum(axis=1)), nearest(x.astype(np.float64).sum(axis=1)))
        assert (lazy @ lazy.T).dtype == BFLOAT16
        value = lazy[0, 0]
        assert value.dtype == BFLOAT16 and float(value) == float(x[0, 0])
        lazy[0] = 2.0
        assert float(lazy[0].sum()) == 400


@pytest.mark.host
def test_arrays_are_made_of_names_and_types() -> None:
    for dtype in (BFLOAT16, BFLOAT16.type, "bfloat16", la.bfloat16):
        assert la.array([1.5, 2.0], dtype=dtype).dtype == BFLOAT16
        assert la.zeros(3, dtype=dtype).dtype == BFLOAT16
        assert la.asarray([1.0]).astype(dtype).dtype == BFLOAT16
    swapped = np.array([1.5, 2.0], BFLOAT16).astype(BFLOAT16.newbyteorder(">"))
    assert_same_bits(la.evaluate(la.asarray(swapped)), np.array([1.5, 2.0], BFLOAT16))
    shown = repr(np.array([1.5], BFLOAT16))
    assert repr(la.array([1.5], dtype=BFLOAT16)) == shown.replace("array", "LazyArray")
    assert str(la.array([1.5, -2.0], dtype=BFLOAT16)) == "[1.5 -2]"


@pytest.mark.host
def test_other_dtypes_of_the_package_are_refused() -> None:
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ("float8_e4m3fn", "int4", "float8_e5m2"):
        with pytest.raises(DTypeError, match=name):
            la.asarray(np.zeros(3, getattr(ml_dtypes, name)))


@pytest.mark.host
def test_without_its_package_the_name_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(AttributeError, match="lazyarr\\[bfloat16\\]"):
        la.bfloat16
    with pytest.raises(DTypeError, match="ml_dtypes"):
        la.zeros(3, dtype="bfloat16")
    assert la.zeros(3, dtype="float16").dtype == np.float16


@pytest.mark.host
def test_exceptions_are_those_of_float32() -> None:
    """Arithmetic is done there: what bfloat16 alone cannot hold becomes infinite in silence."""
    large = la.asarray(np.array([3e38, 1.0], BFLOAT16))
    with pytest.warns(RuntimeWarning, match="overflow"):
        la.evaluate(large * large)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        la.evaluate(large / 0)
    with np.errstate(all="raise"):
        largest, half = np.array([0x7F7F, 0x7B00], np.uint16).view(BFLOAT16)
        assert float(la.asarray(largest) + half) == np.inf
