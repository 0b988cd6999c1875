"""What goes into arrays of another dtype: by ``out=``, by functions that write, by fills."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core.config import config
from tests.support.differential import agree

pytestmark = pytest.mark.host

F = np.array([[1.5, -2.25, 3.0], [0.5, 8.0, -1.0]])
OUTPUT_DTYPES = ["f4", "f2", "i8", "c16"]

#: Functions of arrays `x` and `s` (square), and the shape of their results.
OUTPUTS = {
    "m.median(x, axis=0, out=o)": (3,),
    "m.nanmedian(x, axis=1, out=o)": (2,),
    "m.std(x, axis=0, out=o)": (3,),
    "m.var(x, axis=0, out=o)": (3,),
    "m.ptp(x, axis=1, out=o)": (2,),
    "m.nanmean(x, axis=0, out=o)": (3,),
    "m.nanstd(x, axis=0, out=o)": (3,),
    "m.take(x, [2, 0, 1, 1], out=o)": (4,),
    "m.compress([True, False, True], x, axis=1, out=o)": (2, 2),
    "m.dot(s, s, out=o)": (2, 2),
    "m.dot(s[0], s[1], out=o)": (),
    "m.dot(s[0], 2.0, out=o)": (2,),
    "m.add.accumulate(x, out=o)": (2, 3),
    "m.add.accumulate(x, out=(o,))": (2, 3),
    "m.add.reduceat(x, [0, 1], axis=1, out=o)": (2, 2),
    "m.add.reduce(x, out=(o,))": (3,),
    "m.add.outer(s[0], s[0], out=(o,))": (2, 2),
}

ONE_TWO_THREE = np.array([1, 2, 3])

#: Functions that write to a vector `x` of three elements.
WRITES = [
    f"{function}"
    for value in ("[1j]", "[1.5]", "[300, -1]", "1j", "2.5", "[]", "[True]")
    for function in (
        f"m.put(x, [0, 2], {value})",
        f"m.put_along_axis(x, m.array([0]), {value}, 0)",
        f"m.place(x, m.array([True, False, True]), {value})",
        f"m.putmask(x, m.array([True, False, True]), {value})",
    )
    # Whether a place needs values depends on the mask.
    if "place" not in function or value != "[]"
] + [
    *(f"x.__setitem__(1, {value})" for value in ("1j", "2.5", "300")),
    "x.fill([1])",
    "x.fill((1, 2))",
    "x.fill(7)",
    "x.__setitem__(m.array([True, False, True]), [[1, 2]])",
    "x.__setitem__(m.array([True, False, True]), [1, 2])",
    "m.copyto(x, 1, where=m.array([1, 0, 1]))",
    "m.copyto(x, 1, where=m.array([True, False, True]))",
    "m.copyto(x, [True], where=[1, 0, 1])",
]

VALUES = [
    "m.full_like(m.zeros(3, 'u1'), m.nan)",
    "m.full_like(m.zeros(3, 'i4'), 1j)",
    "m.full_like(m.zeros(3, 'f4'), 1 + 2j)",
    "m.full_like(m.zeros(3, 'f4'), 1e300)",
    "m.full_like(m.zeros(3, '?'), 2.5)",
]

ORDERS = [
    "m.zeros_like(t, order=None).strides",
    "m.full_like(t, 2, order=None).strides",
    "m.zeros_like(t, order='F').strides",
]


@pytest.fixture(params=[0, 4096], ids=["compiled", "immediate"], autouse=True)
def _limit(request: pytest.FixtureRequest) -> Iterator[None]:
    with config(immediate=request.param):
        yield


def _outcome(call: str, names: dict[str, Any], results: str) -> Any:
    """Return arrays after a call, or "refused"."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            names["r"] = eval(call, names)
        except (TypeError, ValueError, OverflowError):
            return "refused"
        return [np.asarray(names[name]) for name in results]


