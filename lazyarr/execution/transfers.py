"""Arrays that are asked for where they are not: copied across the bus, which needs no plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.core.config import CUDA, Config
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Leaf, Node

__all__ = ["fetched", "sent", "to_be_fetched", "to_be_sent"]

Array = np.ndarray[Any, Any]


def to_be_fetched(roots: Sequence[Node], settings: Config) -> bool:
    """Whether values that the host asks for are arrays, which a GPU need not touch."""
    kinds = {type(root.attr) for root in roots}
    return kinds == {DeviceLeaf} or (settings.device == CUDA and _are_arrays(kinds))


def to_be_sent(roots: Sequence[Node], settings: Config) -> bool:
    """Whether values that a GPU is to hold are arrays of the host."""
    kinds = {type(root.attr) for root in roots}
    return settings.device == CUDA and DeviceLeaf not in kinds and _are_arrays(kinds)


def _are_arrays(kinds: set[type]) -> bool:
    return all(issubclass(kind, Leaf) for kind in kinds)


def fetched(roots: Sequence[Node], outs: Sequence[Array | None] | None = None) -> list[Array]:
    """Return copies of arrays in the host's memory, in `outs` where given."""
    # Imported here: most processes never see a GPU.
    from lazyarr.runtime.cuda import driver
    from lazyarr.runtime.cuda.transfers import to_host

    partner = driver.device().stream().partner
    results = []
    for root, out in zip(roots, outs or [None] * len(roots), strict=True):
        held: Any = root.attr
        if type(held) is DeviceLeaf:
            array: Any = held.device_array
            array.queue.wait_for(partner)
            results.append(to_host(array, out))
        elif out is None:
            results.append(np.array(held.array, order="C"))
        else:
            np.copyto(out, held.array)
            results.append(out)
    return results


def sent(roots: Sequence[Node], settings: Config) -> list[Any]:
    """Return copies in a GPU's memory of arrays that the host holds.

    Raises
    ------
    DeviceMemoryError
        If there is no room.
    """
    from lazyarr.runtime.cuda import driver
    from lazyarr.runtime.cuda.transfers import to_device

    stream = driver.device().stream()
    partner = stream.partner
    stream.wait_for(partner)
    try:
        results = []
        for root in roots:
            held: Any = root.attr
            results.append(to_device(stream, held.array, settings.memory_limit, root.origin))
        return results
    finally:
        if partner is not None:
            stream.let_wait(partner)
