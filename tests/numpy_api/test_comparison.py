"""Functions that compare arrays."""

from __future__ import annotations

import random
import warnings
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.support.differential import agree

pytestmark = pytest.mark.host


@pytest.mark.parametrize("tolerance", ["rtol", "atol"])
@pytest.mark.parametrize("size", [3, 30_000])
@pytest.mark.parametrize("lazy", [True, False])
def test_arrays_as_tolerances_of_infinities_warn_of_nothing(
    tolerance: str, size: int, lazy: bool
) -> None:
    x, y = (np.resize([1.0, np.inf, np.nan], size), np.resize([1.0001, np.inf, 2.0], size))
    tolerances = np.random.default_rng(7).choice([1e-3, 1.0, 0.0], size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        expected = np.isclose(x, y, **{tolerance: tolerances})
        passed: Any = {tolerance: la.asarray(tolerances) if lazy else tolerances}
        np.testing.assert_array_equal(la.isclose(la.asarray(x), la.asarray(y), **passed), expected)
        every = la.allclose(la.asarray(x), y, **passed)
        assert bool(every) is bool(np.allclose(x, y, **{tolerance: tolerances}))


@pytest.mark.parametrize("lazy", [True, False])
def test_sequences_of_several_lengths_equal_nothing(lazy: bool) -> None:
    x = np.arange(3.0)
    array: Any = la.asarray(x) * 2 if lazy else x
    for function in (la.array_equal, la.array_equiv):
        for ragged in ([1, [2]], [[], 3], [x, [x]]):
            assert not function(array, ragged)
            assert not function(ragged, array)
            assert not function(ragged, ragged)
    with la.config(immediate=0):
        assert la.array_equal(array, ["text"]) is np.array_equal(x, ["text"])


@pytest.mark.parametrize("number", [1e300, -1e300, 3.5e38, 10**40, np.inf, 1e300 + 1j])
@pytest.mark.parametrize("tolerances", [{}, {"rtol": 1}, {"atol": np.ones(3, np.float32)}])
def test_a_number_that_no_float32_holds(number: Any, tolerances: dict[str, Any]) -> None:
    """The reach of the tolerances is a Python number as well, which NumPy casts once more."""
    x = np.array([1.0, -np.inf, np.inf], np.float32)
    for a, b in ((x, number), (number, x)):
        outcomes = []
        for m in (np, la):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                operands = [m.asarray(v) if v is x else v for v in (a, b)]
                close = np.asarray(m.isclose(*operands, **tolerances))
            outcomes.append((close.tolist(), [str(w.message) for w in caught]))
        assert outcomes[0] == outcomes[1]


@pytest.mark.filterwarnings("ignore:The 'generic' unit:DeprecationWarning")
@pytest.mark.parametrize("seed", range(30))
def test_random_members_of_what_lazyarr_has_not(seed: int) -> None:
    """Objects and times may equal numbers, texts and dates do not; nothing is refused."""
    draw = random.Random(seed)
    size = draw.choice([0, 1, 3])
    items: list[Any] = draw.choices(
        [0, 1.0, None, "1", np.timedelta64(1, "s"), 2, "b"], k=draw.choice([1, size])
    )
    others: list[Any] = [
        items,
        tuple(items),
        np.array(items, object),
        np.arange(size).astype(draw.choice(["m8[s]", "m8[ms]", "M8[D]", "U3", "S2"])),
        np.timedelta64(1, "s"),
        np.timedelta64("NaT", "s"),
        [np.timedelta64(2, "s")] * size,
        [items, items],
    ]
    x = np.arange(size).astype(draw.choice(["?", "i1", "u8", "i8", "f4", "f8", "c16"]))
    for limit in (0, 4096):
        with la.config(immediate=limit):
            mine = la.array(x)
            for other in others:
                agree(lambda m, x, y=other: x == y, x)
                agree(lambda m, x, y=other: x != y, x)
                if isinstance(other, np.ndarray):
                    np.testing.assert_array_equal(other == mine, other == x)
