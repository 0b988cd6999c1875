"""Functions that ``numpy.vectorize`` calls, as their results are no numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la


@pytest.mark.host
@pytest.mark.parametrize("otypes", [[object], ["U8"], "O", ["m8[s]"], [str]])
def test_results_that_are_no_numbers_are_numpys(otypes: Any) -> None:
    def text(a: Any, b: int = 1) -> Any:
        return f"{a * b}" if "m8" not in str(otypes) else int(a * b)

    mine, theirs = (m.vectorize(text, otypes=otypes, doc="A text.") for m in (la, np))
    for x in (np.arange(3), np.ones((2, 2)), np.array(5)):
        result, expected = mine(la.asarray(x), 3), theirs(x, 3)
        assert type(result) is type(expected) and mine.__doc__ == "A text."
        np.testing.assert_array_equal(result, expected, strict=True)
