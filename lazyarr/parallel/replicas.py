"""Arguments of a step on several devices: copies of arrays, and parts of batches."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray, asarray
from lazyarr.builders import build
from lazyarr.graph.node import Node
from lazyarr.tracing.pytree import flatten, is_array, unflatten

__all__ = ["Divided", "Replicas", "on_gpu"]


class Replicas:
    """The copies of arrays that each GPU has, by the node of the first one's."""

    def __init__(self, devices: Sequence[str]) -> None:
        self._devices = devices
        self._known: weakref.WeakKeyDictionary[Node, dict[int, LazyArray]] = (
            weakref.WeakKeyDictionary()
        )

    def of(self, value: Any, rank: int) -> Any:
        """Return the copy of an argument on a device, or the array that is to be copied there.

        Parameters
        ----------
        value : object
            An argument, or a leaf of one.
        rank : int
            The place of the device.
        """
        if type(value) is not LazyArray or value.device == self._devices[rank]:
            return value
        known = self._known.setdefault(value._node, {})
        copy = known.get(rank)
        if copy is None:
            copy = known[rank] = value.to_device(self._devices[rank])
        return copy

    def forget(self, tree: Any) -> None:
        """Drop the copies of a container's arrays that may not be used any more."""
        leaves: list[Any] = []
        flatten(tree, is_array, leaves)
        for leaf in leaves:
            if type(leaf) is LazyArray:
                self._known.pop(leaf._node, None)

    def note(self, results: Sequence[Any]) -> None:
        """Note that the results of all devices are the same.

        Parameters
        ----------
        results : sequence of container
            One a device.
        """
        leaves: list[list[Any]] = []
        for result in results:
            leaves.append([])
            flatten(result, is_array, leaves[-1])
        for copies in zip(*leaves, strict=True):
            if type(copies[0]) is LazyArray:
                others = {rank: x for rank, x in enumerate(copies) if rank}
                self._known[copies[0]._node] = others


class Divided:
    """The parts of a batch, where the devices want them.

    Parameters
    ----------
    owner : DataParallel
        Whose devices they are for.
    parts : list of container
        One a device.
    """

    def __init__(self, owner: object, parts: list[Any]) -> None:
        self.owner = owner
        self.parts = parts


def on_gpu(tree: Any, device: str) -> Any:
    """Return a container whose arrays are held by a GPU, for one step to read.

    Parameters
    ----------
    tree : container of array_like
        On the host, or anywhere.
    device : str
        The name of the GPU.
    """
    from lazyarr.runtime.cuda.device_array import passing  # most processes never see a GPU

    leaves: list[Any] = []
    structure = flatten(tree, is_array, leaves)
    arrays = [passing(asarray(leaf, device=device)._on_device()) for leaf in leaves]
    return unflatten(structure, iter([LazyArray(build.device_leaf(array)) for array in arrays]))
