"""NumPy's floating-point warnings: every row on corner values, functions, loops, and programs."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays.lazy_array import wrap
from lazyarr.builders import build
from lazyarr.execution.fp_errors.diagnosis import Diagnosis
from lazyarr.graph.node import Kind, walk
from lazyarr.graph.reference import evaluate_reference
from lazyarr.ops.elementwise import BY_UFUNC
from lazyarr.passes.simplify import simplify
from tests.compiler.test_random_dags import QUIET, chooser, roots_of
from tests.compiler.test_rows_through_pipeline import _expected
from tests.ops.test_elementwise_rows import CASES
from tests.support.programs import draw_program
from tests.support.rows import Case

pytestmark = pytest.mark.host  # a GPU has no flags, so nothing computed there warns

Array = np.ndarray[Any, Any]
DType = np.dtype[Any]
NAN, INF = np.nan, np.inf


def caught(function: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return a value and the texts of the warnings on the way to it."""
    with warnings.catch_warnings(record=True) as result:
        warnings.simplefilter("always")
        value = function()
    assert all(issubclass(w.category, RuntimeWarning) for w in result)
    # NumPy's versions end some of its sentences with a full stop, and some not.
    return value, sorted({str(w.message).rstrip(".") for w in result})


def both(function: Callable[..., Any], *arrays: Array) -> list[str]:
    """Check that lazyarr warns as NumPy does, and return of what."""
    expected = caught(lambda: function(*arrays))[1]
    warned = caught(lambda: la.evaluate(function(*map(la.asarray, arrays))))[1]
    assert warned == expected
    return warned


# ---------------------------------------------------------------- rows


def corners(dtype: DType) -> tuple[Any, ...]:
    if dtype.kind == "b":
        return (False, True)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return tuple(
            v for v in (0, 2, 70_000, limits.max, limits.min) if limits.min <= v <= limits.max
        )
    limit = np.finfo(dtype)
    largest, least = float(limit.max), float(limit.smallest_subnormal)
    results = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, 100.0, largest, -largest, least, INF, -INF, NAN]
    return tuple(results if dtype.itemsize == 2 else [*results, 3e9, -3e9, 1e19])


def is_floating(case: Case) -> bool:
    dtypes = (*case.loop, case.result)
    return any(d.kind == "f" for d in dtypes) and all(d.kind in "biuf" for d in dtypes)


FLOATING = [case for case in CASES if is_floating(case)]
NAMES = sorted({case.op.name for case in FLOATING})


def differs(case: Case, operands: tuple[Any, ...], result: Any, message: str) -> bool:
    """Whether NumPy's own loops warn in some dtypes, or some versions, and not in others."""
    match case.op.name:
        case "floor_divide":
            # float32 and float64 take an infinite quotient from itself; float16 does not.
            return "invalid" in message and bool(np.isinf(result))
        case "divmod_quotient" | "divmod_remainder":
            with np.errstate(all="ignore"):
                quotient = np.floor_divide(*map(np.asarray, operands, case.loop))
            return "invalid" in message and bool(np.isinf(quotient))
        case "power" | "float_power":
            # IEEE 754 calls these results exact.
            return any(np.isinf(x) for x in operands)
        case "logaddexp" | "logaddexp2":
            return True  # of its intermediate steps: of a comparison of NaN, of a far difference
        case _:
            return False


@pytest.mark.parametrize("name", NAMES)
def test_rows_warn_of_corner_values_as_numpy_does(name: str) -> None:
    for case in (case for case in FLOATING if case.op.name == name):
        for operands in itertools.product(*map(corners, case.loop)):
            arrays = [np.full(19, v, d) for v, d in zip(operands, case.loop, strict=True)]
            value, expected = caught(lambda: _expected(case, arrays))  # noqa: B023
            leaves = tuple(map(build.leaf, arrays))
            # NumPy computes all results of a ufunc, and warns of any.
            ops = BY_UFUNC[case.op.ufunc] if name.startswith("divmod") else (case.op,)
            roots = (
                [build.cast(leaves[0], case.result)]
                if name == "cast"
                else [build.elementwise(op, leaves) for op in ops]
            )
            _, warned = caught(lambda: la.evaluate(*map(wrap, roots)))  # noqa: B023
            odd = {m for m in {*expected} ^ {*warned} if not differs(case, operands, value[0], m)}
            assert not odd, (str(case), operands, expected, warned)


