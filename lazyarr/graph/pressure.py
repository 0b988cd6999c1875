"""Whether pending expressions have grown large: counted where nodes are interned, at no cost.

A loop that never asks for a value leaves an expression that grows with every iteration, or that
refers to more and more arrays. Nothing need be counted for each operation: the table of interned
nodes is looked through each time that it has doubled, and wrapped arrays are few.
"""

from __future__ import annotations

import numpy as np

from lazyarr.core import tuning

__all__ = ["MOST_NODES", "PRESSURE"]

MOST_NODES = tuning.row().pending_nodes


class _Pressure:
    """Counts of live nodes and of the bytes of arrays that they refer to.

    Attributes
    ----------
    nodes : bool
        Whether there are many nodes, until somebody has looked which expression has them.
    nbytes : int
        Of the arrays behind leaves that are alive.
    most_bytes : int
        More of them are many.
    high : bool
        Whether there are many nodes or bytes.
    """

    __slots__ = ("high", "most_bytes", "nbytes", "nodes")

    def __init__(self) -> None:
        self.nodes = False
        self.nbytes = 0
        self.most_bytes = tuning.row().pending_bytes
        self.high = False

    def update(self) -> None:
        """Note whether there are many nodes or bytes."""
        self.high = self.nodes or self.nbytes > self.most_bytes

    def count(self, dtype: np.dtype[np.generic], shape: tuple[int, ...], sign: int) -> None:
        """Count the bytes of a leaf that is new, or that is gone.

        Parameters
        ----------
        dtype : numpy.dtype
            Of its elements.
        shape : tuple of int
            Of its array.
        sign : int
            1 if it is new, -1 if it is gone.
        """
        size = dtype.itemsize
        for length in shape:
            size *= length
        self.nbytes += sign * size
        self.high = self.nodes or self.nbytes > self.most_bytes


PRESSURE = _Pressure()
