"""Products with one number repeated are calls as others are."""

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.execution.cpu.step_by_step import StepByStep


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("value", [0.0, 2.5])
def test_a_product_with_a_constant_is_a_launch(
    monkeypatch: pytest.MonkeyPatch, turned: bool, value: float
) -> None:
    launched: list[int] = []
    launch = KernelSequence.launch

    def noted(self: KernelSequence, *args: Any) -> Any:
        launched.append(len(self.code.calls))
        return launch(self, *args)

    def refused(*args: Any) -> Any:
        raise AssertionError("the plan has steps that are no calls")

    monkeypatch.setattr(KernelSequence, "launch", noted)
    monkeypatch.setattr(StepByStep, "launch", refused)
    w = np.random.default_rng(0).standard_normal((4, 5))
    w[1, 2] = np.inf
    full = np.full((3, 4) if not turned else (5, 3), value)
    lazy = la.full(full.shape, value)
    with np.errstate(invalid="ignore"):
        expected = w @ full if turned else full @ w
        result = la.evaluate(la.asarray(w) @ lazy if turned else lazy @ la.asarray(w))
    np.testing.assert_array_equal(result, expected)
    assert launched
