"""Reductions and scans by reducers that no row of the package has, on every target."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.builders import build
from lazyarr.core.frozen import replace
from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node, Op
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.primitives import PRIMITIVES, register_dtype
from lazyarr.loop_ir.reducer import Reducer, by_primitive
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.reduce import REDUCE, axes_of
from lazyarr.ops.scan import SCAN
from tests.support.targets import TARGETS, emulate_where_there_is_none

FLOAT64 = np.dtype(np.float64)


@pytest.fixture(params=TARGETS)
def settings(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return settings under which a target computes."""
    if request.param == "cuda":
        emulate_where_there_is_none(monkeypatch)
        return {"device": "cuda"}
    return {"device": "cpu", "backend": request.param}


def _norm(node: Node, *arrays: np.ndarray) -> np.ndarray:
    return np.sqrt((arrays[0].astype(FLOAT64) ** 2).sum(axes_of(node))).astype(node.dtype)


#: Takes in squares, merges sums, ends in a root: each of its functions is another.
NORM = Reducer(
    "square",
    state=lambda source, result: (FLOAT64,),
    identity=lambda dtypes: (0.0,),
    step=lambda b, state, element: [
        b.call(
            "add",
            state[0],
            b.call("multiply", *[b.call("convert", element[0], dtype=FLOAT64)] * 2),
        )
    ],
    merge=lambda b, state, later: [b.call("add", state[0], later[0])],
    finish=lambda b, state: b.call("sqrt", state[0]),
)


def _span(node: Node, *arrays: np.ndarray) -> np.ndarray:
    return np.ptp(arrays[0], axis=axes_of(node))


#: Keeps two numbers, of which the first is not the result.
SPAN = Reducer(
    "end",
    state=lambda source, result: (source, source),
    identity=lambda dtypes: (np.inf, -np.inf),
    step=lambda b, state, element: [
        b.call("minimum", state[0], element[0]),
        b.call("maximum", state[1], element[0]),
    ],
    merge=lambda b, state, later: [
        b.call("minimum", state[0], later[0]),
        b.call("maximum", state[1], later[1]),
    ],
    finish=lambda b, state: b.call("subtract", state[1], state[0]),
)

SHAPES = [
    ((40, 300), 1),
    ((40, 300), 0),
    ((3000, 5), 1),
    ((30_000, 3), 0),
    ((70_001,), 0),
    ((2, 40_000), 1),
    ((5, 40, 6), 1),
    ((1, 1), 0),
]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize(
    ("reducer", "evaluate"), [(NORM, _norm), (SPAN, _span)], ids=["norm", "span"]
)
def test_a_reduction_of_any_functions(
    reducer: Reducer,
    evaluate: Any,
    dtype: str,
    settings: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    op = Op("of a test", Kind.REDUCE, evaluate, reducer=reducer)
    monkeypatch.setitem(REDUCE, op.name, op)
    rng = np.random.default_rng(0)
    for shape, axis in SHAPES:
        x = rng.standard_normal(shape).astype(dtype)
        source = la.asarray(x)
        node = build.reduce(op.name, (source._node,), (axis,), x.dtype)
        with la.config(**settings):
            reduced = la.LazyArray(node)
            assert not la.explain(reduced).fallbacks
            result = (reduced * 2).compute()
            expected = evaluate(node, x) * 2
            np.testing.assert_allclose(result, expected, rtol=1e-5 if dtype == "f4" else 1e-12)


def _running(node: Node, *arrays: np.ndarray) -> np.ndarray:
    assert isinstance(node.attr, int)
    return np.logaddexp.accumulate(arrays[0], axis=node.attr, dtype=node.dtype)


def _logaddexp(b: Builder, state: Any, element: Any) -> list[Any]:
    expand = ELEMENTWISE["logaddexp"].expand
    assert expand is not None
    return [expand(b, state[0], element[0])]


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_a_scan_is_a_row_that_names_a_reducer_of_one_number(
    dtype: str, settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    reducer = Reducer(
        "log",
        state=lambda source, result: (source,),
        identity=lambda dtypes: (-np.inf,),
        step=_logaddexp,
        merge=_logaddexp,
        finish=lambda b, state: state[0],
    )
    row = Op("cumlogaddexp", Kind.SCAN, _running, np.logaddexp, reducer=reducer)
    monkeypatch.setitem(SCAN, row.name, row)
    rng = np.random.default_rng(1)
    for shape, axis in [((40, 300), 1), ((300, 40), 0), ((70_001,), 0), ((3, 5000), 1)]:
        x = rng.standard_normal(shape).astype(dtype)
        with la.config(**settings):
            lazy = np.logaddexp.accumulate(la.asarray(x), axis=axis)
            assert not la.explain(lazy).fallbacks
            actual = lazy.compute()
        expected = np.logaddexp.accumulate(x, axis=axis)
        np.testing.assert_allclose(actual, expected, rtol=1e-4 if dtype == "f4" else 1e-11)


def test_scans_keep_one_number() -> None:
    assert not SPAN.scans(FLOAT64)
    assert NORM.scans(FLOAT64)


@pytest.mark.parametrize("op", [*REDUCE.values(), *SCAN.values()], ids=lambda op: op.name)
@pytest.mark.parametrize("code", "?bBhHiIlLefd")
def test_states_of_rows_are_of_the_dtypes_that_they_say(op: Op, code: str) -> None:
    """Steps and merges keep the dtypes, the identity is neutral for what it says of no elements."""
    reducer = op.reducer
    assert reducer is not None
    dtype = register_dtype(np.dtype(code))
    if op.kind is Kind.SCAN and not reducer.scans(dtype):
        assert code == "?" and op.name in ("cumsum", "cumprod")
        return
    result = np.dtype(np.int64) if code == "?" and op.name in ("sum", "prod") else dtype
    dtypes = reducer.state(dtype, result)
    assert dtypes is not None
    b = Builder()
    state = [b.literal(n, d) for n, d in zip(reducer.identity(dtypes), dtypes, strict=True)]
    assert [x.dtype for x in state] == list(dtypes)
    element = [b.literal(1, dtype), b.literal(3, np.dtype(np.int64))]
    element = element if reducer.is_positional else element[:1]
    if code == "?" and op.name == "sumsqdev":
        return  # of floats alone
    if op.name in ("any", "all"):
        element = [b.literal(True, np.dtype(np.bool_))]
    stepped = reducer.step(b, state, element)
    assert [x.dtype for x in stepped] == list(dtypes)
    assert [x.dtype for x in reducer.merge(b, stepped, stepped)] == list(dtypes)
    if reducer.primitive is not None:
        assert dtypes[0].kind in PRIMITIVES[reducer.primitive(dtypes[0])].kinds


def test_a_row_may_refuse_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = replace(NORM, state=lambda source, result: None)
    op = Op("refusing", Kind.REDUCE, _norm, reducer=refusing)
    monkeypatch.setitem(REDUCE, op.name, op)
    x = np.arange(5.0)
    node = build.reduce(op.name, (la.asarray(x)._node,), (0,), FLOAT64)
    reduced = la.LazyArray(node)
    assert la.explain(reduced).fallbacks
    np.testing.assert_allclose(reduced.compute(), np.linalg.norm(x))


def test_primitives_of_two_dtypes_are_refused() -> None:
    summing = by_primitive("sum", "add", lambda source, result: result, lambda dtype: 0)
    b = Builder()
    with pytest.raises(ContractError):
        summing.step(b, [b.literal(True, np.dtype(np.bool_))], [b.literal(1.0, FLOAT64)])
