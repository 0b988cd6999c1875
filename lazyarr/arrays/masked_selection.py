"""``x[mask]``: a selection whose size only the data determine, kept as values and mask.

Reductions and elementwise operations never gather the selected elements. Everything else does,
once: the number of elements is computed then, because a shape has to be known.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lazyarr.arrays.early_evaluation import compiler, evaluate_now
from lazyarr.arrays.immediate import HOSTED, limit
from lazyarr.arrays.lazy_array import LazyArray, as_operand, wrap
from lazyarr.builders import build
from lazyarr.builders.build import INT64
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import origin
from lazyarr.graph.node import (
    ComputedLeaf,
    Early,
    Leaf,
    Node,
    Op,
    fresh_leaf,
    is_of_constants,
    node,
    set_stored,
)
from lazyarr.ops.elementwise import ELEMENTWISE
from lazyarr.ops.library import DATA_SHAPED, LIBRARY, Call, Slot, selected
from lazyarr.ops.markers import stays_expression
from lazyarr.ops.movement import LEAF
from lazyarr.tracing import running, scope, shape_was_read

__all__ = ["MaskedSelection", "apply_masked", "compress"]

_POWER = ELEMENTWISE["power"]
_SLOTS = (Slot(0), Slot(1))
_SIZE_CAUSE = "the size of x[mask]", DATA_SHAPED
_IN_USE = Early("a selection", "what is made of it begins with the same values and mask")
_UNKNOWN = "its size is unknown until it is evaluated; counted as if all were selected"


class MaskedSelection(LazyArray):
    """The elements of an array at which a mask is true, in C order.

    Shape and size need the data: asking for them computes the number of selected elements.
    """

    __slots__ = ("_mask", "_selected", "_values")

    _values: Node
    _mask: Node
    _selected: bool  # whether the values say so themselves

    def __init__(self, values: Node, mask: Node, *, selected: bool = False) -> None:
        self._values = values
        self._mask = mask
        self._selected = selected
        self._alias = None
        self._array = None

    @property
    def _gathered(self) -> Node | None:
        """The selected elements, once they were asked for."""
        elements: Node | None = getattr(self, "_current", None)
        return elements

    @property
    def _node(self) -> Node:
        if self._gathered is None:
            self._current = self._gather(asked=False)
        return self._current

    @_node.setter
    def _node(self, value: Node) -> None:
        self._current = value

    @property
    def shape(self) -> tuple[int, ...]:
        """Sizes of the axes, which computes the number of selected elements."""
        if running:
            shape_was_read(self, self._node)
        return self._node.shape

    @property
    def size(self) -> int:
        """Number of elements, which computes it."""
        return prod(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the value once computed."""
        return self.size * self.dtype.itemsize

    @property
    def _preview(self) -> Node:
        if self._gathered is not None:
            return self._gathered
        most = self._mask.size
        return _compressed(self._values, self._mask, most, Call(_SLOTS, note=_UNKNOWN))

    def asked(self) -> Node:
        """Return the node of the selected elements, for a request of their values."""
        if self._gathered is None:
            self._current = self._gather(asked=True)
        return self._current

    def _gather(self, asked: bool) -> Node:
        """Return the selected elements: in memory, so that no plan depends on how many they are."""
        values, mask = self._values, self._mask
        if values.op is not LEAF and values.stored is None:
            values = self.chosen()
        memory = _in_memory((values, mask), asked) if mask.shape else None
        if memory is None:
            return compress(self._values, mask, asked=asked)
        part = selected(memory[0], memory[1])
        part.flags.writeable = False
        nbytes = memory[0].nbytes + memory[1].nbytes
        return build.leaf(part, Early("x[mask]", DATA_SHAPED, nbytes))

    @property
    def is_flat(self) -> bool:
        """Whether values and mask still describe the whole selection, one mask entry a value."""
        return self._gathered is None and self._values.shape == self._mask.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return self._values.dtype if self._gathered is None else self._gathered.dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self._values.ndim - self._mask.ndim + 1

    def chosen(self) -> Node:
        """Return the values, of which only those that are selected may give rise to warnings."""
        if self._selected:
            return self._values
        mask = self._mask
        shape = mask.shape + (1,) * (self._values.ndim - mask.ndim)
        return build.selected(self._values, build.reshape(mask, shape))

    def count(self) -> LazyArray:
        """Return the number of selected elements, lazily."""
        axes = tuple(range(self._mask.ndim))
        ones = build.cast(self._mask, INT64)
        return wrap(build.reduce("sum", (ones,), axes, INT64) if axes else ones)

    def astype(self, dtype: Any, *args: Any, **keywords: Any) -> Any:
        """Return the selection converted to `dtype`."""
        if self._gathered is not None:
            return super().astype(dtype, *args, **keywords)
        converted = LazyArray(self.chosen()).astype(dtype, *args, **keywords)
        return MaskedSelection(converted._node, self._mask, selected=True)

    def _assign(self, value: LazyArray, name: str) -> None:
        if isinstance(value, MaskedSelection) and value._mask is self._mask and self.is_flat:
            build.check_cast(value.dtype, self.dtype, "same_kind", ufunc=name)
            self._values = build.cast(value._values, self.dtype)
            self._selected = value._selected
        else:
            super()._assign(value, name)

    def __repr__(self) -> str:
        if self._gathered is not None:
            return super().__repr__()
        values, mask = self._values, self._mask
        return (
            f"LazyArray(shape=(unknown, ...), dtype={values.dtype}, "
            f"select({values.op.name}:{values.dtype.name}{list(values.shape)}, {mask.op.name}))"
            "  # not computed; print(x) shows the values"
        )

    def _repr_html_(self) -> str:
        if self._gathered is not None:
            return super()._repr_html_()

        # Imported here: notebooks alone ask for it.
        from html import escape

        return f"<div><pre>{escape(repr(self))}</pre></div>"


