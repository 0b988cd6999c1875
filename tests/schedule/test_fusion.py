"""Which values are stored, which share a kernel, and the reasons given where they do not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler.compilation import analyse
from lazyarr.compiler.program import Program
from lazyarr.compiler.targets import CPU, CUDA
from lazyarr.graph.node import Kind
from lazyarr.schedule.groups import Fusion, layout_of


def program(*expressions: Any) -> Program:
    return analyse(tuple(expression._node for expression in expressions))


def lazy(*shape: int) -> Any:
    return la.asarray(np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape))


def reasons(result: Program) -> list[str]:
    return [edge.reason for edge in result.not_fused]


def check(fusion: Fusion) -> None:
    """What must hold of every partition."""
    written = [output.layout.owner for group in fusion.groups for output in group.outputs]
    for root in fusion.roots:
        layout = layout_of(root, fusion.layouts)
        assert layout is not None and layout.owner in written
    done: set[Any] = set()
    for group in fusion.groups:
        for value in group.inputs:
            layout = layout_of(value, fusion.layouts)
            if layout is not None and layout.owner.op.kind is not Kind.PARAMETER:
                assert layout.owner in done, "a group reads what a later one writes"
        done.update(output.layout.owner for output in group.outputs)


@pytest.mark.parametrize(
    ("domain", "reduced", "template"),
    [
        ((100, 100), (), "map"),
        ((100, 100), (1,), "rows"),
        ((100, 100), (0,), "columns"),
        ((100, 100), (0, 1), "rows"),
        ((1 << 20,), (0,), "split"),
        ((4, 100, 100), (0, 2), "rows"),
        ((4, 100, 100), (0, 1), "columns"),
        ((2, 1 << 18), (1,), "split"),
        ((1, 100), (0,), "rows"),  # an axis of length one is no loop
    ],
)
def test_loops_follow_from_shape_and_axes(
    domain: tuple[int, ...], reduced: tuple[int, ...], template: str
) -> None:
    assert CPU.choose_template(domain, reduced) == template
    assert CUDA.choose_template(domain, reduced) == template


def test_independent_results_of_other_shapes_are_separate_kernels() -> None:
    compiled = program(lazy(10, 20) + 1, lazy(30) + 1)
    assert len(compiled.groups) == 2
    check(compiled.fusion)


def test_results_that_read_the_same_share_a_kernel() -> None:
    x = lazy(10, 20)
    compiled = program(x + 1, np.exp(x), x * x)
    assert len(compiled.groups) == 1
    assert len(compiled.groups[0].outputs) == 3
    check(compiled.fusion)


def test_shared_subexpression_is_computed_once() -> None:
    x = lazy(50, 60)
    e = np.exp(x)
    compiled = program(e.sum(axis=1), e * 2)
    (group,) = compiled.groups
    assert sum(node.op.name == "exp" for node in group.nodes) == 1
    check(compiled.fusion)


def test_reductions_over_different_axes_need_two_kernels() -> None:
    x = lazy(50, 60)
    compiled = program(x.sum(axis=0), x.sum(axis=1))
    assert len(compiled.groups) == 2
    check(compiled.fusion)


def test_a_reduction_over_columns_ends_its_kernel() -> None:
    x = lazy(50, 60)
    compiled = program(x - x.mean(axis=0))
    assert len(compiled.groups) == 2
    assert "needs the finished reduction, which runs down the columns" in reasons(compiled)
    check(compiled.fusion)


def test_a_long_row_is_read_twice() -> None:
    x = la.arange(1 << 20) * 1.5
    compiled = program(x - x.mean())
    assert len(compiled.groups) == 2
    assert any("too long to be read again from cache" in reason for reason in reasons(compiled))
    check(compiled.fusion)


def test_library_call_ends_a_kernel_and_says_so() -> None:
    x = lazy(20, 20)
    compiled = program((x + 1) @ (x * 2))
    assert [group.kind for group in compiled.groups] == ["kernel", "library"]
    assert set(reasons(compiled)) == {"computed by a library call"}
    check(compiled.fusion)


def test_views_are_never_stored() -> None:
    x = lazy(20, 30)
    y = np.exp(x)
    compiled = program(y.T[::-1, 2:] + 1)
    assert len(compiled.groups) == 1
    assert [output.node.shape for output in compiled.groups[0].outputs] == [(30, 18)]
    check(compiled.fusion)


def test_an_expensive_value_read_through_many_views_is_stored() -> None:
    x = lazy(400, 500)
    y = np.sin(np.exp(np.cos(np.tanh(x))))
    compiled = program(y[2:] + y[1:-1] + y[:-2])
    assert len(compiled.groups) == 2
    check(compiled.fusion)


def test_a_cheap_value_read_through_many_views_is_not() -> None:
    x = lazy(400, 500)
    y = x + 1
    compiled = program(y[2:] + y[1:-1] + y[:-2])
    assert len(compiled.groups) == 1
    check(compiled.fusion)


def test_a_costly_row_that_is_the_same_for_all_is_stored() -> None:
    """The loop over the rows would compute it for each of them."""
    x, row = lazy(4096, 512), lazy(512)
    compiled = program(x * np.exp(row))
    assert [[node.op.name for node in group.nodes] for group in compiled.groups] == [
        ["exp"],
        ["multiply"],
    ]
    check(compiled.fusion)
    for cheap_or_hoisted in (x * (row * 2 + 1), x * np.exp(lazy(4096, 1)), x[:4] * np.exp(row)):
        compiled = program(cheap_or_hoisted)
        assert len(compiled.groups) == 1
        check(compiled.fusion)


@pytest.mark.parametrize("side", [3, 30, 2000])
def test_what_ends_a_reduction_is_computed_in_its_kernel(side: int) -> None:
    x = la.asarray(np.random.default_rng(0).random((side, side)))
    compiled = program((x - x.mean(axis=0)) / x.std(axis=0))
    first, second = compiled.groups
    names = {node.op.name for node in first.nodes}
    assert {"sum", "sqrt", "divide"} <= names
    assert sorted(output.node.op.name for output in first.outputs) == ["divide", "sqrt"]
    assert [node.op.name for node in second.nodes] == ["subtract", "divide"]
    check(compiled.fusion)


@pytest.mark.parametrize("shape", [(300, 3), (3, 20, 5)])
def test_what_ends_reductions_that_keep_axes_is_computed_in_their_kernel(
    shape: tuple[int, ...],
) -> None:
    x = la.asarray(np.random.default_rng(0).random(shape))
    top = x.max(axis=-1, keepdims=True)
    result = np.log(np.exp(x - top).sum(axis=-1, keepdims=True)) + top
    compiled = program(result)
    (group,) = compiled.groups
    (output,) = group.outputs
    assert output.node.shape == shape[:-1] and result.shape == (*shape[:-1], 1)
    check(compiled.fusion)
    array = np.asarray(x)
    most = array.max(axis=-1, keepdims=True)
    expected = np.log(np.exp(array - most).sum(axis=-1, keepdims=True)) + most
    np.testing.assert_allclose(result, expected, rtol=1e-14)


@pytest.mark.parametrize("components", [2, 3, 5, 9])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_weights_of_pairs_are_computed_once_for_all_components(components: int, dtype: str) -> None:
    """A thread of a GPU takes all of few columns; of nine, no two are one thread's."""
    rng = np.random.default_rng(components)
    places = la.asarray(rng.random((700, components)).astype(dtype))
    masses = la.asarray(rng.random(700).astype(dtype))
    with la.config(device="cuda"):
        between = places[:, None] - places[None]
        squares = (between * between).sum(axis=-1) + 1e-3
        weights = masses / (squares * np.sqrt(squares))
        compiled = program((between * weights[..., None]).sum(axis=1))
    *before, last = compiled.groups
    computed = {"divide", "sqrt"}
    if components < 9:
        assert not before and computed <= {node.op.name for node in last.nodes}
    else:
        ((output,),) = [group.outputs for group in before]
        assert output.node.op.name == "divide"
        assert computed.isdisjoint(node.op.name for node in last.nodes)
    check(compiled.fusion)


