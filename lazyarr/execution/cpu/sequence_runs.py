"""Runs of plans that are launched by their addresses, whichever executor has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lazyarr.execution.arguments import ScalarValue, memory_of, scalar_of
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import ComputedLeaf, Early, Leaf
from lazyarr.runtime.run_log import listeners

if TYPE_CHECKING:
    from lazyarr.execution.cpu.kernel_sequence import KernelSequence
    from lazyarr.passes.canonicalize import Bindings

__all__ = ["launch_into", "repeat", "run_and_keep"]

Array = np.ndarray[Any, Any]
Outs = Sequence[Array | None] | None


class Run(Protocol):
    """Runs a plan."""

    def __call__(self, bindings: Bindings, outs: Outs = None) -> list[Array]:
        """Return the results, in arrays of the caller's where there are such."""


def _arrays_of(bindings: Bindings) -> list[Array]:
    """Return the leaves of a run as arrays."""
    return [memory_of(leaf).array for leaf in bindings.leaves]


def launch_into(
    sequence: KernelSequence,
    addresses: list[int],
    scalars: Sequence[ScalarValue],
    bindings: Bindings,
    outs: Sequence[Array | None],
) -> list[Array] | None:
    """Return the results in arrays of the caller's; None if kernels cannot write these.

    Parameters
    ----------
    sequence : KernelSequence
        The launches.
    addresses : list of int
        Of the leaves; those of the plan's memory are appended.
    scalars : sequence of number
        The values of the scalars.
    bindings : Bindings
        Both as nodes.
    outs : sequence of (numpy.ndarray or None)
        Where to write the results.
    """
    into = sequence.targets(outs, _arrays_of(bindings))
    if into is None:
        return None
    return sequence.launch(addresses, scalars, lambda: bindings, None, into)


def run_and_keep(
    run: Run, bindings: Bindings, results: int, count: int, outs: Outs, early: Early
) -> tuple[list[Array], list[Leaf]]:
    """Return the first results of a plan, and leaves of the others for expressions to begin with.

    Parameters
    ----------
    run : callable
        Runs the plan.
    bindings : Bindings
        The leaves and scalars.
    results : int
        How many the plan has.
    count : int
        How many were asked for.
    outs : sequence of (numpy.ndarray or None), optional
        Where to write these.
    early : Early
        Why the others are computed.
    """
    values = run(bindings, None if outs is None else [*outs, *([None] * (results - count))])
    leaves: list[Leaf] = []
    for value in values[count:]:
        value.flags.writeable = False
        leaves.append(ComputedLeaf(value, early))
    return values[:count], leaves


def repeat(
    run: Run, sequence: KernelSequence | None, bindings: Bindings
) -> tuple[list[Array], Callable[[], object]]:
    """Return the results of a plan, and a function that computes them again in their memory.

    Parameters
    ----------
    run : callable
        Runs the plan.
    sequence : KernelSequence, optional
        Its launches, if it is nothing but kernels.
    bindings : Bindings
        The leaves and scalars.
    """
    results = run(bindings)
    # The host's copy of a device's memory is made anew whenever its address is asked for.
    if sequence is None or any(type(leaf.attr) is DeviceLeaf for leaf in bindings.leaves):
        return results, lambda: run(bindings, results)
    into = sequence.targets(results, _arrays_of(bindings))
    addresses = [memory_of(leaf).address for leaf in bindings.leaves]
    scalars = [scalar_of(scalar) for scalar in bindings.scalars]

    def again() -> object:
        if into is None or listeners():
            return run(bindings, results)
        return sequence.launch(addresses.copy(), scalars, lambda: bindings, None, into)

    return results, again
