"""Python functions of numbers in kernels, against the functions themselves."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.errors import ArgumentError, CompileError, FunctionError, ShapeError
from lazyarr.runtime.cpu import compiler

BACKENDS = ("llvm", "numba")
FACTOR = 3.0


def halvings(x: Any, limit: Any) -> Any:
    n = 0
    while x > 1.0 and n < limit:
        x *= 0.5
        n += 1
    return n


def clipped(x: Any, low: Any) -> Any:
    if x < low:
        return low * 2
    return x - low


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [0, 1, 7, 1000])
def test_branches_and_loops(size: int, backend: str) -> None:
    x = np.random.default_rng(0).uniform(0, 1000, size)
    k = np.arange(size) % 9
    with la.config(backend=backend):
        got = la.evaluate(la.vectorize(halvings)(x, k))
    assert got.dtype == np.int64
    assert got.tolist() == [halvings(a, b) for a, b in zip(x.tolist(), k.tolist(), strict=True)]


@settings(max_examples=30, deadline=None)
@given(
    shapes=st.sampled_from(
        [((3, 4), (4,)), ((), (5,)), ((2, 1), (1, 3)), ((0, 2), (2,)), ((), ()), ((70, 3), (70, 3))]
    ),
    layout=st.sampled_from(["C", "F", "reversed"]),
    seed=st.integers(0, 5),
)
def test_broadcasting_and_layouts(shapes: Any, layout: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, y = rng.uniform(-1, 1, shapes[0]), rng.uniform(-1, 1, shapes[1])
    if layout == "F":
        x = np.asfortranarray(x)
    elif layout == "reversed" and x.ndim:
        x = x[::-1]
    got = la.evaluate(CLIPPED(la.asarray(x), y))
    expected = np.where(x < y, y * 2, x - y)
    assert got.shape == expected.shape
    np.testing.assert_array_equal(got, expected)


CLIPPED = la.vectorize(clipped)


def twice(x: Any) -> Any:
    return x + x


def negated(x: Any) -> Any:
    return not x


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("dtype", ["i1", "u1", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "?"])
def test_dtypes(dtype: str, backend: str) -> None:
    x = np.random.default_rng(0).integers(0, 2 if dtype == "?" else 50, 300).astype(dtype)
    with la.config(backend=backend):
        got = la.evaluate(la.vectorize(twice)(x))
        flags = la.evaluate(la.vectorize(negated)(x))
    np.testing.assert_array_equal(got, x.astype(got.dtype) + x)
    assert flags.dtype == np.bool_
    np.testing.assert_array_equal(flags, ~x.astype(bool))


def test_numbers_have_numpys_default_dtypes() -> None:
    assert la.vectorize(twice)(3).dtype == np.int64
    assert la.evaluate(la.vectorize(clipped)(np.ones(2, "f4"), 0.5)).tolist() == [0.5, 0.5]


def test_decorator_and_otypes() -> None:
    @la.vectorize(otypes=["f4"])
    def half(x: Any) -> Any:
        """Return half of it."""
        return x * 0.5

    got = half(np.arange(4))
    assert got.dtype == np.float32 and half.__name__ == "half" and "half of it" in half.__doc__
    np.testing.assert_array_equal(la.evaluate(got), np.arange(4) * np.float32(0.5))


@pytest.mark.parametrize("backend", BACKENDS)
def test_part_of_one_kernel(backend: str) -> None:
    x = np.random.default_rng(0).uniform(-1, 1, 50_000)
    with la.config(backend=backend):
        lazy = (CLIPPED(la.asarray(x) * 2, 0.25) + 1).sum()
        report = la.explain(lazy)
        assert len(report.kernels) == 1 and not report.fallbacks
        assert report.kernels[0].bytes_read == x.nbytes
        assert "clipped" in report.kernels[0].source
        expected = (np.where(x * 2 < 0.25, 0.5, x * 2 - 0.25) + 1).sum()
        np.testing.assert_allclose(la.evaluate(lazy), expected, rtol=1e-13)


@pytest.mark.lazy
def test_nothing_of_the_call_is_left() -> None:
    from lazyarr.compiler import compilation
    from lazyarr.runtime.cpu.llvm_compiler import assembly

    program = compilation.analyse((CLIPPED(np.ones(100), np.ones(100))._node,))
    text = assembly(program.kernels[0].sources[0])
    kernel, entry, _ = text.partition("packed:")
    assert entry and "call" not in kernel


def test_inside_a_loop() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, 500)
    lazy = la.fori_loop(4, lambda i, v: CLIPPED(v, 0.1) * 0.5, x)
    expected = x
    for _ in range(4):
        expected = np.where(expected < 0.1, 0.2, expected - 0.1) * 0.5
    np.testing.assert_array_equal(la.evaluate(lazy), expected)
    assert len(la.explain(lazy).kernels) == 1


def test_mathematics() -> None:
    @la.vectorize
    def wave(x: float) -> float:
        return math.exp(-x * x) * math.cos(x) + math.sqrt(abs(x))

    x = np.linspace(-3, 3, 1001)
    expected = np.exp(-x * x) * np.cos(x) + np.sqrt(np.abs(x))
    np.testing.assert_allclose(la.evaluate(wave(x)), expected, rtol=1e-14)


def test_division_by_zero_gives_what_numpy_gives() -> None:
    @la.vectorize
    def inverse(x: float) -> float:
        return 1.0 / x

    np.testing.assert_array_equal(la.evaluate(inverse(np.array([2.0, 0.0]))), [0.5, np.inf])


def test_threads_do_not_change_bits() -> None:
    x = np.random.default_rng(0).uniform(0, 9, 200_001)
    lazy = la.vectorize(halvings)(x, 5) + CLIPPED(x, 3.0)
    results = []
    for threads in (1, 2, 7):
        with la.config(threads=threads):
            results.append(la.evaluate(lazy))
    for other in results[1:]:
        np.testing.assert_array_equal(results[0], other)


# -- what the code is made of ----------------------------------------------------------------------


def test_functions_of_one_name_are_told_apart() -> None:
    def make(factor: float) -> Any:
        def scaled(x: Any) -> Any:
            return x * factor

        return scaled

    x = np.arange(4.0)
    for factor in (2.0, 5.0, 2.0):
        np.testing.assert_array_equal(la.evaluate(la.vectorize(make(factor))(x)), x * factor)


def test_changed_closures_and_globals_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    offset = 1.0

    @la.vectorize
    def shifted(x: Any) -> Any:
        return x * FACTOR + offset

    x = np.arange(3.0)
    np.testing.assert_array_equal(la.evaluate(shifted(x)), x * 3 + 1)
    offset = 7.0
    np.testing.assert_array_equal(la.evaluate(shifted(x)), x * 3 + 7)
    monkeypatch.setitem(globals(), "FACTOR", 10.0)
    np.testing.assert_array_equal(la.evaluate(shifted(x)), x * 10 + 7)


def test_arrays_that_it_reads() -> None:
    table = np.array([1.0, 10.0, 100.0])

    @la.vectorize
    def looked_up(k: Any) -> Any:
        return table[k]

    np.testing.assert_array_equal(la.evaluate(looked_up(np.array([2, 0, 1]))), [100, 1, 10])
    table[0] = 5
    np.testing.assert_array_equal(la.evaluate(looked_up(np.array([2, 0, 1]))), [100, 5, 10])


def test_functions_that_it_calls() -> None:
    numba = pytest.importorskip("numba")

    @numba.njit
    def inner(x: float) -> float:
        return x * x

    @la.vectorize
    def outer(x: float) -> float:
        return inner(x) + inner(x + 1)

    x = np.arange(5.0)
    np.testing.assert_array_equal(la.evaluate(outer(x)), x * x + (x + 1) * (x + 1))
    np.testing.assert_array_equal(la.evaluate(la.vectorize(inner)(x)), x * x)


def test_equal_functions_compile_once() -> None:
    def make() -> Any:
        def cube(x: Any) -> Any:
            return x * x * x

        return la.vectorize(cube)

    x = np.arange(10.0)
    la.evaluate(make()(x))
    before = compiler.info().compiled
    np.testing.assert_array_equal(la.evaluate(make()(x + 1)), (x + 1) ** 3)
    assert compiler.info().compiled == before


PROGRAM = """
import sys
import numpy as np, lazyarr as la
from lazyarr.runtime.cpu import compiler as cpu

