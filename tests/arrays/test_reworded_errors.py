"""Refused calls: NumPy's words, whichever of several bad arguments it looks at first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays import reworded_errors
from lazyarr.errors import LazyarrError, ShapeError
from tests.support.differential import agree

pytestmark = pytest.mark.host

F = np.arange(12.0).reshape(3, 4)
I = np.arange(6).reshape(2, 3)  # noqa: E741
C = np.array([1 + 2j, 3])

CALLS = [
    "m.max(f, where=c, initial=1j)",
    "m.sum(f, axis=9, keepdims=2.5)",
    "m.add(f, f, casting='bad', order='Z')",
    "m.acos.outer(f)",
    "m.acos.reduceat(f)",
    "m.matmul(f, f, axes=[0], axis=0)",
    *(["m.matvec(f, i, out=m.zeros(3, '?'))"] if hasattr(np, "matvec") else []),
    "m.matmul.at(f, 0, f)",
    "m.fft.fft(m.asarray(1.0))",
    "m.fft.fft2(i[0])",
    "m.fft.rfft(i, out=m.zeros((2, 3)))",
    "m.concatenate([], casting='bad')",
    "m.concatenate([i], axis=9, out=m.zeros((2, 3), '?'))",
    "m.linalg.pinv(i[0], rcond=1, rtol=1)",
    "m.linalg.norm(f, ord=0.5, axis=(0, 0))",
    "m.linalg.tensordot(i, i[0])",
    "m.place(i, i > 2, c)",
    "m.interp(1.0, f, f)",
    "m.split(m.asarray(1.0), 2)",
    "m.triu(f, k=None)",
    "m.trapezoid(2.0)",
    "m.rollaxis(f, 1.0)",
    "m.convolve(f[:0], f[0])",
    "m.quantile(f, 2, weights=c)",
    "m.histogram(f, bins=0)",
    "i.__imatmul__(f)",
    "i.__ifloordiv__(f[:0, :0])",
    "i.take(None)",
    "i.fill([1, 2])",
    "i.__setitem__((i > 2, 5), 1)",
    "f.__getitem__((i, i, i))",
    "f.std(ddof=None)",
    "i.put(None, 1)",
    "i.put([0, -9, 7], 1)",
    "m.put(f, 100, 1)",
    "divmod(f[0, :2], c)",
    "divmod(1j, i)",
    "m.divmod(f[0, :2], c)",
    "m.divmod(f, 2, out=None)",
    "m.modf(f, out=None)",
    "m.sqrt(f, signature=None)",
    "m.add(f, 1, sig=None)",
    "m.add(f, 1, signature=None, dtype=float)",
    "m.log10(n.astype('u2'), out=n.astype('u2'))",
    "m.invert(n.astype(int), out=n.astype(int), dtype='u2')",
    "m.sqrt(n, out=n.astype(int), casting='no')",
    "m.add(n, f, out=n, where=f)",
    "m.modf(n, out=(n, n.astype(int)))",
    "m.right_shift.reduce(n.astype(int), dtype='?', out=n.astype(int))",
    "m.rad2deg.at(n, 0)",
    "m.bitwise_count.at(n, ...)",
    "m.add.at(n, [0, 0], 1)",
    "m.copyto(n, f)",
    "m.matmul(n, f)",
    "len(n)",
    "n[0]",
    "n.__setitem__(0, 1)",
    "m.tril(f, [1])",
    "m.triu(f, (1,))",
    *(
        call.replace("LARGE", number)
        for number in ("2**40", "-2**33")
        for call in (
            "m.swapaxes(f, LARGE, 0)",
            "f.swapaxes(0, LARGE)",
            "m.moveaxis(f, LARGE, 0)",
            "m.sum(f, axis=LARGE)",
            "m.expand_dims(f, LARGE)",
            "m.squeeze(f, LARGE)",
            "m.cumsum(f, LARGE)",
            "m.sort(f, LARGE)",
            "m.flip(f, LARGE)",
            "m.concatenate([f], LARGE)",
            "m.stack([f], LARGE)",
            "m.take(f, 0, LARGE)",
            "m.median(f, axis=LARGE)",
            "m.diff(f, axis=LARGE)",
        )
    ),
]


@pytest.fixture(params=[0, 4096], ids=["expressions", "at once"], autouse=True)
def _limit(request: pytest.FixtureRequest) -> Iterator[None]:
    with la.config(immediate=request.param, optimize=False):
        yield


@pytest.mark.parametrize("call", CALLS)
def test_the_first_bad_argument_is_numpys(call: str) -> None:
    def function(m: Any, f: Any, i: Any, c: Any) -> Any:
        number = m.asarray(f[0, 2])  # computed at once a LazyArray has a NumPy scalar for memory
        return eval(call, {"m": m, "f": f, "i": i, "c": c, "n": number})

    agree(function, F, I, C, text=True)


def test_numpys_protocols_say_the_same() -> None:
    x = la.asarray(F)
    for call in ("np.fft.fft2(x[0])", "np.sum(x, axis=9, keepdims=2.5)", "np.acos.outer(x)"):
        with pytest.raises(Exception) as theirs:
            eval(call, {"np": np, "x": F})
        with pytest.raises(type(theirs.value).__mro__[-4]) as mine:
            eval(call, {"np": np, "x": x})
        assert str(mine.value).startswith(str(theirs.value))


def test_lines_and_words_of_lazyarrs_own_stay() -> None:
    x = la.asarray(F)
    with pytest.raises(
        LazyarrError, match=r"tuple index out of range\n  built at .*reworded"
    ) as error:
        la.fft.fft(x.sum())
    assert error.value.hint is not None and "axis -1" in error.value.hint
    with pytest.raises(ShapeError, match="hint: add an axis"):
        x + la.zeros(3)


def test_large_arrays_and_expressions() -> None:
    x = la.asarray(np.zeros((300, 400)))
    for value in (x, la.sin(x), la.sin(x[:3])):
        with pytest.raises(TypeError, match="integer argument expected, got float"):
            la.sum(value, keepdims=2.5)  # type: ignore[call-overload]


def test_functions_of_the_users_and_iterators_are_not_used_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    raised = reworded_errors._raised
    monkeypatch.setattr(reworded_errors, "_raised", lambda *a: asked.append(a) or raised(*a))
    calls: list[int] = []

    def bad(row: Any) -> Any:
        calls.append(1)
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        la.apply_along_axis(bad, 0, la.asarray(F))
    assert len(calls) == 1
    with pytest.raises(TypeError):
        la.stack(la.zeros(n) for n in (2, 3))  # type: ignore[call-overload]
    with pytest.raises(ValueError):
        la.cumsum(la.asarray(F), out=np.zeros((1, 2, 3)))  # where NumPy reads beside the array
    assert not asked
    with pytest.raises(ValueError):
        la.sum(la.asarray(F), axis=9)
    assert asked


def test_what_is_written_to_stays() -> None:
    x, out = la.asarray(F), np.zeros((3, 4), "i4")
    with pytest.raises(TypeError):
        la.add(x, 1.5, out=out)
    with pytest.raises(IndexError):
        np.add.at(x, ([0, 1, 9],), 1.0)
    np.testing.assert_array_equal(out, 0)
    np.testing.assert_array_equal(x, F)


@pytest.mark.parametrize(
    "call",
    [
        "m.sum(f, axis=5)",
        "f.cumsum(4)",
        "m.transpose(f, (0, 7))",
        "m.swapaxes(f, 0, -3)",
        "m.moveaxis(f, 0, 5)",
        "m.linalg.norm(f, axis=5)",
        "m.concatenate([f, f], axis=2)",
        "m.expand_dims(f, 4)",
        "m.sum(f, axis=(0, 0))",
        "m.random.default_rng(0).permutation(f, axis=3)",
    ],
)
def test_errors_of_axes_have_numpys_attributes(call: str) -> None:
    errors = []
    for m, f in ((np, F), (la, la.asarray(F))):
        with pytest.raises((np.exceptions.AxisError, ValueError)) as raised:
            eval(call, {"m": m, "f": f})
        errors.append(raised.value)
    theirs, mine = errors
    if isinstance(theirs, np.exceptions.AxisError):
        assert isinstance(mine, np.exceptions.AxisError)
        assert (mine.axis, mine.ndim) == (theirs.axis, theirs.ndim)
