"""The table of nodes."""

from __future__ import annotations

import gc

import numpy as np

import lazyarr as la
from lazyarr.graph import node as ir


def test_garbage_collected_during_a_sweep_does_no_harm() -> None:
    class Cycle:
        def __init__(self) -> None:
            self.own = self
            self.leaf = la.asarray(np.ones(3))  # forgets its entry when it goes

    kept = [la.asarray(np.ones(1)) for _ in range(5000)]
    before = gc.get_threshold()
    try:
        for _ in range(5):
            gc.disable()
            cycles = [Cycle() for _ in range(200)]
            del cycles
            gc.set_threshold(1)
            gc.enable()
            ir._sweep()
            gc.set_threshold(*before)
    finally:
        gc.enable()
        gc.set_threshold(*before)
    assert len(kept) == 5000
