"""The cheapest devices, against all choices; runs of groups on one device."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from lazyarr.placement.partition import Value, cheapest_devices, cost_of, runs_of

SECONDS = st.integers(0, 20).map(lambda n: n * 1e-6)


@st.composite
def plans(draw: st.DrawFn) -> tuple[list[float], list[float | None], list[Value]]:
    count = draw(st.integers(1, 6))
    groups = list(range(count))
    processor = draw(st.lists(SECONDS, min_size=count, max_size=count))
    gpu = draw(st.lists(st.none() | SECONDS, min_size=count, max_size=count))
    values = []
    for group in groups:
        later = (
            st.lists(st.sampled_from(groups[group + 1 :]), unique=True)
            if group + 1 < count
            else st.just([])
        )
        values.append(
            Value((group,), tuple(draw(later)), draw(st.booleans()), draw(SECONDS), draw(SECONDS))
        )
    leaf = st.lists(st.sampled_from(groups), unique=True, min_size=1)
    values += [
        Value((), tuple(draw(leaf)), False, draw(SECONDS), draw(SECONDS))
        for _ in range(draw(st.integers(0, 3)))
    ]
    return processor, gpu, values


@given(plans())
def test_no_choice_is_cheaper(plan: tuple[list[float], list[float | None], list[Value]]) -> None:
    processor, gpu, values = plan
    every = itertools.product((False, True), repeat=len(processor))
    least = min(cost_of(choice, processor, gpu, values) for choice in every)
    chosen = cheapest_devices(processor, gpu, values)
    assert abs(cost_of(chosen, processor, gpu, values) - least) < 1e-8


def test_parts_of_one_memory_stay_together() -> None:
    joined = Value((0, 1), (), True, 1e-6, 1e-6)
    assert cheapest_devices([5e-6, 5e-6], [1e-6, None], [joined]) == (False, False)
    assert cheapest_devices([5e-6, 5e-6], [1e-6, 1e-6], [joined]) == (True, True)


def test_a_value_with_many_readers_crosses_once() -> None:
    value = Value((0,), (1, 2, 3), False, 5e-6, 1.0)
    processor, gpu = [1e-6] + [3e-6] * 3, [1.0] + [1e-6] * 3
    assert cheapest_devices(processor, gpu, [value]) == (False, True, True, True)
    two = Value((0,), (1, 2), False, 5e-6, 1.0)
    assert cheapest_devices(processor[:3], gpu[:3], [two]) == (False, False, False)


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.data())
def test_runs_are_in_order_and_of_one_device(on_gpu: list[bool], data: st.DataObject) -> None:
    operands = [
        data.draw(st.lists(st.integers(0, k - 1), unique=True)) if k else []
        for k in range(len(on_gpu))
    ]
    runs = runs_of(on_gpu, operands)
    assert sorted(itertools.chain(*runs)) == list(range(len(on_gpu)))
    done: set[int] = set()
    for run in runs:
        assert len({on_gpu[group] for group in run}) == 1
        for group in run:
            assert set(operands[group]) <= done
            done.add(group)
    changes = sum(a != b for a, b in itertools.pairwise(on_gpu))
    assert len(runs) <= changes + 1
