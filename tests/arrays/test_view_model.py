"""Random programs of views and writes: every array equals NumPy's after every step."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.graph.reference import evaluate_reference
from tests.support.targets import emulate_where_there_is_none
from tests.support.view_programs import run_program

SEEDS = st.integers(0, 2**63)


def _by_reference(arrays: list[Any]) -> list[np.ndarray[Any, Any]]:
    """Return values by NumPy's own operations, so that no program has to be compiled."""
    return evaluate_reference([array._node for array in arrays])


def _compiled(arrays: list[Any]) -> list[np.ndarray[Any, Any]]:
    return [array.compute() for array in arrays]


@pytest.mark.parametrize("part", range(12))
def test_programs(part: int) -> None:
    for seed in range(300 * part, 300 * (part + 1)):
        run_program(seed, 8, _by_reference)


@pytest.mark.parametrize("most", [1, 8, 20])
def test_programs_on_both_sides_of_the_limit(most: int) -> None:
    with la.config(immediate=most):
        for seed in range(1000 * most, 1000 * most + 250):
            run_program(seed, 8, _by_reference, watched=True)


@pytest.mark.parametrize("most", [0, 1, 8, 20])
@settings(max_examples=75, deadline=None, database=None)
@given(seed=SEEDS)
def test_programs_that_are_new_in_each_run(most: int, seed: int) -> None:
    with la.config(immediate=most):
        run_program(seed, 8, _by_reference, watched=most > 0)


#: Programs in which an output that lay in steps came to lie in C order when it was next read.
OUTPUTS_IN_STEPS = (5027857, 5028163, 5033209, 9029763, 9030780, 9031201, 9032765)


@pytest.mark.parametrize("seed", OUTPUTS_IN_STEPS)
def test_outputs_in_steps_stay_in_their_places(seed: int) -> None:
    with la.config(immediate=20):
        run_program(seed, 8, _by_reference, watched=True)


#: Programs in which a copy computed an array in steps in C order; views of arrays with axes that go
#: backwards were not mapped; the leaf of memory that was written to later had a stored value.
WRAPPED_IN_STEPS = (9002498, 5033688, 5003710, 5004261)


@pytest.mark.parametrize("seed", WRAPPED_IN_STEPS)
def test_arrays_wrapped_in_steps_and_their_copies(seed: int) -> None:
    with la.config(immediate=20):
        run_program(seed, 8, _by_reference, watched=True)


@pytest.mark.slow
@pytest.mark.parametrize("most", [0, 1, 8, 20])
@pytest.mark.parametrize("watched", [False, True])
@settings(max_examples=2000, deadline=None, database=None)
@given(seed=SEEDS)
def test_further_programs(most: int, watched: bool, seed: int) -> None:
    with la.config(immediate=most):
        run_program(seed, 8, _by_reference, watched=watched)


@settings(max_examples=10, deadline=None, database=None)
@given(seed=st.integers(0, 9))
def test_programs_above_the_limit_with_kernels(seed: int) -> None:
    with la.config(immediate=5):
        run_program(seed, 6, lambda arrays: [np.asarray(x) for x in arrays], small=True)


@settings(max_examples=12, deadline=None, database=None)
@given(seed=st.integers(0, 11))
def test_programs_with_kernels(seed: int) -> None:
    run_program(seed, 6, _compiled, small=True)


def test_programs_with_kernels_of_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    emulate_where_there_is_none(monkeypatch)
    with la.config(device="cuda"):
        for seed in range(3):
            run_program(seed, 5, _compiled, small=True)
