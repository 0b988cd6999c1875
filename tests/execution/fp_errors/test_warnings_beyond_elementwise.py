"""NumPy's warnings of complex numbers, scans, empty slices, selections and library steps."""

from __future__ import annotations

import itertools
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host  # a GPU has no flags, so nothing computed there warns

Array = np.ndarray[Any, Any]
NAN, INF = np.nan, np.inf
BACKENDS = ["llvm", "numba"]
COMPLEX = [np.complex64, np.complex128]


def caught(function: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return a value and the texts of the warnings on the way to it."""
    with warnings.catch_warnings(record=True) as result:
        warnings.simplefilter("always")
        value = function()
    assert all(issubclass(w.category, RuntimeWarning) for w in result)
    # A LazyArray of shape () is an array, and NumPy's full stops come and go.
    texts = {str(w.message).rstrip(".").replace("in scalar ", "in ") for w in result}
    return value, sorted(texts)


def both(function: Callable[..., Any], *arrays: Array) -> list[str]:
    """Check that lazyarr warns as NumPy does, and return of what."""
    expected = caught(lambda: function(*arrays))[1]
    warned = caught(lambda: la.evaluate(function(*map(la.asarray, arrays))))[1]
    assert warned == expected, (function, arrays)
    return warned


# ---------------------------------------------------------------- complex numbers


def corners(dtype: Any) -> list[complex]:
    limits = np.finfo(dtype)
    largest, least = float(limits.max), float(limits.smallest_subnormal)
    parts = [0.0, -0.0, 1.0, -2.0, largest, -largest * 0.6, least, INF, NAN]
    return [complex(a, b) for a in parts for b in parts]


UNARY = "absolute angle conjugate negative reciprocal rint sign square".split()
BINARY = "add subtract multiply divide equal maximum fmin logical_and".split()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_complex_rows_warn_as_numpy_does(name: str, dtype: Any, backend: str) -> None:
    function = getattr(np, name)
    every = list(itertools.product(corners(dtype), repeat=1 + (name in BINARY)))
    step = 1 if len(every) < 100 else 7 if backend == "llvm" else 31
    warned = set()
    with la.config(backend=backend):
        for operands in every[::step]:
            # NumPy compares the parts of a divisor so that a NaN among them sets a flag.
            if name in ("divide", "reciprocal") and np.isnan(operands[-1]):
                continue
            warned |= {*both(function, *(np.full(5, z, dtype) for z in operands))}
    silent = name in "absolute angle conjugate negative rint equal maximum fmin logical_and".split()
    assert bool(warned) is not silent


FUNCTIONS = (
    "sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan sinh cosh tanh "
    "arcsinh arccosh arctanh"
).split()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_functions_warn_as_numpy_does(dtype: Any, backend: str) -> None:
    values = [*corners(dtype), 1000 + 1j, 1000 + 0j, -1000j, 1j, -1j, -1 + 0j, 0.5 + 0.5j, 1e4]
    with la.config(backend=backend):
        for name in FUNCTIONS if backend == "llvm" else FUNCTIONS[::4]:
            function = getattr(np, name)
            for value in values:
                z = np.full(5, value, dtype)
                if np.isnan(value) or (not np.isfinite(value) and name == "expm1"):
                    continue  # NumPy warns of the steps that it takes to NaN, or not.
                expected = caught(lambda: function(z))[0]  # noqa: B023
                result, _ = caught(lambda: la.evaluate(function(la.asarray(z))))  # noqa: B023
                # Results that overflow in one and not in the other are another matter.
                if np.isfinite(expected[0]) == np.isfinite(result[0]):
                    both(function, z)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("reference", ["c8", "f4", "f2", "i4", "i1", "u8", "?", "c16"])
def test_complex_casts(reference: str, backend: str) -> None:
    values = [*corners(np.complex128), 1e20 + 1j, -1e300 + 0j, 1 + 1e300j, 70_000 + 0j]
    with la.config(backend=backend):
        for value in values:
            x = np.full(3, value)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
                with np.errstate(all="ignore"):
                    x.astype(reference)
            expected = [
                text
                for text in _messages(lambda: x.astype(reference))  # noqa: B023
                if "Casting" not in text
            ]
            warned = _messages(lambda: la.evaluate(la.asarray(x).astype(reference)))  # noqa: B023
            assert [t for t in warned if "Casting" not in t] == expected, value


def _messages(function: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as result:
        warnings.simplefilter("always")
        function()
    return sorted({str(w.message) for w in result})


ONE_FAULT: dict[str, tuple[Callable[[Any], Any], complex, complex, str]] = {
    "multiply": (lambda z: z * z, 1 + 1j, 1e200 + 1j, "overflow encountered in multiply"),
    "divide": (lambda z: 1 / z, 1 + 1j, 0, "divide by zero encountered in divide"),
    "where": (lambda z: np.where(z.real > 0, 1 / z, z), 1, 5e-324 + 0j, "overflow"),
    "sum": (lambda z: z.sum(), 1, 1e308 + 1e308j, ""),
    "view": (lambda z: (z * z)[::-1].imag + 1, 1, 1e200 + 1e200j, "overflow"),
    "rows": (lambda z: (1 / z[None, :]).sum(axis=1), 1, 0, "divide by zero"),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", ONE_FAULT)
def test_one_complex_element_anywhere(name: str, backend: str) -> None:
    function, harmless, harmful, text = ONE_FAULT[name]
    with la.config(backend=backend):
        for size in (1, 2, 7, 8, 9, 1000):
            assert both(function, np.full(size, harmless, complex)) == []
            for place in {0, size // 2, size - 1}:
                z = np.full(size, harmless, complex)
                z[place] = harmful
                warned = both(function, z)
                assert not text or any(result.startswith(text) for result in warned)


# ---------------------------------------------------------------- scans

SCANS: dict[str, Callable[[Any], Any]] = {
    "cumsum of rows": lambda x: np.cumsum(x, axis=-1),
    "cumsum of columns": lambda x: np.cumsum(x, axis=0),
    "cumsum of all": np.cumsum,
    "cumprod of rows": lambda x: np.cumprod(x, axis=-1),
    "cumprod of columns": lambda x: np.cumprod(x, axis=0),
    "add.accumulate": lambda x: np.add.accumulate(x, axis=0),
    "maximum.accumulate": lambda x: np.maximum.accumulate(x, axis=0),
    "nancumsum": lambda x: np.nancumsum(x, axis=0),
    "nancumprod": np.nancumprod,
    "backwards": lambda x: np.cumsum(x[..., ::-1], axis=-1),
    "inside": lambda x: np.cumsum(x * 2, axis=0) + 1,
    "narrower": lambda x: np.cumsum(x, dtype=np.complex64 if x.dtype.kind == "c" else np.float32),
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, *COMPLEX, np.int8, bool])
def test_scans_warn_as_numpy_does(dtype: Any, backend: str) -> None:
    generator = np.random.default_rng(3)
    kind = np.dtype(dtype).kind
    values = [0, 1, -1]
    if kind in "fc":
        limits = np.finfo(dtype)
        largest = float(limits.max)
        small = float(limits.smallest_subnormal)
        values = [0.0, 1.0, -1.0, 0.5, largest, -largest, largest / 2, small, INF, -INF, NAN]
    warned = set()
    shapes = [(5,), (3, 4), (2, 3, 2), (1,), (0,), (0, 3), (700,)]
    with la.config(backend=backend):
        for iteration in range(28 if backend == "llvm" else 14):
            few = generator.choice(values, size=3)
            x = generator.choice(few, size=shapes[iteration % len(shapes)]).astype(dtype)
            if kind == "c":
                x.imag = generator.choice(few, size=x.shape)
            for name, function in SCANS.items():
                result = both(function, x)
                warned |= {name} if result else set()
    assert ("cumsum of rows" in warned) is (kind in "fc")
    assert "maximum.accumulate" not in warned


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [np.float64, np.complex128])
def test_reductions_overflow_beside_infinities_and_nan(dtype: Any, backend: str) -> None:
    rows = [[1e308, 1e308, NAN], [-1e308, 1e308, 1], [INF, 1, NAN], [INF, -INF, 0], [1e308, 1, INF]]
    x = np.array(rows, dtype)
    with la.config(backend=backend):
        for name, axis in itertools.product(("sum", "nansum", "mean", "nanmean"), (None, 0, 1)):
            function = getattr(np, name)
            assert both(lambda y: function(y, axis=axis), x)  # noqa: B023
    assert both(np.trace, np.diag([1e308, 1e308, NAN])) == ["overflow encountered in reduce"]
    assert both(np.prod, np.array([1e308, 1e308, NAN])) == ["overflow encountered in reduce"]
    assert both(np.prod, np.array([1e308, INF, NAN])) == []


def test_a_scan_of_one_element_does_nothing() -> None:
    assert both(np.cumsum, np.array([INF])) == []
    assert both(lambda x: np.cumsum(x, axis=0), np.array([[INF, NAN, 1e308]])) == []


# ---------------------------------------------------------------- slices of nothing

TABLE = np.array([[NAN, NAN], [1.0, NAN], [3.0, 4.0]])
ARRAYS = {
    "table": TABLE,
    "nothing but NaN": np.full((2, 2), NAN),
    "no rows": np.zeros((0, 3)),
    "no columns": np.zeros((3, 0)),
    "one": np.array([[2.0]]),
    "integers": np.arange(6).reshape(2, 3),
    "single": TABLE.astype(np.float32),
    "half": TABLE.astype(np.float16),
    "complex": TABLE * 1j + 1,
}
REDUCTIONS = "nanmax nanmin nanmean nanvar nanstd nansum nanprod mean var std".split()


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", REDUCTIONS)
def test_reductions_of_nothing(name: str, backend: str) -> None:
    axes = (None, 0, 1, (0, 1)) if backend == "llvm" else (1,)
    with la.config(backend=backend, optimize=False):  # shapes and dtypes alone decide
        for (operand, array), axis, keepdims in itertools.product(
            ARRAYS.items(), axes, (False, True)
        ):
            if name in ("nanmax", "nanmin") and not array.size:
                continue  # an error

            def function(x: Any) -> Any:
                return getattr(np, name)(x, axis=axis, keepdims=keepdims)  # noqa: B023

            both(function, array)
            expected, got = (caught(lambda: function(x))[0] for x in (array, la.asarray(array)))  # noqa: B023
            value = caught(lambda: la.evaluate(got))[0]  # noqa: B023
            np.testing.assert_allclose(value, expected, rtol=1e-3, err_msg=operand)
            assert value.dtype == expected.dtype


@pytest.mark.parametrize("name", ["var", "std", "nanvar", "nanstd"])
@pytest.mark.parametrize("ddof", [0, 1, 2, 3, 5])
def test_degrees_of_freedom(name: str, ddof: int) -> None:
    for axis in (None, 0, 1):
        both(lambda x: getattr(np, name)(x, axis=axis, ddof=ddof), TABLE)  # noqa: B023


def test_covariances_of_one_observation() -> None:
    for function in (np.cov, np.corrcoef):
        assert both(function, np.array([[1.0], [2.0]]))


def test_masks_that_leave_nothing() -> None:
    x = np.array([[1.0, 2.0], [3.0, 9.0]])
    assert "Mean of empty slice" in both(lambda v: np.mean(v, axis=1, where=v > 2), x)
    assert both(lambda v: np.mean(v, where=v > 2), x) == []
    assert "Mean of empty slice" in both(lambda v: v[v > 10].mean(), x)
    freedom = "Degrees of freedom <= 0 for slice"
    assert freedom in both(lambda v: np.var(v, axis=1, where=v > 2, ddof=1), x)
    assert freedom in caught(lambda: la.evaluate(la.asarray(x)[la.asarray(x) > 10].var()))[1]


def test_a_functions_own_warnings_come_whatever_errstate_says() -> None:
    with np.errstate(all="ignore"):
        assert both(lambda x: np.nanmax(x, axis=1), TABLE) == ["All-NaN slice encountered"]
        assert both(lambda x: np.nanmean(x, axis=1), TABLE) == ["Mean of empty slice"]
    with np.errstate(all="raise"):
        assert both(lambda x: np.nanmax(x, axis=1), TABLE) == ["All-NaN slice encountered"]
        assert both(lambda x: np.nanvar(x, axis=1), TABLE)


def test_each_line_of_several_is_told() -> None:
    x = la.asarray(TABLE)
    with warnings.catch_warnings(record=True) as result:
        warnings.simplefilter("always")
        first = np.nanmax(x, axis=1)
        second = np.nanmin(x, axis=1)
        la.evaluate(first, second, first + second)
    start = test_each_line_of_several_is_told.__code__.co_firstlineno
    assert [w.lineno - start for w in result] == [4, 5]
    assert {w.filename for w in result} == {__file__}


# ---------------------------------------------------------------- what is not selected

SELECTIONS: dict[str, Callable[[Any], Any]] = {
    "sum of logarithms": lambda x: np.log(x[x > 0]).sum(),
    "logarithms": lambda x: np.log(x[x > 0]),
    "reciprocals": lambda x: (1 / x[x != 0]).mean(),
    "several": lambda x: (np.sqrt(x[x > 0]) * 2 - np.log(x[x > 0]) ** 2).max(),
    "of a choice": lambda x: np.log(np.where(x[x > 0] > 1, x[x > 0], 1)).sum(),
    "converted": lambda x: x[np.isfinite(x)].astype(np.int32).sum(),
    "assigned": lambda x: _assigned(x),
    "where of a ufunc": lambda x: np.log(x, where=x > 0, out=_zeros(x)),
    "where of two": lambda x: np.divide(1, x, where=x != 0, out=_zeros(x)) + 1,
}


def _assigned(x: Any) -> Any:
    y, mask = x.copy(), x > 0
    y[mask] = np.log(x[mask])
    return y


def _zeros(x: Any) -> Any:
    return np.zeros(x.shape) if isinstance(x, np.ndarray) else la.zeros(x.shape)


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("name", SELECTIONS)
def test_what_is_not_selected_warns_of_nothing(name: str, backend: str) -> None:
    function = SELECTIONS[name]
    with la.config(backend=backend), np.errstate(all="raise"):
        x = np.array([-1.0, 0.0, -0.0, 1.0, 2.0, -INF])
        result = la.evaluate(function(la.asarray(x)))
        np.testing.assert_allclose(result, function(x))
    with la.config(backend=backend):
        # What is selected does.
        both(function, np.array([1.0, 1e308, 5e-324, INF, 1e300]))


def test_integers_that_are_not_selected() -> None:
    x = np.array([-1, 0, 1, 2])
    assert both(lambda v: (10 // v[v != 0]).sum(), x) == []
    assert both(lambda v: (10 // v[v < 2]).sum(), x) == [
        "divide by zero encountered in floor_divide"
    ]
    assert both(lambda v: np.floor_divide(10, v, where=v != 0, out=_ints(v)), x) == []


def _ints(x: Any) -> Any:
    return np.zeros(x.shape, int) if isinstance(x, np.ndarray) else la.zeros(x.shape, int)


def test_the_same_operation_on_all_still_warns() -> None:
    x = la.asarray(np.array([0.0, 1.0]))
    _, warned = caught(lambda: la.evaluate(np.log(x), np.log(x[x > 0]).sum()))
    assert warned == ["divide by zero encountered in log"]


# ---------------------------------------------------------------- library steps


def test_library_steps_warn_of_the_users_line() -> None:
    z = la.asarray(np.array([1e300 + 0j]))
    a = la.asarray(np.full((3, 3), 1e200))
    with warnings.catch_warnings(record=True) as result:
        warnings.simplefilter("always")
        exponential = z**2.5
        product = a @ a
        la.evaluate(exponential, product)
    start = test_library_steps_warn_of_the_users_line.__code__.co_firstlineno
    reported = sorted((w.lineno - start, str(w.message)) for w in result)
    assert reported == [
        (5, "overflow encountered in power"),
        (6, "overflow encountered in matmul"),
    ]
    assert {w.filename for w in result} == {__file__}


def test_library_steps_heed_errstate() -> None:
    z = la.asarray(np.array([1e300 + 0j]))
    with np.errstate(all="ignore"):
        assert caught(lambda: la.evaluate(z**2.5))[1] == []
    with np.errstate(over="raise"), pytest.raises(FloatingPointError, match="in power"):
        la.evaluate(z**2.5)
    calls: list[tuple[str, int]] = []
    with np.errstate(over="call", call=lambda *arguments: calls.append(arguments)):
        la.evaluate(z**2.5)
    assert calls == [("overflow", 2)]


@pytest.mark.parametrize("mode", ["raise", "call", "ignore"])
def test_errstate_rules_complex_numbers_and_scans(mode: Any) -> None:
    calls: list[tuple[str, int]] = []
    for build in (
        lambda: la.asarray(np.full(9, 1e200 + 0j)) ** 2,
        lambda: np.cumsum(la.asarray(np.full(9, 1e308))),
    ):
        expression = build()
        with np.errstate(
            over=mode, invalid="ignore", call=lambda *arguments: calls.append(arguments)
        ):
            if mode == "raise":
                with pytest.raises(FloatingPointError, match="overflow") as error:
                    la.evaluate(expression)
                assert __file__ in str(error.value.__notes__)
            else:
                assert caught(lambda: la.evaluate(expression))[1] == []  # noqa: B023
    assert calls == ([("overflow", 2)] * 2 if mode == "call" else [])


def test_threads_hear_of_their_own_library_steps_alone() -> None:
    errors: list[BaseException] = []

    def work(harmful: bool) -> None:
        try:
            for _ in range(50):
                z = la.asarray(np.array([1e300 + 0j if harmful else 1j]))
                with np.errstate(over="raise"):
                    try:
                        la.evaluate(z**2.5)
                        assert not harmful
                    except FloatingPointError:
                        assert harmful
        except BaseException as error:  # noqa: BLE001 - handed to the test
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k % 2 == 0,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
