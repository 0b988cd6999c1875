"""Counted loops against the same iterations of NumPy, bit for bit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.errors import ArgumentError, DTypeError, ShapeError
from lazyarr.runtime.cpu import compiler
from tests.support.program_interpreter import run_program

Array = np.ndarray[Any, Any]
BACKENDS = ("llvm", "numba")


def eager(n: int, body: Callable[[int, Any], Any], state: Any) -> Any:
    with np.errstate(all="ignore"):
        for i in range(n):
            state = body(i, state)
    return state


def same(ours: Any, theirs: Any) -> None:
    theirs = np.asarray(theirs)
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    ours = np.ascontiguousarray(ours) if ours.ndim else ours
    np.testing.assert_array_equal(ours.view(np.uint8) if ours.ndim else ours,
                                  np.ascontiguousarray(theirs).view(np.uint8)
                                  if ours.ndim else theirs)  # fmt: skip


def logistic(i: Any, x: Any) -> Any:
    return x * x - 0.25


def rotate(i: Any, state: Any) -> Any:
    x, y = state
    return x - 0.1 * y, y + 0.1 * x


def polynomial(i: Any, x: Any) -> Any:
    return x * 0.5 + i


def of_integers(i: Any, x: Any) -> Any:
    return (x * 3 + i) ^ (x >> 2)


def random(size: int, dtype: str = "f8", seed: int = 0) -> Array:
    rng = np.random.default_rng(seed)
    if np.dtype(dtype).kind == "f":
        return rng.uniform(-1, 1, size).astype(dtype)
    return rng.integers(0, 100, size).astype(dtype)


# -- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("n", [0, 1, 2, 1000])
@pytest.mark.parametrize("size", [0, 1, 7, 128, 129, 1000])
def test_same_bits_as_eager_turns(n: int, size: int, backend: str) -> None:
    x = random(size)
    with la.config(backend=backend):
        same(la.evaluate(la.fori_loop(n, logistic, x)), eager(n, logistic, x))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "u1", "i4", "u4", "i8", "u8"])
@pytest.mark.parametrize("backend", BACKENDS)
def test_dtypes(dtype: str, backend: str) -> None:
    x = random(300, dtype)
    body = polynomial if np.dtype(dtype).kind == "f" else of_integers
    with la.config(backend=backend):
        same(la.evaluate(la.fori_loop(9, body, x)), eager(9, body, x))


def test_bool_states() -> None:
    x, y = random(100, "i4") > 50, random(100, "i4", 1) > 30

    def body(i: Any, state: Any) -> Any:
        return state[0] ^ state[1], state[0] & ~state[1]

    ours = la.evaluate(*la.fori_loop(5, body, (x, y)))
    for a, b in zip(ours, eager(5, body, (x, y)), strict=True):
        same(a, b)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(0, 12),
    shape=st.sampled_from([(), (1,), (5,), (3, 4), (2, 130), (130, 2), (4, 1, 3), (0, 3)]),
    layout=st.sampled_from(["C", "F", "reversed", "strided", "broadcast"]),
    dtype=st.sampled_from(["f4", "f8"]),
    seed=st.integers(0, 5),
)
def test_layouts(n: int, shape: tuple[int, ...], layout: str, dtype: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.uniform(-1, 1, shape).astype(dtype)
    if x.ndim:
        if layout == "F":
            x = np.asfortranarray(x)
        elif layout == "reversed":
            x = x[::-1]
        elif layout == "strided":
            x = np.repeat(x, 2, axis=-1)[..., ::2]
        elif layout == "broadcast":
            x = np.broadcast_to(x[:1], shape)
    factor = np.asarray(rng.uniform(0.5, 1, shape[-1:]), dtype)

    def body(i: Any, v: Any) -> Any:
        return v * factor + i

    same(la.evaluate(la.fori_loop(n, body, x)), eager(n, body, x))


@pytest.mark.parametrize("n", [0, 1, 4])
@pytest.mark.parametrize("shape", [(), (3,), (2, 5), (4, 3)])
@pytest.mark.parametrize("reduced", [None, "sum", "rows", "columns", "argmax"])
def test_kernels_keep_the_rules(n: int, shape: tuple[int, ...], reduced: str | None) -> None:
    """The loop IR runs in the checking interpreter, and agrees."""
    x = random(int(np.prod(shape, dtype=int))).reshape(shape)
    c = random(shape[-1] if shape else 1, seed=3)[: shape[-1] if shape else 1]
    c = c if shape else c[0]

    def body(i: Any, state: Any) -> Any:
        v, k = state
        return v * c + i * 0.5, k + (v > 0)

    lazy = la.fori_loop(n, body, (la.asarray(x) * 2, la.zeros(shape, dtype=np.int64)))
    v, k = eager(n, body, (x * 2, np.zeros(shape, np.int64)))
    roots: tuple[Any, ...] = (lazy[0] + 1, lazy[1])
    expected: tuple[Any, ...] = (v + 1, k)
    if reduced == "sum":
        roots, expected = (lazy[0].sum(), lazy[1].max()), (v.sum(), k.max())
    elif reduced == "argmax":
        roots, expected = (lazy[0].argmax(),), (v.argmax(),)
    elif reduced == "rows" and shape:
        total = lazy[0].sum(axis=-1, keepdims=True)
        roots, expected = (lazy[0] - total,), (v - v.sum(axis=-1, keepdims=True),)
    elif reduced == "columns" and len(shape) > 1:
        roots, expected = (lazy[0].sum(axis=0), lazy[0]), (v.sum(axis=0), v)
    results, _ = run_program(tuple(r._node for r in roots))
    for ours, theirs in zip(results, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-13, atol=1e-13)


def test_threads_do_not_change_bits() -> None:
    x = random(100_003)
    lazy = la.fori_loop(20, lambda i, v: la.sin(v) * 0.9 + i, x)
    results = []
    for threads in (1, 2, 7):
        with la.config(threads=threads):
            results.append(la.evaluate(lazy, lazy.sum(), lazy.reshape(-1, 1).sum(axis=0)))
    for other in results[1:]:
        for a, b in zip(results[0], other, strict=True):
            same(a, b)


def test_backends_give_the_same_bits() -> None:
    x = random(1003)
    lazy = la.fori_loop(20, lambda i, v: la.exp(-v * v) + v / (i + 1), x)
    results = []
    for backend in BACKENDS:
        with la.config(backend=backend):
            results.append(la.evaluate(lazy))
    same(*results)


# -- what the body may use -----------------------------------------------------------------------


INDEXED: dict[str, Callable[[Any, Any], Any]] = {
    "product": lambda i, v: v * (2 * i + 1),
    "function": lambda i, v: v + np.maximum(v, i),
    "quotient": lambda i, v: v / (i + 1) - (i * 0.5),
    "reflected": lambda i, v: i - v,
    "choice": lambda i, v: np.where(v > i, v, i),
}


@pytest.mark.parametrize("dtype", ["f4", "f8", "i2", "i8", "u1"])
@pytest.mark.parametrize("name", INDEXED)
def test_index_is_weak_as_a_python_number(name: str, dtype: str) -> None:
    x = random(10, dtype)

    def body(i: Any, v: Any) -> Any:
        return INDEXED[name](i, v).astype(dtype)

    same(la.evaluate(la.fori_loop(4, body, x)), eager(4, body, x))


def test_index_has_the_dtype_of_its_array() -> None:
    seen = []

    def body(i: Any, v: Any) -> Any:
        seen.extend(((i * v).dtype, (v + i / 2).dtype, (i + 1).dtype, (i < 2).dtype))
        return v

    la.fori_loop(2, body, np.ones(3, "f4"))
    assert [str(d) for d in seen] == ["float32", "float32", "int64", "bool"]


def test_lower_limit() -> None:
    x = random(5)
    got = la.evaluate(la.fori_loop(3, 7, lambda i, v: v + i, x))
    same(got, eager(4, lambda i, v: v + (i + 3), x))
    same(la.evaluate(la.fori_loop(7, 3, lambda i, v: v + i, x)), x)


def test_lazy_number_of_turns() -> None:
    x, n = random(50), la.asarray(np.array([1, 4, 2]))
    same(la.evaluate(la.fori_loop(n.max(), logistic, x)), eager(4, logistic, x))
    same(la.evaluate(la.fori_loop(n.min() - 5, logistic, x)), x)


def test_outer_arrays_and_numbers() -> None:
    x, a, b = random(40), random(40, seed=1), random(1, seed=2)[0]
    lazy_a = la.asarray(a) * 2

    def make(a: Any) -> Any:
        return lambda i, v: v * a + b

    same(la.evaluate(la.fori_loop(5, make(lazy_a), x)), eager(5, make(a * 2), x))


def test_python_numbers_take_the_bodys_dtype() -> None:
    total, count = la.fori_loop(4, lambda i, s: (s[0] + 0.5, s[1] + 1), (0, 0))
    assert (total.dtype, count.dtype) == (np.float64, np.int64)
    assert la.evaluate(total, count) == (2.0, 4)


def test_containers() -> None:
    x = random(6)

    def body(i: Any, state: Any) -> Any:
        return {"a": [state["b"][0], state["a"][0]], "b": (state["a"][1] * 2,)}

    first = {"a": [x, x + 1], "b": (x + 2,)}
    ours = la.fori_loop(3, body, first)
    theirs = eager(3, body, first)
    assert list(ours) == ["a", "b"] and isinstance(ours["b"], tuple)
    same(la.evaluate(ours["a"][1]), theirs["a"][1])
    same(la.evaluate(ours["b"][0]), theirs["b"][0])


def test_states_of_several_shapes() -> None:
    x, s = random(12).reshape(3, 4), np.float64(0.5)

    def body(i: Any, state: Any) -> Any:
        v, t, row = state
        return v * t + row, t * 0.5, row + i

    first = (x, s, x[0])
    for ours, theirs in zip(
        la.evaluate(*la.fori_loop(6, body, first)), eager(6, body, first), strict=True
    ):
        same(ours, theirs)


def test_nested_loops() -> None:
    x = random(300)

    def inner_of(i: Any) -> Any:
        return lambda j, v: v * 0.5 + i - j

    def lazy(i: Any, v: Any) -> Any:
        return la.fori_loop(3, inner_of(i), v) + v

    def numpy(i: Any, v: Any) -> Any:
        return eager(3, inner_of(i), v) + v

    ours = la.fori_loop(4, lazy, x)
    same(la.evaluate(ours), eager(4, numpy, x))
    assert len(la.explain(ours).kernels) == 1


def test_one_loop_after_another() -> None:
    x = random(777)
    first = la.fori_loop(5, logistic, la.asarray(x) * 0.5)
    second = la.fori_loop(4, lambda i, v: v * first + i, la.sin(first))
    array = eager(5, logistic, x * 0.5)
    theirs = eager(4, lambda i, v: v * array + i, la.evaluate(la.sin(array)))
    same(la.evaluate(second), theirs)
    assert len(la.explain(second).kernels) == 1


# -- what is made of it --------------------------------------------------------------------------


def test_fuses_with_what_is_around_it() -> None:
    x = la.asarray(random(5000))
    lazy = la.fori_loop(50, logistic, la.abs(x) + 0.5)
    for root, written in (((lazy * 2).sum(), 8), (lazy - 1, 40_000), (lazy.max(), 8)):
        report = la.explain(root)
        assert len(report.kernels) == 1 and not report.fallbacks
        assert report.kernels[0].bytes_read == 40_000
        assert report.kernels[0].bytes_written == written


def test_states_share_their_turns() -> None:
    x, y = random(500), random(500, seed=1)
    lazy = la.fori_loop(30, rotate, (x, y))
    report = la.explain(*lazy, (lazy[0] * lazy[1]).sum())
    assert len(report.kernels) == 1
    text = report.kernels[0].source
    assert text.count("fsub") + text.count("fadd") < 40  # the iterations are written once
    for ours, theirs in zip(la.evaluate(*lazy), eager(30, rotate, (x, y)), strict=True):
        same(ours, theirs)


def test_loop_whose_result_is_broadcast_is_stored() -> None:
    x, y = random(40), random(30, seed=1)
    lazy = la.fori_loop(10, logistic, x)[:, None] * y
    assert len(la.explain(lazy).kernels) == 2
    same(la.evaluate(lazy), eager(10, logistic, x)[:, None] * y)


def test_loop_after_a_reduction() -> None:
    x = np.abs(random(6000)).reshape(300, 20)
    lazy = la.fori_loop(10, logistic, la.asarray(x).max(axis=1))
    same(la.evaluate(lazy), eager(10, logistic, x.max(axis=1)))
    np.testing.assert_array_equal(
        la.evaluate(la.fori_loop(10, logistic, la.asarray(x).max())), eager(10, logistic, x.max())
    )


@pytest.mark.parametrize("backend", BACKENDS)
def test_another_number_of_turns_compiles_nothing(backend: str) -> None:
    x = random(1001)
    with la.config(backend=backend):
        la.evaluate(la.fori_loop(5, logistic, x))
        before = compiler.info().compiled
        for n in (0, 1, 2, 3, 500, 20_000):
            la.evaluate(la.fori_loop(n, logistic, x))
        for factor in (0.3, 0.4):
            la.evaluate(la.fori_loop(3, lambda i, v, by=factor: v * v - by, x))
        la.evaluate(la.fori_loop(3, logistic, random(777)))
        assert compiler.info().compiled == before


def test_flops_count_the_turns() -> None:
    x = la.asarray(random(1000))
    report = la.explain(la.fori_loop(100, logistic, x))
    assert report.kernels[0].flops == 2 * 100 * 1000


def test_integer_faults_are_warned_of() -> None:
    x = np.array([4, 2, 0, 1])
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        got = la.evaluate(la.fori_loop(2, lambda i, v: 8 // v, x))
    assert got[0] == 4


# -- what is refused -----------------------------------------------------------------------------


def test_negative_number_of_turns() -> None:
    with pytest.raises(ArgumentError, match="must not be negative, got -1") as caught:
        la.fori_loop(-1, logistic, np.ones(3))
    assert "test_fori_loop.py" in str(caught.value)


@pytest.mark.parametrize("n", [1.5, "3", None, np.ones(2, int), True])
def test_number_of_turns_is_an_integer(n: Any) -> None:
    with pytest.raises(ArgumentError, match="must be an integer"):
        la.fori_loop(n, logistic, np.ones(3))


def test_body_changes_shape() -> None:
    with pytest.raises(ShapeError, match=r"from \(3,\) to \(2, 3\)") as caught:
        la.fori_loop(2, lambda i, v: v + np.ones((2, 3)), np.ones(3))
    assert "test_fori_loop.py" in str(caught.value)


def test_body_changes_dtype() -> None:
    with pytest.raises(DTypeError, match="from int64 to float64") as caught:
        la.fori_loop(2, lambda i, v: v * 0.5, np.ones(3, int))
    assert "test_fori_loop.py" in str(caught.value)
    with pytest.raises(DTypeError, match="state 1 from float32 to float64"):
        la.fori_loop(2, lambda i, s: (s[0], s[1] * np.ones(3)), (1.0, np.ones(3, "f4")))


def test_body_returns_other_containers() -> None:
    with pytest.raises(ArgumentError, match=r"received \(\*, \*\) and returned \*"):
        la.fori_loop(2, lambda i, s: s[0], (np.ones(3), np.ones(3)))


def test_body_asks_for_values() -> None:
    for body in (
        lambda i, v: v if v.sum() > 0 else -v,
        lambda i, v: v * float(i),
        lambda i, v: v * np.asarray(v),
    ):
        with pytest.raises(ArgumentError, match="not known while the loop is built") as caught:
            la.fori_loop(2, body, np.ones(3))
        assert "test_fori_loop.py" in str(caught.value)


def test_values_of_the_body_do_not_leave_it() -> None:
    kept = []

    def body(i: Any, v: Any) -> Any:
        kept.append(v + 1)
        return v * 2

    la.fori_loop(2, body, np.ones(3))
    with pytest.raises(ArgumentError, match="inside a loop's body"):
        la.evaluate(kept[0])
    with pytest.raises(ArgumentError, match="inside a loop's body"):
        la.evaluate(la.fori_loop(2, lambda i, v: v + kept[0], np.ones(3)))


def test_inputs_stay_as_they_are() -> None:
    x = random(100)
    before = x.copy()
    got = la.evaluate(la.fori_loop(0, logistic, x))
    got[:] = 7
    la.evaluate(la.fori_loop(3, logistic, x))
    same(x, before)


def test_turns_that_compute_nothing() -> None:
    """States that are only exchanged, or replaced by what stays."""
    x, y = random(70), random(70, seed=1)
    for iterations in (0, 1, 2, 3):
        result = la.evaluate(*la.fori_loop(iterations, lambda i, s: (s[1], s[0]), (x, y)))
        expected = (x, y) if iterations % 2 == 0 else (y, x)
        for got, reference in zip(result, expected, strict=True):
            np.testing.assert_array_equal(got, reference)
        kept = la.fori_loop(iterations, lambda i, s: y, x).compute()
        np.testing.assert_array_equal(kept, y if iterations else x)
        same = la.fori_loop(iterations, lambda i, s: s, x).compute()
        np.testing.assert_array_equal(same, x)