def test_what_no_reduction_reads_is_behind_its_loops() -> None:
    """A draw and an expensive row beside sums of columns are computed once for each column."""
    x = lazy(2000, 600)
    drawn = la.random.default_rng(0).random(600)
    compiled = program(np.exp(x.sum(axis=0)) * drawn)
    assert len(compiled.groups) == 1
    check(compiled.fusion)
    compiled = program((x * np.exp(lazy(600))).sum(axis=0))
    assert [group.nodes[0].op.name for group in compiled.groups] == [
        "exp",
        "multiply",
    ]
    check(compiled.fusion)


def test_long_ends_of_reductions_are_found_in_linear_time() -> None:
    x = lazy(300, 200)
    row = x.sum(axis=0)
    for k in range(100):
        row = row + row / (k + 1)
    compiled = program(x - row)
    check(compiled.fusion)


def test_long_chains_are_cut_into_kernels_of_bounded_length() -> None:
    x = lazy(100)
    for _ in range(1000):
        x = np.sqrt(x + 1.5)
    compiled = program(x)
    assert 5 < len(compiled.groups) < 40
    assert max(len(group.nodes) for group in compiled.groups) <= 200
    check(compiled.fusion)


def test_a_part_used_elsewhere_is_still_written_in_place() -> None:
    x, y = lazy(10, 20), lazy(10, 20)
    part = np.exp(x)
    compiled = program(np.concatenate([part, y + 1]), part * 2)
    values = la.evaluate(np.concatenate([part, y + 1]), part * 2)
    np.testing.assert_allclose(values[0][:10], np.exp(np.asarray(x)))
    np.testing.assert_array_equal(values[0][10:], np.asarray(y) + 1)
    check(compiled.fusion)


