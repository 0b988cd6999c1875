"""NumPy's iterator reads LazyArrays, and writes to them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la

pytestmark = pytest.mark.host


def _loop(m: Any, x: Any) -> Any:
    for element in m.nditer(x, op_flags=["readwrite"]):
        element[...] = element * 2
    return None


def _with(m: Any, x: Any) -> Any:
    with m.nditer(x, flags=["buffered", "external_loop"], op_flags=["readwrite"]) as chunks:
        for chunk in chunks:
            chunk *= 3
    return None


def _cast(m: Any, x: Any) -> Any:
    named = {"op_dtypes": ["f4"], "casting": "unsafe"}
    with m.nditer(x, ["buffered"], [["readwrite"]], **named) as elements:
        for element in elements:
            element[...] = element / 3
    return None


def _two(m: Any, x: Any) -> Any:
    flags = [["readonly"], ["writeonly"]]
    with m.nditer([m.asarray([1.0, 2.0, 3.0]), x], op_flags=flags) as pairs:
        for value, target in pairs:
            target[...] = value
    return None


def _written_operand(m: Any, x: Any) -> Any:
    with m.nditer([x, m.ones(3)], op_flags=[["readwrite"], ["readonly"]]) as pairs:
        pairs.operands[0][...] = 14
        return int(pairs.operands[0].max()), pairs.operands[1].tolist()


def _allocated(m: Any, x: Any) -> Any:
    with m.nditer([x, None]) as pairs:
        for value, target in pairs:
            target[...] = value * value
        return pairs.operands[1]


def _stepped(m: Any, x: Any) -> Any:
    elements = m.nditer(x, ["multi_index"], ["readwrite"])
    while not elements.finished:
        elements[0] = sum(elements.multi_index)
        if not elements.iternext():
            break
    return None


def _places(m: Any, x: Any) -> Any:
    elements = m.nditer(x, ["c_index"])
    return [(int(value), elements.index) for value in elements], len(m.nditer(x)), m.nditer(x).shape


def _reset(m: Any, x: Any) -> Any:
    elements = m.nditer(x, op_flags=["readwrite"])
    next(elements)[...] = 7
    elements.reset()
    return float(x.max()), elements.copy().itersize, elements.iterrange


def _same_twice(m: Any, x: Any) -> Any:
    with m.nditer([x, x], op_flags=[["readonly"], ["readwrite"]]) as pairs:
        for value, target in pairs:
            target[...] = value + 1
    return None


def _other_order(m: Any, x: Any) -> Any:
    return [float(value) for value in m.nditer(x.T, order="C")]


def _nested(m: Any, x: Any) -> Any:
    rows, items = m.nested_iters(x, [[0], [1]], op_flags=["readwrite"])
    for _ in rows:
        for item in items:
            item[...] = item * 2
    return None


def _nested_cast(m: Any, x: Any) -> Any:
    named = {"op_dtypes": "f4", "casting": "same_kind"}
    rows, items = m.nested_iters(x, [[1], [0]], ["buffered"], ["readwrite"], **named)
    with rows, items:
        for _ in rows:
            for item in items:
                item[...] = item / 3
    return None


def _nested_reads(m: Any, x: Any) -> Any:
    rows, items = m.nested_iters([x, m.ones(x.shape)], [[0], [1]])
    return [[float(a * b) for a, b in items] for _ in rows]


def _cast_operand(m: Any, x: Any) -> Any:
    elements = m.nditer(x, [], [["readonly", "copy"]], op_dtypes=["f4"], casting="same_kind")
    return str(elements.operands[0].dtype)


CALLS: list[Callable[[Any, Any], Any]] = [
    _loop,
    _with,
    _cast,
    _two,
    _written_operand,
    _allocated,
    _stepped,
    _places,
    _reset,
    _same_twice,
    _other_order,
    _nested,
    _nested_cast,
    _nested_reads,
    _cast_operand,
]


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("part", ["whole", "view", "transposed"])
@pytest.mark.parametrize("call", CALLS)
def test_what_it_reads_and_writes_is_numpys(
    call: Callable[[Any, Any], Any], part: str, immediate: int
) -> None:
    outcomes = []
    with la.config(immediate=immediate):
        for m in (la, np):
            whole = m.arange(12.0).reshape(4, 3) + 0
            x = {"whole": whole, "view": whole[1:3], "transposed": whole[:3].T}[part]
            result = call(m, x)
            if isinstance(result, (np.ndarray, la.LazyArray)):
                result = result.tolist()
            outcomes.append((result, whole.tolist()))
    assert outcomes[0] == outcomes[1]


def test_it_is_refused_as_in_numpy() -> None:
    for m in (la, np):
        x = m.zeros(3) + 0
        x.flags.writeable = False
        with pytest.raises(ValueError, match="read-only"):
            m.nditer(x, op_flags=["readwrite"])
        with pytest.raises(ValueError, match="read-only"):
            next(m.nditer(m.ones(2)))[...] = 3
        with pytest.raises(ValueError, match="flag"):
            m.nditer(m.ones(2), ["nonsense"])
        with pytest.raises(AttributeError):
            m.nditer(m.ones(2)).shape = 3
    with pytest.raises(la.errors.TracingError):
        la.jit(lambda x: next(la.nditer(x)))(np.ones(2))


def test_ndarrays_have_numpys_iterator() -> None:
    assert type(la.nditer(np.ones(2))) is np.nditer
