"""Calls of libraries as steps of a plan, prepared for many runs.

What lies at an address is viewed once, as the memory of a plan is at the same place in the next run
as a rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.core.shapes import contiguous_strides
from lazyarr.core.source_location import called_at
from lazyarr.errors import ContractError
from lazyarr.execution.arguments import ScalarValue, constant_of, position_of
from lazyarr.execution.cpu import kernel_sequence
from lazyarr.execution.host_values import view_at
from lazyarr.execution.plan import CompiledPlan, CompiledStep
from lazyarr.graph.node import Kind, Node
from lazyarr.ops.library import Call, Slot, thaw
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime.host_memory_pool import SMALL, pool
from lazyarr.schedule.groups import Layout, layout_of

__all__ = ["LibraryStep", "library_step"]

Array = np.ndarray[Any, Any]


class _Operand:
    """A value as an array, given where the memory of a run lies.

    Parameters
    ----------
    node : Node
        The value.
    base : int
        The number of its memory.
    layout : Layout
        Where it lies in there.
    """

    __slots__ = ("_base", "_is_whole", "_layout", "_node", "_offset", "_seen")

    def __init__(self, node: Node, base: int, layout: Layout) -> None:
        self._node = node
        self._base = base
        self._layout = layout
        owner = layout.owner
        self._offset = layout.offset * owner.dtype.itemsize
        steps = contiguous_strides(node.shape)
        self._is_whole = not layout.offset and layout.strides == steps and owner.size == node.size
        #: The last address, and what was seen there. Nothing reads memory by it that is not the
        #: run's: addresses are compared.
        self._seen: tuple[int, Array | None] = (-1, None)

    @property
    def row(self) -> tuple[int, int, tuple[Any, ...]]:
        """Its base, the offset there, and its layout, as calls in C take them."""
        node = self._node
        strides = tuple(stride * node.dtype.itemsize for stride in self._layout.strides)
        return self._base, self._offset, (node.dtype, node.shape, strides, 0)

    def array(self, addresses: Sequence[int], arrays: dict[int, Array]) -> Array:
        """Return the value of this run.

        Parameters
        ----------
        addresses : sequence of int
            Where each base lies.
        arrays : dict of int to numpy.ndarray
            Bases that are arrays of their own.
        """
        node = self._node
        if self._is_whole:
            own = arrays.get(self._base)
            if own is not None and own.dtype == node.dtype:
                return own if own.shape == node.shape else own.reshape(node.shape)
        address = addresses[self._base] + self._offset
        last, seen = self._seen
        if last != address or seen is None:
            seen = view_at(address, node, self._layout, None)
            self._seen = (address, seen)
        return seen


@dataclass(frozen=True, slots=True)
class _Number:
    """A real number of the run, such as the number of iterations of a loop."""

    position: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]

    def array(self, scalars: Sequence[ScalarValue]) -> Array:
        """Return the number as an array.

        Parameters
        ----------
        scalars : sequence of number
            The values of the scalars.
        """
        return np.broadcast_to(np.asarray(scalars[self.position], self.dtype), self.shape)


class LibraryStep:
    """A library call of a plan.

    Parameters
    ----------
    node : Node
        What it computes.
    operands : sequence of _Operand, _Number or numpy.ndarray
        Its sources; constants as arrays.
    base : int
        The number of the memory of the result.
    out : _Operand, optional
        Where the function writes it; None: to memory of its own.
    shares : bool
        Whether the result may be a part of an operand, which nothing else writes to.
    """

    __slots__ = (
        "_args",
        "_base",
        "_function",
        "_is_pooled",
        "_keywords",
        "_operands",
        "_out",
        "node",
        "shares",
    )

    def __init__(
        self,
        node: Node,
        operands: Sequence[_Operand | _Number | Array],
        base: int,
        out: _Operand | None,
        *,
        shares: bool,
    ) -> None:
        self.node = node
        self.shares = shares
        self._operands = tuple(operands)
        self._base = base
        self._out = out
        call = node.attr
        self._function: Callable[..., Any] | None = None
        self._args: list[Any] = []
        self._keywords: dict[str, Any] = {}
        if node.op.calls is not None and isinstance(call, Call) and _is_flat(call):
            self._function = node.op.calls
            self._args = [x if type(x) is Slot else thaw(x, ()) for x in call.args]
            self._keywords = {key: thaw(value, ()) for key, value in call.keywords}
        is_large = out is None and node.nbytes >= SMALL
        self._is_pooled = is_large and node.op.fills_out and self._function is not None

    def row(self, scalars: Sequence[ScalarValue]) -> tuple[Any, ...]:
        """Return the call as those in C take it: function, values, names, operands, the result.

        Parameters
        ----------
        scalars : sequence of number
            The values of the scalars, the same in every call.
        """
        node = self.node
        if self._function is None:
            function: Callable[..., Any] = partial(node.op.evaluate, node)
            arguments: list[Any] = [Slot(k) for k in range(len(self._operands))]
        else:
            function, arguments = self._function, self._args
        values = [*arguments, *self._keywords.values()]
        operands = []
        for position, value in enumerate(values):
            if type(value) is Slot:
                operand = self._operands[value.index]
                if type(operand) is _Operand:
                    operands.append((position, *operand.row))
                values[position] = operand
                if isinstance(operand, _Number):
                    values[position] = operand.array(scalars)
        names = tuple(self._keywords)
        if self._out is not None:
            operands.append((len(values), *self._out.row))
            values.append(None)
            names = (*names, "out")
        result = node.dtype, node.shape, (0,) * node.ndim, 0
        writes = self._out is not None
        places = tuple(operands)
        return function, tuple(values), names, places, writes, self.shares, self._base, result

    def places(self) -> list[tuple[int, int, tuple[Any, ...]] | Array | None]:
        """Return the place of each operand, as in :meth:`row`, an array of constants, or None."""
        rows: list[tuple[int, int, tuple[Any, ...]] | Array | None] = []
        for operand in self._operands:
            if type(operand) is _Operand:
                rows.append(operand.row)
            else:
                rows.append(operand if isinstance(operand, np.ndarray) else None)
        return rows

    @property
    def out_place(self) -> tuple[int, int, tuple[Any, ...]] | None:
        """The place of the result, as in :meth:`row`; None: the function has memory of its own."""
        return None if self._out is None else self._out.row

    @property
    def base(self) -> int:
        """The number of the memory of the result."""
        return self._base

    def run(
        self, addresses: list[int], arrays: dict[int, Array], scalars: Sequence[ScalarValue]
    ) -> None:
        """Compute the value.

        Parameters
        ----------
        addresses : list of int
            Where each base lies; that of memory of its own is brought up to date.
        arrays : dict of int to numpy.ndarray
            Bases that are arrays of their own.
        scalars : sequence of number
            The values of the scalars.
        """
        operands: list[Any] = []
        for operand in self._operands:
            if type(operand) is _Operand:
                operand = operand.array(addresses, arrays)
            elif type(operand) is _Number:
                operand = operand.array(scalars)
            operands.append(operand)
        node, function = self.node, self._function
        keywords: dict[str, Any] = {}
        if self._out is not None:
            keywords["out"] = out = self._out.array(addresses, arrays)
        elif self._is_pooled:
            # The pool has pages that were written before; those of a new array are not there yet.
            keywords["out"] = out = pool.allocate(node.nbytes).array(node.shape, node.dtype)
        if function is None:
            result = node.op.evaluate(node, *operands, **keywords)
        else:
            args = [operands[x.index] if type(x) is Slot else x for x in self._args]
            result = called_at(node.origin, function, args, {**self._keywords, **keywords})
        if keywords and result is out:
            if self._out is None:
                arrays[self._base] = out
                addresses[self._base] = address_of(out)
            return
        result = np.asarray(result)
        if result.shape != node.shape:
            raise ContractError(f"{node} evaluated to shape {result.shape}")
        if self._out is not None:
            np.copyto(out, result, casting="unsafe")
            return
        # An array that is no view shares memory with nothing before it but itself.
        is_view = result.base is not None
        is_own = self.shares or not any(
            result is x or (is_view and np.may_share_memory(result, x)) for x in operands
        )
        if result.dtype != node.dtype or not result.flags.c_contiguous or not is_own:
            result = np.array(result, node.dtype, order="C")
        elif not result.flags.writeable:
            result = result.copy()
        arrays[self._base] = result
        addresses[self._base] = address_of(result)


def _is_flat(call: Call) -> bool:
    """Whether arrays are arguments of a call and are not within others."""
    values = [*call.args, *(value for _, value in call.keywords)]
    slots = sum(type(value) is Slot for value in call.args)
    return slots == _count_of_slots(values)


def _count_of_slots(values: Sequence[Any]) -> int:
    """Return the number of arrays among arguments and within them."""
    return sum(
        1 if type(value) is Slot else _count_of_slots(getattr(value, "items", ()))
        for value in values
    )


def library_step(
    plan: CompiledPlan[kernel_sequence.Call], step: CompiledStep[kernel_sequence.Call]
) -> LibraryStep | None:
    """Return the library call of a step; None if it takes a complex number of the run.

    Parameters
    ----------
    plan : CompiledPlan
        The plan.
    step : CompiledStep
        One of its steps, which has no launches.
    """
    node = step.group.members[0]
    operands: list[_Operand | _Number | Array] = []
    for source in node.src:
        operand = _operand(plan, source)
        if operand is None:
            return None
        operands.append(operand)
    layout = step.group.outputs[0].layout
    base = plan.bases.of(layout.owner)
    out: _Operand | None = None
    if layout.owner is not node:  # a part of a concatenation
        out = _Operand(node, base, layout)
        if not node.op.supports_out:
            return None
    elif node.op.supports_out:
        out = _Operand(node, base, Layout(node, 0, contiguous_strides(node.shape)))
    return LibraryStep(node, operands, base, out, shares=plan.is_part(base))


def _operand(
    plan: CompiledPlan[kernel_sequence.Call], source: Node
) -> _Operand | _Number | Array | None:
    """Return a source of a library call; None if it is a complex number of the run."""
    layout = layout_of(source, plan.layouts)
    if layout is not None:
        return _Operand(source, plan.bases.of(layout.owner), layout)
    base = source
    while base.op.kind is Kind.VIEW and base not in plan.layouts:
        base = base.src[0]
    if base.op.kind is Kind.PARAMETER:
        is_real = kind_of(base.dtype) in "iuf" and not is_narrow(base.dtype)
        return _Number(position_of(base), base.dtype, source.shape) if is_real else None
    return np.broadcast_to(constant_of(Bindings([], [], [], ()), base), source.shape)
