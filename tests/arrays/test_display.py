"""Texts of arrays: str asks for values, repr shows those that are there and computes nothing."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.interop import arrow

DTYPES = ("?", "i1", "u2", "i4", "i8", "u8", "f2", "f4", "f8", "c8", "c16")
SHAPES = ((), (1,), (3,), (0,), (2, 0), (2, 3), (7, 200), (3, 1, 2))
SEED = int.from_bytes(os.urandom(4), "little")


def random_array(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Any:
    return np.asarray(rng.integers(-3, 4, shape) * 1.25).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("immediate", [0, 4096])
def test_texts_are_those_of_numpy(dtype: str, immediate: int) -> None:
    rng = np.random.default_rng(SEED)
    for shape in SHAPES:
        eager = random_array(rng, shape, dtype)
        with la.config(immediate=immediate):
            lazy = np.where(la.asarray(eager) == eager, eager, eager)
            assert str(lazy) == f"{lazy}" == str(eager), SEED
            array = la.asarray(eager)
            named = eager.view(type("LazyArray", (np.ndarray,), {}))
            assert repr(array) == np.array_repr(named), SEED
            assert repr(lazy) == repr(array), "str has computed it"


def test_print_options_are_numpys() -> None:
    lazy = la.asarray(np.arange(5) / 3) * 1
    with np.printoptions(precision=2, linewidth=20):
        assert str(lazy) == str(np.arange(5) / 3)
        assert max(map(len, repr(lazy).splitlines())) <= 20


@pytest.mark.lazy
def test_repr_shows_what_is_in_memory_and_never_computes() -> None:
    memory = np.arange(50_000.0)
    x = la.asarray(memory)
    with la.config(implicit="raise"), la.profile() as timings:
        assert repr(x).startswith("LazyArray([0.0000e+00, 1.0000e+00,")
        assert repr(x[5:8]) == "LazyArray([5., 6., 7.])"
        assert repr(x[::-10_000]) == "LazyArray([49999., 39999., 29999., 19999.,  9999.])"
        assert repr(x[None, 2:4].T) == "LazyArray([[2.],\n           [3.]])"
        assert repr(la.asarray(2.5)) == "LazyArray(2.5)"
        for pending in (x + 1, x.sum(), x[x > 3], la.sort(x)):
            assert "not computed; print(x) shows the values" in repr(pending)
            assert "not computed" in pending._repr_html_()
    assert timings.runs == []
    y = x + 1
    float(y[0])
    y.compute()
    assert "not computed" in repr(y)
    np.asarray(y)
    assert repr(y) == repr(la.asarray(memory + 1))
    memory[5] = -1
    assert repr(x[5:6]) == "LazyArray([-1.])"


def test_print_asks_as_float_does() -> None:
    x = la.asarray(np.arange(6.0))
    with la.config(implicit="raise"):
        for ask in (str, "{}".format, lambda a: round(a, 1), lambda a: round(a.sum(), 1)):
            with pytest.raises(la.errors.ImplicitEvaluationError):
                ask(x * 2)
    assert str(x[x > 3]) == "[4. 5.]"


def test_formats_and_rounding() -> None:
    x = la.asarray(np.array([1.25, 2.375, -3.5]))
    total = x.sum()
    value = np.float64(0.125)
    for spec in ("", ".3f", "10.2e", "g", "+.1%"):
        assert format(total, spec) == format(value, spec)
    with pytest.raises(TypeError, match="unsupported format string"):
        format(x, ".2f")
    assert round(total, 2) == round(value, 2) and isinstance(round(total, 2), np.float64)
    assert round(total) == 0 and isinstance(round(total), int)
    assert isinstance(round(la.asarray(7)), int)
    rounded = round(x * 1, 1)
    assert isinstance(rounded, la.LazyArray)
    assert repr(rounded) == repr(la.asarray(np.round([1.25, 2.375, -3.5], 1)))


def test_traced_functions_may_print_and_round() -> None:
    shown = []

    @la.jit
    def f(x: Any) -> Any:
        shown.append((str(x), f"{x.sum():.2f}", repr(x * 2), x._repr_html_()))
        return round(x * 1.26, 1)

    np.testing.assert_array_equal(f(np.arange(3.0)), np.round(np.arange(3.0) * 1.26, 1))
    assert all("traced: it has values when the function runs" in text for text in shown[0])
    slope = la.grad(lambda x: round(x * x, 3).sum() + (x * x).sum())
    np.testing.assert_allclose(slope(np.array([1.0, 2.0])), [2.0, 4.0])


@pytest.mark.lazy
def test_html_is_escaped() -> None:
    x = la.asarray(np.array([[1.5, 2.5]]))
    page = x._repr_html_()
    assert "[[1.5 2.5]]" in page and "shape=(1, 2), dtype=float64" in page

    source = "def build(la, np):\n    return la.asarray(np.zeros(5000)) + 1\n"
    names: dict[str, Any] = {}
    exec(compile(source, "<script>alert(1)</script>&.py", "exec"), names)
    pending = names["build"](la, np)
    explanation = la.explain(pending)
    with la.profile() as timings:
        pending.compute()
    for shown in (pending, explanation, timings):
        page = shown._repr_html_()
        assert "script>" not in page.replace("&lt;script&gt;", "").replace("script&gt;", "")
    assert "alert(1)" in pending._repr_html_()
    assert page.count("<table>") == page.count("</table>") == 1
    assert "<th " in explanation._repr_html_() and "kernels" in explanation._repr_html_()


LAYOUTS: list[Callable[[Any], Any]] = [
    lambda a: a,
    lambda a: a.T,
    lambda a: a[::-1],
    lambda a: a[1:, ::-2],
    lambda a: np.broadcast_to(a[:1], a.shape),
    lambda a: a[:0],
]


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_array_interface_shares_memory(dtype: str) -> None:
    rng = np.random.default_rng(SEED)
    base = random_array(rng, (4, 5), dtype)
    for layout in LAYOUTS:
        eager = layout(base)
        for lazy, shared in ((la.asarray(eager), True), (la.asarray(eager) + eager[:1], False)):
            expected = eager if shared else eager + eager[:1]
            interface = lazy.__array_interface__
            holder = type("Holder", (), {"__array_interface__": interface})()
            taken = np.asarray(holder)
            assert taken.dtype == expected.dtype and taken.shape == expected.shape
            np.testing.assert_array_equal(taken, expected)
            assert not shared or not eager.size or np.shares_memory(taken, eager)
            assert interface["strides"] == taken.strides or not taken.size


def test_memory_that_was_taken_outlives_its_array() -> None:
    x = la.asarray(np.arange(5000.0)) * 2
    x = la.LazyArray(x._node)
    taken = np.asarray(x)
    again = np.asarray(type("Holder", (), {"__array_interface__": x.__array_interface__})())
    assert not again.flags.writeable
    x += 1
    str(x)
    del x
    gc.collect()
    junk = [np.full(5000, 7.0) for _ in range(4)]
    np.testing.assert_array_equal(again, np.arange(5000.0) * 2)
    np.testing.assert_array_equal(taken, again)
    assert len(junk) == 4


def capsule_pointer(capsule: Any, name: bytes) -> int:
    pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    address: int = pointer(capsule, name)
    return address


RELEASES = ("_release_schema", "_release_array", "_destroy_schema", "_destroy_array")


@pytest.fixture(params=["compiled", "Python"])
def releases(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """The form of what releases exports; the other one goes on with what it has."""
    form: str = request.param
    if form == "Python":
        functions = arrow._functions(None)
        request.addfinalizer(gc.collect)
        for name, function in zip(RELEASES, functions, strict=True):
            monkeypatch.setattr(arrow, name, function)
    elif arrow.COMPILED is None:
        pytest.skip(f"releases: {arrow.FORM}")
    return form


def exports_in_use() -> tuple[int, int]:
    gc.collect()
    return len(arrow._exports), len(arrow._capsules)


@pytest.mark.usefixtures("releases")
def test_arrow_capsules_give_back_what_nobody_takes() -> None:
    gc.collect()
    before = len(arrow._exports), len(arrow._capsules)
    for shape in ((6,), (2, 3), (1, 2, 3)):
        for dtype in ("f4", "?"):
            schema, array = la.ones(shape, dtype=dtype).__arrow_c_array__()
            structure = arrow._Array.from_address(capsule_pointer(array, b"arrow_array"))
            assert structure.length == shape[0] and structure.n_children == (len(shape) > 1)
            assert len(arrow._capsules) == before[1] + 2
            del schema, array, structure
    # One that was taken is released by its taker, who has copied the structure.
    schema, array = la.arange(4).__arrow_c_array__()
    address = capsule_pointer(array, b"arrow_array")
    moved = arrow._Array.from_buffer_copy(arrow._Array.from_address(address))
    arrow._Array.from_address(address).release = None
    del schema, array
    assert len(arrow._exports) == before[0] + 1
    values = (ctypes.c_int64 * 4).from_address(moved.buffers[1])
    assert list(values) == [0, 1, 2, 3]
    arrow._release_array(ctypes.addressof(moved))
    assert (len(arrow._exports), len(arrow._capsules)) == before


def test_arrow_capsules_are_destroyed_while_an_exception_is_pending(
    releases: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list that cannot be finished is freed while its exception is pending, in C."""
    before = exports_in_use()
    shown: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda what: shown.append(what.exc_value))

    def capsules(array: Any) -> Iterator[object]:
        yield array.__arrow_c_array__()
        raise LookupError("the consumer's")

    for shape in ((6,), (2, 3), (2, 1, 3)):
        shown.clear()
        # ctypes cannot give the exception back: it is shown at least.
        with pytest.raises(LookupError if releases == "compiled" else SystemError):
            list(capsules(la.ones(shape)))
        assert len(shown) == (releases == "Python")
        assert all("the consumer's" in str(error) for error in shown)
        assert exports_in_use() == before


