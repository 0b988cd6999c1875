"""The compiled form of small arrays gives what Python's form gives, and goes where it may not."""

from __future__ import annotations

import gc
import inspect
import os
import pickle
import runpy
import shutil
import subprocess
import sys
import warnings
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.arrays import fields
from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core.hashing import sources_digest

needs_compiled = pytest.mark.skipif(fields.COMPILED is None, reason=fields.FORM)
pytestmark = pytest.mark.host


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


#: Programs of two arrays and a number: each result is compared with NumPy's.
OPERATIONS = {
    "operators": lambda xp, a, b: (a + b, a - 1, 2.0 * a, 1 / (b + 3), a // 2, a % 3, a**2, -a, +a),
    "comparisons": lambda xp, a, b: (a < b, a <= b, a == b, a != b, a > 1, a <= 1, ~(a > b)),
    "bits": lambda xp, a, b: ((a > 0) & (b > 0), (a > 0) | (b > 0), (a > 0) ^ (b > 0)),
    "items": lambda xp, a, b: (a[1], a[-1], a[1:], a[::-2], a[None, :], a[..., 0], a[[0, 1]]),
    "keys": lambda xp, a, b: (a[a > 0], a[xp.array([0, 1])], a[xp.array([1, 0, 1])[1]]),
    "numbers": lambda xp, a, b: (a[0] * 2 + b[1], abs(a[0]), -a[0], a[0] < b[0], a[0] ** 2),
    "reductions": lambda xp, a, b: (a.sum(), a.max(), a.mean(), b.min(axis=0), (a > 0).any()),
    "kept axes": lambda xp, a, b: (a.sum(axis=0, keepdims=True), a.mean(-1), b.prod(0)),
    "methods": lambda xp, a, b: (a.std(), a.argmax(), a.cumsum(), a.round(1), a.copy(), a.T),
    "shapes": lambda xp, a, b: (a.reshape(1, -1), a.reshape((-1, 1)).T, a.ravel(), a.nonzero()),
    "functions": lambda xp, a, b: (xp.sum(a), xp.mean(a), xp.where(a > 0, a, b), xp.dot(a, b)),
    "joined": lambda xp, a, b: (xp.concatenate([a, b]), xp.stack((a, b), axis=1), a @ b),
    "ufuncs": lambda xp, a, b: (xp.sin(a), xp.maximum(a, b), xp.abs(a), xp.arctan2(a, 1.0)),
    "made": lambda xp, a, b: (xp.zeros(3), xp.ones((2, 2)), xp.full(2, 7), xp.arange(3), xp.eye(2)),
    "alike": lambda xp, a, b: (xp.zeros_like(a), xp.array(a), xp.outer(a, b), xp.clip(a, 0, 1)),
}


def _compare(result: Any, expected: Any) -> None:
    for one, other in zip(result, expected, strict=True):
        if isinstance(other, tuple):
            _compare(one, other)
            continue
        assert isinstance(one, LazyArray)
        value = np.asarray(one)
        assert value.dtype == np.asarray(other).dtype
        np.testing.assert_array_equal(value, other, strict=True)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", ["f8", "f4", "i8"])
def test_results_are_numpys(name: str, dtype: str) -> None:
    a, b = np.arange(5).astype(dtype) - 2, np.arange(5).astype(dtype)[::-1].copy()
    expected = OPERATIONS[name](np, a, b)
    x, y = la.asarray(a), la.asarray(b)
    _compare(OPERATIONS[name](la, x, y), expected)
    _compare(OPERATIONS[name](la, x + 0, y + 0), expected)


@pytest.mark.parametrize("name", OPERATIONS)
def test_the_graph_behind_a_result_gives_the_result(name: str) -> None:
    a, b = la.asarray(np.arange(5.0)) - 2, la.asarray(np.arange(5.0))[::-1] + 0
    for result in OPERATIONS[name](la, a, b):
        if isinstance(result, LazyArray):
            text = str(la.explain(result))
            assert text
            assert type(result._history) in (tuple, type(None))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_writes_are_numpys(data: st.DataObject) -> None:
    expected = np.arange(6.0).reshape(2, 3)
    array = la.asarray(expected.copy()) + 0
    views, shown = [expected], [array]
    for _ in range(data.draw(st.integers(1, 6))):
        k = data.draw(st.integers(0, len(views) - 1))
        mine, theirs = shown[k], views[k]
        match data.draw(st.sampled_from(["set", "add", "multiply", "view", "whole"])):
            case "set" if theirs.ndim and len(theirs):
                i = data.draw(st.integers(0, len(theirs) - 1))
                value = data.draw(st.sampled_from([7, 2.5, True]))
                theirs[i] = value
                mine[i] = value
            case "add":
                theirs += 1.5
                mine += 1.5
            case "multiply":
                theirs *= theirs
                mine *= mine
            case "whole":
                theirs[...] = theirs[..., ::-1] * 2
                mine[...] = mine[..., ::-1] * 2
            case "view" if theirs.ndim and len(theirs):
                key = data.draw(st.sampled_from([slice(1, None), slice(None, None, -1), None, 0]))
                if theirs.ndim == 1 and key == 0:
                    continue
                views.append(theirs[key])
                shown.append(mine[key])
        for one, other in zip(shown, views, strict=True):
            np.testing.assert_array_equal(np.asarray(one), other)


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        (lambda x: x / 0.0, "divide by zero encountered in divide"),
        (lambda x: la.log(x), "divide by zero encountered in log"),
        (lambda x: np.sqrt(x - 1), "invalid value encountered in sqrt"),
        (lambda x: x[1] / x[0], "divide by zero encountered in scalar divide"),
        (lambda x: divmod(x[1], x[0]), "divide by zero encountered in scalar divmod"),
        (lambda x: divmod(1.5, x[0]), "divide by zero encountered in scalar divmod"),
        (lambda x: divmod(x, 0.0), "divide by zero encountered in divmod"),
        (lambda x: (x * 1e308 * 10).sum(), "overflow encountered in multiply"),
        (lambda x: x.__itruediv__(0.0), "divide by zero encountered in divide"),
    ],
)
def test_warnings_name_the_users_line(operation: Any, text: str) -> None:
    x = la.asarray(np.arange(3.0)) + 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        line = inspect.getsourcelines(operation)[1]
        operation(x)
    assert any(text in str(one.message) for one in caught)
    assert {one.filename for one in caught} == {__file__}
    assert {one.lineno for one in caught} == {line}


