"""Mathematical functions in float32, on a sample of all bit patterns there are."""

from __future__ import annotations

import pytest

from benchmarks.accuracy import PATTERNS, functions, scan

pytestmark = pytest.mark.each_device


@pytest.mark.parametrize("name", list(functions()))
def test_within_four_ulps_everywhere(name: str) -> None:
    if name in ("erf", "erfc"):
        pytest.importorskip("scipy")
    # An odd stride meets every exponent with many mantissas, subnormal numbers, infinities, NaN.
    stride = 40_503
    worst = scan(name, 0, PATTERNS, stride)
    assert worst.count == -(-PATTERNS // stride)
    assert worst.wrong == 0, worst
    assert worst.ulps <= 4, worst
