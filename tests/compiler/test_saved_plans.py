"""Plans on disk: what a process finds there gives what it would have compiled."""

from __future__ import annotations

import os
import tomllib
import tracemalloc
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.autotuning import records, tuning
from lazyarr.autotuning.records import Record
from lazyarr.autotuning.tuning import Policy
from lazyarr.compiler import compilation, pipeline, saved_plans
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.execution.cpu.saved_plan import SavedPlan
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.disk_cache import Entry, open_cache
from tests.support.comparison import bits

pytestmark = [pytest.mark.host, pytest.mark.lazy]

X = np.linspace(-2.0, 3.0, 6_000).reshape(60, 100)


def same_bits(result: Any, other: Any) -> bool:
    """Return whether two arrays are the same in shape, dtype and bits."""
    a, b = np.asarray(result), np.asarray(other)
    return (a.shape, a.dtype, bits(a)) == (b.shape, b.dtype, bits(b))


class Builds(list[int]):
    """Counts the plans that are compiled."""

    def begin_process(self) -> None:
        """Forget plans, loaded kernels and records, as for a new process."""
        self.clear()
        forget_plans()
        compiler.forget()
        records.forget()
        saved_plans._surroundings.cache_clear()


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Builds]:
    counted = Builds()
    build = pipeline._build

    def counting(*arguments: Any) -> Any:
        counted.append(1)
        return build(*arguments)

    monkeypatch.setattr(pipeline, "_build", counting)
    monkeypatch.setattr(pipeline, "CHECK", False)
    monkeypatch.setattr(compilation, "CHECK", False)
    with la.config(cache_dir=str(tmp_path), immediate=0):
        counted.begin_process()
        yield counted
    forget_plans()


def plans_in(folder: Path) -> list[Path]:
    return sorted((folder / "plans").glob("*.kernel"))


EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "elementwise": lambda xp, x: xp.sin(x) * 2 + 1,
    "sum": lambda xp, x: (x * x + 1).sum(),
    "rows": lambda xp, x: xp.exp(x - x.max(axis=1, keepdims=True)),
    "columns": lambda xp, x: x.mean(axis=0),
    "scan": lambda xp, x: xp.cumsum(x, axis=1) - 1,
    "view": lambda xp, x: x[1:-1, ::2] + x[:-2, 1::2],
    "one view": lambda xp, x: x[7, 3:] * 2,
    "joined": lambda xp, x: xp.concatenate([x[:5] * 2, x[9:11] + 1]),
    "generated": lambda xp, x: x + xp.arange(100.0),
    "truth": lambda xp, x: (x > 0.5) & (x < 1),
    "integers": lambda xp, x: x.astype(np.int32) // 3,
    "complex": lambda xp, x: (x + 1j) * (x - 2j),
    "half": lambda xp, x: x.astype(np.float16) + np.float16(1.5),
    "product": lambda xp, x: xp.matmul(x, x.T + 1) * 2,
    "stack of products": lambda xp, x: xp.matmul(x.reshape(6, 10, 100), x[:100].T + 1),
    "transposed": lambda xp, x: x.T + x.T.sum(axis=0),
}


@pytest.mark.parametrize("case", EXPRESSIONS)
def test_a_plan_of_an_earlier_process_gives_the_same(case: str, builds: Builds) -> None:
    function = EXPRESSIONS[case]
    expected = la.evaluate(function(la, la.asarray(X)))
    assert builds == [1]
    builds.begin_process()
    result = la.evaluate(function(la, la.asarray(X)))
    assert not builds
    assert same_bits(result, expected)
    assert np.allclose(result, function(np, X))


def test_numbers_are_those_of_the_evaluation(builds: Builds) -> None:
    for factor in (3.0, 7.0):
        builds.begin_process()
        result = la.evaluate(la.asarray(X) * factor - factor)
        assert np.array_equal(result, X * factor - factor)
    assert not builds


def test_several_results_have_their_places(builds: Builds) -> None:
    def function(xp: Any, x: Any) -> Any:
        y = xp.cos(x)
        return y.sum(axis=1), y * 2, x + 1

    expected = la.evaluate(*function(la, la.asarray(X)))
    builds.begin_process()
    results = la.evaluate(*function(la, la.asarray(X)))
    assert not builds
    for result, other in zip(results, expected, strict=True):
        assert same_bits(result, other)


