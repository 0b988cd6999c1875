"""Nodes and bytes alive: counted as nodes come and go."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph import node, pressure
from lazyarr.graph.pressure import PRESSURE


def test_bytes_are_counted_while_nodes_are_alive() -> None:
    before = PRESSURE.nbytes
    array = np.zeros(1000)
    x = la.asarray(array)
    again = la.asarray(array)
    assert PRESSURE.nbytes == before + 8000
    del x, again
    assert PRESSURE.nbytes == before


def test_an_array_without_memory_counts_nothing() -> None:
    before = PRESSURE.nbytes
    x = la.arange(10**6) + 1
    assert PRESSURE.nbytes == before
    assert x.size == 10**6


def test_many_bytes_are_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pressure, "MOST_BYTES", PRESSURE.nbytes + 10_000)
    monkeypatch.setattr(PRESSURE, "nodes", False)
    first = la.asarray(np.zeros(1000))
    assert not PRESSURE.high
    second = la.asarray(np.zeros(1000))
    assert PRESSURE.high
    del first
    assert not PRESSURE.high
    del second
    monkeypatch.undo()
    PRESSURE.update()


def test_many_nodes_are_noted_when_dead_entries_are_dropped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(PRESSURE, "nodes", False)
    with la.config(implicit="raise"):  # nothing is computed meanwhile
        x = la.asarray(np.zeros(4))
        for _ in range(pressure.MOST_NODES):
            x = x + 1
        node.look_at_nodes()
        assert PRESSURE.nodes
        assert PRESSURE.high
