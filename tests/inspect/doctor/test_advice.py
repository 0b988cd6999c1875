"""Advice for a line of a script."""

from __future__ import annotations

import pytest

from lazyarr.arrays.early_evaluation import INDEX_CAUSE
from lazyarr.inspect.doctor.advice import advice_of
from lazyarr.inspect.doctor.lines import LineReport


@pytest.mark.host
@pytest.mark.parametrize(
    ("cause", "ending"),
    [
        (("bool(x)", "its value was asked for"), "or use lazyarr.where instead of if"),
        (
            INDEX_CAUSE,
            "or replace selections by lazyarr.where(mask, x, 0) or where= of a reduction",
        ),
        (("numpy.bincount", "its shape depends on the data"), "with lazyarr.evaluate(a, b)"),
    ],
)
def test_advice_on_evaluations_depends_on_what_asked(cause: tuple[str, str], ending: str) -> None:
    entry = LineReport("script.py", 3)
    entry.forced[cause] = 2
    assert advice_of(entry) == []
    entry.forced[cause] = 40
    (text,) = advice_of(entry)
    assert text.startswith(f"{cause[0]} forced 40 evaluations here ({cause[1]}): evaluate several")
    assert text.endswith(ending)
