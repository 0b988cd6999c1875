"""NumPy's warnings: integer division, ``np.errstate``, lines, threads, and what may overlap."""

from __future__ import annotations

import inspect
import io
import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

Array = np.ndarray[Any, Any]
INTEGERS = [np.dtype(code) for code in "bBhHiIlLqQ"]


def caught(function: Callable[[], Any]) -> tuple[Any, list[str]]:
    """Return a value and the texts of the warnings on the way to it."""
    with warnings.catch_warnings(record=True) as result:
        warnings.simplefilter("always")
        value = function()
    assert all(issubclass(w.category, RuntimeWarning) for w in result)
    return value, sorted({str(w.message) for w in result})


def both(function: Callable[..., Any], *arrays: Array) -> None:
    """Check that lazyarr's values and warnings are NumPy's."""
    reference, expected = caught(lambda: function(*arrays))
    result, warned = caught(lambda: la.evaluate(function(*map(la.asarray, arrays))))
    np.testing.assert_array_equal(result, reference)
    assert warned == expected


@pytest.mark.parametrize("dtype", INTEGERS, ids=str)
@pytest.mark.parametrize("function", [np.floor_divide, np.remainder, np.fmod])
def test_division_by_zero_warns_as_numpy_does(
    function: Callable[..., Any], dtype: np.dtype[Any]
) -> None:
    a = np.arange(1, 101).astype(dtype)
    b = np.arange(100).astype(dtype)
    both(function, a, b)  # one zero
    both(function, a, b + np.ones((), dtype))  # none
    both(function, a, np.zeros(100, dtype))


@pytest.mark.parametrize("dtype", [d for d in INTEGERS if d.kind == "i"], ids=str)
@pytest.mark.parametrize("function", [np.floor_divide, np.remainder, np.fmod])
def test_the_least_number_by_minus_one(function: Callable[..., Any], dtype: np.dtype[Any]) -> None:
    a = np.full(5, np.iinfo(dtype).min, dtype)
    both(function, a, np.array([1, -1, 2, -1, 3], dtype))
    both(function, a, np.array([1, -1, 0, -1, 3], dtype))
    both(function, a + np.ones((), dtype), np.full(5, -1, dtype))


