"""Arrays that are asked for where they are not: copied across the bus, which needs no plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.core.config import CPU, Config, get_config, is_gpu
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.node import Leaf, Node

__all__ = ["copy_to_device", "copy_to_host", "needs_copy_to_device", "needs_copy_to_host"]

Array = np.ndarray[Any, Any]


def needs_copy_to_host(roots: Sequence[Node], settings: Config) -> bool:
    """Whether values that the host asks for are arrays, which a GPU need not touch.

    Parameters
    ----------
    roots : sequence of Node
        The values.
    settings : Config
        Those in force.
    """
    kinds = {type(root.attr) for root in roots}
    return kinds == {DeviceLeaf} or (is_gpu(settings.device) and _are_arrays(kinds))


def needs_copy_to_device(roots: Sequence[Node], settings: Config) -> bool:
    """Whether values that a GPU is to hold are arrays of the host, or of other GPUs.

    Parameters
    ----------
    roots : sequence of Node
        The values.
    settings : Config
        Those in force.
    """
    kinds = {type(root.attr) for root in roots}
    if not (is_gpu(settings.device) and _are_arrays(kinds)):
        return False
    return all(_device_of(root) != settings.device for root in roots)


def _device_of(root: Node) -> str:
    """Return the device of a leaf."""
    return root.attr.device_array.device if isinstance(root.attr, DeviceLeaf) else CPU


def _are_arrays(kinds: set[type]) -> bool:
    return all(issubclass(kind, Leaf) for kind in kinds)


def copy_to_host(roots: Sequence[Node], outs: Sequence[Array | None] | None = None) -> list[Array]:
    """Return copies of arrays in the host's memory.

    Parameters
    ----------
    roots : sequence of Node
        Leaves, on the host or on a GPU.
    outs : sequence of (numpy.ndarray or None), optional
        Where to write the copies; None: into new arrays in C order.
    """
    # Imported here: most processes never see a GPU.
    from lazyarr.runtime.cuda import driver
    from lazyarr.runtime.cuda.transfers import to_host

    settings = get_config()
    if is_gpu(settings.device):
        driver.device(settings.device)  # an error where it is not there
    results = []
    for root, out in zip(roots, outs or [None] * len(roots), strict=True):
        leaf: Any = root.attr
        if type(leaf) is DeviceLeaf:
            array: Any = leaf.device_array
            array.queue.wait_for(driver.device(array.device).stream().partner)
            results.append(to_host(array, out))
        elif out is None:
            results.append(np.array(leaf.array, order="C"))
        else:
            np.copyto(out, leaf.array)
            results.append(out)
    return results


def copy_to_device(roots: Sequence[Node], settings: Config) -> list[Any]:
    """Return copies of arrays of the host, or of other GPUs, in a GPU's memory.

    Parameters
    ----------
    roots : sequence of Node
        Leaves elsewhere.
    settings : Config
        They name the GPU; their ``memory_limit`` applies.

    Returns
    -------
    list of DeviceArray
        Queued in the thread's stream.

    Raises
    ------
    DeviceMemoryError
        If there is no room.
    """
    from lazyarr.runtime.cuda import driver
    from lazyarr.runtime.cuda.transfers import to_device

    stream = driver.device(settings.device).stream()
    partner = stream.partner
    stream.wait_for(partner)
    try:
        results = []
        for root in roots:
            leaf: Any = root.attr
            if type(leaf) is DeviceLeaf:
                array: Any = leaf.device_array
                results.append(stream.duplicate(array, settings.memory_limit, root.origin))
                continue
            results.append(to_device(stream, leaf.array, settings.memory_limit, root.origin))
        return results
    finally:
        if partner is not None:
            stream.let_wait(partner)
