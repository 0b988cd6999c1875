"""Exchanges with other devices begin early and are read late, in one order on every device."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import nn, parallel
from lazyarr.compiler.compilation import analyse
from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.core.frozen import replace
from lazyarr.errors import ContractError
from lazyarr.schedule.exchange_order import exchanges_early
from lazyarr.schedule.fusion import layout_of
from lazyarr.schedule.memory import Plan, check_plan
from lazyarr.schedule.order import check_schedule, schedule


def gradients(sizes: tuple[int, ...], each: bool = False) -> tuple[Any, ...]:
    """Return the averaged gradients of a net, in buckets or `each` in one, and what updates it."""
    random = np.random.default_rng(len(sizes))
    weights = [la.asarray(random.standard_normal(shape)) for shape in pairwise(sizes)]
    x = la.asarray(random.standard_normal((6, sizes[0])))

    def loss(weights: Any) -> Any:
        value = x
        for w in weights:
            value = nn.relu(value @ w)
        return (value * value).mean()

    slopes = la.grad(loss)(weights)
    means = [parallel.mean(slope) for slope in slopes] if each else parallel.mean(slopes)
    return tuple(w - 0.1 * slope for w, slope in zip(weights, means, strict=True))


def program(results: tuple[Any, ...], device: str = "cuda") -> Any:
    forget_plans()
    with la.config(device=device):
        return analyse(tuple(result._node for result in results))


def exchanged(plan: Plan) -> list[Any]:
    return [step for step in plan.steps if step.group.members[0].op.exchanges]


NETS = [(8, 12, 16, 4), (5, 7, 9, 11, 13, 15), (300, 200, 100), (64, 64, 64, 64, 64, 64, 64)]


# -- the order of groups -------------------------------------------------------------------------


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_exchanges_come_as_soon_as_they_can_and_are_read_last(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 14))
    before: list[int] = []
    for k in range(count):
        own = data.draw(st.sets(st.integers(0, k - 1), max_size=3)) if k else set()
        before.append(0)
        for other in own:
            before[k] |= before[other] | 1 << other
    # The numbers of groups say nothing of their order.
    new = data.draw(st.permutations(range(count)))
    masks = [0] * count
    for k, mask in enumerate(before):
        masks[new[k]] = sum(1 << new[other] for other in range(count) if mask >> other & 1)
    given_order = [new[k] for k in range(count)]
    exchanges = data.draw(
        st.lists(st.sampled_from(range(count)), unique=True, min_size=1, max_size=4)
    )
    order = exchanges_early(given_order, masks, exchanges)
    assert sorted(order) == list(range(count))
    place = {group: at for at, group in enumerate(order)}
    assert all(
        place[other] < place[group]
        for group in range(count)
        for other in range(count)
        if masks[group] >> other & 1
    )
    # The first exchange waits for what it needs and for nothing else.
    first = min(exchanges, key=lambda group: place[group])
    assert all(masks[first] >> g & 1 for g in order[: place[first]])
    needed = set(exchanges)
    for group in exchanges:
        needed |= {other for other in range(count) if masks[group] >> other & 1}
    readers = [any(masks[g] >> e & 1 for e in exchanges) and g not in needed for g in order]
    assert readers == sorted(readers)
    assert exchanges_early(given_order, masks, exchanges[::-1]) == order


def test_what_reads_the_last_exchange_comes_behind_what_reads_others() -> None:
    # 0 and 1 make what 2 and 3 average; 4 and 5 read the averages.
    masks = [0b0, 0b1, 0b1, 0b11, 0b1011, 0b101]
    assert exchanges_early([0, 1, 2, 3, 4, 5], masks, [2, 3]) == [0, 2, 1, 3, 5, 4]


# -- plans ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("sizes", NETS)
def test_backward_steps_come_between_an_exchange_and_its_readers(
    sizes: tuple[int, ...], each: bool
) -> None:
    plan = program(gradients(sizes, each)).plan
    steps = exchanged(plan)
    assert all(step.group.beside for step in steps)
    if each:
        assert len(steps) == len(sizes) - 1
    for step, later in pairwise(steps):
        # What the next one sends is computed meanwhile.
        assert step.index < later.index < step.joined <= later.joined
    for step in steps:
        written = step.group.outputs[0].layout.owner
        home = plan.buffers[plan.home[written]]
        assert home.first == step.index and home.last >= step.joined


@pytest.mark.parametrize("sizes", NETS)
def test_operands_of_an_exchange_are_kept_until_it_is_waited_for(sizes: tuple[int, ...]) -> None:
    whole = program(gradients(sizes, each=True))
    plan = whole.plan
    check_plan(plan)
    for step in exchanged(plan):
        for node in step.group.inputs:
            layout = layout_of(node, whole.fusion.layouts)
            assert layout is not None
            assert plan.buffers[plan.home[layout.owner]].last >= step.joined
    scheduled = schedule(whole.fusion)
    check_schedule(scheduled)
    (owners,) = {
        tuple(layout_of(node, whole.fusion.layouts).owner for node in step.group.inputs)  # type: ignore[union-attr]
        for step in exchanged(plan)[:1]
    }
    shorter = tuple(
        replace(life, last=life.last - 1) if life.owner in owners else life
        for life in scheduled.lifetimes
    )
    with pytest.raises(ContractError, match="is still running when"):
        check_schedule(replace(scheduled, lifetimes=shorter))


def test_a_result_that_nothing_reads_is_waited_for_at_the_latest_by_the_last_step() -> None:
    x, y = (la.asarray(np.arange(40.0) + k) for k in range(2))
    plan = program((parallel.mean(x * 2), np.cumsum(np.sort(y)))).plan
    (step,) = exchanged(plan)
    assert step.joined == len(plan.steps) - 1 > step.index
    (alone,) = program((parallel.mean(x),)).plan.steps
    assert alone.joined == alone.index == 0


@pytest.mark.parametrize("sizes", NETS)
def test_the_order_is_the_same_whenever_a_step_is_compiled(sizes: tuple[int, ...]) -> None:
    """Nodes are others each time, and with them the order of sets of nodes."""

    def order(kept: list[object]) -> list[tuple[object, ...]]:
        results = gradients(sizes, each=True)
        kept.append((results, [object() for _ in range(len(kept) * 7)]))
        steps = exchanged(program(results).plan)
        return [(step.index, step.joined, step.group.members[0].shape) for step in steps]

    kept: list[object] = []
    assert len({tuple(order(kept)) for _ in range(6)}) == 1


def test_workers_on_the_processors_exchange_in_order() -> None:
    plan = program(gradients((8, 12, 16, 4)), "cpu").plan
    assert exchanged(plan)
    assert all(step.joined == step.index and not step.group.beside for step in plan.steps)


def test_explain_names_the_step_that_waits() -> None:
    results = gradients((300, 200, 100))
    forget_plans()
    with la.config(device="cuda"):
        shown = la.explain(*results)
    calls = [call for call in shown.device_calls if call.op == "all_mean"]
    assert calls and all(" beside the steps before k" in call.reason for call in calls)
