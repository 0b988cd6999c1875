"""Tiles of launches: how their number of work items is searched for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from lazyarr.execution.cpu.tiles import _last


@given(st.data())
def test_the_last_number_is_found_from_any_guess(data: st.DataObject) -> None:
    low = data.draw(st.integers(0, 5))
    high = data.draw(st.integers(low, low + 2000))
    answer, guess = data.draw(st.integers(low, high)), data.draw(st.integers(-5, high + 99))
    asked = []

    def holds(number: int) -> bool:
        assert low <= number <= high
        asked.append(number)
        return number <= answer

    assert _last(holds, low, high, guess) == answer
    away = abs(min(max(guess, low), high) - answer)
    assert len(asked) <= 2 * (away + 1).bit_length() + 2
