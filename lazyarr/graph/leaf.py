"""Memory that expressions begin with: arrays of the host."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from lazyarr.core import addresses
from lazyarr.core.frozen import dataclass

__all__ = ["ComputedLeaf", "Early", "Leaf", "Region", "SharedLeaf"]


class Leaf:
    """Memory that already exists: an array, and the facts about it that a launch needs.

    Attributes
    ----------
    array : numpy.ndarray
        The array itself; never copied, never written.
    address : int
        Address of its first element.
    strides : tuple of int
        In elements, not bytes.
    shows_order : bool
        Whether the elements lie as those of NumPy's array of the same history.
    is_on_host : bool
        Whether the elements are in the host's memory, so that reading them is no work.
    """

    __slots__ = ("address", "array", "key", "strides")
    shows_order = True
    is_on_host = True

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array
        self.address: int = addresses.address_of(array)
        size = array.itemsize
        strides = array.strides
        self.strides = tuple([stride // size for stride in strides])
        self.key = (self.address, array.shape, strides, array.dtype)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Leaf) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


@dataclass(frozen=True, slots=True)
class Early:
    """A computation that was done while an expression was being built.

    Attributes
    ----------
    function : str
        What computed, or what asked for the value.
    reason : str
        Why it did not wait.
    bytes_read : int
        Of the arrays that it was given.
    """

    function: str
    reason: str
    bytes_read: int = 0


class ComputedLeaf(Leaf):
    """Memory that holds the outcome of an early computation.

    Attributes
    ----------
    early : Early
        Where it comes from.
    order : tuple of int, optional
        Of the axes of NumPy's array of this value, the slowest first; None for C order.
    """

    __slots__ = ("early", "order")
    shows_order = False

    def __init__(self, array: np.ndarray[Any, Any], early: Early) -> None:
        super().__init__(array)
        self.early = early
        self.order: tuple[int, ...] | None = None


class SharedLeaf(Leaf):
    """The memory of one array, which expressions read without a copy.

    Attributes
    ----------
    exported : bool
        Whether the user has an ndarray of this memory.
    lease : weakref.ref, optional
        Of the ndarray that views in the user's hands are made of, and so keep.
    """

    __slots__ = ("exported", "lease")

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array
        self.exported = False
        self.lease: weakref.ref[np.ndarray[Any, Any]] | None = None

    def __getattr__(self, name: str) -> Any:
        # What a launch must know of memory is computed when there is one.
        if name in ("address", "strides", "key"):
            super().__init__(self.array)
            return getattr(self, name)
        raise AttributeError(name)

    @property
    def is_lent(self) -> bool:
        """Whether the user has, or may have, memory that must not change."""
        return self.exported or (self.lease is not None and self.lease() is not None)


class Region:
    """A region of memory, for NumPy to make an array of.

    Attributes
    ----------
    keeper : object
        What keeps the memory: an array or a leaf.
    """

    __slots__ = ("__array_interface__", "keeper")

    def __init__(self, keeper: object, interface: dict[str, Any]) -> None:
        self.keeper = keeper
        self.__array_interface__ = interface
