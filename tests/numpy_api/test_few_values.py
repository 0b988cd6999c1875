"""Arguments of no values, of one, and of values that decide whether a call raises."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.core.config import config

pytestmark = pytest.mark.host


@pytest.fixture(params=[0, 4096], ids=["pending", "immediate"], autouse=True)
def _limit(request: pytest.FixtureRequest) -> Iterator[None]:
    with config(immediate=request.param):
        yield


def _outcome(call: Callable[[Any], Any], module: Any) -> Any:
    """Return the dtype, shape and bytes of a result, or the first line of the error."""
    try:
        value = np.asarray(call(module))
    except (TypeError, ValueError, IndexError) as error:
        return type(error).__name__ in ("ShapeError", "ValueError"), str(error).partition("\n")[0]
    return value.dtype, value.shape, value.tobytes()


def _flat_after(module: Any, key: Any, values: Any) -> Any:
    x = module.arange(6.0).reshape(2, 3)
    x.flat[key] = values
    return x


@pytest.mark.parametrize("key", [slice(None, None, 2), [0, 1], ..., slice(0, 0), [-1]], ids=str)
@pytest.mark.parametrize("values", [[], (), np.zeros((0, 3)), np.zeros(0, "i4")], ids=repr)
def test_of_no_values_flat_iterators_write_none(key: Any, values: Any) -> None:
    theirs, mine = (_outcome(lambda m: _flat_after(m, key, values), m) for m in (np, la))
    assert mine == theirs


def _put(module: Any, places: Any, values: Any, shape: tuple[int, ...]) -> Any:
    x = module.zeros(shape)
    module.put(x, places, values)
    return x


@pytest.mark.parametrize("places", [[9], [0, -9], 7, [], [[1, 2]]], ids=str)
@pytest.mark.parametrize("values", [[], np.zeros((2, 0), "i2"), [1.0]], ids=repr)
@pytest.mark.parametrize("shape", [(4,), (2, 2), (2, 0)], ids=str)
def test_of_no_values_put_writes_none_wherever(places: Any, values: Any, shape: Any) -> None:
    theirs, mine = (_outcome(lambda m: _put(m, places, values, shape), m) for m in (np, la))
    assert mine == theirs


@pytest.mark.parametrize("name", ["dot", "inner", "vdot"])
@pytest.mark.parametrize("dtype", ["?", "i1", "u4", "i8", "f2", "f4", "f8", "c8"])
@pytest.mark.parametrize("empty", [[], ()], ids=repr)
def test_a_second_operand_of_nothing_has_the_dtype_of_the_first(
    name: str, dtype: str, empty: Any
) -> None:
    for call in (
        lambda m: getattr(m, name)(m.zeros(0, dtype), empty),
        lambda m: getattr(m, name)(empty, m.zeros(0, dtype)),
        lambda m: getattr(m, name)(m.zeros(0, dtype), np.zeros(0, "f4")),
    ):
        assert _outcome(call, la) == _outcome(call, np)
    matrix = lambda m: m.dot(m.zeros((0, 2), dtype).T, empty)  # noqa: E731
    assert _outcome(matrix, la) == _outcome(matrix, np)


@pytest.mark.parametrize("number", [0, 3, -1, True, 2**63, 2**64 - 1, 2.5, 1j], ids=repr)
def test_imaginary_parts_of_numbers(number: Any) -> None:
    assert _outcome(lambda m: m.imag(number), la) == _outcome(lambda m: m.imag(number), np)


@pytest.mark.parametrize("side", ["prepend", "append"])
def test_none_is_nothing_to_subtract(side: str) -> None:
    for module in (np, la):
        with pytest.raises(TypeError):
            np.asarray(module.diff([1, 2, 4], **{side: None}))


@pytest.mark.skipif(np.__version__ < "2.4", reason="NumPy has the rule since 2.4")
@settings(max_examples=60, deadline=None)
@given(
    source=st.sampled_from(["?", "i1", "u1", "i4", "i8", "u8", "f4", "f8", "c8"]),
    target=st.sampled_from(["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c16"]),
    values=st.lists(st.sampled_from([0, 1, 3, 200, 70000]), min_size=0, max_size=4),
)
def test_casts_that_keep_values(source: str, target: str, values: list[int]) -> None:
    with np.errstate(all="ignore"):
        x = np.array(values, "f8").astype(source)

    def call(module: Any) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
            return module.array(x).astype(target, casting="same_value")

    with np.errstate(all="ignore"):
        theirs, mine = _outcome(call, np), _outcome(call, la)
    assert mine == theirs
