"""LazyArray itself: building, printing, sharing, evaluating."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph import node
from lazyarr.graph.reference import evaluate_reference

X = np.arange(12.0).reshape(3, 4)


def test_attributes():
    x = la.asarray(X)
    assert (x.shape, x.ndim, x.size, x.nbytes, x.itemsize) == ((3, 4), 2, 12, 96, 8)
    assert x.dtype == np.float64
    assert x.device == "cpu"
    assert x.to_device("cpu") is x


@pytest.mark.lazy
def test_equal_expressions_are_one_node():
    x = la.asarray(X)
    assert (x + 1)._node is (x + 1)._node
    assert (x + 1)._node is not (x + 1.5)._node
    assert (x + 0.0)._node is not (x + -0.0)._node
    assert la.asarray(X)._node is x._node


@pytest.mark.lazy
def test_weak_scalars_become_constants_of_the_loop():
    x = la.asarray(X.astype("f4"))
    y = x * 2
    assert y.dtype == np.float32
    assert y._node.src[1].op.kind is node.Kind.CONSTANT
    assert y._node.src[1].dtype == np.float32
    assert (x * np.float64(2)).dtype == np.float64
    assert (la.asarray(np.ones(2, "i1")) + True).dtype == np.int8
    assert (la.asarray(np.ones(2, "i1")) + 1.0).dtype == np.float64


def test_evaluate_gives_fresh_writable_arrays():
    x = la.asarray(X)
    y = x + 1
    first, second = la.evaluate(y), la.evaluate(y)
    assert first is not second
    assert first.flags.writeable
    first[:] = 0
    np.testing.assert_array_equal(la.evaluate(y), X + 1)
    copy = la.evaluate(x)
    assert not np.shares_memory(copy, X)
    both = la.evaluate(y, y)
    assert not np.shares_memory(*both)
    total = la.evaluate(x.sum())
    assert type(total) is np.ndarray
    assert total.flags.writeable
    assert not np.shares_memory(la.evaluate(x[1:]), X)


def test_evaluate_out():
    x = la.asarray(X)
    target = np.empty((3, 4))
    assert la.evaluate(x + 1, out=target) is target
    np.testing.assert_array_equal(target, X + 1)
    strided = np.zeros((6, 4))[::2]
    a, b = la.evaluate(x * 2, x.sum(), out=(strided, None))
    assert a is strided
    np.testing.assert_array_equal(strided, X * 2)
    assert b == X.sum()
    # The output may be the memory of an operand.
    memory = X.copy()
    la.evaluate(la.asarray(memory).T.reshape(3, 4) + 1, out=memory)
    np.testing.assert_array_equal(memory, X.T.reshape(3, 4) + 1)


def test_persist():
    x = la.persist(la.asarray(X) * 2)
    assert x._node.op.kind is node.Kind.LEAF
    a, b = la.persist(la.asarray(X) + 1, la.asarray(X).sum())
    np.testing.assert_array_equal(a.compute(), X + 1)
    assert float(b) == X.sum()


@pytest.mark.parametrize(
    "make",
    [
        lambda: la.array(X),
        lambda: la.array(np.asfortranarray(X)),
        lambda: la.array(X)[::2, ::-3],
        lambda: la.array(X).T,
        lambda: la.ones((0, 3)),
        lambda: la.array(True),
        lambda: la.asarray(X).sum(),
    ],
    ids=["C", "Fortran", "strided", "transposed", "empty", "bool", "sum"],
)
def test_persist_copies_what_is_in_memory(make: Callable[[], la.LazyArray]) -> None:
    """And compiles nothing for it; neither array sees writes to the other."""
    with la.config(immediate=4096):
        array = make()
        expected = array.compute()
        before = la.cache.info().plans
        copy = la.persist(array)
        after = la.cache.info().plans
    assert (after.hits, after.misses) == (before.hits, before.misses)
    value = np.asarray(copy)
    assert value.tobytes() == expected.tobytes() and value.dtype == expected.dtype
    assert value.shape == expected.shape and value.flags.c_contiguous
    array[...] = 0
    np.testing.assert_array_equal(copy.compute(), expected)
    copy[...] = 2
    np.testing.assert_array_equal(array.compute(), np.zeros_like(expected))


def test_repr_never_computes():
    with la.config(implicit="raise"):
        x = la.asarray(X)
        text = repr(np.sqrt(x) + 1)
    assert text == (
        "LazyArray(shape=(3, 4), dtype=float64, add(sqrt:float64[3, 4], constant:float64[]))"
        "  # not computed; print(x) shows the values"
    )


def test_long_chain():
    x = y = la.asarray(np.zeros(3))
    for k in range(100_000):
        y = y + (k % 7)
    assert len(repr(y)) < 200
    assert evaluate_reference([y._node])[0][0] == sum(k % 7 for k in range(100_000))
    gone = weakref.ref(y._node)
    del y
    gc.collect()
    assert gone() is None
    assert x.shape == (3,)


def test_dropped_expressions_free_their_memory():
    memory = np.zeros(10)
    gone = weakref.ref(memory)
    x = la.asarray(memory) + 1
    del memory
    gc.collect()
    assert gone() is not None
    del x
    gc.collect()
    assert gone() is None


def test_memory_that_is_reused_is_another_leaf():
    for k in range(50):
        x = la.asarray(np.full(1000, float(k)))
        assert float((x + 1).sum()) == 1000.0 * (k + 1)


def test_lists_of_lazy_arrays():
    x = la.asarray(X)
    assert la.asarray([x[0], x[1]]).shape == (2, 4)
    np.testing.assert_array_equal(np.stack([x, x]).compute(), np.stack([X, X]))


@pytest.mark.parametrize("value", [True, 1, 1.5, 2j, np.float32(3), [1, 2], (1.0, 2), range(3)])
def test_asarray_of_other_things(value):
    array = la.asarray(value)
    expected = np.asarray(value)
    assert array.dtype == expected.dtype
    np.testing.assert_array_equal(array.compute(), expected)


def test_asarray_options():
    assert la.asarray(X, dtype="f4").dtype == np.float32
    x = la.asarray(X)
    assert la.asarray(x) is x
    assert la.asarray(memoryview(b"ab")).dtype == np.uint8

    class Exporter:
        def __dlpack__(self, **keywords):
            return X.__dlpack__(**keywords)

        def __dlpack_device__(self):
            return X.__dlpack_device__()

    np.testing.assert_array_equal(la.asarray(Exporter()).compute(), X)


def test_methods():
    x = la.asarray(X)
    y = la.asarray(X[:, ::-1].copy())
    assert y.sort() is None
    np.testing.assert_array_equal(y.compute(), X)
    y.fill(3)
    assert float(y.sum()) == 36
    np.testing.assert_array_equal([float(v) for v in x.flat], X.ravel())
    assert x.copy() is not x
    assert x.round(1).shape == x.shape
    assert x.searchsorted is not None
    np.testing.assert_array_equal(x.nonzero()[0].compute(), X.nonzero()[0])


def test_special_functions():
    x = la.asarray(X)
    soft = la.special.softmax(x, axis=-1)
    power = np.exp(X - X.max(axis=-1, keepdims=True))
    np.testing.assert_allclose(soft.compute(), power / power.sum(-1, keepdims=True), rtol=1e-14)
    np.testing.assert_allclose(
        la.special.log_softmax(x, axis=0).compute(), np.log(la.special.softmax(x, 0).compute())
    )
    np.testing.assert_allclose(float(la.special.logsumexp(x)), np.log(np.exp(X).sum()), rtol=1e-14)
    assert float(la.special.xlogy(0.0, 0.0)) == 0.0


def test_every_public_name_exists():
    for name in la.__all__:
        if name not in ("cache", "explain", "profile", "to_networkx", "visualize"):
            assert hasattr(la, name), name
    with pytest.raises(AttributeError):
        _ = la.nonsense


def test_array_api_names():
    names = (
        "abs acos acosh add all any arange argmax argmin argsort asarray asin asinh astype atan "
        "atan2 atanh bitwise_and bitwise_invert bitwise_left_shift bitwise_or "
        "bitwise_right_shift bitwise_xor broadcast_arrays broadcast_to can_cast ceil clip concat "
        "conj copysign cos cosh count_nonzero cumulative_prod cumulative_sum diff divide empty "
        "empty_like equal exp expand_dims expm1 eye finfo flip floor floor_divide from_dlpack "
        "full full_like greater greater_equal hypot iinfo imag isdtype isfinite isinf isnan less "
        "less_equal linspace log log10 log1p log2 logaddexp logical_and logical_not logical_or "
        "logical_xor matmul matrix_transpose max maximum mean meshgrid min minimum moveaxis "
        "multiply negative nextafter nonzero not_equal ones ones_like permute_dims positive pow "
        "prod real reciprocal remainder repeat reshape result_type roll round searchsorted sign "
        "signbit sin sinh sort sqrt square squeeze stack std subtract sum take take_along_axis "
        "tan tanh tensordot tile tril triu trunc unique_all unique_counts unique_inverse "
        "unique_values unstack var vecdot where zeros zeros_like e inf nan newaxis pi bool int8 "
        "float32 complex128 __array_namespace_info__"
    )
    missing = [name for name in names.split() if not hasattr(la, name)]
    assert missing == []


def test_one_element_is_rounded_as_a_number() -> None:
    x = la.asarray([1.26, 2.5, -0.5])
    assert [round(value) for value in x] == [1, 2, 0]
    assert type(round(x[0])) is int
    np.testing.assert_array_equal(round(x, 1), [1.3, 2.5, -0.5])
    with pytest.raises(ValueError, match="size 1"):
        round(x)


@pytest.mark.parametrize("key", [1.0, slice(1.0), (slice(None), True), slice(0, np.int64(2)), True])
def test_a_key_is_known_by_the_types_of_its_numbers(key: Any) -> None:
    array = np.arange(6.0).reshape(2, 3)
    pending = la.asarray(array) + 1
    for known in (1, slice(1), (slice(None), 1), slice(0, 2), 0):
        with la.config(immediate=0):
            np.testing.assert_array_equal(pending[known], (array + 1)[known])
    try:
        expected = (array + 1)[key]
    except (IndexError, TypeError):
        with la.config(immediate=0), pytest.raises((IndexError, TypeError)):
            pending[key]
    else:
        with la.config(immediate=0):
            np.testing.assert_array_equal(pending[key], expected)


@pytest.mark.parametrize("limit", [0, 4096])
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, True])
def test_powers_of_truths_have_numpys_dtypes(exponent: Any, limit: int) -> None:
    truths = np.random.default_rng(0).random(300) < 0.5
    with la.config(immediate=limit):
        x = la.asarray(truths)
        for operand in (x, x | False):
            result = operand**exponent
            assert result.dtype == (truths**exponent).dtype
            np.testing.assert_array_equal(la.evaluate(result), truths**exponent)


def test_questions_about_dtypes_and_iterators_compute_nothing() -> None:
    x = la.sin(la.arange(5000.0)) * 1j
    with la.config(implicit="raise"):
        for m in (la, np):
            assert m.iscomplexobj(x) and not m.isrealobj(x) and np.iterable(x)
            assert m.common_type(x, x.real) is np.complex128
        numbers = iter(x)
        with pytest.raises(la.errors.ImplicitEvaluationError):
            next(numbers)