def test_nested_concatenations_are_one_destination() -> None:
    x = lazy(10)
    inner = np.concatenate([x + 1, x + 2])
    whole = np.concatenate([x + 0.5, inner, x + 3])
    compiled = program(whole)
    assert {output.layout.owner for g in compiled.groups for output in g.outputs} == {
        compiled.simplified[0]
    }
    check(compiled.fusion)
    a = np.asarray(x)
    np.testing.assert_array_equal(whole.compute(), np.concatenate([a + 0.5, a + 1, a + 2, a + 3]))


def _diamond(x: Any) -> Any:
    total = x.sum(axis=0)
    return (x - total) * np.roll(total, 1), (total @ total)


def _mixed(x: Any) -> Any:
    y = np.exp(x / 10_000)
    return y @ y.T, (y @ y.T).sum(axis=1), y.max()


def _sorted(x: Any) -> Any:
    y = np.sort(x * -1, axis=1)
    return y.cumsum(axis=0) + y, y.mean()


@pytest.mark.parametrize("build", [_diamond, _mixed, _sorted])
def test_partitions_respect_dependencies(build: Callable[[Any], Any]) -> None:
    x = lazy(40, 30)
    results = build(x)
    check(program(*results).fusion)
    for result, expected in zip(la.evaluate(*results), build(np.asarray(x)), strict=True):
        np.testing.assert_allclose(result, expected, rtol=1e-12)


@pytest.mark.host
@pytest.mark.parametrize(
    ("build", "kernels"),
    [
        (lambda xp, x: xp.cumsum(xp.sin(x), axis=1), 2),
        (lambda xp, x: xp.cumsum(xp.where(xp.exp(x[:, ::-1]) > 1.5, 1, -1), axis=1), 2),
        (lambda xp, x: xp.cumprod(xp.log(x + 1).reshape(-1)), 2),
        (lambda xp, x: xp.cumsum(xp.sin(x), axis=0), 1),  # whose lines are vectors
        (lambda xp, x: xp.cumsum(x * 3 + 1, axis=1), 1),
        (lambda xp, x: xp.cumsum(xp.sort(xp.sin(x), axis=1), axis=1), 2),  # in memory anyway
    ],
)
def test_a_scan_along_memory_reads_what_is_expensive(
    build: Callable[[Any, Any], Any], kernels: int
) -> None:
    x = lazy(40, 30) / 1200
    expression = build(la, x)
    check(program(expression).fusion)
    assert len(la.explain(expression).kernels) == kernels
    expected = build(np, np.asarray(x))
    np.testing.assert_allclose(expression.compute(), expected, rtol=1e-13, atol=1e-15)