@pytest.mark.skipif(arrow.COMPILED is None, reason=f"releases: {arrow.FORM}")
def test_arrow_exports_are_released_on_any_thread() -> None:
    before = exports_in_use()
    moved = []
    for _ in range(40):
        schema, array = la.ones((2, 3)).__arrow_c_array__()
        address = capsule_pointer(array, b"arrow_array")
        moved.append(arrow._Array.from_buffer_copy(arrow._Array.from_address(address)))
        arrow._Array.from_address(address).release = None
    del schema, array

    def release(structures: list[arrow._Array]) -> None:
        for structure in structures:
            arrow._release_array(ctypes.addressof(structure))

    threads = [threading.Thread(target=release, args=(moved[k::4],)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not any(structure.release for structure in moved)
    assert exports_in_use() == before


def test_arrow_has_no_complex_numbers() -> None:
    for x in (la.ones(3, dtype=complex), la.asarray(1.0)):
        with pytest.raises(la.errors.DTypeError, match="Arrow cannot represent"):
            x.__arrow_c_array__()


def test_assert_equal_compares_lazy_arrays() -> None:
    eager = np.array([[1.0, np.nan], [np.inf, -0.0]])
    for immediate in (0, 4096):
        with la.config(immediate=immediate):
            x = la.asarray(eager) * 1
            for equal in (x * 1, eager, [list(row) for row in eager]):
                np.testing.assert_equal(x, np.asarray(equal) if equal is not x else equal)
            np.testing.assert_equal(x, x * 1)
            np.testing.assert_equal({"a": [x, x[0]]}, {"a": [x * 1, eager[0]]})
            np.testing.assert_equal(x[0] * 1j, x[0] * 1j)
            np.testing.assert_equal(x[:0], x[:0])
            np.testing.assert_equal(x > 1, x > 1)
            for other in (x + 1, x[:1], x.T):
                with pytest.raises(AssertionError, match="Arrays are not equal"):
                    np.testing.assert_equal(x, other)
            near = x[0, 0] + np.arange(3)
            np.testing.assert_almost_equal(near, near + 1e-9)
            np.testing.assert_almost_equal(near * 1j, near * 1j)
            np.testing.assert_almost_equal(near * (1 + 0j), near)
            np.testing.assert_almost_equal(near + 0.01, near, decimal=1)
            for number in (np.inf, -np.inf, np.float32(np.nan), complex(np.inf, np.nan), 2, True):
                same = la.asarray(np.full(2, number))
                np.testing.assert_almost_equal(same, number)
                np.testing.assert_almost_equal(number, same)
                with pytest.raises(AssertionError, match="not almost equal to 7 decimals"):
                    np.testing.assert_almost_equal(same, 3)
                with pytest.raises(AssertionError, match="not almost equal to 7 decimals"):
                    np.testing.assert_almost_equal(la.asarray([7, number]), number)
            for same in (x, x[:0], x[1], x[0] + np.nan):
                np.testing.assert_almost_equal(same, same * 1)
            with pytest.raises(AssertionError, match="not almost equal to 7 decimals"):
                np.testing.assert_almost_equal(near, near + 1e-6)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(la.asarray(eager) == eager)


@pytest.mark.parametrize("dtype", ["f8", "f4", "i8", "?", "c16"])
def test_texts_and_roundings_of_numbers_in_memory(dtype: str) -> None:
    values = np.array([2.5, -0.125]).astype(dtype)
    for number, expected in zip(la.array(values), values, strict=True):
        assert str(number) == str(expected)
        assert f"{number}" == f"{expected}"
        assert f"{number:>8}" == f"{expected:>8}"
        if dtype not in ("?", "c16"):
            for digits in ((), (1,), (-1,), (None,)):
                result, right = round(number, *digits), round(expected, *digits)
                assert result == right
                assert type(result) is type(right)
    assert la.jit(lambda x: x * round(x, 1))(2.25) == pytest.approx(2.25 * 2.2)