def test_the_error_state_applies() -> None:
    x = la.asarray(np.arange(3.0)) + 0
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError, match="divide by zero"):
        x / 0.0
    with np.errstate(all="ignore"):
        assert np.isinf(float((x / 0.0)[1]))
    met: list[str] = []
    with (
        np.errstate(divide="call", call=lambda kind, flag: met.append(kind)),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore")
        1.0 / x
    assert met == ["divide by zero"]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda x: x + la.zeros(4),
        lambda x: x[7],
        lambda x: x["a"],
        lambda x: x @ la.zeros(5),
        lambda x: x.sum(axis=3),
        lambda x: len(x.sum()),
        lambda x: x.reshape(7),
        lambda x: x.__setitem__(9, 1.0),
        lambda x: x.__setitem__(0, 1j),
        lambda x: x.__delitem__(0),
        lambda x: x.__iadd__(la.zeros((2, 3))),
    ],
)
def test_errors_are_those_of_expressions(wrong: Any) -> None:
    x = la.asarray(np.arange(3.0)) + 0
    with pytest.raises(Exception) as small:
        wrong(x)
    with la.config(immediate=0), pytest.raises(Exception) as built:
        wrong(la.asarray(np.arange(3.0)))
    assert str(small.value) == str(built.value)
    assert isinstance(small.value, type(built.value))


def test_rows_are_selected_by_a_mask_of_computed_values() -> None:
    rows = np.arange(24_576.0).reshape(8192, 3)
    x = la.asarray(rows)
    chosen = x[(x**2).sum(axis=1) > 1e6]
    np.testing.assert_array_equal(np.asarray(chosen), rows[(rows**2).sum(axis=1) > 1e6])


def test_settings_leave_all_to_the_compiler() -> None:
    x = la.asarray(np.arange(3.0)) + 0
    assert (x + 1)._array is not None
    with la.config(immediate=0):
        assert (x + 1)._array is None
    with la.config(immediate=2):  # of cheap operations eight times that
        assert np.sin(x)._array is None
    with la.config(implicit="raise"):
        assert (x * 2)._array is None
    assert (x + 1)._array is not None


def test_arrays_are_collected() -> None:
    x = la.asarray(np.arange(3.0)) + 0
    y = x[1:]
    gone = weakref.ref(x)
    del x, y
    gc.collect()
    assert gone() is None
    number = la.asarray(np.arange(3.0)) + 0
    for _ in range(50_000):  # a chain of histories is forgotten, and freed without recursion
        number = number + 1
    assert number._past <= 1024
    assert float(number[0]) == 50_000


