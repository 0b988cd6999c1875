"""Plans that are nothing but one call of a library take whole arrays, and behave as others do."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.cpu import mixed_calls
from lazyarr.execution.cpu.library_call import SoleCall

Array = np.ndarray[Any, Any]

CALLS: dict[str, tuple[Callable[..., Any], int]] = {
    "matmul": (lambda xp, x, y: xp.matmul(x, y), 2),
    "vector by matrix": (lambda xp, x, y: x[0] @ y, 2),
    "the same twice": (lambda xp, x: x @ x, 1),
    "solve": (lambda xp, x, y: xp.linalg.solve(x, y), 2),
    "inv": (lambda xp, x: xp.linalg.inv(x), 1),
    "sort": (lambda xp, x: xp.sort(x, axis=-1), 1),
    "fft": (lambda xp, x: xp.fft.fft(x), 1),
    "fft of so many": (lambda xp, x: xp.fft.fft(x, n=50, axis=0), 1),
    "a list of arrays": (lambda xp, x, y: xp.linalg.multi_dot([x, y, x]), 2),
}


@pytest.fixture(autouse=True)
def planned() -> Iterator[None]:
    with la.config(immediate=0, hints=False):
        yield


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the runs of plans that are one call."""
    counted: list[int] = []
    run = SoleCall.run

    def counting(self: SoleCall, *args: Any) -> Array:
        counted.append(1)
        return run(self, *args)

    monkeypatch.setattr(SoleCall, "run", counting)
    return counted


def _matrices(count: int, order: str, n: int = 40) -> list[Array]:
    rng = np.random.default_rng(5)
    return [np.asarray(rng.normal(size=(n, n)) + n * np.eye(n), order=order) for _ in range(count)]


@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("name", CALLS)
def test_the_values_are_numpys(name: str, order: str) -> None:
    function, count = CALLS[name]
    arrays = _matrices(count, order)
    before = [array.copy() for array in arrays]
    expected = function(np, *arrays)
    jitted = la.jit(lambda *lazy: function(la, *lazy))
    for _ in range(3):
        results = [jitted(*arrays), la.evaluate(function(la, *map(la.asarray, arrays)))]
        assert results[0].strides == results[1].strides == expected.strides
        for result in results:
            np.testing.assert_array_equal(result, expected)
            assert result.flags.writeable
            assert not any(np.may_share_memory(result, array) for array in arrays)
            result[...] = 0  # its memory is the caller's
    for array, same in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, same)


def test_calls_on_whole_arrays_alone_go_this_way(runs: list[int]) -> None:
    x, y = _matrices(2, "C")
    la.jit(la.linalg.solve)(x, y)
    la.evaluate(la.linalg.solve(la.asarray(x), la.asarray(y)))
    assert len(runs) == 2
    la.jit(lambda x, y: la.linalg.solve(x + 1, y))(x, y)
    la.jit(lambda x, y: la.linalg.inv(x) + y)(x, y)
    assert len(runs) == 2


def test_what_is_no_function_of_a_library_goes_this_way(runs: list[int]) -> None:
    x, y = np.arange(-6, 6), np.arange(12) % 4
    with la.config(immediate=0):
        power = la.jit(lambda x, y: x**y)  # no kernel raises for negative exponents
        looped = la.jit(lambda x: la.fori_loop(0, 3, lambda i, x: x * 2, x))
        for _ in range(2):
            np.testing.assert_array_equal(power(x, y), x**y)
            np.testing.assert_array_equal(looped(x), x * 8)
            with pytest.raises(ValueError, match="negative integer powers"):
                power(y, x)
    assert runs


def test_an_array_that_is_captured_is_an_operand(
    runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Python's form: test_mixed_calls.py has the one in C.
    monkeypatch.setattr(mixed_calls, "mixed_call", lambda *arguments: None)
    x, y = _matrices(2, "C")
    captured = la.asarray(y)
    jitted = la.jit(lambda x: la.linalg.solve(captured, x))
    for _ in range(2):
        np.testing.assert_array_equal(jitted(x), np.linalg.solve(y, x))
    assert len(runs) == 2


def test_errors_and_warnings_name_the_line() -> None:
    singular = np.zeros((3, 3))
    jitted = la.jit(la.linalg.inv)
    for _ in range(2):
        with pytest.raises(np.linalg.LinAlgError):
            jitted(singular)
    large = np.full((2, 2), 1e300)

    def product(x: Any) -> Any:
        return x @ x

    jitted = la.jit(product)
    for _ in range(2):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            result = jitted(large)
        assert np.isinf(result).all()
        assert {str(w.message) for w in caught} == {"overflow encountered in matmul"}
        assert {w.filename for w in caught} == {__file__}


def test_faults_are_reported_as_errstate_says() -> None:
    numbers = {"overflow": (1e300, 1e300), "underflow": (1e-300, 1e-300), "invalid": (np.inf, 0.0)}
    for fault, (one, other) in numbers.items():
        jitted = la.jit(lambda x, y: x @ y)
        x, y = np.full((4, 4), one), np.full((4, 4), other)
        for _ in range(2):
            with np.errstate(all="ignore"):
                np.testing.assert_array_equal(jitted(x, y), x @ y)
            with np.errstate(all="raise"), pytest.raises(FloatingPointError, match=fault):
                jitted(x, y)
        assert np.isfinite(jitted(np.ones((4, 4)), np.ones((4, 4)))).all()


@pytest.mark.parametrize("name", ["median", "cov", "matmul"])
def test_what_numpy_warns_of_itself_is_said_once(name: str) -> None:
    x = np.full((2, 1), 1e300)
    function = {
        "median": lambda xp, x: xp.median(x[:0]),
        "cov": lambda xp, x: xp.cov(x),
        "matmul": lambda xp, x: x @ x.T,
    }[name]

    def texts(call: Callable[[], Any]) -> list[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        return sorted(str(w.message) for w in caught)

    jitted = la.jit(lambda x: function(la, x))
    for _ in range(2):
        ours, theirs = texts(lambda: jitted(x)), texts(lambda: function(np, x))
        assert len(ours) == len(set(ours))
        assert set(ours) <= set(theirs) and bool(ours) == bool(theirs)


def test_profiles_see_these_calls() -> None:
    x, y = _matrices(2, "C")
    jitted = la.jit(lambda x, y: x @ y)
    jitted(x, y)
    with la.profile() as profile:
        jitted(x, y)
    assert "matmul" in str(profile)


def test_arrays_of_other_layouts_are_traced_anew() -> None:
    x, y = _matrices(2, "C", 12)
    jitted = la.jit(lambda x, y: x @ y)
    for left in (x, x[::2], x[:, ::-1], x.T, np.asfortranarray(x)):
        np.testing.assert_allclose(jitted(left, y), left @ y, rtol=1e-13)
    with pytest.raises(ValueError):
        jitted(x[:, :5], y)
