"""Parameters in one buffer for each dtype, so that an update is one kernel for all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, asarray
from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.numpy_api.joining import concatenate
from lazyarr.optim.trees import Tree, leaves_like, parameters_of, rebuild
from lazyarr.tracing.pytree import Constant, Structure, describe, flatten, is_array

__all__ = ["Packed", "pack"]

#: Elements to which arrays are aligned that have a multiple of so many.
_ALIGNED = 16


@dataclass(frozen=True, slots=True)
class _Part(Constant):
    """The place of a parameter.

    Attributes
    ----------
    buffer : int
        Which buffer it lies in.
    start : int
        Its first element there.
    shape : tuple of int
        Its shape.
    """

    buffer: int
    start: int
    shape: tuple[int, ...]

    @property
    def stop(self) -> int:
        """The element behind its last."""
        return self.start + int(np.prod(self.shape))


@dataclass(frozen=True, slots=True)
class _Layout(Constant):
    """The layout of packed parameters: their tree structure and positions."""

    structure: Structure
    parts: tuple[_Part, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """Parameters that lie in one buffer for each dtype; made by :func:`pack`.

    A container like any other: :func:`lazyarr.jit` takes and returns it, and optimisers take it in
    the place of the parameters. Gradients may have the structure of what was packed.

    Attributes
    ----------
    buffers : tuple of array
        Of one axis, one for each dtype in order of appearance.
    layout : object
        Where the parameters lie in them.
    """

    buffers: tuple[Any, ...]
    layout: _Layout

    def unpack(self) -> Tree:
        """Return the parameters in their containers: views of the buffers."""
        parts = self.layout.parts
        leaves = [self.buffers[p.buffer][p.start : p.stop].reshape(p.shape) for p in parts]
        return rebuild(self.layout.structure, leaves)

    def packed_like(self, tree: Tree, name: str = "gradients") -> Packed:
        """Return arrays of the parameters' structure and shapes in buffers like these.

        Parameters
        ----------
        tree : container of array_like
            Such as gradients. Each is converted to the dtype of its parameter.
        name : str
            What they are, for errors.

        Raises
        ------
        ShapeError
            If structure or a shape is another.
        """
        arrays = leaves_like(tree, name, self._parameters(), self.layout.structure)
        buffers = [as_lazy(buffer) for buffer in self.buffers]
        return Packed(_joined(arrays, self.layout.parts, buffers), self.layout)

    def _parameters(self) -> list[LazyArray]:
        parts = self.layout.parts
        buffers = [as_lazy(buffer) for buffer in self.buffers]
        return [buffers[p.buffer][p.start : p.stop].reshape(p.shape) for p in parts]


def _joined(
    arrays: Sequence[LazyArray], parts: Sequence[_Part], buffers: Sequence[LazyArray]
) -> tuple[LazyArray, ...]:
    """Return arrays one behind the other, in buffers of the dtypes of others."""
    order = sorted(range(len(parts)), key=lambda k: (parts[k].buffer, parts[k].start))
    flat: list[list[LazyArray]] = [[] for _ in buffers]
    for k in order:
        which = parts[k].buffer
        flat[which].append(arrays[k].reshape(-1).astype(buffers[which].dtype))
    return tuple([concatenate(each) if len(each) > 1 else each[0] for each in flat])


def pack(parameters: Tree) -> Packed:
    """Return parameters in one buffer for each dtype.

    An optimiser's update of them is one kernel for each dtype, however many parameters there are,
    and with ``jit(step, donate=...)`` it writes where they are.

    Parameters
    ----------
    parameters : container of array_like
        Of floating-point dtypes; they are copied. Buffers are NumPy's if all of them are.

    Returns
    -------
    Packed
        Whose :meth:`Packed.unpack` gives them back.

    Examples
    --------
    >>> import numpy as np
    >>> import lazyarr as la
    >>> packed = la.optim.pack({"w": np.ones((2, 2)), "b": np.zeros(2)})
    >>> packed.buffers
    (array([1., 1., 1., 1., 0., 0.]),)
    >>> descent = la.optim.sgd(0.5)
    >>> gradients = {"w": np.ones((2, 2)), "b": np.ones(2)}
    >>> packed, state = la.jit(descent.update)(gradients, descent.init(packed), packed)
    >>> packed.unpack()["b"]
    array([-0.5, -0.5])
    """
    arrays, structure = parameters_of(parameters)
    leaves: list[Any] = []
    flatten(parameters, is_array, leaves)
    if not arrays:
        raise ArgumentError(
            f"there are no arrays to pack in {describe(structure)}", origin=origin()
        )
    dtypes = list(dict.fromkeys(array.dtype for array in arrays))
    # Those whose ends are aligned come first, so that the others disturb nobody.
    order = sorted(range(len(arrays)), key=lambda k: arrays[k].size % _ALIGNED != 0)
    ends = dict.fromkeys(dtypes, 0)
    parts: dict[int, _Part] = {}
    for k in order:
        array = arrays[k]
        parts[k] = _Part(dtypes.index(array.dtype), ends[array.dtype], array.shape)
        ends[array.dtype] = parts[k].stop
    places = tuple(parts[k] for k in range(len(arrays)))
    layout = _Layout(structure, places)
    if any(not isinstance(leaf, np.ndarray) for leaf in leaves):
        empty = [asarray(np.empty(0, dtype)) for dtype in dtypes]
        return Packed(_joined(arrays, places, empty), layout)
    buffers = [np.empty(ends[dtype], dtype) for dtype in dtypes]
    for part, leaf in zip(places, leaves, strict=True):
        buffers[part.buffer][part.start : part.stop] = leaf.reshape(-1)
    return Packed(tuple(buffers), layout)