def _assert_alike(call: str, theirs: Any, mine: Any) -> None:
    if "refused" in (theirs, mine):
        assert mine == theirs
        return
    for expected, value in zip(theirs, mine, strict=True):
        assert (value.dtype, value.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(value, expected, rtol=2e-3 if value.itemsize == 2 else 1e-6)


@pytest.mark.parametrize("dtype", OUTPUT_DTYPES)
@pytest.mark.parametrize("call", OUTPUTS)
def test_outputs(call: str, dtype: str) -> None:
    def outcome(module: Any) -> Any:
        x, s = (module.asarray(array.copy()) for array in (F, F[:, 1:]))
        names = {"m": module, "x": x, "s": s, "o": module.ones(OUTPUTS[call], dtype)}
        return _outcome(call, names, "ro")

    _assert_alike(call, outcome(np), outcome(la))


@pytest.mark.parametrize("target", ["?", "u1", "i8", "f4"])
@pytest.mark.parametrize("source", ["u1", "i8", "f4", "c8"])
@pytest.mark.parametrize(
    "call",
    [
        "m.take(x, [2, 0], out=o)",
        "x.take([2, 0], 0, o, 'clip')",
        "m.compress([1, 0, 1], x, out=o)",
    ],
)
def test_outputs_of_another_kind_are_warned_of_since_numpy_2_5(
    call: str, source: str, target: str
) -> None:
    outcomes = []
    for module in np, la:
        names = {"m": module, "x": module.ones(3, source), "o": module.zeros(2, target)}
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            try:
                value = np.asarray(eval(call, names)).tolist()
            except TypeError:
                value = None
        deprecated = [str(w.message) for w in seen if w.category is DeprecationWarning]
        outcomes.append((value, deprecated))
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("dtype", ["u1", "f4", "?"])
@pytest.mark.parametrize("call", WRITES)
def test_writes(call: str, dtype: str) -> None:
    def outcome(module: Any) -> Any:
        names = {"m": module, "x": module.array(ONE_TWO_THREE, dtype=dtype)}
        return _outcome(call, names, "x")

    _assert_alike(call, outcome(np), outcome(la))


@pytest.mark.parametrize("call", VALUES)
def test_fills(call: str) -> None:
    _assert_alike(call, *(_outcome(call, {"m": module}, "r") for module in (np, la)))


@pytest.mark.parametrize("call", ORDERS)
def test_orders(call: str) -> None:
    theirs, mine = (
        eval(call, {"m": module, "t": module.asarray(F.copy()).T}) for module in (np, la)
    )
    assert mine == theirs


@pytest.mark.parametrize("order", ["x", "", "CF", "K "])
def test_what_is_no_order(order: str) -> None:
    for module in (np, la):
        with pytest.raises(ValueError, match="order must be one of"):
            module.asarray(F).copy(order)


@pytest.mark.parametrize("name", ["nanmax", "nanmin", "nanmean", "nanvar", "nanmedian"])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_nothing_but_nan_warns(name: str, axis: int | None) -> None:
    unknown = np.full((2, 3), np.nan)
    with pytest.warns(RuntimeWarning) as theirs:
        getattr(np, name)(unknown, axis=axis)
    with pytest.warns(RuntimeWarning) as mine:
        np.asarray(getattr(la, name)(la.asarray(unknown), axis=axis))
    assert str(mine[0].message).startswith(str(theirs[0].message).rstrip("."))


@pytest.mark.parametrize("dtype", ["f8", "c16"])
def test_nan_to_num_without_a_copy_writes(dtype: str) -> None:
    values = np.array([[np.nan, 1.0], [np.inf, -np.inf]], dtype)
    expected, x = values.copy(), la.array(values)
    row = x[0]
    np.nan_to_num(expected, copy=False, nan=7.0, posinf=2.0)
    assert la.nan_to_num(x, copy=False, nan=7.0, posinf=2.0) is x
    np.testing.assert_array_equal(x.compute(), expected)
    np.testing.assert_array_equal(row.compute(), expected[0])
    mine = values.copy()
    result = la.nan_to_num(mine, copy=False, nan=7.0, posinf=2.0)
    np.testing.assert_array_equal(mine, expected)
    np.testing.assert_array_equal(result.compute(), expected)


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize(
    "call",
    [
        *[
            f"m.{name}(x, axis=0, out=o)"
            for name in ("sum", "prod", "max", "mean", "nansum", "median")
        ],
        "m.cumsum(x, axis=0, out=s)",
        "m.add(x, 1, out=s, casting='unsafe')",
        "m.add(x, 1, out=s, casting='unsafe', where=x != 0)",
        "m.concatenate([x, x], out=t, casting='unsafe')",
        "m.sum(x, axis=0, out=b)",
    ],
)
def test_parts_that_an_output_has_not_are_warned_of(call: str, limit: int) -> None:
    categories = []
    for m in np, la:
        x = m.asarray(F + 1j)
        outputs = {
            "o": m.zeros(3),
            "s": m.zeros((2, 3)),
            "t": m.zeros((4, 3)),
            "b": m.zeros(3, bool),
        }
        with config(immediate=limit), warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            np.asarray(eval(call, {"m": m, "x": x, **outputs}))
        assert all(warning.filename in (__file__, "<string>") for warning in seen if m is la)
        categories.append({warning.category for warning in seen})  # NumPy warns twice
    assert categories[0] == categories[1]


@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
@pytest.mark.parametrize("shape", [(), (1,), (2,)])
@pytest.mark.parametrize("indices", [5, [5], [0, 7], [1]])
def test_outputs_are_looked_at_before_positions(
    indices: Any, shape: tuple[int, ...], dtype: str
) -> None:
    def outcome(x: Any, out: Any) -> Any:
        try:
            return np.asarray(x.take(indices, out=out)).tolist()
        except (IndexError, TypeError, ValueError) as error:
            return error

    values, out = np.arange(3, dtype="i4"), np.zeros(shape, dtype)
    expected = outcome(values, out.copy())
    result = outcome(la.asarray(values), la.asarray(out))
    if isinstance(expected, Exception):
        assert isinstance(result, type(expected)), result
    else:
        assert result == expected


@pytest.mark.parametrize("value", [0.0, np.nan, 3e38])
@pytest.mark.parametrize("indices", [[2, 0], [2, 7]])
def test_numpy_casts_the_elements_that_an_output_has(indices: list[int], value: float) -> None:
    """It warns of them, and of nothing else: not of memory that nothing was written to."""
    outcomes = []
    for m in np, la:
        with config(immediate=4096), warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            x, out = m.array(np.arange(3, dtype="i4")), m.array(np.full(2, value, "f4"))
            try:
                x.take(indices, out=out)
                error = ""
            except (IndexError, TypeError) as raised:
                error = "index" if isinstance(raised, IndexError) else "type"
        outcomes.append((error, {str(warning.message) for warning in seen}))
        after = [value] * 2 if error else [2, 0]
        np.testing.assert_array_equal(np.asarray(out), np.array(after, "f4"))
    assert outcomes[0] == outcomes[1]


UFUNCS = {
    name: ufunc
    for name, ufunc in vars(np).items()
    if isinstance(ufunc, np.ufunc) and ufunc.signature is None and name != "isnat"
}


@pytest.mark.parametrize("seen", [False, True])
@pytest.mark.parametrize("name", UFUNCS)
def test_outputs_that_follow_operands(name: str, seen: bool) -> None:
    ufunc, mine = UFUNCS[name], getattr(la, name)
    integer = "dd->d" not in ufunc.types and "d->d" not in ufunc.types
    operands = [np.array([3, 1, 2], "i8" if integer else "f8")] * ufunc.nin
    if name == "ldexp":
        operands[1] = operands[1].astype("i8")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of three operands of `maximum`
        results = ufunc(*operands)
        expected = results if isinstance(results, tuple) else (results,)
        wrapped = [np.zeros_like(result) for result in expected]
        outputs = [la.asarray(array) for array in wrapped]
        parts = [output[:2] if seen else output for output in outputs]
        returned = mine(*map(la.asarray, operands), *outputs)
        values = returned if isinstance(returned, tuple) else (returned,)
        for value, output, part, array, result in zip(
            values, outputs, parts, wrapped, expected, strict=True
        ):
            assert value is output
            assert not array.any()  # what was wrapped
            np.testing.assert_allclose(output, result, rtol=1e-12)
            np.testing.assert_array_equal(part[:2], output[:2])


COMBINED = (
    "add multiply subtract divide hypot maximum bitwise_or logical_and equal power fmod"
).split()
DTYPES = ["?", "i1", "u1", "i8", "u8", "f2", "f4", "f8", "c8"]
COMBINATIONS = {
    "reduce": lambda f, x, o: f.reduce(x, out=o),
    "accumulate": lambda f, x, o: f.accumulate(x, out=o),
    "reduceat": lambda f, x, o: f.reduceat(x, [0, 1, 2], out=o),
}


@pytest.mark.parametrize("name", COMBINED)
@pytest.mark.parametrize("method", COMBINATIONS)
def test_outputs_say_in_which_dtype_elements_are_combined(method: str, name: str) -> None:
    combine = COMBINATIONS[method]
    for dtype, target in itertools.product(DTYPES, DTYPES):
        if method == "reduce" and not np.can_cast(dtype, target):
            continue  # NumPy combines the first element as the output has it
        values = np.array([3, 2, 1]).astype(dtype)
        values = values * values.dtype.type(40) if values.dtype.kind in "iu" else values
        shape = () if method == "reduce" else (3,)

        def outcome(m: Any, x: Any = values, shape: Any = shape, target: str = target) -> Any:
            names = {"m": m, "x": m.asarray(x), "o": m.zeros(shape, target), "c": combine}
            return _outcome(f"c(m.{name}, x, o)", names, "ro")

        _assert_alike(f"{dtype} to {target}", outcome(np), outcome(la))


def test_sums_in_an_output_of_floats_do_not_wrap_round() -> None:
    x = np.full(4, 2**62)
    for ufunc in np.add, np.multiply:
        expected = ufunc.accumulate(x, out=np.zeros(4))
        mine = getattr(la, ufunc.__name__)
        np.testing.assert_array_equal(mine.accumulate(la.asarray(x), out=la.zeros(4)), expected)
        mine.reduceat(la.asarray(x), [0, 2], out=(output := la.zeros(2)))
        np.testing.assert_array_equal(output, ufunc.reduceat(x, [0, 2], out=np.zeros(2)))


PRODUCTS = [
    "m.matmul(F, C, out=m.zeros((3, 4)))",
    "m.matmul(F, C, out=m.zeros((2, 3, 4)))",
    "m.matmul(F, C, out=m.zeros((2, 3, 1)))",
    "m.matmul(F, C, out=m.zeros(3))",
    "m.matmul(F, C[:, 0], out=m.zeros((2, 3)))",
    "m.matmul(F, C[:, 0], out=m.zeros((3, 3)))",
    "m.matmul(C[:, 0], C[:, 0], axes=[-1, -1, ()])",
    "m.matmul(F, C, axes=[(0, 1), (0, 1), (1, 0)], out=m.zeros((1, 3)))",
    "m.matmul(F, C, axes=[(0, 1), (0, 1), (1, 0)], out=m.zeros((3, 1)))",
    "m.matvec(F, C[:, 0], out=m.zeros((2, 3)))",
    "m.matvec(F, C[:, 0], out=m.zeros((3, 2)))",
    "m.vecmat(C[:, 0], F, out=m.zeros((3, 2)))",
    "m.vecdot(F, F, out=m.zeros(1))",
    "m.vecdot(F, F, keepdims=True, out=m.zeros((3, 1)))",
    "m.vecdot(F, F, keepdims=True, out=m.zeros((3, 3)))",
]


@pytest.mark.parametrize("call", PRODUCTS)
def test_outputs_of_products_have_the_core_axes_of_the_result(call: str) -> None:
    if not hasattr(np, call[2:8]):
        pytest.skip("of a later release of NumPy")
    square, column = np.arange(9.0).reshape(3, 3), np.arange(3.0).reshape(3, 1)

    def outcome(m: Any) -> Any:
        return _outcome(call, {"m": m, "F": m.asarray(square), "C": m.asarray(column)}, "r")

    _assert_alike(call, outcome(np), outcome(la))


@pytest.mark.parametrize(
    "call",
    [
        "m.add(F, F, out=m.zeros(4, int))",
        "m.add(F, m.ones(5), out=m.zeros(4, int))",
        "m.add(F, 1.5, out=m.zeros(4, int), where=m.ones(5, bool))",
        "m.add([1, 2], [1, 2, 3], out=m.zeros(3))",
        "m.add([1, 2], [1.5, 2, 3], out=m.zeros(3, int))",
        "m.sin(F, out=m.zeros(4, bool))",
        "m.sin(F, m.zeros(4))",
        "m.add(F, F, out=m.zeros(4, 'f4'), casting='no')",
    ],
)
def test_dtypes_of_outputs_are_looked_at_before_shapes(call: str) -> None:
    errors = []
    for m in np, la:
        with pytest.raises((TypeError, ValueError)) as caught:
            eval(call, {"m": m, "F": m.asarray(F)})
        errors.append(caught.value)
    theirs, mine = errors
    assert isinstance(mine, TypeError) == isinstance(theirs, TypeError)
    assert str(theirs).strip() in str(mine)


@pytest.mark.parametrize("mask", [False, True])
@pytest.mark.parametrize("values", [[-3], [[-3]], [[[-3]]], -3, [[1], [2]]])
@pytest.mark.parametrize("shape", [(), (1,), (2,), (1, 2)])
def test_putmask_leaves_the_shape(shape: tuple[int, ...], values: Any, mask: bool) -> None:
    def outcome(m: Any) -> Any:
        names = {"m": m, "x": m.zeros(shape), "t": m.full(shape, mask), "v": m.asarray(values)}
        return _outcome("m.putmask(x, t, v)", names, "x")

    _assert_alike("putmask", outcome(np), outcome(la))


@pytest.mark.parametrize("call", ["m.modf(x, o)", "m.frexp(x, o)", "m.divmod(x, 2, o)"])
def test_results_are_broadcast_to_the_output_of_another(call: str) -> None:
    def outcome(m: Any) -> Any:
        names = {"m": m, "x": m.asarray(F[0]), "o": m.zeros((2, 3))}
        return _outcome(f"{call}[1]", names, "ro")

    _assert_alike(call, outcome(np), outcome(la))


@pytest.mark.parametrize("output", ["i8", "i4", "i1", "f4", "f8", "u2"])
@pytest.mark.parametrize("name", ["max", "min", "amax", "nanmax", "maximum.reduce", "sum", "prod"])
def test_an_output_widens_what_is_reduced(name: str, output: str) -> None:
    def reduced(m: Any, x: Any) -> Any:
        out = m.zeros(2, output)
        function = m
        for part in name.split("."):
            function = getattr(function, part)
        function(x, axis=1, out=out)
        return out

    agree(reduced, np.array([[3, 1], [100, 2]], "u1"))
    if np.dtype(output).itemsize > 2 and output != "i4":
        # Elsewhere NumPy's depends on the order: the first element is cast to the output alone.
        near = np.array([[1, 2**63], [2**53 + 1, 2**53 - 1]], "u8")
        agree(reduced, near)
        agree(reduced, near.astype("i8"))


@pytest.mark.parametrize(
    ("name", "shapes", "output"),
    [
        ("matmul", ((1, 2, 2), (2, 2)), (2, 2)),
        ("matmul", ((1, 1, 2, 3), (3, 2)), (1, 2, 2)),
        ("matmul", ((1, 2, 3), (3,)), (2,)),
        ("matmul", ((2, 2), (2, 2)), (4, 2, 2)),
        ("vecdot", ((1, 2, 3), (2, 3)), (2,)),
        ("vecdot", ((1, 3), (1, 3)), ()),
        ("vecdot", ((2, 3), (2, 3)), (5, 2)),
        ("vecdot", ((2, 3), (2, 3)), ()),
        ("matvec", ((1, 4, 3), (3,)), (4,)),
        ("vecmat", ((1, 4, 2), (2, 3)), (4, 3)),
        ("vecmat", ((4, 2), (2, 3)), (3,)),
        ("vecmat", ((1, 4, 2), (2, 3)), (1, 3)),
    ],
)
def test_outputs_of_products_may_lack_leading_axes_of_length_one(
    name: str, shapes: tuple[tuple[int, ...], ...], output: tuple[int, ...]
) -> None:
    if not hasattr(np, name):
        pytest.skip(f"this NumPy has no {name}")

    def product(m: Any, *factors: Any) -> Any:
        out = m.zeros(output)
        getattr(m, name)(*factors, out=out)
        return out

    rng = np.random.default_rng(3)
    agree(product, *[rng.integers(-9, 9, shape).astype(float) for shape in shapes])