def _in_memory(values: tuple[Node, ...], asked: bool) -> list[Any] | None:
    """Return the values of nodes, computed together and stored; None where that may not be.

    Parameters
    ----------
    values : tuple of Node
        The array and the mask.
    asked : bool
        Whether the user asked for the selected elements, so that this has no other cause.
    """
    if not limit() or scope() is not None or stays_expression(values):
        return None
    leaves = [value if value.stored is None else value.stored for value in values]
    pending = tuple([leaf for leaf in leaves if leaf.op is not LEAF])
    known = [leaf.attr for leaf in leaves if leaf.op is LEAF]
    if not all(type(attr) in HOSTED for attr in known):
        return None
    # Imported here: expressions are built without the compiler.
    from lazyarr.compiler import reuse

    results: list[Any] = []
    if pending:
        results = compiler().evaluate(pending) if asked else evaluate_now(pending, *_SIZE_CAUSE)
    reuse.forget_changeable(pending)
    arrays = {id(leaf): leaf.attr.array for leaf in leaves if isinstance(leaf.attr, Leaf)}
    for value, result in zip(pending, results, strict=True):
        arrays[id(value)] = result
        if not is_of_constants(value):
            result.flags.writeable = False
            early = ComputedLeaf(result, _IN_USE)
            set_stored(value, fresh_leaf(LEAF, result.dtype, result.shape, early, value.origin))
    return [arrays[id(leaf)] for leaf in leaves]


def compress(values: Node, mask: Node, *, asked: bool = False) -> Node:
    """Return the node of ``values[mask]``. The number of true entries is computed for its shape.

    Parameters
    ----------
    values : Node
        The array.
    mask : Node
        A bool array whose shape is that of the first axes of `values`.
    asked : bool, optional
        Whether the user asked for the values, so that this evaluation is no implicit one.
    """
    axes = tuple(range(mask.ndim))
    ones = build.cast(mask, INT64)
    counter = wrap(build.reduce("sum", (ones,), axes, INT64) if axes else ones)
    counted = counter.compute() if asked else counter._value(*_SIZE_CAUSE)
    early = Early(*_SIZE_CAUSE, mask.nbytes)
    return _compressed(values, mask, int(counted), Call(_SLOTS, early=early))


def _compressed(values: Node, mask: Node, count: int, call: Call) -> Node:
    shape = (count, *values.shape[mask.ndim :])
    return node(LIBRARY["compress"], (values, mask), values.dtype, shape, call, origin())


def apply_masked(
    op: Op, operands: tuple[Any, ...], dtype: np.dtype[Any] | None, casting: str
) -> LazyArray:
    """Return an elementwise op of selections; a selection if all of them share one mask.

    Parameters
    ----------
    op : Op
        A row of the elementwise table.
    operands : tuple of array_like
        At least one is a selection.
    dtype : numpy.dtype, optional
        Of the result.
    casting : str
        NumPy's name of the rule by which operands may be cast.
    """
    selections = [x for x in operands if isinstance(x, MaskedSelection)]
    mask = selections[0]._mask
    alike = all(x.is_flat and x._mask is mask for x in selections)
    others = [as_operand(x) for x in operands if not isinstance(x, MaskedSelection)]
    scalars = all(not isinstance(x, Node) or x.shape == () for x in others)
    # An integer power may fail on elements that were not selected.
    may_fail = op is _POWER and any(kind_of(x.dtype) not in "fc" for x in selections)
    if alike and scalars and not may_fail:
        selected = op.faults is not None or any(x._selected for x in selections)
        over_all = tuple(
            (x.chosen() if selected else x._values)
            if isinstance(x, MaskedSelection)
            else as_operand(x)
            for x in operands
        )
        values = build.elementwise(op, over_all, dtype, casting)
        return MaskedSelection(values, mask, selected=selected)
    return LazyArray(build.elementwise(op, tuple(map(as_operand, operands)), dtype, casting))
