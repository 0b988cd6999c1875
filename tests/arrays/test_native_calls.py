"""Functions on small arrays in memory are NumPy's own: bits, layouts, views, errors, warnings."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from threading import get_ident
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import native
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import deferred
from lazyarr.arrays.lazy_array import wrap
from lazyarr.arrays.native_rows import row_of
from tests.support.function_calls import CALLS, METHODS, arrays
from tests.support.values import HALF_FUNCTIONS_ERROR

Array = np.ndarray[Any, Any]

ALL = [call for table in (CALLS, METHODS) for calls in table.values() for call in calls]
NAMES = "abspABSPiktcoO"
#: What differs from NumPy whether it is computed at once or not, of some arrays.
_DIFFERENT = {
    "m.broadcast_arrays(A, A[0])": "results cannot be written to",
    "m.broadcast_arrays(a, 1)": "results cannot be written to",
    "m.ediff1d(a, to_begin=0)": "unsigned integers take any number",
    "m.imag(a)": "zeros can be written to",
    "m.unique_values(i)": "sorted",
    "m.mean(a, where=t)": "complex numbers are divided otherwise",
    "a.view('i8')": "bytes that do not fit are a DTypeError",
}
#: Calls of functions that NumPy has since a later version than the oldest that is supported.
_SINCE_2_1 = re.compile(r"m\.(cumulative_|unstack|matvec|vecmat|clip\(.*min=)")
if np.lib.NumpyVersion(np.__version__) < "2.2.0":
    ALL = [call for call in ALL if not _SINCE_2_1.match(call)]
_ERRORS = (TypeError, ValueError, IndexError, ArithmeticError, RuntimeError)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (tuple, list)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _structure(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value), [_structure(item) for item in value]
    return "array" if isinstance(value, la.LazyArray) else type(value)


def _outcome(call: str, module: Any, seed: int | None) -> tuple[Any, dict[str, Any], list[Any]]:
    """Return the results or the exception of a call, its arrays, and the warnings."""
    names = arrays(module, seed)
    result: Any
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = list(_leaves(eval(call, names)))
            result = [la.evaluate(x) if _is_pending(x) else x for x in result]
        except _ERRORS as error:
            result = error
    return result, names, [(w.category, w.filename) for w in seen]


def _is_pending(x: Any) -> bool:
    return isinstance(x, la.LazyArray) and x._array is None


#: Functions whose last bit in NumPy depends on where operands and results lie in memory.
_APPROXIMATE = re.compile("exp|sin|arctan|hypot|log|pow|angle|i0|space|kaiser|ning|black")


def _check_results(call: str, mine: Any, theirs: Any, shared: list[str], viewed: list[str]) -> None:
    if not isinstance(theirs, (np.ndarray, np.generic, bool)):
        assert mine == theirs
        return
    assert (np.asarray(mine).dtype, np.shape(mine)) == (np.asarray(theirs).dtype, np.shape(theirs))
    value = mine._array if isinstance(mine, la.LazyArray) else mine
    tolerance = 0.0
    if np.asarray(theirs).dtype.kind in "fc":
        tolerance = 1e-15 * bool(_APPROXIMATE.search(call))
        if value is mine or np.asarray(theirs).dtype.char in "fF":  # it was an expression
            tolerance = 1e-5
        if _APPROXIMATE.search(call):
            tolerance = max(tolerance, HALF_FUNCTIONS_ERROR)
    np.testing.assert_allclose(value, theirs, rtol=tolerance, atol=tolerance / 10)
    if value is mine:
        return
    assert shared == viewed
    if isinstance(theirs, np.ndarray) and (viewed or theirs.base is None):
        assert mine.strides == theirs.strides
        if "copy=False" not in call:  # a broadcast, of which NumPy warns when it is written to
            assert mine.flags.writeable == theirs.flags.writeable


@pytest.mark.parametrize("seed", [None, 2, 3])
@pytest.mark.parametrize("call", ALL)
def test_a_call_means_what_it_means_in_numpy(call: str, seed: int | None) -> None:
    if call in _DIFFERENT:
        pytest.skip(_DIFFERENT[call])
    theirs, their_names, their_warnings = _outcome(call, np, seed)
    mine, names, my_warnings = _outcome(call, la, seed)
    if isinstance(theirs, Exception):
        refused = tuple(kind for kind in _ERRORS if isinstance(theirs, kind))
        assert isinstance(mine, refused)
        return
    if isinstance(mine, Exception):
        raise mine
    assert len(mine) == len(theirs)
    for a, b in zip(mine, theirs, strict=True):
        viewed = [name for name in NAMES if np.shares_memory(np.asarray(b), their_names[name])]
        shared = viewed
        if isinstance(a, la.LazyArray):
            shared = [name for name in NAMES if la.shares_memory(a, names[name])]
        _check_results(call, a, b, shared, viewed)
    error = max(1e-15, HALF_FUNCTIONS_ERROR if _APPROXIMATE.search(call) else 0)
    for name in NAMES:
        np.testing.assert_allclose(names[name], their_names[name], rtol=error)
    assert [kind for kind, _ in my_warnings] == [kind for kind, _ in their_warnings]
    assert all(file != la.arrays.native_calls.__file__ for _, file in my_warnings)


@pytest.mark.parametrize("call", [call for call in ALL if "empty" not in call])
def test_at_once_and_as_an_expression(call: str) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with la.config(immediate=4096, implicit="allow"):
            now = eval(call, arrays(la))
        with la.config(immediate=0):
            later = eval(call, arrays(la))
        assert _structure(now) == _structure(later)
        for x, y in zip(_leaves(now), _leaves(later), strict=True):
            if not isinstance(x, la.LazyArray):
                continue
            assert (x.dtype, x.shape) == (y.dtype, y.shape)
            tolerance = 1e-4 if x.dtype.char in "fF" else 1e-7
            with la.config(immediate=0):
                # What explain and visualize show is the same expression.
                for value in (y, wrap(deferred(x._node))):
                    np.testing.assert_allclose(
                        np.array(x), la.evaluate(value), rtol=tolerance, atol=tolerance / 100
                    )


def test_every_function_has_a_call() -> None:
    spaces = ((la, np, ""), (la.linalg, np.linalg, "linalg."), (la.fft, np.fft, "fft."))
    for mine, theirs, prefix in spaces:
        for name in mine.__all__:
            function = getattr(mine, name)
            if isinstance(getattr(theirs, name, None), np.ufunc) or not callable(function):
                continue
            row = row_of(theirs, name, function)
            if row is not None and not row.fills and function is not getattr(theirs, name):
                assert prefix + name in CALLS


@pytest.mark.lazy
def test_large_results_and_large_arguments_wait() -> None:
    x, wide = la.array(np.ones(4000)), la.array(np.ones(60_000))
    for pending in (
        la.kron(x, x),
        la.tile(x, 10_000),
        la.pad(x[:60].reshape(6, 10), 5_000),
        la.diag(x),
        la.eye(3_000),
        la.einsum("i,j->ij", x, x),
        la.meshgrid(x, x)[0],
        la.interp(wide, x, x),
        la.linspace(x, x, 1_000),
    ):
        assert pending._array is None


@pytest.mark.parametrize(
    "call",
    [
        "m.arange(100.0)",
        "m.arange(100.0, dtype='f4')",
        "m.fromfunction(lambda i, j: i * j, (30, 30))",
        "m.linalg.svd(x, full_matrices=False)[1]",
        "m.linalg.svdvals(x)",
        "m.nanstd(y)",
        "m.nanmedian(y)",
        *(["m.cov(x, rowvar=False)", "m.linalg.qr(x)[0]"] if COMPILED else []),
    ],
)
def test_small_results_are_computed_at_once(call: str) -> None:
    values = np.random.default_rng(1).normal(size=(60, 40))
    gaps = np.where(np.arange(50) % 7 == 0, np.nan, np.arange(50.0))
    with la.config(immediate=4096, implicit="allow"):
        result = eval(call, {"m": la, "x": la.array(values), "y": la.array(gaps)})
    assert result._array is not None
    expected = eval(call, {"m": np, "x": values, "y": gaps})
    assert la.evaluate(result).tobytes() == expected.tobytes()


@pytest.mark.lazy
def test_what_numpy_refuses_is_refused_when_it_is_computed() -> None:
    singular = la.zeros((3, 3))
    inverse = la.linalg.inv(singular)
    with pytest.raises(np.linalg.LinAlgError):
        inverse.compute()
    with pytest.raises(la.errors.LazyarrError, match=r"built at .*test_native_calls"):
        la.interp(la.ones(3), la.ones(2), la.ones(3))


def test_warnings_of_numbers_name_the_line() -> None:
    x = la.array([-1e308, 1e308])
    with pytest.warns(RuntimeWarning, match="overflow") as seen:
        la.evaluate(la.ediff1d(x))
    assert {w.filename for w in seen} == {__file__}


def test_exceptions_of_a_call_that_failed_are_not_those_of_the_next() -> None:
    others = (get_ident() + 1, "overflow")
    native.exceptions.append(others)
    empty = np.zeros((8, 0), np.uint64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(ValueError, match="sequence"):  # after a division by zero
            la.polydiv(np.array([[6, 7], [4, 1]], np.uint64), [np.array([[0], [6], [0], [6]])])
        warnings.simplefilter("error")
        la.add(empty, empty)
        native.exceptions.append((get_ident(), "divide by zero"))
        la.diff(np.arange(4.0))
        native.state.reset(native.note_exceptions())
    assert native.exceptions == [others]
    native.exceptions.clear()


@pytest.mark.parametrize("name", ["repeat", "dstack", "tile", "stack"])
def test_differences_of_times_are_no_integers(name: str) -> None:
    time = np.timedelta64(1, "s")  # which is of the class of NumPy's integers
    arguments = ([time, time],) if name.endswith("stack") else (time, 2)
    result, expected = getattr(la, name)(*arguments), getattr(np, name)(*arguments)
    np.testing.assert_array_equal(result, expected, strict=True)


def test_outputs() -> None:
    x, user = la.array([1.0, 2.0]), np.zeros(2)
    wrapped = la.asarray(user)
    assert la.add(x, 1, out=user) is user
    np.testing.assert_array_equal(user, [2, 3])
    assert la.multiply(x, 2, out=wrapped) is wrapped
    np.testing.assert_array_equal(wrapped, [2, 4])
    np.testing.assert_array_equal(user, [2, 3])  # the wrapped memory stays the user's
    old, view = wrapped * 1, wrapped[1:]
    np.add(x, 10, out=(wrapped,))
    np.testing.assert_array_equal(view, [12])
    np.testing.assert_array_equal(old, [2, 4])
    la.add(wrapped[:1], wrapped[1:], out=wrapped[1:], where=[True])
    np.testing.assert_array_equal(wrapped, [11, 23])
    with pytest.raises(la.errors.LazyarrError):
        la.add(x, 1, out=la.zeros(2, int))


def test_traced_functions_see_no_values() -> None:
    norm = la.jit(lambda x: la.linalg.norm(x) + la.interp(x, x, x).sum())
    for scale in (1.0, 2.0):
        x = scale * np.arange(1.0, 5.0)
        np.testing.assert_allclose(norm(x), np.linalg.norm(x) + x.sum())
    gradient = la.grad(lambda x: la.linalg.norm(x))(la.array([3.0, 4.0]))
    np.testing.assert_allclose(gradient, [0.6, 0.8])


@pytest.mark.parametrize(
    ("function", "slope"),
    [
        (lambda x: la.asarray([x[0] * 2, x[1]]), [2.0, 1.0]),
        (lambda x: la.asarray([[x[0], 1.0], [2, x[1]]]), [1.0, 1.0]),
        (lambda x: la.concatenate([[x[0]], x]), [2.0, 1.0]),
        (lambda x: la.outer([x[0], x[1]], np.ones(3)), [3.0, 3.0]),
    ],
)
def test_lists_of_arrays_that_are_differentiated(function: Any, slope: list[float]) -> None:
    """How many elements a list has is found without their values."""
    gradient = la.grad(lambda x: la.sum(function(x)))(np.array([1.0, 2.0]))
    np.testing.assert_array_equal(np.asarray(gradient), slope)