UNARY = ("sin", "exp", "sqrt", "negative", "floor", "square")
BINARY = ("add", "multiply", "subtract", "maximum", "hypot")
REDUCTIONS = ("sum", "max", "any", "mean", "argmin")


@st.composite
def expressions(draw: st.DrawFn) -> Callable[[Any, Any], Any]:
    """Draw a function from a namespace and an array to an expression."""
    steps = draw(st.lists(st.sampled_from((*UNARY, *BINARY)), min_size=1, max_size=6))
    ends = draw(st.lists(st.sampled_from(REDUCTIONS), max_size=1))
    axis = draw(st.sampled_from((None, 0, 1)))

    def function(xp: Any, x: Any) -> Any:
        value = x
        for step in steps:
            own = getattr(xp, step)
            value = own(value) if step in UNARY else own(value, x)
        for end in ends:
            value = getattr(xp, end)(value, axis=axis)
        return value

    return function


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(function=expressions())
def test_random_expressions_are_the_same(
    function: Callable[[Any, Any], Any], builds: Builds
) -> None:
    with np.errstate(all="ignore"):
        builds.begin_process()
        expected = la.evaluate(function(la, la.asarray(X)))
        builds.begin_process()
        result = la.evaluate(function(la, la.asarray(X)))
    assert not builds
    assert same_bits(result, expected)


def test_warnings_are_those_of_the_compiled_plan(builds: Builds) -> None:
    def evaluated(array: Any) -> list[Any]:
        x = la.asarray(array)
        return la.evaluate(1.0 / x, la.log(x))

    def warned() -> list[tuple[str, int]]:
        with warnings.catch_warnings(record=True) as record:
            warnings.simplefilter("always")
            evaluated(X - X)
        return [(str(one.message), one.lineno) for one in record]

    expected = warned()
    assert len(expected) == 2
    builds.begin_process()
    assert warned() == expected
    assert builds == [1]
    builds.begin_process()
    assert np.array_equal(evaluated(X + 9.0)[0], 1.0 / (X + 9.0))
    assert not builds
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        evaluated(X - X)


def test_an_index_out_of_bounds_is_an_error(builds: Builds) -> None:
    places = np.arange(60)
    expected = la.evaluate(la.asarray(X)[la.asarray(places)] + 1)
    builds.begin_process()
    assert same_bits(la.evaluate(la.asarray(X)[la.asarray(places)] + 1), expected)
    assert not builds
    with pytest.raises(IndexError, match="index 63 is out of bounds for axis 0 with size 60"):
        la.evaluate(la.asarray(X)[la.asarray(places + 4)] + 1)


def test_the_same_expression_is_evaluated_again_and_warns_again(builds: Builds) -> None:
    leaf = np.ones_like(X)
    la.evaluate(1.0 / la.asarray(leaf))
    builds.begin_process()
    value = 1.0 / la.asarray(leaf)
    for _ in range(4):
        la.evaluate(value)
    assert not builds
    leaf[3, 4] = 0.0
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        assert np.isinf(la.evaluate(value)[3, 4])


def test_results_go_to_arrays_of_the_caller(builds: Builds) -> None:
    la.evaluate(la.asarray(X) * 2)
    for out in (np.empty_like(X), np.empty((100, 60)).T, np.empty((60, 200))[:, ::2]):
        builds.begin_process()
        la.multiply(la.asarray(X), 2, out=out)
        assert np.array_equal(out, X * 2)


def test_values_are_stored_for_later_evaluations(builds: Builds) -> None:
    def run() -> list[float]:
        x = la.asarray(X.copy())
        seen = []
        for _ in range(4):
            x = la.cos(x)
            seen.append(float(la.evaluate(x.sum())))
        return seen

    expected = run()
    builds.begin_process()
    assert run() == expected
    assert not builds


def test_a_profiled_run_is_compiled(builds: Builds) -> None:
    la.evaluate(la.asarray(X) * 2 + 1)
    builds.begin_process()
    with la.profile() as profile:
        la.evaluate(la.asarray(X) * 2 + 1)
    assert builds
    assert profile.runs
    builds.begin_process()
    value = la.asarray(X) * 2 + 1
    la.evaluate(value)
    with la.profile() as profile:
        la.evaluate(value)
    assert profile.runs


