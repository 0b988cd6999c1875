"""Underflow, of which NumPy warns where ``np.errstate`` asks for it."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.fp_errors.diagnosis import Diagnosis
from lazyarr.execution.fp_errors.status import Reports

pytestmark = pytest.mark.host  # a GPU has no flags, so nothing computed there warns

Array = np.ndarray[Any, Any]
BACKENDS = ["llvm", "numba"]


def caught(function: Callable[[], Any]) -> list[str]:
    """Return the warnings where underflow alone counts."""
    with warnings.catch_warnings(record=True) as result, np.errstate(all="ignore", under="warn"):
        warnings.simplefilter("always")
        function()
    return sorted({str(w.message) for w in result})


def both(function: Callable[..., Any], *arrays: Array) -> list[str]:
    """Check that lazyarr warns as NumPy does, and return of what."""
    expected = caught(lambda: function(*arrays))
    warned = caught(lambda: la.evaluate(function(*map(la.asarray, arrays))))
    assert warned == expected, (function, arrays)
    return warned


def values(dtype: Any) -> list[float]:
    limits = np.finfo(dtype)
    least, normal = float(limits.smallest_subnormal), float(limits.smallest_normal)
    root = float(np.sqrt(dtype(normal)))
    few = [0.0, 1.0, -1.0, 0.5, 3.0, 1 / 3, least, 3 * least, -7 * least, normal, -normal * 0.75]
    return [*few, root, root * 0.9, -root / 3, float(limits.max), np.inf, np.nan, -800.0, -745.0]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "multiply": np.multiply,
    "divide": np.divide,
    "add": np.add,
    "square": np.square,
    "reciprocal": np.reciprocal,
    "exp": np.exp,
}


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_underflow_is_that_of_numpy(name: str, dtype: Any, backend: str) -> None:
    function = FUNCTIONS[name]
    count = 2 if name in ("multiply", "divide", "add") else 1
    warned = set()
    with la.config(backend=backend):
        for operands in itertools.product(values(dtype), repeat=count):
            if name == "exp" and 0 < abs(operands[0]) < np.finfo(dtype).smallest_normal:
                continue  # NumPy's code for vectors underflows on its way to 1.
            warned |= {*both(function, *(np.full(5, x, dtype) for x in operands))}
    assert warned == (set() if name == "add" else {f"underflow encountered in {name}"})


@pytest.mark.parametrize("backend", BACKENDS)
def test_casts(backend: str) -> None:
    with la.config(backend=backend):
        warned = [
            bool(both(lambda y: y.astype(np.float32), np.full(3, x)))
            for x in (1e-40, 1e-300, 2.0**-149, 2.0**-148, 1e-37, 0.0, np.nan, np.inf)
        ]
    assert warned == [True, True, False, False, False, False, False, False]


def test_products() -> None:
    x = np.array([1e-200, 1e-200, 1.0])
    assert both(np.prod, x) == ["underflow encountered in reduce"]
    assert both(np.cumprod, x) == ["underflow encountered in accumulate"]
    assert both(np.cumprod, np.array([1e-200, 0.0, 1.0])) == []
    assert both(np.cumsum, np.array([5e-324, 5e-324])) == []


def test_complex_products() -> None:
    z = np.array([1e-200 + 1e-200j])
    assert both(lambda y: y * y, z) == ["underflow encountered in multiply"]
    assert both(lambda y: y * 2, z) == []


def test_nothing_is_said_unless_it_is_asked_for() -> None:
    x = la.asarray(np.array([1e-200, -800.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        la.evaluate(x * x, np.exp(x))
        with np.errstate(divide="warn", over="raise", invalid="warn"):
            la.evaluate(x * x, np.exp(x))


def test_the_modes_of_errstate() -> None:
    x = la.asarray(np.array([1e-200]))
    called: list[tuple[str, int]] = []
    with np.errstate(under="raise"):
        with pytest.raises(FloatingPointError, match="underflow encountered in multiply"):
            la.evaluate(x * x)
    with np.errstate(under="call", call=lambda text, bit: called.append((text, bit))):
        la.evaluate(x * x)
    assert called == [("underflow", 4)]


@pytest.mark.parametrize("place", [0, 6, 8, 999])
def test_one_element_anywhere(place: int) -> None:
    x = np.ones(1000)
    x[place] = 1e-200
    assert both(lambda y: (y * y).sum(), x) == ["underflow encountered in multiply"]
    assert both(lambda y: y / (y + 1e308), x) == ["underflow encountered in divide"]


def test_flags_that_are_ignored_ask_for_no_diagnosis(monkeypatch: pytest.MonkeyPatch) -> None:
    """Steps of training underflow again and again."""
    followed = []
    follow = Reports.follow

    def counted(self: Any, bindings: Any, signals: Any) -> None:
        followed.append(self)
        follow(self, bindings, signals)

    monkeypatch.setattr(Reports, "follow", counted)
    small = np.full(100, 1e-200)
    square = la.jit(lambda x: (x * x, (x + 1).sum()))
    product = la.jit(lambda x, w: (x * x) @ w)
    for _ in range(3):
        square(small)
        product(small, np.ones((100, 3)))
    assert not followed
    with np.errstate(under="warn"), pytest.warns(RuntimeWarning, match="underflow"):
        square(small)
    assert followed


def test_flags_that_say_nothing_ask_for_one_diagnosis(monkeypatch: pytest.MonkeyPatch) -> None:
    """The derivative of eigenvectors divides by all differences of eigenvalues, zeros as well."""
    diagnoses = []
    faults = Diagnosis.faults

    def counted(self: Any, *args: Any) -> Any:
        diagnoses.append(self)
        return faults(self, *args)

    monkeypatch.setattr(Diagnosis, "faults", counted)

    def whitened(w: Any, x: Any) -> Any:
        z = x @ w
        values, vectors = la.linalg.eigh(z.T @ z + 1e-3 * la.eye(4))
        return la.mean(la.tanh(z @ (vectors / la.sqrt(values))) ** 2)

    rng = np.random.default_rng(0)
    w, x = rng.standard_normal((5, 4)), rng.standard_normal((9, 5))
    step = la.jit(lambda w, x: w - la.grad(whitened)(w, x))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(4):
            w = step(w, x)
    assert len(diagnoses) <= 1
    assert np.isfinite(w).all()


def test_flags_beside_those_that_say_nothing_are_reported() -> None:
    def compute(a: Any, y: Any) -> Any:
        values, vectors = la.linalg.eigh(a)
        return (values * vectors).sum() + (1 / y).sum()

    step = la.jit(la.value_and_grad(compute))
    a, y = np.diag([1.0, 2.0, 4.0]), np.ones(3)
    for _ in range(3):
        step(a, y)
    for _ in range(2):
        with pytest.warns(RuntimeWarning, match="divide by zero encountered in divide"):
            step(a, np.array([1.0, 0.0, 2.0]))
        step(a, y)


@pytest.mark.parametrize("form", ["log", "quotient", "integers", "certain"])
def test_faults_that_are_all_ignored_are_not_followed_up(
    form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each iteration of a loop meets some: 50 of them took ten times as long."""
    forms: dict[str, tuple[Callable[[Any], Any], Array]] = {
        "log": (lambda x: la.log(x - x.min()) + 1, np.arange(5.0)),
        "quotient": (lambda x: x / (x - 2), np.arange(5.0)),
        "integers": (lambda x: x // (x - 2), np.arange(5)),
        "certain": (lambda x: x / (x - x), np.arange(5.0)),
    }
    compute, x = forms[form]
    followed = []
    follow = Reports.follow

    def counted(self: Any, bindings: Any, signals: Any) -> None:
        followed.append(self)
        follow(self, bindings, signals)

    monkeypatch.setattr(Reports, "follow", counted)
    function = la.jit(lambda x: compute(x))
    with np.errstate(all="ignore"):
        expected = function(x)
        for _ in range(2):
            np.testing.assert_array_equal(function(x), expected)
    assert not followed
    with pytest.warns(RuntimeWarning):
        function(x)
    assert followed


def test_errors_are_raised_where_all_faults_are_ignored() -> None:
    table, average = np.arange(4.0), la.jit(lambda x, w: la.average(x, weights=w) + 1)
    looked_up = la.jit(lambda k: la.asarray(table)[k] * 2)
    for _ in range(2):
        average(table, table)
        looked_up(np.array([1, 2]))
    with np.errstate(all="ignore"):
        for _ in range(2):
            with pytest.raises(ZeroDivisionError):
                average(table, np.zeros(4))
            with pytest.raises(IndexError):
                looked_up(np.array([1, 7]))
