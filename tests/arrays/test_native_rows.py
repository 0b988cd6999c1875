"""Functions of NumPy's that run at once on arrays of a middle size, and what they wait for."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.fields import COMPILED

Array = np.ndarray[Any, Any]
Call = Callable[[Any, Any], Any]

pytestmark = pytest.mark.host
compiled = pytest.mark.skipif(COMPILED is None, reason="Python's form builds expressions")


@pytest.fixture(autouse=True)
def small_arrays() -> Iterator[None]:
    """Arrays of more than 512 elements are pending; libraries are called of up to 2,048."""
    with la.config(immediate=64, implicit="allow", optimize=False):
        yield


def _lies(array: Any) -> bool:
    return array._array is not None


#: Functions that no kernel computes, of a matrix of 31 x 31 numbers.
LIBRARY: dict[str, Call] = {
    "argsort": lambda xp, x: xp.argsort(x),
    "argsort, a method": lambda xp, x: x.argsort(axis=0),
    "argpartition": lambda xp, x: xp.argpartition(x, 0)[:, 0],
    "median": lambda xp, x: xp.median(x, axis=1),
    "quantile": lambda xp, x: xp.quantile(x, [0.1, 0.9]),
    "percentile": lambda xp, x: xp.percentile(x, 30.0),
    "isin": lambda xp, x: xp.isin(x, np.linspace(-1, 1, 9)),
    "reduceat": lambda xp, x: xp.add.reduceat(x, np.arange(0, 31, 7), axis=1),
    "fft": lambda xp, x: xp.fft.rfft(x),
    "solve": lambda xp, x: xp.linalg.solve(x, np.ones(31)),
    "inv": lambda xp, x: xp.linalg.inv(x),
    "qr": lambda xp, x: xp.linalg.qr(x)[1],
}
#: Functions that copy, or whose kernel takes no less: they do not compute what is pending.
COPYING: dict[str, Call] = {
    "sort": lambda xp, x: xp.sort(x),
    "tril": lambda xp, x: xp.tril(x.reshape(10, 100)),
    "norm": lambda xp, x: xp.linalg.norm(x.reshape(10, 100), axis=1),
    "array_equal": lambda xp, x: xp.array_equal(x, x),
    "repeat": lambda xp, x: xp.repeat(x, 2),
    "tile": lambda xp, x: xp.tile(x, 2),
}
#: Cheap functions whose expressions Python builds, and functions that give views.
SLOWLY_BUILT: dict[str, Call] = {
    "clip": lambda xp, x: xp.clip(x, -0.5, 0.5),
    "diff": lambda xp, x: xp.diff(x),
    "roll": lambda xp, x: xp.roll(x, 3),
    "nanmax": lambda xp, x: xp.nanmax(x),
    "average": lambda xp, x: xp.average(x, weights=x * x),
    "a reduction": lambda xp, x: xp.multiply.reduce(x.reshape(20, -1), axis=1),
    "astype": lambda xp, x: xp.asarray(x).astype(np.float32),
}
VIEWING: dict[str, Call] = {
    "diag": lambda xp, x: xp.diag(x.reshape(20, 40), 1),
    "broadcast_to": lambda xp, x: xp.broadcast_to(x, (3, 800)),
    "atleast_3d": lambda xp, x: xp.atleast_3d(x),
    "matrix_transpose": lambda xp, x: xp.matrix_transpose(x.reshape(20, 40)),
    "unstack": lambda xp, x: xp.unstack(x.reshape(20, 40))[3],
}


@pytest.mark.parametrize("name", LIBRARY)
def test_what_no_kernel_computes_runs_at_once(name: str) -> None:
    call = LIBRARY[name]
    a = np.random.default_rng(3).standard_normal((31, 31))
    expected = call(np, a * 2 - 0.5)
    pending = la.asarray(a) * 2 - 0.5
    got = call(la, pending)
    if COMPILED is not None:
        assert _lies(got)
        assert _lies(pending)  # computed once, for all that is made of it
    np.testing.assert_array_equal(np.asarray(got), expected)
    assert (got.dtype, got.shape) == (expected.dtype, expected.shape)


@pytest.mark.parametrize("name", COPYING)
def test_what_is_copied_runs_at_once_if_it_is_in_memory(name: str) -> None:
    call = COPYING[name]
    a = np.random.default_rng(3).standard_normal(1000)
    x = la.array(a)
    got = call(la, x)
    assert _lies(got) or COMPILED is None
    np.testing.assert_array_equal(np.asarray(got), call(np, a))
    pending = x * 2 - 0.5
    waiting = call(la, pending)
    assert not _lies(pending)  # a kernel may compute it with what reads it
    np.testing.assert_array_equal(np.asarray(waiting), call(np, a * 2 - 0.5))


@pytest.mark.parametrize("name", SLOWLY_BUILT)
def test_what_python_builds_runs_at_once_on_more_elements(name: str) -> None:
    call = SLOWLY_BUILT[name]
    a = np.random.default_rng(3).standard_normal(1600)
    got = call(la, la.array(a) if name != "average" else a)
    assert _lies(got) or COMPILED is None
    np.testing.assert_array_equal(np.asarray(got), call(np, a))
    larger = np.random.default_rng(3).standard_normal(2400)
    assert not _lies(call(la, la.array(larger)))


@pytest.mark.parametrize("name", [name for name in VIEWING if hasattr(np, name)])
def test_views_of_ndarrays_are_those_of_the_array_that_wraps_them(name: str) -> None:
    call = VIEWING[name]
    a = np.random.default_rng(3).standard_normal(800)
    expected, wrapped, got = call(np, a), call(la, la.asarray(a)), call(la, a)
    assert got.shape == wrapped.shape
    if COMPILED is not None:  # Python's form builds an expression
        assert _lies(got)
        assert got.strides == wrapped.strides
        assert got.flags.writeable == wrapped.flags.writeable == expected.flags.writeable
    if got.flags.writeable:
        got[...] = 7.0  # detaches it
    np.testing.assert_array_equal(call(np, a), expected)
    np.testing.assert_array_equal(np.asarray(call(la, a)), expected)


@pytest.mark.parametrize(
    "name", ["append", "clip", "delete", "diff", "insert", "pad", "repeat", "roll", "tile"]
)
def test_one_operation_is_computed_for_what_python_builds(name: str) -> None:
    known: dict[str, tuple[Any, ...]] = {
        "append": (0.5,),
        "clip": (-1.0, 1.0),
        "delete": (3,),
        "insert": (3, 0.5),
    }
    arguments = known.get(name, (2,))
    a = np.random.default_rng(3).standard_normal(900)
    pending = la.array(a) * 2
    got = getattr(la, name)(pending, *arguments)
    assert (_lies(got) and _lies(pending)) or COMPILED is None
    np.testing.assert_array_equal(np.asarray(got), getattr(np, name)(a * 2, *arguments))


def test_how_often_elements_are_repeated_is_computed() -> None:
    a = np.random.default_rng(3).standard_normal(1000)
    places = np.arange(1000)
    got = la.repeat(la.array(a), la.array(places) % 3)
    assert _lies(got) or COMPILED is None
    np.testing.assert_array_equal(np.asarray(got), np.repeat(a, places % 3))
    rows = la.repeat(la.array(a.reshape(10, 100)), la.array(places[:10]) % 3, axis=0)
    np.testing.assert_array_equal(
        np.asarray(rows), np.repeat(a.reshape(10, 100), places[:10] % 3, axis=0)
    )
    many = la.repeat(la.array(a), la.array(places) % 300)
    assert not _lies(many)  # 149,000 elements
    np.testing.assert_array_equal(np.asarray(many), np.repeat(a, places % 300))
    with pytest.raises(la.errors.ShapeError):
        la.repeat(la.array(a), la.array(places[:9]) % 3)


@pytest.mark.parametrize("name", ["add", "minimum"])
def test_values_that_are_written_at_places_are_computed(name: str) -> None:
    random = np.random.default_rng(3)
    a, places = random.standard_normal(1000), random.integers(0, 600, 1000)
    expected, got = np.ones(600), la.array(np.ones(600))
    pending = la.asarray(a) * 2 - 0.5
    getattr(np, name).at(expected, places, a * 2 - 0.5)
    getattr(la, name).at(got, places, pending)
    assert (_lies(got) and _lies(pending)) or COMPILED is None
    np.testing.assert_array_equal(np.asarray(got), expected)


@compiled
def test_what_is_large_waits() -> None:
    a = np.random.default_rng(3).standard_normal(5000)
    x = la.asarray(a) * 2
    assert not _lies(la.argsort(x))
    assert not _lies(la.fft.rfft(x))
    assert not _lies(x)


@compiled
def test_what_is_refused_raises_as_an_expression() -> None:
    x = la.asarray(np.zeros((30, 30))) * 2
    with pytest.raises(np.linalg.LinAlgError):
        la.linalg.inv(x).compute()
    with pytest.raises(la.errors.ShapeError):
        la.linalg.solve(x, x[:7, 0])


def test_results_of_named_lengths_are_small_whatever_the_array_is() -> None:
    with la.config(immediate=4096, implicit="allow"):
        values = np.arange(3000.0)
        x = la.array(values)
        for call in (
            lambda m, x: m.broadcast_to(x, (3, 3000)),
            lambda m, x: m.resize(x, 5),
            lambda m, x: m.resize(x, (2, 4000)),
        ):
            for module in (np, la):
                result = call(module, x)
                np.testing.assert_array_equal(result, call(np, values), strict=True)
                assert result._array is not None


@pytest.mark.parametrize(
    "axis", [None, 0, (0, 1), (-1, 0), (2,), (0, 1, 2), (0, 0), (), (3,), (0, 9)]
)
@pytest.mark.parametrize("ddof", [0, 1, 5])
def test_spreads_along_several_axes_are_computed(axis: Any, ddof: int) -> None:
    a = np.random.default_rng(5).standard_normal((4, 3, 5))
    with la.config(immediate=4096, implicit="allow"):
        for name in ("var", "std"):
            try:
                expected = getattr(np, name)(a, axis=axis, ddof=ddof)
            except ValueError:
                with pytest.raises(ValueError, match="axis"):
                    getattr(la, name)(la.array(a), axis=axis, ddof=ddof)
                continue
            except RuntimeWarning:
                continue  # no freedom is left: the expression warns
            for got in (
                getattr(la, name)(la.array(a), axis=axis, ddof=ddof),
                getattr(la, name)(la.array(a), axis, ddof=ddof),
                getattr(la.array(a), name)(axis=axis, ddof=ddof),
            ):
                assert _lies(got)
                np.testing.assert_array_equal(np.asarray(got), expected, strict=True)


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, x: xp.cov(x[0, :1]),
        lambda xp, x: xp.cov(x[:1], rowvar=False),
        lambda xp, x: xp.cov(x[:2, :2], ddof=2),
        lambda xp, x: xp.cov(x[:, :1], bias=False),
        lambda xp, x: xp.cov(x[:1], rowvar=0),
        lambda xp, x: xp.cov(3.5),
        lambda xp, x: xp.cov([3.5]),
        lambda xp, x: xp.cov([1, 2], [[3], [4]], rowvar=False, ddof=2),
        lambda xp, x: xp.nanvar(x[0, :1].astype("i8"), ddof=1),
        lambda xp, x: xp.nanvar(True, correction=1),
        lambda xp, x: xp.nanmean(3, where=False),
        lambda xp, x: xp.nanmean(x[:1].astype("i8"), where=False),
    ],
)
def test_warnings_of_numpys_own_code_come_once(call: Call) -> None:
    """Where exceptions are met, too, the expression warns in place of NumPy's function."""
    a = np.arange(6.0).reshape(2, 3)
    texts = []
    for xp, x in ((np, a), (la, la.array(a)), (la, a)):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            np.asarray(call(xp, x))
        texts.append(sorted(str(w.message).replace("scalar ", "") for w in seen))
        assert xp is np or {w.filename for w in seen} <= {__file__}
    assert texts[1:] == texts[:1] * 2


LOOKUPS: dict[str, Call] = {
    "searchsorted": lambda xp, x: xp.searchsorted(np.linspace(-2, 2, 29), x),
    "digitize": lambda xp, x: xp.digitize(x, np.linspace(-2, 2, 29)),
    "interp": lambda xp, x: xp.interp(x, np.linspace(-2, 2, 29), np.linspace(0, 1, 29) ** 2),
}


@pytest.mark.parametrize("name", LOOKUPS)
def test_lookups_of_few_values_run_at_once_and_of_many_by_a_kernel(name: str) -> None:
    call = LOOKUPS[name]
    for size, is_at_once in ((40, True), (5000, False)):
        a = np.random.default_rng(3).standard_normal(size)
        got = call(la, la.array(a))
        assert _lies(got) == is_at_once or COMPILED is None
        np.testing.assert_array_equal(np.asarray(got), call(np, a))