BACKENDS = ["llvm", "numba"]

#: One fault in one element, whichever of a vector's lanes or of a loop's remainder that is.
ONE_FAULT: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "sqrt": (np.sqrt, 1.0, -1.0),
    "divide": (lambda x: 1 / x, 1.0, 0.0),
    "exp": (np.exp, 1.0, 1e4),
    "log": (np.log, 1.0, 0.0),
    "sin": (np.sin, 1.0, INF),
    "multiply": (lambda x: x * x, 1.0, 1e300),
    "where": (lambda x: np.where(x > 2, 1.0, 1 / x), 3.0, 0.0),
    "where not taken": (lambda x: np.where(x != 0, 1 / x, 2.0), 3.0, 0.0),
    "to int": (lambda x: x.astype(np.int32), 1.0, 1e20),
    "to uint64": (lambda x: x.astype(np.uint64), 1.0, -1e20),
    "to float32": (lambda x: x.astype(np.float32), 1.0, 1e200),
    "to float16": (lambda x: x.astype(np.float16), 1.0, 1e6),
    "sum": (lambda x: x.sum(), 1.0, INF),
    "isfinite": (lambda x: np.isfinite(x * 1e200), 1.0, 1e200),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ONE_FAULT)
def test_one_element_anywhere(name: str, backend: str) -> None:
    function, harmless, harmful = ONE_FAULT[name]
    with la.config(backend=backend):
        for size in (1, 2, 7, 8, 9, 31, 1000):
            x = np.full(size, harmless)
            assert both(function, x) == []
            for place in {0, 1, size // 2, size - 2, size - 1} & set(range(size)):
                x = np.full(size, harmless)
                x[place] = harmful
                assert both(function, x) or name == "sum"


# ---------------------------------------------------------------- whole expressions

TABLE = np.array(
    [[0.0, 1, -1, INF, 2], [NAN, 1e308, -1e308, 3, 4], [NAN] * 5, [1, 2, 3, 4, 5], [0] * 5]
)
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "compare": lambda x: (x < 1) & (x > -1) | (x == x) | (x != 2) | (x <= x[::-1]),
    "extrema": lambda x: np.maximum(x, 1.0) + np.minimum(np.fmax(x, 0.0), 3.0),
    "clip": lambda x: np.clip(x, 0, 1),
    "min and max": lambda x: x.min(axis=0) + x.argmax(axis=0),
    "classes": lambda x: np.isnan(x) | np.isinf(x) | np.signbit(x),
    "rounding": lambda x: np.floor(np.rint(x)) + np.sign(x),
    "nan_to_num": np.nan_to_num,
    "isclose": lambda x: np.isclose(x, x[::-1]),
    "x - x": lambda x: x - x,
    "x * 0": lambda x: x * 0,
    "square": lambda x: x**2,
    "cube": lambda x: x**3,
    "reciprocal": lambda x: x**-1,
    "root": lambda x: x**0.5,
    "by a quarter": lambda x: x / 0.25,
    "by three": lambda x: x / 3,
    "remainder": lambda x: x % 0.0,
    "where of a logarithm": lambda x: np.where(x > 0, np.log(x), 0),
    "several": lambda x: np.sqrt(x) * 3 + 1 / x - np.exp(x) * x,
    "casts": lambda x: x.astype(np.int32) + x.astype(np.float32).astype(np.int64),
    "halves": lambda x: x.astype(np.float16) * 2,
    "sum": lambda x: x.sum(axis=-1),
    "sum of columns": lambda x: x.sum(axis=0),
    "sum of all": lambda x: x.sum(),
    "sum of products": lambda x: (x * x).sum(axis=-1),
    "mean": lambda x: x.mean(axis=-1),
    "mean of all": lambda x: (x * 1e-300).mean(keepdims=True),
    "variance": lambda x: x.var(axis=-1),
    "deviation of columns": lambda x: x.std(axis=0),
    "softmax": lambda x: (lambda e: e / e.sum(-1, keepdims=True))(
        np.exp(x - x.max(-1, keepdims=True))
    ),
    "standardise": lambda x: (x - x.mean(-1, keepdims=True)) / x.std(-1, keepdims=True),
    "norm": lambda x: np.linalg.norm(x, axis=-1),
    "difference": np.diff,
    "gradient": lambda x: np.gradient(x, axis=-1),
    "outer": lambda x: np.multiply.outer(x, x),
    "concatenate": lambda x: np.concatenate([1 / x, x * 10]),
    "flipped": lambda x: np.sqrt(x)[::-1].T,
    "geometric mean": lambda x: np.exp(np.log(x).mean(axis=-1)),
    "after a product": lambda x: np.log(x @ x.T),
    "sinc": np.sinc,
    "nanmean": lambda x: np.nanmean(x, axis=-1),
    "nansum": lambda x: np.nansum(x, axis=-1),
    "nanvar": lambda x: np.nanvar(x, axis=-1),
    "nanstd": lambda x: np.nanstd(x, axis=-1, ddof=1),
    "degrees": np.degrees,
    "ldexp": lambda x: np.ldexp(x, 3),
    "hypot": lambda x: np.hypot(x, x),
}
INPUTS = {
    "table": TABLE,
    "large": np.array([1e308] * 7 + [-1.0]).reshape(2, 4),
    "infinities": np.array([[INF, -INF, 1.0]]),
    "harmless": np.arange(1.0, 7.0).reshape(2, 3),
    "empty": np.zeros((0, 3)),
    "single": np.where(np.isfinite(TABLE), np.clip(TABLE, -3e38, 3e38), TABLE).astype(np.float32),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_warn_as_numpys_do(name: str) -> None:
    function = FUNCTIONS[name]
    for given_name, array in INPUTS.items():
        if given_name == "empty" and name in ("min and max", "gradient", "softmax"):
            continue  # an error
        both(function, array)


@pytest.mark.parametrize("threads", [1, 2, 7])
@pytest.mark.parametrize("shape", [(20, 30), (300, 300), (3, 50_000), (50_000, 3)])
def test_every_loop_template_notices_one_fault(shape: tuple[int, int], threads: int) -> None:
    builders: list[Callable[[Any], Any]] = [
        lambda x: 1 / x,
        lambda x: (1 / x).max(),
        lambda x: (1 / x).max(axis=0),
        lambda x: (1 / x).max(axis=1),
        lambda x: (1 / x).min(axis=1)[:, None] + x,
        lambda x: (1 / x).argmax(),
        lambda x: np.exp(-(1 / x)).sum(axis=1),
        lambda x: np.concatenate([1 / x, x]),
        lambda x: (1 / x)[1:, ::2],
        lambda x: ((1 / x) - (1 / x).min(axis=1, keepdims=True)).max(axis=1),
        lambda x: 1 / x.T,
    ]
    a = np.ones(shape)
    b = a.copy()
    b[-1, -1 if shape[1] % 2 else -2] = b[1, 0] = 0
    with la.config(threads=threads):
        for function in builders:
            assert both(function, a) == []
            assert both(function, b) == ["divide by zero encountered in divide"]


def test_constants_alone() -> None:
    # Folding leaves alone what NumPy warns of, and a compiler sets no flag when it folds.
    assert caught(lambda: la.evaluate(la.ones(3) / la.zeros(3)))[1] == [
        "divide by zero encountered in divide"
    ]
    assert caught(lambda: la.evaluate(np.sqrt(la.full(3, -1.0)) + la.arange(3)))[1] == [
        "invalid value encountered in sqrt"
    ]
    assert caught(lambda: la.evaluate(la.full(3, 1e300) * 1e300))[1] == [
        "overflow encountered in multiply"
    ]


@pytest.fixture
def followed_up(monkeypatch: pytest.MonkeyPatch) -> list[Diagnosis]:
    """The plans whose runs are looked at once more, since a flag is set or has to be expected."""
    runs: list[Diagnosis] = []
    faults = Diagnosis.faults

    def noted(self: Diagnosis, *arguments: Any) -> Any:
        runs.append(self)
        return faults(self, *arguments)

    monkeypatch.setattr(Diagnosis, "faults", noted)
    return runs


def test_constants_of_which_numpy_does_not_warn_are_not_followed_up(
    followed_up: list[Diagnosis],
) -> None:
    with la.config(immediate=0):
        for dtype in "?iefdFD":
            la.evaluate(la.zeros(9, dtype), la.full(9, 3, dtype) + la.arange(9))
        assert not followed_up
        large = la.full(9, 1e300).astype("f4")
        assert caught(lambda: la.evaluate(large))[1] == ["overflow encountered in cast"]
    assert len(followed_up) == 1


@pytest.mark.parametrize("length", [2, 3, 6])
def test_lanes_that_are_left_over_set_no_flags(length: int, followed_up: list[Diagnosis]) -> None:
    x = np.arange(1, 5 * length + 1, dtype="f4").reshape(5, length)
    with la.config(immediate=0, backend="llvm"):
        lazy = la.asarray(x)
        result = la.evaluate(1 / lazy + lazy.max(axis=1, keepdims=True))
    np.testing.assert_array_equal(result, 1 / x + x.max(axis=1, keepdims=True))
    assert not followed_up


def test_scalars_of_an_expression_that_is_planned_already() -> None:
    x = np.array([1.0, 2.0])
    for factor in (3.0, 1e308, 7.0, INF, NAN, 1e308):
        both(lambda v: v * factor, x)  # noqa: B023
    for divisor in (3.0, 0.0, 5.0, 2.0, 0.5):
        both(lambda v: v / divisor, x)  # noqa: B023


def test_only_what_is_computed_counts() -> None:
    x = np.array([0.0, 1.0, 4.0])
    lazy = la.asarray(x)
    assert caught(lambda: la.evaluate((1 / lazy)[1:]))[1] == []
    unused = 1 / lazy
    assert caught(lambda: la.evaluate(lazy + 1))[1] == []
    del unused


@pytest.mark.parametrize("shape", [(), (5,), (700,)])
@pytest.mark.parametrize("dtype", ["i1", "u4", "i8"])
def test_what_a_compiler_knows_to_be_zero_is_divided_by(dtype: str, shape: tuple[int, ...]) -> None:
    x = np.full(shape, 126, dtype)
    divisions: list[Callable[[Any, Any], Any]] = [
        lambda xp, x: xp.reciprocal((x - x).astype("f8")),
        lambda xp, x: xp.true_divide((x ^ x).astype("f4"), (x - x).astype("f4")),
    ]
    for function in divisions:
        expected = caught(lambda function=function: function(np, np.atleast_1d(x)))
        with la.config(immediate=0):
            value, messages = caught(
                lambda function=function: np.asarray(function(la, la.asarray(x)))
            )
        assert messages == expected[1] and len(messages) == 1
        np.testing.assert_array_equal(np.atleast_1d(value), expected[0])


# ---------------------------------------------------------------- programs


def slices(roots: tuple[Any, ...]) -> Iterator[Any]:
    """Yield the views that leave elements out."""
    for node in walk(roots):
        if node.op.kind is Kind.VIEW and node.size < node.src[0].size:
            yield node


@settings(max_examples=150, suppress_health_check=QUIET, deadline=None)
@given(st.data())
def test_random_expressions_warn_of_what_numpy_warns_of(data: Any) -> None:
    program = draw_program(chooser(data), steps=8)
    roots = roots_of(program)
    simplified = simplify(roots)
    expected = {*caught(lambda: evaluate_reference(roots))[1]}
    warned = {*caught(lambda: la.evaluate(*map(wrap, roots)))[1]}
    named = {message for message in expected if not message.startswith("invalid value")}
    # A reduction of elements that are NaN themselves is invalid or not by their order.
    expected_kinds = {m.split(" encountered")[0] for m in expected}
    warned_kinds = {m.split(" encountered")[0] for m in warned}
    assert warned_kinds <= expected_kinds, (program, expected, warned)
    if not any(slices(simplified)) and not any(slices(roots)):
        assert named <= warned, (program, expected, warned)
