"""Bad input: NumPy's exception categories, the user's line, and unchanged inputs."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import lazyarr as la

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
        (lambda x: x.astype("O"), la.errors.DTypeError),
        (lambda x: x.astype("nonsense"), la.errors.DTypeError),
        (lambda x: x @ x, la.errors.ShapeError),
        (lambda x: la.concatenate([x, x[0]]), la.errors.ShapeError),
        (lambda x: la.where(x > 1, x), la.errors.ArgumentError),
        (lambda x: np.linalg.inv(x), np.linalg.LinAlgError),
        (lambda x: la.linalg.det(x[0]), la.errors.MatrixError),
        (lambda x: la.evaluate(3), la.errors.ArgumentError),
        (lambda x: la.evaluate(), la.errors.ArgumentError),
        (lambda x: la.asarray({}), la.errors.ArgumentError),
        (lambda x: la.asarray([[1, 2], [3]]), la.errors.ShapeError),
    ],
)
def test_error_names_the_line(function, kind):
    with pytest.raises(kind) as caught:
        function(la.asarray(X))
    assert caught.value.origin is not None
    assert caught.value.origin[0] == __file__
    assert "built at" in str(caught.value)


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
def test_refused_dtypes(value):
    if value.dtype.itemsize == 8 and value.dtype.kind == "f":
        return  # longdouble is float64 here
    with pytest.raises(la.errors.DTypeError, match="not supported"):
        la.asarray(value)
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
