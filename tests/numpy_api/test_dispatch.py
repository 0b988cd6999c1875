"""NumPy's functions and ufunc methods called on LazyArrays."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.each_device

X = np.arange(12.0).reshape(3, 4)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.sin(x),
        lambda x: np.add(x, 1, dtype="f4"),
        lambda x: np.add(x, x, casting="unsafe", dtype="i4"),
        lambda x: np.divmod(x, 5),
        lambda x: np.modf(x / 3),
        lambda x: np.frexp(x),
        lambda x: np.add.reduce(x),
        lambda x: np.add.reduce(x, axis=None),
        lambda x: np.multiply.reduce(x, axis=(0, 1), keepdims=True),
        lambda x: np.maximum.reduce(x, axis=1, initial=5),
        lambda x: np.logical_or.reduce(x > 3),
        lambda x: np.hypot.reduce(x),
        lambda x: np.bitwise_or.reduce(x.astype(int), axis=1),
        lambda x: np.subtract.reduce(x, axis=1, keepdims=True),
        lambda x: np.add.accumulate(x, axis=1),
        lambda x: np.maximum.accumulate(x),
        lambda x: np.subtract.outer(x, x[0]),
        lambda x: np.add.outer(x, [1, 2]),
        lambda x: np.add.reduceat(x, [0, 2], axis=1),
        lambda x: np.less.reduce(x),
        lambda x: np.sin.reduce(x),
        lambda x: np.matmul(x, x.T),
        lambda x: x - [1, 2, 3, 4],
        lambda x: x * np.float32(3),
        lambda x: np.float64(3) * x,
        lambda x: X + x,
        lambda x: X[0] < x,
        lambda x: [1, 2, 3, 4] - x,
        lambda x: divmod(x, 3),
        lambda x: divmod(30, x + 1),
        lambda x: pow(x, 2),
        lambda x: 2**x,
        lambda x: x**-1,
        lambda x: -x,
        lambda x: abs(x - 4),
        lambda x: ~(x > 3),
        lambda x: (x > 3) ^ (x < 9) | (x == 1) & True,
        lambda x: x.astype(int) << 2 >> 1,
        lambda x: 7 // x.astype(int)[1:],
        lambda x: x % 3,
        lambda x: x.astype("u1") > 300,
        lambda x: x.astype("u1") < 300,
        lambda x: x.astype("u1") != -1,
        lambda x: x.astype("u1") + 300,
        lambda x: x.astype(bool) - True,
        lambda x: -x.astype(bool),
        lambda x: x & x,
        lambda x: x.astype(int) ** -1,
        lambda x: x + "a",
        lambda x: x + None,
        lambda x: x + np.ones(3),
        lambda x: x.real + x.imag,
        lambda x: (x * 1j).imag,
        lambda x: np.real(x * 1j),
        lambda x: np.angle(x * (1 + 1j)),
        lambda x: x.conj(),
        lambda x: np.nan_to_num(x / 0),
        lambda x: np.apply_along_axis(np.sum, 0, x),
        lambda x: np.zeros_like(x),
        lambda x: np.copy(x),
        lambda x: np.histogram(x)[0],
    ],
)
def test_function(compare, function):
    compare(function, X, rtol=1e-6)


@pytest.mark.parametrize(
    "operation",
    [
        "x += 1",
        "x -= x",
        "x *= 2.5",
        "x /= 2",
        "x //= 2",
        "x %= 3",
        "x **= 2",
        "x @= x.T @ x",
        "x <<= 1",
        "x &= 3",
        "x |= 1",
        "x ^= 5",
        "x >>= 1",
        "x += 1j",
        "x += np.ones(5, x.dtype)",
        "x += np.ones((2, 3, 4), x.dtype)",
    ],
)
@pytest.mark.parametrize("dtype", ["i4", "f4", "f8"])
def test_in_place(compare, operation, dtype):
    def run(x):
        space = {"x": x, "np": np}
        exec(operation, space)
        return space["x"]

    compare(run, X.astype(dtype), rtol=1e-6)


def test_in_place_is_seen_through_other_names():
    x = la.asarray(X)
    y = x
    y += 1
    assert y is x
    np.testing.assert_array_equal(x.compute(), X + 1)


def test_out():
    x = la.asarray(X)
    target = np.zeros((3, 4))
    assert np.multiply(x, 2, out=target) is target
    np.testing.assert_array_equal(target, X * 2)
    lazy = la.zeros((3, 4), "f4")
    assert np.multiply(x, 2, out=lazy) is lazy
    assert lazy.dtype == np.float32
    np.testing.assert_array_equal(lazy.compute(), X * 2)
    with pytest.raises(TypeError):
        np.multiply(x, 2, out=np.zeros((3, 4), int))
    with pytest.raises(ValueError):
        np.multiply(x, 2, out=np.zeros((2, 4)))
    parts = np.zeros((3, 4)), np.zeros((3, 4))
    np.modf(x / 3, out=parts)
    np.testing.assert_array_equal(parts[0], np.modf(X / 3)[0])
    array = X.copy()
    array += x
    np.testing.assert_array_equal(array, 2 * X)
    np.add(la.asarray(array), 1, out=array)
    np.testing.assert_array_equal(array, 2 * X + 1)


def test_where():
    x = la.asarray(X)
    target = np.full((3, 4), -1.0)
    np.sqrt(x, out=target, where=X > 4)
    expected = np.full((3, 4), -1.0)
    np.sqrt(X, out=expected, where=X > 4)
    np.testing.assert_array_equal(target, expected)


def test_at():
    x = la.asarray(X)
    np.add.at(x, ([0, 0, 2], [1, 1, 3]), 10)
    expected = X.copy()
    np.add.at(expected, ([0, 0, 2], [1, 1, 3]), 10)
    np.testing.assert_array_equal(x.compute(), expected)


def test_foreign_types_are_asked():
    class Foreign:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "radd"

    class Wrapping:
        def __array_ufunc__(self, ufunc, method, *args, **keywords):
            return "wrapped"

        def __array_function__(self, func, types, args, kwargs):
            return "function"

    x = la.asarray(X)
    assert x + Foreign() == "radd"
    assert np.add(x, Wrapping()) == "wrapped"
    assert np.concatenate([x, Wrapping()]) == "function"
    with pytest.raises(TypeError):
        x + object()
    assert la.asarray(np.ma.masked_array([1.0])).tolist() == [1.0]


@pytest.mark.lazy
def test_scipy_ufuncs_are_library_nodes():
    special = pytest.importorskip("scipy.special")
    y = special.gammaln(la.asarray(X) + 1)
    assert isinstance(y, la.LazyArray)
    assert y._node.op.kind.value == "library"
    np.testing.assert_array_equal(y.compute(), special.gammaln(X + 1))


def test_conversions():
    x = la.asarray(X)
    assert float(x[1, 2]) == 6.0
    assert int(x[1, 2]) == 6
    assert complex(x[1, 2]) == 6
    assert bool(x[1, 2] > 3)
    assert [10, 20, 30][la.asarray(1)] == 20
    assert f"{x[1, 2]:.2f}" == "6.00"
    assert x.tolist() == X.tolist()
    assert x[0, 1].item() == 1.0
    assert x.item(1, 2) == 6.0
    assert len(x) == 3
    for convert in (bool, int, float):
        with pytest.raises((TypeError, ValueError)):
            convert(x)
    with pytest.raises(TypeError):
        len(x[0, 0])
    with pytest.raises(TypeError):
        iter(x[0, 0])
    with pytest.raises(TypeError):
        range(x[0, 0])
    with pytest.raises(TypeError):
        hash(x)


@pytest.mark.lazy
def test_numpy_asarray():
    x = la.asarray(X)
    assert np.asarray(x) is X or np.shares_memory(np.asarray(x), X)
    y = x + 1
    first = np.asarray(y)
    assert np.shares_memory(np.asarray(y), first)  # it was computed once
    assert not np.asarray(y).flags.writeable
    assert not first.flags.writeable
    assert np.array(y).flags.writeable
    assert np.asarray(y, dtype="f4").dtype == np.float32
    np.testing.assert_array_equal(first, X + 1)
    assert type(np.asarray(x.sum())) is np.ndarray


@pytest.mark.host  # NumPy takes no memory of a GPU
def test_exchange():
    y = la.asarray(X) + 1
    np.testing.assert_array_equal(np.from_dlpack(y), X + 1)
    assert y.__array_namespace__() is la
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(y)).compute(), X + 1)
    np.testing.assert_array_equal(copy.deepcopy(y).compute(), X + 1)


@pytest.mark.parametrize("module", [la, la.linalg, la.fft, la.special])
def test_functions_are_pickled_by_name(module):
    functions = [
        result
        for name in module.__all__
        if callable(result := getattr(module, name)) and not isinstance(result, type)
    ]
    assert len(functions) > 5
    for function in functions:
        assert pickle.loads(pickle.dumps(function)) is function


@pytest.mark.lazy
def test_implicit_policy():
    y = la.asarray(X) + 1
    with la.config(implicit="raise"), pytest.raises(la.errors.ImplicitEvaluationError):
        float(y.sum())
    with la.config(implicit="warn"), pytest.warns(la.errors.ImplicitEvaluationWarning) as seen:
        np.asarray(y)
    assert seen[0].filename == __file__
    with la.config(implicit="raise"):
        np.asarray(y)  # remembered
        np.asarray(la.asarray(X))


def test_results_are_arrays_not_objects():
    assert isinstance(np.unique(la.asarray(X)), la.LazyArray)
    assert isinstance(np.polyfit(la.asarray(X[0]), la.asarray(X[1]), 1), la.LazyArray)
    with la.config(implicit="raise"), pytest.raises(la.errors.ImplicitEvaluationError):
        np.unique(la.asarray(X) + 1)


def test_shape_size_and_ndim_of_numpy_compute_nothing():
    x = la.asarray(np.ones((3, 4))) + 1
    with la.config(implicit="raise"):
        assert np.shape(x) == la.shape(x) == (3, 4)
        assert np.ndim(x) == la.ndim(x) == 2
        assert np.size(x) == la.size(x) == 12
        assert np.size(x, 0) == 3
        assert np.size(x, axis=-1) == 4
    with pytest.raises(np.exceptions.AxisError):
        np.size(x, 2)


def test_shape_of_a_lazy_array_through_numpy() -> None:
    x = la.asarray(np.ones((2, 3)))
    with la.config(implicit="raise"):
        assert (np.shape(x), np.ndim(x), np.size(x), np.size(x, 1)) == ((2, 3), 2, 6, 3)
        assert (la.shape(x), la.ndim(x), la.size(x)) == ((2, 3), 2, 6)


def test_numpy_functions_that_only_ask() -> None:
    array = np.ones((2, 3), np.float32)
    x = la.asarray(array)
    assert np.shape(x) == (2, 3) and np.ndim(x) == 2 and np.size(x) == 6 and np.size(x, 1) == 3
    assert np.result_type(x, np.float64) == np.float64
    assert np.result_type(x, 2.0) == np.float32
    assert np.can_cast(x.dtype, np.float64)
    np.testing.assert_allclose(
        np.geomspace(x, 8 * x, 4).compute(), np.geomspace(array, 8 * array, 4)
    )


def test_result_type_computes_nothing() -> None:
    x = la.asarray(np.ones(3, np.float32)) * 2
    with la.config(implicit="raise"):
        assert np.result_type(x, 1.0) == la.result_type(x, np.float32) == np.float32


@pytest.mark.parametrize("name", ["gamma", "beta", "sici", "airy", "ellipj"])
@pytest.mark.parametrize("shape", [(), (3,), (1, 3)])
@pytest.mark.parametrize("limit", [0, 4096])
def test_outputs_of_ufuncs_of_other_libraries_are_broadcast_to(
    name: str, shape: tuple[int, ...], limit: int
) -> None:
    """All results take the shape of the outputs, those without one too."""
    special = pytest.importorskip("scipy.special")
    function = getattr(special, name)
    x = np.full(shape, 0.5)
    expected, outputs = np.zeros((2, 3)), la.zeros((2, 3))
    others = (None,) * (function.nout - 1)
    theirs = function(*[x] * function.nin, out=(expected, *others))
    with la.config(immediate=limit):
        mine = function(*[la.array(x)] * function.nin, out=(outputs, *others))
        for value, other in zip(
            mine if others else [mine], theirs if others else [theirs], strict=True
        ):
            assert value.shape == other.shape
            np.testing.assert_array_equal(np.asarray(value), other)
        np.testing.assert_array_equal(np.asarray(outputs), expected)
        with pytest.raises(ValueError, match="non-broadcastable output operand"):
            function(*[la.zeros((2, 3))] * function.nin, out=(la.zeros(3), *others))


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize(
    "call",
    [
        "np.add(a, x)",
        "np.hypot(x, a)",
        "np.power.outer(a, x)",
        "np.less(x, a)",
        "np.add(a, x, out=a.copy())",
        "x - a",
        "a / x",
        "np.concatenate([a, x])",
        "np.stack([x, a])",
        "np.where(x > 1, a, 0)",
        "np.dot(a, x)",
        "np.clip(a, 0, x)",
        "np.isclose(x, a)",
        "np.append(a, x)",
        "np.average(x, weights=a)",
        "np.ma.where(x > 1, a, x)",
        "np.ma.masked_array(x, mask=x > 1)",
    ],
)
def test_numpy_computes_with_masked_arrays(call: str, limit: int) -> None:
    a = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
    x = np.array([2.0, 1.0, 0.5])
    with la.config(immediate=limit):
        theirs = eval(call, {"np": np, "a": a, "x": x})
        mine = eval(call, {"np": np, "a": a, "x": la.array(x)})
    assert isinstance(mine, np.ma.MaskedArray) == isinstance(theirs, np.ma.MaskedArray)
    np.testing.assert_array_equal(np.ma.getmaskarray(mine), np.ma.getmaskarray(theirs))
    np.testing.assert_array_equal(np.ma.filled(mine, 7), np.ma.filled(theirs, 7))


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("call", ["w @ x", "x @ w", "w * x.reshape(2, 1)", "w + x", "x * w"])
def test_numpy_computes_with_matrices(call: str) -> None:
    w, x = np.matrix([[1.0, 2.0], [3.0, 4.0]]), np.array([2.0, 5.0])
    theirs = eval(call, {"w": w, "x": x})
    mine = eval(call, {"w": w, "x": la.array(x)})
    assert type(mine) is type(theirs)
    np.testing.assert_array_equal(mine, theirs)


def test_results_of_masked_arrays_are_written_as_numpy_writes_them() -> None:
    a = np.ma.masked_array([1.0, 2.0])
    with pytest.raises(TypeError):
        np.add(a, 1, out=la.zeros(2))
    ours, theirs = la.zeros(2), np.zeros(2)
    assert la.add(a, 1, out=ours) is ours
    np.add(a, 1, out=theirs)
    np.testing.assert_array_equal(np.asarray(ours), theirs, strict=True)
    assert isinstance(la.add(a, la.zeros(2)), np.ma.MaskedArray)


@pytest.mark.parametrize("name", ["power", "sqrt", "log", "log2", "log10", "arccos", "arctanh"])
@pytest.mark.parametrize("immediate", [0, 4096])
def test_functions_of_the_names_of_others(name: str, immediate: int) -> None:
    """Those of ``numpy.emath`` have complex results."""
    rng = np.random.default_rng(len(name))
    for dtype in "f8", "i4", "f4":
        x = rng.integers(-9, 9, 5).astype(dtype) / 2
        others = (rng.integers(1, 4, 5),) if name == "power" else ()
        with la.config(immediate=immediate), np.errstate(all="ignore"):
            mine = getattr(np.emath, name)(la.asarray(x), *others)
            theirs = getattr(np.emath, name)(x, *others)
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(np.asarray(mine), theirs, rtol=1e-5)
