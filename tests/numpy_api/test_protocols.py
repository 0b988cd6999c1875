"""NumPy's protocols at their edges: priorities, direct calls, functions of other libraries."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core.config import config
from lazyarr.core.numpy_releases import DEPRECATES_EXTREMA_OF_THREE

pytestmark = pytest.mark.host

umath_tests = pytest.importorskip("numpy._core._umath_tests")


class Prior:
    """An array by ``__array__`` that answers to operators of arrays itself."""

    __array_priority__ = 1001.0

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.arange(3.0)

    def __radd__(self, other: Any) -> Any:
        return "radd", type(other).__name__

    def __rsub__(self, other: Any) -> Any:
        return "rsub", np.asarray(other).tolist()

    def __rmatmul__(self, other: Any) -> Any:
        return "rmatmul", np.asarray(other).tolist()

    def __rdivmod__(self, other: Any) -> Any:
        return "rdivmod", np.asarray(other).tolist()

    def __gt__(self, other: Any) -> Any:
        return "gt", np.asarray(other).tolist()


class Posterior(Prior):
    """An array of a priority below that of lazy arrays, which are asked instead."""

    __array_priority__ = 1000.0


class Broken:
    """A value of a priority whose array cannot be made."""

    __array_priority__ = 1002

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise RuntimeError("no array")


@pytest.fixture(params=[0, 4096], ids=["compiled", "immediate"], autouse=True)
def _limit(request: pytest.FixtureRequest) -> Iterator[None]:
    with config(immediate=request.param):
        yield


def _arrays() -> list[Any]:
    return [la.array([1.0, 2.0, 3.0]), la.arange(1.0, 4.0) * 1.0]


@pytest.mark.parametrize("name", ["sub", "matmul", "lt", "eq", "iadd"])
@pytest.mark.parametrize("kind", [Prior, Posterior])
def test_operators_defer_to_priorities(kind: type[Any], name: str) -> None:
    function = getattr(operator, name)
    for x in _arrays():
        other = kind() if kind is Prior else np.asarray(kind())
        expected = function(np.asarray(x).copy(), other)
        result = function(x, kind())
        if isinstance(expected, (np.ndarray, np.generic)):
            np.testing.assert_array_equal(np.asarray(result), expected)
        else:
            assert result == expected
    if kind is Prior:
        assert divmod(_arrays()[0], Prior()) == ("rdivmod", [1.0, 2.0, 3.0])
        np.testing.assert_array_equal(np.add(_arrays()[0], Prior()), [1.0, 3.0, 5.0])


def test_priorities_that_are_no_numbers_are_none() -> None:
    class Odd(Prior):
        __array_priority__ = None  # type: ignore[assignment]

    for x in _arrays():
        np.testing.assert_array_equal(np.asarray(x + Odd()), [1.0, 3.0, 5.0])


def test_values_of_a_priority_are_compared_without_their_array() -> None:
    for x in _arrays():
        assert (x == Broken()) is False
        assert (x != Broken()) is True
        for name in ("lt", "le", "gt", "ge", "add"):
            with pytest.raises(TypeError):
                getattr(operator, name)(x, Broken())


def test_direct_calls_of_the_protocols() -> None:
    for x in _arrays():
        named = {"func": np.reshape, "types": (np.ndarray,), "args": (x, (3, 1)), "kwargs": {}}
        assert x.__array_function__(**named).shape == (3, 1)
        assert x.__array_function__(np.reshape, (np.ndarray,), (x, (3, 1)), {}).shape == (3, 1)
        doubled = x.__array_function__(lambda y: y * 2, (np.ndarray,), (x,), {})
        np.testing.assert_array_equal(np.asarray(doubled), [2.0, 4.0, 6.0])
        with pytest.raises(TypeError, match="args must be a tuple"):
            x.__array_function__(np.reshape, (np.ndarray,), x, (3, 1))
        with pytest.raises(TypeError, match="kwargs must be a dict"):
            x.__array_function__(np.reshape, (np.ndarray,), (x,), (3, 1))
        with pytest.raises(TypeError):
            x.__array_function__(np.reshape)
        with pytest.raises(TypeError):
            x.__array_ufunc__(1, 2)
        with pytest.raises(AttributeError):
            x.__array_ufunc__(np.add, "no_method", x)


def test_outputs_of_generalized_ufuncs() -> None:
    x = np.arange(12.0).reshape(4, 3)
    expected = umath_tests.inner1d(x, x)
    for wrap in np.array, la.array:
        for call in (
            lambda a, out: umath_tests.inner1d(a, a, out),
            lambda a, out: umath_tests.inner1d(a, a, out=out),
            lambda a, out: umath_tests.inner1d(a, a, out=(out,)),
        ):
            out = wrap(np.zeros(4, "f4"))
            assert call(la.asarray(x), out) is out
            np.testing.assert_array_equal(np.asarray(out), expected)
        with pytest.raises(ValueError, match="broadcast"):
            umath_tests.inner1d(la.asarray(x), la.asarray(x), out=wrap(np.zeros(5)))
    # The output has an axis that no operand has.
    out = la.zeros(6)
    umath_tests.euclidean_pdist(la.asarray(x), out)
    distances = np.zeros(6)
    umath_tests.euclidean_pdist(x, distances)
    np.testing.assert_array_equal(np.asarray(out), distances)


@pytest.mark.parametrize("made_by", [np, la])
def test_functions_of_objects(made_by: Any) -> None:
    product = made_by.frompyfunc(lambda a, b: int(a) * int(b), 2, 1, identity=1)
    calls: list[Callable[[Any], Any]] = [
        lambda x: product(x, 2),
        lambda x: product.reduce(x),
        lambda x: product.accumulate(x),
        lambda x: product.reduceat(x, [0, 2]),
        lambda x: product.outer(x, x),
    ]
    for x in (la.arange(1, 5), la.arange(4) + 1):
        for call in calls:
            expected = call(np.arange(1, 5))
            result = call(x)
            assert type(result) is type(expected)
            np.testing.assert_array_equal(result, expected)
        product.at(x, [0, 0], 3)
        np.testing.assert_array_equal(np.asarray(x), [9, 2, 3, 4])
    assert (product.nin, product.nout, product.identity) == (2, 1, 1)


@pytest.mark.skipif(not DEPRECATES_EXTREMA_OF_THREE, reason="NumPy before 2.4 warns of nothing")
@pytest.mark.parametrize("name", ["maximum", "minimum"])
def test_extrema_of_three_warn(name: str) -> None:
    x, out = la.arange(3.0), la.zeros(3)
    with pytest.warns(DeprecationWarning, match="more than 2 positional arguments") as caught:
        getattr(la, name)(x, 1.0, out)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        getattr(la, name)(x, 1.0, out=out)


def test_no_more_axes_than_numpys_arrays_have() -> None:
    for make in (la.zeros, la.ones, lambda shape: la.broadcast_to(la.arange(1), shape)):
        with pytest.raises(ValueError, match="maximum supported dimension"):
            make((1,) * 65)


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("size", [3, 5000])
def test_functions_that_copy_what_may_share_memory_may_write(size: int, limit: int) -> None:
    """So do scikit-learn and SciPy before they write to an array of their own."""
    with la.config(immediate=limit):
        for x in (la.arange(float(size)), la.arange(float(size)) * 2, la.arange(2.0 * size)[::2]):
            values = np.asarray(x)
            assert np.may_share_memory(values, x) and np.may_share_memory(x, values)
            assert not np.may_share_memory(values.copy(), x)