def test_explain_needs_no_plan(builds: Builds) -> None:
    la.evaluate(la.asarray(X) * 2 + 1)
    builds.begin_process()
    la.evaluate(la.asarray(X) * 2 + 1)
    assert "1 kernel" in str(la.explain(la.asarray(X) * 2 + 1))


@pytest.mark.parametrize(
    "other",
    [{"optimize": False}, {"threads": 2}, {"numerics": "fast"}, {"backend": "numba"}],
    ids=str,
)
def test_other_settings_have_other_plans(other: Any, builds: Builds) -> None:
    with la.config(optimize=True, threads=1):
        la.evaluate(la.asarray(X) * 3 - 1)
    builds.begin_process()
    with la.config(**{"optimize": True, "threads": 1, **other}):
        la.evaluate(la.asarray(X) * 3 - 1)
    assert builds == [1]


@pytest.mark.parametrize("part", ["stamp", "variable", "numpy", "processor", "python"])
def test_other_surroundings_have_other_plans(
    part: str, builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    la.evaluate(la.asarray(X) * 3 - 1)
    match part:
        case "stamp":
            monkeypatch.setattr(saved_plans, "source_stamp", lambda *names: "other")
        case "variable":
            monkeypatch.setenv("LAZYARR_SKIP_PASSES", "dead_code")
        case "numpy":
            monkeypatch.setattr(np, "__version__", "0.0.1")
        case "processor":
            monkeypatch.setattr(saved_plans, "describe_machine", lambda language: ("z80",))
        case "python":
            monkeypatch.setattr("sys.version", "1.0")
    builds.begin_process()
    la.evaluate(la.asarray(X) * 3 - 1)
    assert builds == [1]
    monkeypatch.undo()


def test_variables_of_the_environment_need_not_be_utf8(
    builds: Builds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAZYARR_NOTE", os.fsdecode(b"\xff"))
    builds.begin_process()
    np.testing.assert_array_equal(la.evaluate(la.asarray(X) * 3 - 1), X * 3 - 1)
    assert builds == [1]


def test_another_blas_has_other_plans(builds: Builds, monkeypatch: pytest.MonkeyPatch) -> None:
    la.evaluate(la.asarray(X) @ la.asarray(X.T.copy()))
    monkeypatch.setattr(saved_plans, "describe_libraries", lambda: ("another",))
    builds.begin_process()
    la.evaluate(la.asarray(X) @ la.asarray(X.T.copy()))
    assert builds == [1]
    la.evaluate(la.asarray(X) * 5 - 1)
    monkeypatch.undo()


def test_an_overflow_of_a_product_is_named(builds: Builds) -> None:
    for _ in range(2):
        builds.begin_process()
        with pytest.warns(RuntimeWarning, match="overflow encountered in matmul"):
            la.evaluate(la.asarray(X * 1e200) @ la.asarray(X.T * 1e200))


def test_without_sources_no_plan_is_saved(
    builds: Builds, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(saved_plans, "source_stamp", lambda *names: "")
    la.evaluate(la.asarray(X) * 3 - 1)
    assert not plans_in(tmp_path)


def test_a_damaged_entry_is_none(builds: Builds, tmp_path: Path) -> None:
    expected = la.evaluate(la.asarray(X) * 3 - 1)
    (path,) = plans_in(tmp_path)
    content = path.read_bytes()
    for damaged in (b"", content[:50], content[:-1], content.replace(b"plan", b"plam", 1)):
        path.write_bytes(damaged)
        builds.begin_process()
        assert same_bits(la.evaluate(la.asarray(X) * 3 - 1), expected)
        assert builds == [1]


def check_no_plan(content: bytes, builds: Builds, folder: Path) -> None:
    """Store an entry in the place of a plan, and check that the plan is built again."""
    expected = la.evaluate(la.asarray(X) * 3 - 1)
    (path,) = plans_in(folder)
    disk = open_cache(str(folder), "plans")
    assert disk is not None
    disk.store(path.stem, Entry("plan", content))
    builds.begin_process()
    tracemalloc.start()
    try:
        assert same_bits(la.evaluate(la.asarray(X) * 3 - 1), expected)
        assert tracemalloc.get_traced_memory()[1] < 1 << 26
    finally:
        tracemalloc.stop()
    assert builds == [1]


# The fourth one is a tuple of 673,720,360 elements for `marshal`.
@pytest.mark.parametrize("content", [b"", b"text", b"\xe9\x01\x00\x00\x00", b"(" * 9, b")\x00"])
def test_an_entry_of_another_format_is_none(content: bytes, builds: Builds, tmp_path: Path) -> None:
    check_no_plan(content, builds, tmp_path)


@pytest.mark.parametrize("content", [b"", b"text", b"\xe9\x01\x00\x00\x00", b")\x00"])
def test_an_entry_of_other_values_is_none(content: bytes, builds: Builds, tmp_path: Path) -> None:
    check_no_plan(saved_plans._HEAD + content, builds, tmp_path)


def test_a_plan_whose_kernel_is_gone_is_compiled(builds: Builds, tmp_path: Path) -> None:
    expected = la.evaluate(la.asarray(X) * 3 - 1)
    for path in (tmp_path / "kernels").glob("*"):
        path.unlink()
    builds.begin_process()
    assert same_bits(la.evaluate(la.asarray(X) * 3 - 1), expected)
    assert builds == [1]


def test_functions_of_a_process_are_not_saved(builds: Builds, tmp_path: Path) -> None:
    double = la.vectorize(lambda x: x * 2)
    la.evaluate(double(la.asarray(X)) + 1)
    assert not plans_in(tmp_path)


def test_libraries_are_not_saved(builds: Builds, tmp_path: Path) -> None:
    la.evaluate(la.sort(la.asarray(X), axis=1) + 1)
    assert not plans_in(tmp_path)


def test_clear_removes_plans(builds: Builds, tmp_path: Path) -> None:
    la.evaluate(la.asarray(X) * 3 - 1)
    assert plans_in(tmp_path)
    la.cache.clear()
    assert not plans_in(tmp_path)


def test_what_tuning_has_measured_since_counts(builds: Builds, tmp_path: Path) -> None:
    x = np.linspace(0.0, 1.0, 1 << 17)
    with la.config(tune=True, optimize=True):
        expected = la.evaluate(la.sin(la.asarray(x)) + 1)
        builds.begin_process()
        la.evaluate(la.sin(la.asarray(x)) + 1)
        assert not builds
        (path,) = plans_in(tmp_path)
        folder = open_cache(str(tmp_path), "plans")
        assert folder is not None
        entry = folder.load(path.stem)
        assert entry is not None
        ((key, choice),) = saved_plans._values(entry.object_code)[1]
        assert choice is None
        records.store(str(tmp_path), key, Record("", {"": 1.0}))
        builds.begin_process()
        assert same_bits(la.evaluate(la.sin(la.asarray(x)) + 1), expected)
        assert builds == [1]


def test_a_hot_plan_is_tuned(builds: Builds, monkeypatch: pytest.MonkeyPatch) -> None:
    policy = Policy(hot_seconds=0.0, copy_share=float("inf"), beforehand=False)
    monkeypatch.setattr(tuning, "BY_DEFAULT", policy)
    monkeypatch.setattr(tuning, "_current", policy)
    jobs: list[object] = []
    monkeypatch.setattr("lazyarr.autotuning.worker.WORKER.submit", jobs.append)
    x = np.linspace(0.0, 1.0, 1 << 17)
    with la.config(tune=True, optimize=True):
        expected = la.evaluate(la.sin(la.asarray(x)) + 1)
        jobs.clear()
        builds.begin_process()
        assert same_bits(la.evaluate(la.sin(la.asarray(x)) + 1), expected)
    assert builds == [1]
    assert len(jobs) == 1


def test_a_plan_is_plain_numbers(builds: Builds) -> None:
    value = la.asarray(X)[1:] * 3 - 1
    la.evaluate(value)
    executor: Any = pipeline.prepare((value._node,), la.get_config())[0]
    saved = SavedPlan.of(executor)
    assert saved is not None
    content = saved.to_bytes()
    assert content is not None
    assert SavedPlan.from_bytes(content) == saved


def test_the_stamp_is_that_of_all_that_the_compiler_may_import() -> None:
    root = Path(la.__file__).parents[1]
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = contracts["contracts"][0]["layers"]
    below = layers[layers.index("compiler") :]
    names = {name.strip() for layer in below for name in layer.split("|")}
    assert {name.removesuffix(".py") for name in saved_plans.PACKAGES} == names