def test_functions_can_be_looked_at() -> None:
    assert "axis" in inspect.signature(la.sum).parameters
    assert la.sum.__name__ == "sum"
    assert la.sum.__doc__.startswith("Return the sum")
    assert pickle.loads(pickle.dumps(la.sum)) is la.sum
    assert pickle.loads(pickle.dumps(la.sin)) is la.sin
    assert "keyword" in str(inspect.signature(LazyArray.sum))
    assert LazyArray.reshape.__doc__.startswith("Return the elements")
    assert LazyArray.shape.__doc__ == "Sizes of the axes."


@needs_compiled
def test_operators_are_compiled() -> None:
    for name in ("__add__", "__getitem__", "__len__", "__array_ufunc__"):
        owner = next(kind for kind in LazyArray.__mro__ if name in vars(kind))
        assert owner is fields.COMPILED.Fields


def test_an_extension_of_other_sources_is_not_used(tmp_path: Any) -> None:
    (tmp_path / "c_source").mkdir()
    source = tmp_path / "c_source" / "a.c"
    source.write_text("int x;")
    first = sources_digest.__wrapped__(str(tmp_path / "module.py"))
    source.write_text("int y;")
    assert sources_digest.__wrapped__(str(tmp_path / "module.py")) != first
    code = (
        "from lazyarr.arrays import _compiled, fields\n"
        "from lazyarr.core.hashing import compiled_form\n"
        "_compiled.SOURCE = 'other'\n"
        "print(compiled_form(lambda: _compiled, fields.__file__)[1])"
    )
    if fields.COMPILED is not None:
        assert "other sources" in _run(code)


def test_a_variable_selects_pythons_form() -> None:
    code = (
        "import lazyarr as la; from lazyarr.arrays import fields\n"
        "x = la.asarray([1.0, 2.0]) + 1; x[0] = 5; print(x.sum().compute(), fields.FORM)"
    )
    assert _run(code, LAZYARR_COMPILED="0") == "8.0 Python (LAZYARR_COMPILED=0)"


def test_functions_of_numbers_alone() -> None:
    code = (
        "import lazyarr as la\n"
        "for a, b in ((-1.0, 2.0), (0, 3), (True, 0.5), (2j, 1)):\n"
        "    for f in (la.log1p, la.sqrt, la.exp): f(a), f(b)\n"
        "    for f in (la.add, la.divide, la.power): f(b, a)\n"
        "print(float(la.log1p(0.0)))"
    )
    assert _run(f"import warnings; warnings.simplefilter('ignore')\n{code}") == "0.0"


def _run(code: str, **variables: str) -> str:
    environment = {k: v for k, v in os.environ.items() if k != "LAZYARR_COMPILED"} | variables
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("axis", [(), (0,), (1,), (-1,)])
def test_sorted_in_place(axis: tuple[int, ...]) -> None:
    values = np.random.default_rng(0).standard_normal((7, 5))
    values[2, 3], values[4, 1], values[0, 0] = np.nan, -0.0, 0.0
    for key in (np.s_[:], np.s_[1:, ::2]):
        x, expected = la.array(values), values.copy()
        y = x + 1.0
        assert x[key].sort(*axis) is None
        expected[key].sort(*axis)
        np.testing.assert_array_equal(x, expected)
        np.testing.assert_array_equal(y, values + 1.0)
    with pytest.raises(np.exceptions.AxisError):
        la.array(values).sort(2)
    frozen = la.array(values)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        frozen.sort()


@needs_compiled
def test_modules_of_other_sources_are_built_again(tmp_path: Path) -> None:
    tool = runpy.run_path(str(Path(la.__file__).parents[1] / "tools" / "build_compiled.py"))
    assert len(tool["built_before"]()) == len(tool["MODULES"])
    (module,) = (module for module in tool["MODULES"] if module.name == "_arrow_releases")
    shutil.copytree(module.parent / "c_source", tmp_path / "c_source")
    for path in module.parent.glob(f"{module.name}.*"):
        shutil.copy(path, tmp_path)
    tool["MODULES"].clear()
    tool["MODULES"][tmp_path / module.name] = "arrow_releases.c"
    assert len(tool["built_before"]()) == 1
    with (tmp_path / "c_source" / "arrow_releases.c").open("a", encoding="utf-8") as file:
        file.write("/* changed */\n")
    assert tool["built_before"]() == []
