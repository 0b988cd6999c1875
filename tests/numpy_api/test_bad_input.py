"""Bad input: NumPy's exception categories, the user's line, and unchanged inputs."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree

pytestmark = pytest.mark.each_device

X = np.arange(12.0).reshape(3, 4)


def line() -> int:
    return inspect.currentframe().f_back.f_lineno


@pytest.mark.parametrize(
    ("function", "kind"),
    [
        (lambda x: x + np.ones(5), la.errors.ShapeError),
        (lambda x: x.sum(axis=2), la.errors.AxisError),
        (lambda x: x.sum(axis=(0, 0)), la.errors.AxisError),
        (lambda x: x[5], la.errors.IndexingError),
        (lambda x: x[0, 0, 0], la.errors.IndexingError),
        (lambda x: x[[9]], la.errors.IndexingError),
        (lambda x: x.reshape(5), la.errors.ShapeError),
        (lambda x: x & x, la.errors.DTypeError),
        (lambda x: la.jit(lambda: la.asarray([None]))(), la.errors.DTypeError),
        (lambda x: x.astype("nonsense"), la.errors.DTypeError),
        (lambda x: x @ x, la.errors.ShapeError),
        (lambda x: la.concatenate([x, x[0]]), la.errors.ShapeError),
        (lambda x: la.where(x > 1, x), la.errors.ArgumentError),
        (lambda x: np.linalg.inv(x), np.linalg.LinAlgError),
        (lambda x: la.linalg.det(x[0]), la.errors.MatrixError),
        (lambda x: la.evaluate(3), la.errors.ArgumentError),
        (lambda x: la.evaluate(), la.errors.ArgumentError),
        (lambda x: la.jit(lambda: la.asarray({}))(), la.errors.DTypeError),
        (lambda x: la.asarray([[1, 2], [3]]), la.errors.ShapeError),
    ],
)
def test_error_names_the_line(function, kind):
    with pytest.raises(kind) as caught:
        function(la.asarray(X))
    assert caught.value.origin is not None
    assert caught.value.origin[0] == __file__
    assert "built at" in str(caught.value)


@pytest.mark.lazy
def test_origin_is_the_line_that_built_the_node():
    x = la.asarray(X)
    y = np.sqrt(x) * 3
    assert y._node.origin == (__file__, line() - 1)


@pytest.mark.parametrize(
    "value",
    [
        np.array([object()]),
        np.array(["2020-01-01"], "M8[D]"),
        np.array(["a"]),
        np.array([1], np.longdouble),
        np.zeros(2, [("a", "f4")]),
        np.array([1 + 1j], np.clongdouble),
    ],
)
def test_dtypes_without_kernels(value):
    if value.dtype.itemsize == 8 and value.dtype.kind == "f":
        return  # longdouble is float64 here
    assert la.asarray(value) is value
    with pytest.raises(la.errors.DTypeError, match="not supported"):
        la.jit(la.sum)(value)
    if value.dtype.kind in "fc":
        result = la.asarray(X[0, :1]) + value
        np.testing.assert_array_equal(result, X[0, :1] + value, strict=True)
        return
    with pytest.raises(TypeError):
        la.asarray(X[0, :1]) + value


def test_swapped_bytes_are_copied():
    x = la.asarray(X.astype(">f8"))
    assert x.dtype.isnative
    np.testing.assert_array_equal((x + 1).compute(), X + 1)
    assert la.zeros(2, ">i4").dtype.isnative


def test_unaligned_input():
    raw = np.zeros(33, np.uint8)
    odd = raw[1:].view("f8")
    np.testing.assert_array_equal((la.asarray(odd) + 1).compute(), odd + 1)
    record = np.zeros(3, [("a", "u1"), ("b", "f4")])["b"]
    np.testing.assert_array_equal((la.asarray(record) + 1).compute(), record + 1)


@pytest.mark.parametrize(
    ("out", "kind"),
    [
        (np.zeros((4, 3)), la.errors.ShapeError),
        (np.zeros((3, 4), "f4"), la.errors.DTypeError),
        ([1], la.errors.ArgumentError),
        ("a", la.errors.ArgumentError),
    ],
)
def test_bad_out(out, kind):
    before = np.array(out, copy=True) if isinstance(out, np.ndarray) else None
    with pytest.raises(kind):
        la.evaluate(la.asarray(X) + 1, out=out)
    if before is not None:
        np.testing.assert_array_equal(out, before)


def test_integers_that_do_not_fit():
    x = la.asarray(np.zeros(2, "u1"))
    with pytest.raises(OverflowError):
        x + 300
    with pytest.raises(OverflowError):
        -1 + x
    with pytest.raises(ValueError, match="negative integer powers"):
        la.asarray(np.ones(2, int)) ** -1


def test_inputs_stay_unchanged():
    memory = X.copy()
    x = la.asarray(memory)
    x += 1
    x[0] = 5
    x[x > 6] = 0
    x.sort()
    la.evaluate(x)
    np.testing.assert_array_equal(memory, X)


#: Calls that NumPy refuses with a text that programs look for.
REFUSALS = {
    "numbers of axes": lambda m, x: m.concatenate([x[0], x]),
    "sizes": lambda m, x: m.concatenate([x, x[:, :2]]),
    "sizes of rows": lambda m, x: m.hstack([x, x[:2]]),
    "blocks of other depths": lambda m, x: m.block([[x], x]),
    "blocks without depth": lambda m, x: m.block([x, []]),
    "no blocks": lambda m, x: m.block([[]]),
    "transpose": lambda m, x: m.linalg.matrix_transpose(x[0]),
    "no array": lambda m, x: m.astype([1, 2], float),
    "no loop": lambda m, x: m.equal(x, x, dtype=np.int64),
    "not as strictly": lambda m, x: m.copyto(m.zeros(3, "u1"), 3, casting="equiv"),
    "output": lambda m, x: m.add(x, x, out="x"),
    "part of the outputs": lambda m, x: m.negative(x, out=(...,)),
    "sort without an axis": lambda m, x: m.array(x).sort(axis=None),
    "partition without an axis": lambda m, x: m.array(x).partition(1, axis=None),
    "mask of another size": lambda m, x: m.putmask(m.array(x), [True], 5),
    "distances": lambda m, x: m.gradient(x, m.stack([x[0], x[0]]), axis=1),
}
BEGINNINGS = {
    "blocks of other depths": "List depths are mismatched. First element was at depth",
    "blocks without depth": "List depths are mismatched. First element was at depth",
    "no blocks": "List at arrays[0] cannot be empty",
    "not as strictly": "",
    "no loop": "No loop matching the specified signature and casting was found for ufunc equal",
    "distances": "distances must be either scalars or 1d",
}


@pytest.mark.host
@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_have_the_texts_of_numpy(name, limit):
    call = REFUSALS[name]
    with pytest.raises((TypeError, ValueError)) as expected:
        call(np, X)
    kind = TypeError if expected.errisinstance(TypeError) else ValueError
    with la.config(immediate=limit), pytest.raises(kind) as refused:
        call(la, la.asarray(X))
    text = BEGINNINGS.get(name, str(expected.value))
    assert text in str(expected.value)
    assert str(refused.value).startswith(text)


@pytest.mark.parametrize("shape", [(2, 12), (8, 3)])
def test_a_shape_that_needs_a_copy_is_refused_without_one(shape):
    transposed = la.asarray(np.arange(24.0).reshape(2, 3, 4)).transpose(2, 0, 1)
    with pytest.raises(ValueError, match="Unable to avoid creating a copy while reshaping"):
        transposed.reshape(shape, copy=False)


@pytest.mark.parametrize("value", [[np.array([1, 2]), 3], [[1], [2, 3]], [{}]])
def test_objects_are_made_where_they_are_asked_for(value):
    expected = np.empty(len(value), object)
    expected[:] = value
    for limit in 0, 4096:
        for function in (la.array, la.asarray):
            with la.config(immediate=limit):
                result = function(value, dtype=object)
                assert type(result) is np.ndarray and result.dtype == object
                assert repr(result.tolist()) == repr(expected.tolist())


@pytest.mark.host
def test_dtypes_of_texts():
    dtype = np.dtypes.StringDType(na_object=None)
    result = la.array(["a", None], dtype=dtype)
    assert result.dtype == dtype and result.tolist() == ["a", None]


BROADCASTS = {
    "add": lambda m: m.ones((2, 5)) + m.ones(2),
    "equal": lambda m: m.ones((2, 5)) == m.ones(2),
    "divmod": lambda m: m.divmod(m.ones((2, 5)), m.ones(2)),
    "where": lambda m: m.where(m.ones(2), m.ones(3), m.ones(4)),
    "clip": lambda m: m.clip(m.ones(3), m.ones(2), 3),
    "power": lambda m: m.ones((3, 1, 2)) ** m.ones((4, 3)),
    "isclose": lambda m: m.isclose(m.ones(2), m.ones(3)),
    "broadcast_to": lambda m: m.broadcast_to(m.ones(3), (2, 2)),
    "broadcast_to fewer axes": lambda m: m.broadcast_to(m.ones((3, 1)), (3,)),
    "broadcast_to a number": lambda m: m.broadcast_to(m.ones(3), ()),
    "broadcast_arrays": lambda m: m.broadcast_arrays(m.ones(3), m.ones(1), m.ones((4, 2))),
    "broadcast_shapes": lambda m: m.broadcast_shapes((4, 1, 3), (2, 3), (3, 3)),
}


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("name", BROADCASTS)
def test_shapes_that_do_not_broadcast_have_numpys_text(name: str, immediate: int) -> None:
    with la.config(immediate=immediate):
        agree(BROADCASTS[name], text=True)
