"""Random expressions and programs in large numbers: in each way to compute them, NumPy's values."""

from __future__ import annotations

import secrets

import pytest

from tests.conformance.random_values import WAYS, compared_values


@pytest.mark.host
@pytest.mark.parametrize("way", WAYS)
def test_some_values(way: str) -> None:
    _, part = WAYS[way]
    programs, values = compared_values(way, int(2_000 * part), secrets.randbits(40))
    assert programs
    assert values >= 2_000 * part


@pytest.mark.host
@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_a_million_values(way: str) -> None:
    _, part = WAYS[way]
    assert compared_values(way, int(1_000_000 * part), 0)[1] >= 1_000_000 * part
