"""Short calls in C give what Python's form gives, and leave to it what is not theirs."""

from __future__ import annotations

import gc
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.core.frozen import replace
from lazyarr.execution.cpu import small_calls
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.runtime.cpu import blas_threads
from lazyarr.runtime.host_memory_pool import pool

in_c = pytest.mark.skipif(small_calls.COMPILED is None, reason=f"short calls: {small_calls.FORM}")

pytestmark = pytest.mark.host


@pytest.fixture
def in_python(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A list that grows with each run of kernels that Python launches."""
    runs: list[int] = []
    launch = KernelSequence.launch

    def noted(self: KernelSequence, *args: Any) -> Any:
        runs.append(1)
        return launch(self, *args)

    monkeypatch.setattr(KernelSequence, "launch", noted)
    return runs


def sum_and_more(a: Any, b: Any) -> Any:
    total = (a * b).sum(axis=-1)
    return {"total": total, "rest": (a - total[..., None], b)}


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "map": lambda a, b: la.exp(-a * a) * b + 1,
    "rows": lambda a, b: (a * b).sum(axis=-1),
    "columns": lambda a, b: (a + b).max(axis=0),
    "whole": lambda a, b: (a - b).sum(),
    "scan": lambda a, b: la.cumsum(a, axis=-1) * b,
    "two kernels": lambda a, b: (a - a.mean()) / (1 + b.var()),
    "stencil": lambda a, b: a[..., 1:] - a[..., :-1] * b[..., ::-1][..., 1:],
}


def bits_of(result: Any) -> tuple[Any, ...]:
    array = np.asarray(result)
    return array.dtype.str, array.shape, array.strides, array.tobytes()


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=15, deadline=None)
@given(st.data())
def test_bits_are_those_of_python(name: str, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.lists(st.integers(2, 9), min_size=1, max_size=3)))
    dtype = data.draw(st.sampled_from([np.float64, np.float32, np.int64]))
    rng = np.random.default_rng(data.draw(st.integers(0, 1000)))
    step = data.draw(st.sampled_from([1, 2, -1]))
    longer = (*shape[:-1], 2 * shape[-1])

    def array() -> Any:
        wide = (rng.random(longer) * 9).astype(dtype)
        return wide[..., : shape[-1]] if step == 1 else wide[..., :: 2 * step // abs(step)]

    fast, other = la.jit(FUNCTIONS[name]), la.jit(FUNCTIONS[name])
    for _ in range(3):
        a, b = array(), array()
        with la.profile():  # which C leaves to Python
            expected = other(a, b)
        assert bits_of(fast(a, b)) == bits_of(expected)


@in_c
def test_python_launches_the_first_call_alone(in_python: list[int]) -> None:
    fast = la.jit(FUNCTIONS["map"])
    a, b = np.ones(50), np.full(50, 2.0)
    results = [fast(a, b) for _ in range(4)]
    assert len(in_python) == 1
    assert len({result.ctypes.data for result in results}) == 4
    np.testing.assert_array_equal(results[3], np.exp(-1.0) * 2 + 1)


@in_c
@pytest.mark.parametrize("count", [9_000, 100_000])
def test_large_results_are_pooled(in_python: list[int], count: int) -> None:
    fast = la.jit(lambda a: a + 1)
    a = np.arange(float(count))
    before = pool.info().in_use
    results = [fast(a) for _ in range(4)]
    assert len(in_python) == 1
    for result in results:
        np.testing.assert_array_equal(result, a + 1)
    # Python's form has all results of SMALL bytes pooled, C's those from twice as many on.
    pooled = 4 if a.nbytes >= small_calls.LARGEST_RESULT else 1
    assert pool.info().in_use - before == pooled * a.nbytes


@in_c
@pytest.mark.parametrize("threads", [1, 2, 3])
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_long_kernels_run_on_the_pool(threads: int, data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(list(FUNCTIONS)))
    shape = data.draw(st.sampled_from([(300_001,), (701, 333), (3, 90_000), (50_000, 4)]))
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    a, b = random.random(shape), random.random(shape)
    with la.config(threads=threads):
        fast = la.jit(FUNCTIONS[name])
        first = fast(a, b)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(KernelSequence, "launch", None)
            again = [fast(a, b) for _ in range(3)]
    assert all(bits_of(each) == bits_of(first) for each in again)


@in_c
def test_code_that_tuning_replaces_is_taken(in_python: list[int]) -> None:
    sequences: list[KernelSequence] = []
    initialize = KernelSequence.__init__

    def noted(self: KernelSequence, *args: Any) -> None:
        initialize(self, *args)
        sequences.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KernelSequence, "__init__", noted)
        fast = la.jit(FUNCTIONS["map"])
        a, b = np.linspace(0, 1, 70_000), np.linspace(1, 2, 70_000)
        first = fast(a, b)
    (sequence,) = sequences
    function, pack, template, count, _, scratch = sequence.code.calls[0]
    other = function, pack, template, count, count, scratch
    old = sequence.code
    sequence.code = replace(old, calls=(other,))
    assert bits_of(fast(a, b)) == bits_of(first)
    sequence.code = replace(old, calls=((function, pack, template, 1, 1, scratch),))
    np.testing.assert_array_equal(fast(a, b)[:1], first[:1])
    assert len(in_python) == 1


@in_c
def test_time_is_counted_while_a_plan_may_prove_hot() -> None:
    runs: list[float] = []

    class Meter:
        def ran(self, sequence: Any, seconds: float, scalars: Any, bindings: Any) -> None:
            runs.append(seconds)
            assert len(bindings().leaves) == 2
            if len(runs) == 2:
                sequences[0].meter = None

    sequences: list[KernelSequence] = []
    initialize = KernelSequence.__init__

    def noted(self: KernelSequence, *args: Any) -> None:
        initialize(self, *args)
        sequences.append(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(KernelSequence, "__init__", noted)
        fast = la.jit(FUNCTIONS["map"])
        a, b = np.ones(70_001), np.ones(70_001)
        fast(a, b)
    sequences[0].meter = Meter()
    for _ in range(4):
        fast(a, b)
    assert len(runs) == 2
    assert min(runs) > 0


@in_c
def test_results_of_several_arrays(in_python: list[int]) -> None:
    fast = la.jit(sum_and_more)
    a, b = np.arange(12.0).reshape(3, 4), np.full((3, 4), 2.0)
    first, second = fast(a, b), fast(a, b)
    assert len(in_python) == 1
    total, (rest, copied) = second["total"], second["rest"]
    np.testing.assert_array_equal(total, (a * b).sum(axis=-1))
    np.testing.assert_array_equal(rest, a - total[:, None])
    np.testing.assert_array_equal(copied, b)
    assert bits_of(first["rest"][0]) == bits_of(rest)


@in_c
@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.astype(np.float32),
        lambda a: a[:40],
        lambda a: np.repeat(a, 2)[::2],
        lambda a: a[::-1],
        lambda a: a.astype(">f8"),
        lambda a: np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view(np.float64),
        lambda a: a.reshape(50, 1),
        lambda a: a.tolist()[0],
        lambda a: la.asarray(a),
    ],
    ids=[
        "dtype",
        "shape",
        "stride",
        "reversed",
        "byte order",
        "alignment",
        "axes",
        "number",
        "lazy",
    ],
)
def test_other_arguments(change: Callable[[Any], Any]) -> None:
    fast = la.jit(lambda a: a * 2 + 1)
    a = np.random.default_rng(1).random(50)
    for _ in range(2):
        fast(a)
    other = change(a)
    expected = np.asarray(other) * 2 + 1
    for _ in range(3):
        result = np.asarray(fast(other))
        np.testing.assert_array_equal(result, expected)
    np.testing.assert_array_equal(fast(a), a * 2 + 1)


@in_c
def test_layouts_alternate(in_python: list[int]) -> None:
    fast = la.jit(lambda a: a + 1)
    arrays = [np.arange(float(n)) for n in (3, 4, 5)]
    for _ in range(5):
        for a in arrays:
            np.testing.assert_array_equal(fast(a), a + 1)
    assert len(in_python) == 3


def test_subclasses_and_keywords() -> None:
    class Special(np.ndarray):
        pass

    fast = la.jit(lambda a, scale=2.0: a * scale)
    a = np.arange(6.0)
    for _ in range(3):
        np.testing.assert_array_equal(fast(a), a * 2)
        np.testing.assert_array_equal(fast(a, scale=3.0), a * 3)
        np.testing.assert_array_equal(fast(a.view(Special)), a * 2)
        np.testing.assert_array_equal(fast(a, 4.0), a * 4)


def test_warnings_name_the_caller() -> None:
    fast = la.jit(lambda a, b: a / b)
    a, b = np.ones(5), np.arange(5.0)
    good = np.ones(5)
    for _ in range(3):
        fast(a, good)
    with pytest.warns(RuntimeWarning, match="divide by zero") as caught:
        result = fast(a, b)
    assert caught[0].filename == __file__
    assert np.isinf(result[0]) and result[1] == 1
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        fast(a, b)
    with np.errstate(divide="ignore"), warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isinf(fast(a, b)[0])


def test_indices_out_of_bounds() -> None:
    fast = la.jit(lambda a, i: a[i] * 2)
    a = np.arange(7.0)
    for _ in range(3):
        np.testing.assert_array_equal(fast(a, np.array([1, -1])), [2, 12])
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 7"):
        fast(a, np.array([0, 7]))


def test_settings_and_profiles() -> None:
    fast = la.jit(lambda a: a.sum())
    a = np.arange(9.0)
    for threads in (0, 1, 2, 1, 0):
        with la.config(threads=threads):
            for _ in range(2):
                assert fast(a) == 36
    with la.profile() as report:
        fast(a)
    assert len(report.runs) == 1
    with la.config(debug="nan"):
        fast(a)
        a[3] = np.nan
        with pytest.raises(FloatingPointError):
            fast(a)


def test_inside_another_trace() -> None:
    inner = la.jit(lambda a: a * 2)
    a = np.arange(4.0)
    for _ in range(3):
        inner(a)
    outer = la.jit(lambda a: inner(a) + inner(np.ones(4)))
    for _ in range(3):
        np.testing.assert_array_equal(outer(a), a * 2 + 2)


def test_draws_and_writes_are_not_repeated_from_memory() -> None:
    draw = la.jit(lambda a: a + la.random.default_rng(3).random(4))
    a = np.zeros(4)
    np.testing.assert_array_equal(draw(a), draw(a))
    generator = la.random.default_rng(3)
    drawn = la.jit(lambda g: g.random(4))
    assert not np.array_equal(drawn(generator), drawn(generator))


def test_captured_arrays_live_as_long_as_the_function() -> None:
    def make() -> Any:
        table = np.arange(5.0)
        return la.jit(lambda a: a + table)

    fast = make()
    a = np.ones(5)
    for _ in range(3):
        gc.collect()
        np.testing.assert_array_equal(fast(a), np.arange(1.0, 6.0))


def test_threads() -> None:
    fast = la.jit(lambda a, b: (a * b).sum(axis=1))
    arrays = [np.random.default_rng(k).random((6, 5)) for k in range(4)]
    wrong: list[int] = []

    def work(k: int) -> None:
        expected = (arrays[k] * arrays[k]).sum(axis=1)
        for _ in range(300):
            if not np.allclose(fast(arrays[k], arrays[k]), expected):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_functions_are_collected() -> None:
    import weakref

    def function(a: Any) -> Any:
        return a + 1

    watched = weakref.ref(function)
    fast = la.jit(function)
    for _ in range(3):
        fast(np.ones(3))
    del fast, function
    gc.collect()
    assert watched() is None


@in_c
@pytest.mark.parametrize(
    "changed",
    [
        {"bases": ((0, 1),)},
        {"bases": ((9, 0),)},
        {"steps": ((1, 1, b"12345678", ((1, 0, 0),), bytearray()),)},
        {"steps": ((1, 1, b"12345678", ((0, 5, 0),), bytearray()),)},
        {"steps": ((1, 1, b"123", (), bytearray()),)},
        {"steps": ((1, 1, b"12345678", (), bytearray(b"job")),)},
        {"status_words": 1000},
        {"loud": b"12345678"},
        {"results": ()},
        {"arguments": ((np.dtype(float), (1,), (), 0),)},
        {"donors": (0, 0)},
        {"donors": (1,)},
        {"donors": (0,), "results": ((np.dtype(float), (2,), (8,), 7),)},
        {"restored": (0,)},
        {"restored": ((0, 0),), "memory_bytes": 8},
        {"donors": (0,), "restored": ((0, 0), (0, 8)), "memory_bytes": 16},
        {"donors": (0,), "restored": ((1, 0),), "memory_bytes": 8},
        {"donors": (0,), "restored": ((0, 8),), "memory_bytes": 8},
        {"donors": (0,), "restored": ((0, -8),), "memory_bytes": 8},
    ],
)
def test_what_does_not_fit_is_refused(changed: dict[str, Any]) -> None:
    layout = (np.dtype(float), (1,), (8,), 7)
    fitting: dict[str, Any] = {
        "arguments": (layout,),
        "results": (layout,),
        "bases": ((0, 0), (2, 0)),
        "steps": (),
        "memory_bytes": 0,
        "status_words": 0,
        "helpers": 0,
        "entrance": small_calls.NO_POOL,
        "sequence": None,
        "code": None,
        "renew": None,
        "ran": None,
        "report": None,
        "finish": None,
        "owner": None,
        "donors": (),
        "protected": (),
        "restored": (),
        "loud": b"",
    }
    assert small_calls.COMPILED.SmallCall(**fitting)(np.ones(1)).shape == (1,)
    with pytest.raises(ValueError, match="limit of small calls"):
        small_calls.COMPILED.SmallCall(**(fitting | changed))


def _product(random: np.random.Generator) -> tuple[Callable[..., Any], list[Any]]:
    """Return a random product with what follows it, and the shapes of its operands."""
    rows, inner, columns = (int(n) for n in random.integers(2, random.choice([20, 150]), 3))
    stack = () if random.random() < 0.6 else (int(random.integers(2, 4)),)
    if random.random() < 0.2:
        rows, inner, columns = 9, 1500, 12  # which has kernels of its own
    after = random.choice(["none", "bias", "relu", "second"])

    def function(a: Any, b: Any, c: Any) -> Any:
        product = a @ b
        if after == "bias":
            return product + c
        if after == "relu":
            return la.maximum(product, 0), product.sum()
        if after == "second":
            return (product - 1) @ b.swapaxes(-1, -2)
        return product

    return function, [(*stack, rows, inner), (*stack, inner, columns), (columns,)]


@in_c
@pytest.mark.parametrize("seed", range(20))
def test_products(in_python: list[int], seed: int) -> None:
    """Products of BLAS and of kernels are called in C, too, and its threads are set back."""
    random = np.random.default_rng(seed)
    function, shapes = _product(random)
    dtype = random.choice([np.float32, np.float64])
    libraries = blas_threads.numpy_libraries()
    before = [library.get_num_threads() for library in libraries]
    fast, other = la.jit(function), la.jit(function)
    with la.config(threads=int(random.integers(1, 4)), optimize=False):
        for number in range(3):
            arrays = [random.standard_normal(shape).astype(dtype) for shape in shapes]
            with la.profile():  # which C leaves to Python
                expected = other(*arrays)
            in_python.clear()
            result = fast(*arrays)
            assert len(in_python) == (number == 0)
            if isinstance(result, tuple):
                assert list(map(bits_of, result)) == list(map(bits_of, expected))
            else:
                assert bits_of(result) == bits_of(expected)
    assert [library.get_num_threads() for library in libraries] == before


@in_c
def test_products_warn() -> None:
    fast = la.jit(lambda a, b: a @ b)
    small, large = np.ones((90, 90)), np.full((90, 90), 1e300)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(3):
            assert (fast(small, small) == 90).all()
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert np.isinf(fast(large, large)).all()
