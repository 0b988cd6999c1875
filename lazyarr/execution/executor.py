"""The protocol of executors of compiled plans."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from lazyarr.execution.arguments import ScalarValue
from lazyarr.execution.fp_errors.diagnosis import Diagnosis
from lazyarr.execution.launch import LaunchStrategy
from lazyarr.graph.node import Early, Leaf
from lazyarr.passes.canonicalize import Bindings

__all__ = ["Donated", "Executor", "HostCall", "LaunchByAddress"]

Array = np.ndarray[Any, Any]
#: Arrays by the numbers of the leaves whose memory they are: results are written there.
Donated: TypeAlias = Mapping[int, Array] | None
#: Takes the addresses of leaves, the values of scalars, both as nodes, and donated memory.
LaunchByAddress: TypeAlias = LaunchStrategy[
    [list[int], Sequence[ScalarValue], Callable[[], Bindings], Donated], Array
]


class HostCall(Protocol):
    """A plan that takes whole arrays of the host and gives one."""

    def run(self, arrays: Sequence[Array], bindings: Callable[[], Bindings]) -> Array:
        """Return the result.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            The leaves.
        bindings : callable
            Returns them as nodes.
        """


class Executor(Protocol):
    """Runs one plan repeatedly, from many threads concurrently."""

    @property
    def peak_bytes(self) -> int:
        """Largest total size of live buffers in the memory plan, in bytes."""

    @property
    def donated(self) -> tuple[int, ...]:
        """Numbers of the leaves that results overwrite: a run takes their memory."""

    @property
    def by_address(self) -> LaunchByAddress | None:
        """Launches the plan for addresses and numbers, if it takes no more than these."""

    @property
    def mixed(self) -> LaunchByAddress | None:
        """Launches a plan that has library calls in the same way, if there is one."""

    @property
    def sole_call(self) -> HostCall | None:
        """The plan, if it is nothing but one call of a library on the host."""

    def diagnose_by(self, diagnosis: Diagnosis) -> None:
        """Set the diagnosis by which reports of kernels become errors and warnings."""

    def run(self, bindings: Bindings, outs: Sequence[Array | None] | None = None) -> list[Array]:
        """Return the results in the host's memory.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars of an expression of the plan's structure.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write the results.
        """

    def run_over(self, bindings: Bindings, donated: Donated) -> list[Array]:
        """Return the results in the host's memory, some in that of leaves.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars of an expression of the plan's structure.
        donated : mapping of int to numpy.ndarray, optional
            For each leaf that the plan overwrites a writable array of its memory.
        """

    def persist(self, bindings: Bindings) -> Sequence[Any]:
        """Return the results where they are computed: arrays of NumPy or of a device."""

    def run_and_keep(
        self, bindings: Bindings, count: int, outs: Sequence[Array | None] | None, early: Early
    ) -> tuple[list[Array], list[Leaf]]:
        """Return the first results on the host, and leaves of the others.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        count : int
            How many results were asked for.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write these.
        early : Early
            Why the others are computed.
        """

    def repeat(self, bindings: Bindings) -> tuple[Sequence[Any], Callable[[], object]]:
        """Return the results in the target's memory, and a function that computes them again."""