def test_python_numbers_as_divisors() -> None:
    a = np.arange(10)
    both(lambda x: x // 0, a)
    both(lambda x: x % 0, a)
    both(lambda x: x // 3, a)
    both(lambda x: 7 // x, a)
    both(lambda x: 7 // (x + 1), a)
    both(lambda x: x // 0, np.arange(0))


def test_integer_reciprocal() -> None:
    with np.errstate(invalid="ignore", divide="ignore"):
        expected = np.reciprocal(np.array([1, 2, 0, -1]))
    x = la.asarray(np.array([1, 2, 0, -1]))
    value, warned = caught(lambda: la.evaluate(np.reciprocal(x)))
    np.testing.assert_array_equal(value, expected)
    assert warned == [
        "divide by zero encountered in reciprocal",
        "invalid value encountered in reciprocal",
    ]


@pytest.mark.parametrize("limit", [0, 4096])
def test_warnings_of_numpys_python_code_name_the_line_of_the_call(limit: int) -> None:
    x = np.full((3, 5), np.nan)
    for call in (
        lambda m, x: m.nanmedian(x, axis=1),
        lambda m, x: m.polyfit(m.asarray(np.ones(5)), m.asarray(np.ones(5)), 3),
        lambda m, x: m.histogram(x > 0)[0],
        lambda m, x: m.loadtxt(io.StringIO("")),
    ):
        for module in np, la:
            with la.config(immediate=limit), warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                np.asarray(call(module, module.asarray(x)))
            lines = {(warning.filename, warning.lineno) for warning in seen}
            assert lines == {(__file__, call.__code__.co_firstlineno)}


@pytest.mark.parametrize("dtype", ["i4", "u1", "f4", "f8"])
@pytest.mark.parametrize("size", [5, 50_000])
def test_divmod_warns_once_of_each_fault_by_its_own_name(dtype: str, size: int) -> None:
    x = np.arange(size).astype(dtype)
    lazy, zero = la.asarray(x), la.zeros(size, dtype)
    _, expected = caught(lambda: np.divmod(x, np.zeros_like(x)))
    for divided in (divmod, np.divmod, la.divmod):
        for limit in 0, 4096:
            with la.config(immediate=limit), warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always")
                la.evaluate(*divided(lazy, zero))
            assert sorted(str(w.message) for w in warned) == expected


@pytest.mark.parametrize(
    "build",
    [
        lambda x, y: x // y,
        lambda x, y: (x // y).sum(),
        lambda x, y: (x // y).sum(axis=0),
        lambda x, y: (x // y).sum(axis=1),
        lambda x, y: (x // y).max(axis=1)[:, None] + x,
        lambda x, y: np.sqrt(np.abs(x // y)),
        lambda x, y: np.concatenate([x // y, x]),
        lambda x, y: (x // y).argmax(),
        lambda x, y: (x // y)[1:, ::2],
        lambda x, y: x.sum(axis=0) // y[0],
        lambda x, y: x.sum() // y,
        lambda x, y: x[:3, :3] @ (x // y)[:3],
    ],
)
@pytest.mark.parametrize("shape", [(20, 30), (300, 300), (3, 50_000)])
def test_every_loop_template_notices_one_zero(
    build: Callable[..., Any], shape: tuple[int, int]
) -> None:
    a = np.arange(1, 1 + shape[0] * shape[1]).reshape(shape)
    zero = np.ones(shape, int)
    zero[0, -1] = zero[-1, -2] = 0
    x, y = la.asarray(a), la.asarray(zero)
    _, warned = caught(lambda: la.evaluate(build(x, y)))
    assert warned == ["divide by zero encountered in floor_divide"]
    _, warned = caught(lambda: la.evaluate(build(x, la.asarray(zero + 1))))
    assert warned == []


def test_one_warning_an_evaluation_at_the_users_line() -> None:
    x = la.asarray(np.arange(200_000))
    expression = x // (x % 7)
    for _ in range(2):
        with warnings.catch_warnings(record=True) as result:
            warnings.simplefilter("always")
            la.evaluate(expression, expression + 1)
        assert [str(w.message) for w in result] == ["divide by zero encountered in floor_divide"]
        assert result[0].filename == __file__
        source = inspect.getsource(test_one_warning_an_evaluation_at_the_users_line)
        first = test_one_warning_an_evaluation_at_the_users_line.__code__.co_firstlineno
        assert "x // (x % 7)" in source.splitlines()[result[0].lineno - first]


def test_implicit_evaluation_warns_at_the_users_line_too() -> None:
    x = la.asarray(np.arange(5))
    with pytest.warns(RuntimeWarning, match="floor_divide") as result:
        float((x // x).sum())
    assert result[0].filename == __file__


@pytest.mark.lazy
def test_errstate_decides_when_it_is_evaluated() -> None:
    x = la.asarray(np.arange(5))
    y = 1 // x
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(la.evaluate(y), [0, 1, 0, 0, 0])
    with np.errstate(divide="raise"):
        with pytest.raises(FloatingPointError, match="divide by zero encountered in floor_div"):
            la.evaluate(y)
    with np.errstate(all="ignore", divide="warn"), pytest.warns(RuntimeWarning):
        la.evaluate(y)
    with np.errstate(all="raise", divide="ignore"):
        la.evaluate(y)


@pytest.mark.lazy
def test_errstate_calls_prints_and_logs(capfd: pytest.CaptureFixture[str]) -> None:
    y = 1 // la.asarray(np.arange(5))
    called: list[tuple[str, int]] = []
    with np.errstate(divide="call", call=lambda kind, flag: called.append((kind, flag))):
        la.evaluate(y)
    assert called == [("divide by zero", 1)]

    class Log:
        lines: list[str] = []  # noqa: RUF012 - one test, one list

        def write(self, line: str) -> None:
            self.lines.append(line)

    with np.errstate(divide="log", call=Log()):
        la.evaluate(y)
    assert len(Log.lines) == 1 and "divide by zero" in Log.lines[0]
    with np.errstate(divide="print"):
        la.evaluate(y)
    assert "divide by zero" in capfd.readouterr().err


def test_raising_leaves_nothing_behind() -> None:
    from lazyarr.runtime.host_memory_pool import pool

    x = la.asarray(np.arange(200_000))
    y = x // (x % 7)
    before = pool.info().in_use
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        la.evaluate(y)
    assert pool.info().in_use == before


@pytest.mark.lazy
def test_where_and_dead_code() -> None:
    a = np.arange(5)
    x = la.asarray(a)
    # NumPy divides before where() chooses, and so does a kernel.
    both(lambda v: np.where(v > 0, 10 // v, 0), a)
    unused = x // 0
    assert caught(lambda: la.evaluate(x + 1))[1] == []
    del unused


@pytest.mark.lazy
def test_only_kernels_that_divide_integers_carry_the_check() -> None:
    x = la.asarray(np.arange(1.0, 9.0))
    for expression in (x // 2.0, x / 0.0, x % 3.0, np.exp(x), x.sum()):
        assert "status" not in "".join(k.source for k in la.explain(expression).kernels)
    n = la.asarray(np.arange(8))
    assert "status" in la.explain(n // 3 + n).kernels[0].source


# ---------------------------------------------------------------- floating point


@pytest.mark.lazy
def test_floating_warnings_name_the_line_of_each_operation() -> None:
    x = la.asarray(np.array([0.0, -1.0, 1e308]))
    first = 1 / x
    second = np.sqrt(x)
    third = x * 10
    for _ in range(2):
        with warnings.catch_warnings(record=True) as result:
            warnings.simplefilter("always")
            la.evaluate(first, second, third + first)
        lines = inspect.getsource(test_floating_warnings_name_the_line_of_each_operation)
        start = test_floating_warnings_name_the_line_of_each_operation.__code__.co_firstlineno
        named = [(str(w.message), lines.splitlines()[w.lineno - start].strip()) for w in result]
        assert named == [
            ("divide by zero encountered in divide", "first = 1 / x"),
            ("invalid value encountered in sqrt", "second = np.sqrt(x)"),
            ("overflow encountered in multiply", "third = x * 10"),
        ]
        assert {w.filename for w in result} == {__file__}


def test_a_plan_made_elsewhere_names_the_present_line() -> None:
    def here() -> la.LazyArray:
        return np.log(la.asarray(np.zeros(5)))

    def there() -> la.LazyArray:
        return np.log(la.asarray(np.zeros(5)))

    lines = []
    for build in (here, there):
        with pytest.warns(RuntimeWarning, match="divide by zero encountered in log") as result:
            la.evaluate(build())
        lines.append(result[0].lineno - build.__code__.co_firstlineno)
    assert lines == [1, 1]


def test_warnings_are_shown_once_a_line_and_filtered_by_module() -> None:
    x = la.asarray(np.zeros(5))
    with warnings.catch_warnings(record=True) as result:
        warnings.simplefilter("default")
        for _ in range(3):
            la.evaluate(1 / x)
    assert len(result) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module=__name__.replace(".", r"\."))
        la.evaluate(1 / x)


def test_code_without_a_module_warns_too() -> None:
    space: dict[str, Any] = {"np": np, "la": la}
    code = compile("def faulty():\n    return 1 / la.asarray(np.zeros(5))", "<cell 1>", "exec")
    exec(code, space)
    with pytest.warns(RuntimeWarning, match="divide by zero") as result:
        la.evaluate(space["faulty"]())
    assert (result[0].filename, result[0].lineno) == ("<cell 1>", 2)


FAULTS: list[tuple[str, Callable[[Any], Any], str, str, int]] = [
    ("divide", lambda x: 1 / x, "divide by zero", "divide", 1),
    ("over", lambda x: x * 1e308, "overflow", "multiply", 2),
    ("invalid", lambda x: np.sqrt(-1 - x), "invalid value", "sqrt", 8),
]


@pytest.mark.lazy
@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f[0])
@pytest.mark.parametrize("backend", ["llvm", "numba"])
def test_errstate_decides_about_floats(
    fault: tuple[str, Callable[[Any], Any], str, str, int],
    backend: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    kind, function, what, name, bit = fault
    text = f"{what} encountered in {name}"
    y = function(la.asarray(np.arange(5.0)))
    modes: dict[str, Any]
    with la.config(backend=backend):
        with np.errstate(all="raise", **{kind: "ignore"}):  # type: ignore[arg-type]
            la.evaluate(y)
        with np.errstate(all="ignore"):
            la.evaluate(y)
        with np.errstate(all="ignore", **{kind: "warn"}):  # type: ignore[arg-type]
            assert caught(lambda: la.evaluate(y))[1] == [text]
        with np.errstate(all="warn", **{kind: "raise"}):  # type: ignore[arg-type]
            with pytest.raises(FloatingPointError, match=text) as error:
                la.evaluate(y)
        assert "test_warnings.py" in str(getattr(error.value, "__notes__", ""))
        called: list[tuple[str, int]] = []
        modes = {kind: "call", "call": lambda *arguments: called.append(arguments)}
        with np.errstate(**modes):
            la.evaluate(y)
        assert called == [(what, bit)]

        class Log:
            lines: list[str] = []  # noqa: RUF012 - one test, one list

            def write(self, line: str) -> None:
                self.lines.append(line)

        modes = {kind: "log", "call": Log()}
        with np.errstate(**modes):
            la.evaluate(y)
        assert [f"Warning: {text}\n"] == Log.lines
        with np.errstate(**{kind: "print"}):  # type: ignore[arg-type]
            la.evaluate(y)
        assert capsys.readouterr().err == f"Warning: {text}\n"
        with np.errstate(**{kind: "call"}, call=None):  # type: ignore[arg-type]
            with pytest.raises(NameError, match="python callback specified"):
                la.evaluate(y)


def test_raising_for_floats_leaves_nothing_behind() -> None:
    from lazyarr.runtime.host_memory_pool import pool

    x = la.asarray(np.arange(200_000.0))
    y = np.exp(x).sum(axis=0, keepdims=True) + np.log(x)
    with np.errstate(all="ignore"):
        la.evaluate(y)
    before = pool.info().in_use
    with np.errstate(divide="raise", over="ignore"), pytest.raises(FloatingPointError):
        la.evaluate(y)
    assert pool.info().in_use == before
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning):
            la.evaluate(y)
    assert pool.info().in_use == before


def test_results_are_the_same_bits_with_and_without_a_check() -> None:
    a = np.random.default_rng(0).standard_normal((300, 400))
    a[3, 5] = 0
    x = la.asarray(a)
    y = (1 / x).sum(axis=1), np.log(x * x).sum(axis=0), np.sqrt(x).sum()
    with np.errstate(all="ignore"):
        silent = la.evaluate(*y)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        checked = la.evaluate(*y)
    for left, right in zip(silent, checked, strict=True):
        np.testing.assert_array_equal(left, right)


def test_out_may_overwrite_what_was_read() -> None:
    for target in (slice(None), slice(None, None, -1)):
        a = np.array([1.0, 0.0, 4.0, 2.0])
        x = la.asarray(a)
        _, warned = caught(lambda: la.evaluate(np.sqrt(x) / x, out=a[target]))  # noqa: B023
        assert warned == ["invalid value encountered in divide"]
        with np.errstate(invalid="ignore"):
            expected = np.sqrt([1.0, 0.0, 4.0, 2.0]) / [1.0, 0.0, 4.0, 2.0]
        np.testing.assert_array_equal(a[target], expected)


def test_intermediates_that_were_overwritten() -> None:
    # The kernel after the product writes where its input was.
    w, v = np.full((30, 30), 10.0), np.full((30, 30), -10.0)
    x, y = la.asarray(w), la.asarray(v)
    _, warned = caught(lambda: la.evaluate(1 / (1 + np.exp(-(x @ y)))))
    assert warned == ["overflow encountered in exp"]
    rows = la.asarray(np.vstack([np.ones((40, 300)), np.zeros((1, 300))]))
    _, warned = caught(lambda: la.evaluate(np.sort(rows, axis=0) / rows.sum(axis=0) / rows))
    assert warned == ["divide by zero encountered in divide"] or warned == [
        "divide by zero encountered in divide",
        "invalid value encountered in divide",
    ]


def test_library_steps_warn_once() -> None:
    x = la.asarray(np.array([[1e308, 1e308], [1.0, 2.0]]))
    with warnings.catch_warnings(record=True) as result:
        warnings.simplefilter("always")
        la.evaluate(np.log(np.cumsum(x * 0 + 1e308, axis=0) * 0.0))
    texts = [str(w.message) for w in result]
    assert texts.count("overflow encountered in accumulate") <= 1
    assert len(set(texts)) == len(texts)


@pytest.mark.lazy
def test_eight_callers_each_with_an_errstate_of_its_own() -> None:
    rounds = 40
    expression = [np.log(la.asarray(np.arange(float(k), k + 3000))) for k in range(8)]
    wrong: list[object] = []
    barrier = threading.Barrier(8)

    def call(k: int) -> None:
        count: list[object] = []
        mode: Any = ("raise", "call", "ignore", "call")[k % 4]
        barrier.wait()
        with np.errstate(divide=mode, call=lambda *arguments: count.append(arguments)):
            for _ in range(rounds):
                # Only the first caller's logarithm has a pole.
                try:
                    la.evaluate(expression[k if k != 4 else 0])
                except FloatingPointError as error:
                    count.append(error)
        expected = rounds if k in (0, 4) else 0
        if len(count) != expected:
            wrong.append((k, len(count), expected))

    callers = [threading.Thread(target=call, args=(k,)) for k in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_the_flags_of_the_caller_stay_set() -> None:
    x = la.asarray(np.arange(1.0, 100.0))
    with np.errstate(all="raise"):
        la.evaluate(np.exp(x) / x)
        # NumPy clears the flags itself; what a kernel left would be its warning.
        np.add(np.ones(3), 1.0)


@pytest.mark.parametrize("backend", ["llvm", "numba"])
def test_flags_by_the_c_library(monkeypatch: pytest.MonkeyPatch, backend: str) -> None:
    """Where no register is known, ``fenv.h`` reports the same."""
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Index, Kernel, Pointer
    from lazyarr.runtime.cpu import fp_flags, llvm_definitions, llvm_fp_flags
    from tests.support.compiled import BEGIN, END, Compiled

    monkeypatch.setattr(llvm_fp_flags, "_has_register", lambda: False)
    # What is written without a register is written anew afterwards, too.
    monkeypatch.setattr(llvm_definitions, "_definition", llvm_definitions._definition.__wrapped__)
    double = np.dtype(np.float64)
    b = Builder()
    operand, built = Pointer("given", double), Pointer("made", double, True)
    report = Pointer("flags", np.dtype(np.int32), True)
    with b.loop("i", BEGIN, END) as i:
        place = Index(0, ((1, i),))
        b.store(built, place, b.call("divide", b.literal(1.0, double), b.load(operand, place)))
    run = Compiled(Kernel("test", (operand, built, report), b.finish(), flags=report), backend)
    for value, expected in (
        (2.0, 0),
        (0.0, fp_flags.bits()["divide"]),
        (1e-310, fp_flags.bits()["over"]),
    ):
        array, seen = np.full(9, 3.0), np.zeros(1, np.int32)
        array[5] = value
        run(0, 9, array, np.empty(9), seen)
        assert seen[0] == expected


def test_only_kernels_that_may_fault_watch_the_flags() -> None:
    x = la.asarray(np.arange(1.0, 9.0))
    for expression in (x > 2, np.maximum(x, 3.0), -x, np.floor(x), np.where(x > 1, x, 0.0)):
        assert "watch" not in la.explain(expression).kernels[0].source
    assert "watch" in la.explain(x / 3.0).kernels[0].source
    assert "status" not in la.explain(np.where(x > 1, x, 0.0)).kernels[0].source
    assert "status" in la.explain(np.where(x > 1, 1 / x, 0.0)).kernels[0].source
