"""Rows of ops that make or move values without computing: leaves, views, concatenation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.core.shapes import View, view_strides
from lazyarr.graph.node import Kind, Leaf, Node, Op

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand

__all__ = ["ARGUMENT", "CONCATENATE", "CONSTANT", "IOTA", "LEAF", "RESHAPE", "VIEW", "WRITE"]

Array = np.ndarray[Any, Any]


def _leaf(node: Node, *arrays: Array) -> Array:
    assert isinstance(node.attr, Leaf)
    return node.attr.array


def _constant(node: Node, *arrays: Array) -> Array:
    assert isinstance(node.attr, bytes)
    return np.frombuffer(node.attr, dtype=node.dtype).reshape(())


def _iota(node: Node, *arrays: Array) -> Array:
    return np.arange(node.size, dtype=node.dtype).reshape(node.shape)


def _expand_iota(builder: Builder, position: Operand) -> Operand:
    return position


def apply_view(view: View, array: Array, shape: tuple[int, ...]) -> Array:
    """Return the elements that `view` maps to, as a read-only NumPy view.

    Parameters
    ----------
    view : View
        An index map into `array`; every index must lie inside.
    array : numpy.ndarray
        The source.
    shape : tuple of int
        Shape of the result.
    """
    if 0 in shape:
        return np.empty(shape, array.dtype)
    _, strides = view_strides(view, array.strides, len(shape))
    start = array[tuple(slice(offset, None) for offset in view.offsets)]
    return np.lib.stride_tricks.as_strided(start, shape, strides, writeable=False)


def _view(node: Node, *arrays: Array) -> Array:
    assert isinstance(node.attr, View)
    return apply_view(node.attr, arrays[0], node.shape)


def _reshape(node: Node, *arrays: Array) -> Array:
    return arrays[0].reshape(node.shape)


def _concatenate(node: Node, *arrays: Array) -> Array:
    assert isinstance(node.attr, int)
    return np.concatenate(arrays, axis=node.attr)


def _write(node: Node, *arrays: Array) -> Array:
    return arrays[0]


LEAF = Op("leaf", Kind.LEAF, _leaf)
CONSTANT = Op("constant", Kind.CONSTANT, _constant)
#: A number that no plan and no kernel may depend on, whatever its value is.
ARGUMENT = Op("argument", Kind.CONSTANT, _constant)
IOTA = Op("iota", Kind.GENERATE, _iota, expand=_expand_iota)
VIEW = Op("view", Kind.VIEW, _view)
RESHAPE = Op("reshape", Kind.RESHAPE, _reshape)
CONCATENATE = Op("concatenate", Kind.CONCATENATE, _concatenate)
#: The root of an evaluation whose result lies in memory that is there already.
WRITE = Op("write", Kind.WRITE, _write)