for skipped in range(int(sys.argv[1])):  # so that Numba counts from elsewhere
    la.vectorize(lambda x: x + skipped)(np.ones(2))

@la.vectorize
def branchy(x):
    if x < 0:
        raise ValueError("negative")
    return x * {factor}

print(la.evaluate(branchy(np.arange(3.0))).tolist(), cpu.info().disk_hits)
"""


@pytest.mark.lazy
def test_kernels_on_disk_hold_the_function(tmp_path: Path) -> None:
    def run(factor: float, skipped: int) -> str:
        path = tmp_path / "program.py"
        path.write_text(textwrap.dedent(PROGRAM.format(factor=factor)))
        environment = {**os.environ, "LAZYARR_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, str(path), str(skipped)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.strip()

    assert run(2.0, 0) == "[0.0, 2.0, 4.0] 0"
    assert run(2.0, 2) == "[0.0, 2.0, 4.0] 1"
    assert run(3.0, 0) == "[0.0, 3.0, 6.0] 0"


# -- what goes wrong -----------------------------------------------------------------------------


@la.vectorize
def root(x: float) -> float:
    if x < 0:
        raise ValueError("negative")
    return math.sqrt(x)


@pytest.mark.parametrize("backend", BACKENDS)
def test_exceptions(backend: str) -> None:
    with la.config(backend=backend):
        np.testing.assert_array_equal(la.evaluate(root(np.array([4.0, 9.0]))), [2, 3])
        x = np.ones(1000)
        x[777] = -1
        with pytest.raises(FunctionError, match="root raised an exception") as caught:
            la.evaluate(root(x).sum())
        assert "test_vectorize.py" in str(caught.value)
        np.testing.assert_array_equal(la.evaluate(root(x * x)), x * x)


def test_elements_that_are_done_raise_nothing() -> None:
    x = np.array([3.0, 1.5])
    ours = la.while_loop(lambda v: v > 0, lambda v: root(v - 0.5 + 0.5) * 0 + v - 1, x)
    np.testing.assert_array_equal(la.evaluate(ours), [0, -0.5])


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda x: [x], "NRT required"),
        (lambda x: unknown_name(x), "unknown_name"),  # type: ignore[name-defined] # noqa: F821
        (lambda x: "text" if x > 0 else x, "does not compile"),
        (lambda x: (x, x), "not a number"),
        (lambda x: x * 1j, "not a number"),
    ],
)
def test_what_numba_refuses(function: Any, message: str) -> None:
    with pytest.raises(CompileError, match=message) as caught:
        la.vectorize(function)(np.arange(3.0))
    assert "test_vectorize.py" in str(caught.value)
    assert any("called at" in note for note in caught.value.__notes__)


def test_bad_arguments() -> None:
    with pytest.raises(ArgumentError, match="complex128"):
        CLIPPED(np.ones(2) * 1j, 1.0)
    with pytest.raises(ShapeError):
        CLIPPED(np.ones(2), np.ones(3))
    with pytest.raises(TypeError, match="missing 2 required"):
        CLIPPED()
    with pytest.raises(ArgumentError, match="clipped: missing a required argument"):
        CLIPPED(np.ones(2))
    with pytest.raises(ArgumentError, match="takes a function"):
        la.vectorize(3)
    with pytest.raises(ArgumentError, match="Python functions"):
        la.vectorize(math.sqrt)(np.ones(3))
    with pytest.raises(ArgumentError, match="one dtype"):
        la.vectorize(clipped, otypes="dd")


def test_a_signature_is_numpys() -> None:
    rows = np.arange(6.0).reshape(2, 3)
    spread = la.vectorize(lambda row: row.max() - row.min(), signature="(n)->()")
    np.testing.assert_array_equal(np.asarray(spread(rows)), np.ptp(rows, axis=1))


@settings(max_examples=10, deadline=None)
@given(st.binary(min_size=1, max_size=40))
def test_bytes_that_look_like_names_stay(noise: bytes) -> None:
    array = noise + b'xxB12v3 yy @B7v9_("' + noise + b"\ndefine i32 @f(B1v2 {\n}\n"
    table = np.frombuffer(array, np.uint8)
    result = la.vectorize(lambda i: table[i])(np.arange(table.size))
    np.testing.assert_array_equal(result.compute(), table)


@pytest.mark.parametrize("seed", range(3))
def test_large_tables(seed: int) -> None:
    table = np.random.default_rng(seed).random(100_000)
    places = np.random.default_rng(seed + 9).integers(0, table.size, 1000)
    result = la.vectorize(lambda i: table[i])(places)
    np.testing.assert_array_equal(result.compute(), table[places])


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("size", [10, 50_000])
def test_an_index_outside_an_array_that_it_reads_is_an_error(backend: str, size: int) -> None:
    table = np.arange(7.0)
    read = la.vectorize(lambda i: table[i])
    with la.config(backend=backend):
        places = np.arange(size) % 14 - 7
        np.testing.assert_array_equal(read(places).compute(), table[places])
        for outside in (7, -8, 10**12, -(10**12)):
            places[size // 2] = outside
            with pytest.raises(FunctionError, match="exception"):
                read(places).compute()


@pytest.mark.parametrize("immediate", [0, 4096])
def test_exceptions_come_when_values_are_asked_for(immediate: int) -> None:
    table = np.arange(7.0)
    read = la.vectorize(lambda i: table[i])
    with la.config(immediate=immediate):
        for places in (np.arange(9), la.asarray(np.arange(9)) + 0):
            values = read(places)
            with pytest.raises(FunctionError, match="raised an exception") as caught:
                values.compute()
            assert "test_vectorize.py" in str(caught.value)


def polynomial(p: Any, x: Any) -> Any:
    total = 0
    for coefficient in p:
        total = total * x + coefficient
    return total


def scaled(x: Any, mode: str = "double", factor: int = 2) -> Any:
    if mode == "double":
        return x * 2
    return x * factor


class TestExcluded:
    @pytest.mark.parametrize("excluded", [{0}, ["p"], {0, "p", 7}])
    @pytest.mark.parametrize("dtype", ["i8", "f4", "f8"])
    def test_it_is_passed_on_whole(self, excluded: Any, dtype: str) -> None:
        x = np.arange(5).reshape(5, 1).astype(dtype)
        lazy = la.vectorize(polynomial, excluded=excluded)
        eager = np.vectorize(polynomial, excluded=excluded)
        for p in ([1, 2, 3], (1.5, 2, 3), np.array([1.0, 2.0]), la.asarray([4, 5])):
            values = np.asarray(p)
            if "p" in excluded:
                result, expected = lazy(p=p, x=x), eager(p=values, x=x)
            else:
                result, expected = lazy(p, x), eager(values, x)
            np.testing.assert_array_equal(result.compute(), expected)

    def test_names_exclude_what_is_passed_by_name(self) -> None:
        x = np.arange(3.0)
        lazy = la.vectorize(scaled, excluded={"mode", "factor"})
        eager = np.vectorize(scaled, excluded={"mode", "factor"})
        for keywords in ({}, {"mode": "times", "factor": 3}, {"factor": 5}):
            np.testing.assert_array_equal(lazy(x, **keywords).compute(), eager(x, **keywords))
        # A default that is no number needs no mention.
        np.testing.assert_array_equal(la.vectorize(scaled)(x).compute(), x * 2)
        both = la.vectorize(polynomial, excluded=["p"])
        with pytest.raises(CompileError):
            both(np.arange(3), x)  # by position: one of the arrays that are gone through

    def test_it_is_compiled_once_for_each_value(self) -> None:
        calls = []
        lazy = la.vectorize(polynomial, excluded={0})
        for p in ((1, 2), (1, 3), (1, 2), [1, 2], np.array([1, 2])):
            calls.append(lazy(p, np.arange(4)).compute().tolist())
        assert calls == [[2, 3, 4, 5], [3, 4, 5, 6], *[[2, 3, 4, 5]] * 3]
        assert len(lazy._operations) == 3

    def test_functions_and_derivatives(self) -> None:
        x = np.array([1.0, 2.0])
        lazy = la.vectorize(lambda f, x: f(x) + 1, excluded={0})
        np.testing.assert_array_equal(lazy(lambda y: y * 3, x).compute(), x * 3 + 1)
        square = la.vectorize(
            polynomial, excluded={0}, derivatives=lambda p, x: 2 * p[0] * x + p[1]
        )
        slope = la.grad(lambda x: square((1.0, 2.0, 3.0), x).sum())
        np.testing.assert_array_equal(slope(x), 2 * x + 2)

    def test_what_cannot_be_excluded(self) -> None:
        with pytest.raises(ArgumentError, match="positions and names"):
            la.vectorize(polynomial, excluded=[1.5])
        with pytest.raises(ArgumentError, match="type dict"):
            la.vectorize(polynomial, excluded={0})({}, 1.0)

    def test_the_other_arguments_of_numpys(self) -> None:
        lazy = la.vectorize(polynomial, "f", "The documentation.", {0}, True)
        assert lazy.__doc__ == "The documentation."
        assert lazy((1, 2), np.arange(2)).dtype == np.float32


@pytest.mark.host
@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "?", "f2", "f4"])
@pytest.mark.parametrize(
    "function",
    [lambda x: x + 1, lambda x: 2 if x > 1 else x, lambda x: int(x) + 1, lambda x: x > 1],
    ids=["adds", "branches", "of Python", "compares"],
)
def test_small_numbers_stay_small(function: Callable[..., Any], dtype: str) -> None:
    x = np.arange(120).astype(dtype)
    expected = np.vectorize(function)(x)
    result = la.vectorize(function)(la.asarray(x)).compute()
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)


@pytest.mark.host
def test_functions_that_refuse_ones_keep_the_compiled_dtype() -> None:
    def refusing(x: Any) -> Any:
        if x == 1:
            raise KeyError
        return x + 1

    result = la.vectorize(refusing)(la.asarray(np.array([3, 4], "i1"))).compute()
    assert result.tolist() == [4, 5]


def test_without_arrays_it_is_the_function() -> None:
    for arguments, function, excluded in (
        ((), lambda: 3, ()),
        ((), lambda x=2: x + 1, ()),
        ((4,), lambda x: [x], {0}),
        ((4, "a"), lambda x, y: (x, y), {0, 1}),
    ):
        ours, theirs = (m.vectorize(function, excluded=excluded) for m in (la, np))
        assert ours(*arguments) == theirs(*arguments)
    with pytest.raises(TypeError):
        la.vectorize(lambda x: x)()
