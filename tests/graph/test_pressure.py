"""Nodes and bytes alive: counted as nodes come and go."""

from __future__ import annotations

import gc
import signal

import numpy as np
import pytest

import lazyarr as la
from lazyarr.graph import node, pressure
from lazyarr.graph.interning import COMPILED
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
    monkeypatch.setattr(PRESSURE, "most_bytes", PRESSURE.nbytes + 10_000)
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


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer sends signals here")
@pytest.mark.skipif(COMPILED is None, reason="Python's form can be interrupted anywhere")
def test_an_interrupt_miscounts_no_byte() -> None:
    armed: list[bool] = []

    def interrupt(number: int, frame: object) -> None:
        if armed:
            armed.clear()
            raise KeyboardInterrupt

    gc.collect()  # what other tests have left is not freed meanwhile
    before, interrupts = PRESSURE.nbytes, 0
    handler = signal.signal(signal.SIGALRM, interrupt)
    array = np.zeros(1000)
    signal.setitimer(signal.ITIMER_REAL, 1e-3, 1e-4)
    while interrupts < 500:
        try:
            armed.append(True)
            for _ in range(1000):
                la.asarray(array)
        except KeyboardInterrupt:
            interrupts += 1
        else:
            armed.clear()
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, handler)
    gc.collect()
    assert PRESSURE.nbytes == before
