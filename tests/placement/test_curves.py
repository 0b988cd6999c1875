"""Seconds between measurements."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lazyarr.placement.curves import Curve

POSITIVE = st.floats(1e-9, 1e9)


def test_measurements_are_met_and_power_laws_lie_between() -> None:
    curve = Curve.of([(16, 16.0**3), (1024, 1024.0**3), (256, 256.0**3)])
    for n in (16, 100, 256, 1000, 1024, 8192):
        assert curve.at(n, may_be_cube=True) == pytest.approx(n**3, rel=1e-9)
    assert curve.at(2048) == pytest.approx(2 * 1024**3)
    assert curve.at(2) == 16**3


def test_beyond_the_largest_time_grows_with_the_size_at_least() -> None:
    assert Curve.of([(10, 1.0), (100, 1.0)]).at(1000, may_be_cube=True) == pytest.approx(10.0)
    assert Curve.of([(10, 1.0)]).at(100) == pytest.approx(10.0)


def test_a_disturbed_measurement_is_no_slower_than_a_larger_one() -> None:
    assert Curve.of([(10, 5.0), (100, 2.0), (1000, 4.0)]).points[0] == (10, 2.0)


@given(st.lists(st.tuples(POSITIVE, POSITIVE), min_size=1, max_size=6), POSITIVE, POSITIVE)
def test_more_never_takes_less(points: list[tuple[float, float]], a: float, b: float) -> None:
    curve = Curve.of(points)
    assert curve.at(min(a, b)) <= curve.at(max(a, b)) * (1 + 1e-9)


@pytest.mark.parametrize(
    "points", [[], [(0, 1.0)], [(1, 0.0)], [(1, float("nan"))], [(float("inf"), 1.0)], [(-1, -1)]]
)
def test_what_is_no_measurement_is_refused(points: list[tuple[float, float]]) -> None:
    with pytest.raises(ValueError, match="positive"):
        Curve.of(points)
