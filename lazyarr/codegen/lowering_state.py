"""The state of lowering a kernel: loops, parameters and values of terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.launch import Scratch
from lazyarr.codegen.loop_nest import Access, Frame, LoopPosition
from lazyarr.codegen.parameters import KernelParameters
from lazyarr.errors import ContractError
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Literal, Operand, Pointer, Value
from lazyarr.schedule.memory import Plan

__all__ = ["LoweringState"]

DType = np.dtype[Any]
INT64 = np.dtype(np.int64)


class LoweringState:
    """The open loops, the parameters and the values of terms of a kernel that is being written.

    Parameters
    ----------
    analysis : GroupTerms
        The terms of the group, and where they are loaded and stored.
    plan : Plan
        Which stored values share memory.
    """

    def __init__(self, analysis: GroupTerms, plan: Plan) -> None:
        self.analysis = analysis
        self.terms = analysis.terms
        self.domain = analysis.domain
        self.accesses = analysis.accesses
        self.stores = analysis.stores
        self.builder = Builder()
        self.parameters = KernelParameters(analysis, plan)
        self._values: list[dict[int, Operand]] = [{}]
        self._loops: list[dict[object, tuple[Value, ...]]] = [{}]
        self.position = LoopPosition()
        #: Strides of up to so many elements are literals, by which compilers find vectors.
        self.literal_strides = 0
        #: Of an operand, another one whose address it is read from, at a constant distance.
        self.anchors: Mapping[int, Access] = {}

    # -- loop structure ----------------------------------------------------------------------

    def frame(self, axes: Iterable[int], which: Iterable[int] | None = None) -> Frame:
        """Return the merged loops over some axes, for all terms or only for some.

        Parameters
        ----------
        axes : iterable of int
            Axes of the domain, outermost first.
        which : iterable of int, optional
            The terms that the loops are for; default: all.
        """
        return self.analysis.frame(axes, which)

    @contextmanager
    def inside(self, frame: Frame, counters: Sequence[Operand]) -> Iterator[None]:
        """Give the loop counters of a frame while the code of a body is written.

        Parameters
        ----------
        frame : Frame
            The loops.
        counters : sequence of Operand
            One a loop, of the dtype of indices.
        """
        with self.position.inside(frame, counters), self.scope():
            yield

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Forget the values computed inside when the block ends."""
        self._values.append({})
        self._loops.append({})
        try:
            yield
        finally:
            self._values.pop()
            self._loops.pop()

    def decode(self, linear: Operand, frame: Frame) -> list[Operand]:
        """Write the counters of a frame for a linear index.

        Parameters
        ----------
        linear : Operand
            The index in C order.
        frame : Frame
            The loops.
        """
        b = self.builder
        if not frame.axes:
            return []
        counters: list[Operand] = []
        rest = linear
        for axis in reversed(frame.axes[1:]):
            size = self.number(("size", axis.axes), axis.size, "n")
            counters.append(b.call("remainder", rest, size))
            rest = b.call("divide", rest, size)
        counters.append(rest)
        return counters[::-1]

    def least(self, a: Operand, c: Operand) -> Operand:
        """Write the smaller of two integers.

        Parameters
        ----------
        a, c : Operand
            Two of the dtype of indices.
        """
        return self.builder.call("minimum", a, c)

    def integer(self, value: int) -> Literal:
        """Return an int64 of the source text."""
        return Literal(value, INT64)

    # -- parameters --------------------------------------------------------------------------

    def number(self, key: object, value: int, prefix: str) -> Value:
        """Return the parameter that passes an integer.

        Parameters
        ----------
        key : object
            What it stands for; the same key has the same parameter.
        value : int
            The number.
        prefix : str
            Of the parameter's name.
        """
        return self.parameters.number(key, value, prefix, INT64)

    def scratch(self, key: object, dtype: DType, offset: int, own: bool, write: bool) -> Pointer:
        """Return the parameter that passes an address in scratch memory.

        Parameters
        ----------
        key : object
            What lies there.
        dtype : numpy.dtype
            Of its elements.
        offset : int
            In bytes.
        own : bool
            Whether every worker has such memory of its own.
        write : bool
            Whether the kernel writes there.
        """
        return self.parameters.scratch(key, dtype, Scratch(offset, own), write)

    def wide(self, key: object, value: int) -> Value:
        """Return the parameter that passes an int64.

        Parameters
        ----------
        key : object
            What the parameter stands for; the same key has the same parameter.
        value : int
            The number.
        """
        return self.number(key, value, "n")

    # -- terms -------------------------------------------------------------------------------

    def needed(self, sinks: Iterable[int], known: Iterable[int] = ()) -> list[int]:
        """Return the terms that `sinks` need, in order, without entering the `known` ones.

        Parameters
        ----------
        sinks : iterable of int
            Terms; they are among the result.
        known : iterable of int
            Terms whose operands are not needed.
        """
        return self.analysis.needed(sinks, known)

    def spans(self, k: int, axes: Iterable[int]) -> bool:
        """Whether a term's own index map moves along any of the axes.

        Parameters
        ----------
        k : int
            The term.
        axes : iterable of int
            Axes of the domain.
        """
        return self.analysis.spans(k, axes)

    def put(self, k: int, value: Operand) -> None:
        """Make `value` the value of a term in the current scope.

        Parameters
        ----------
        k : int
            The term.
        value : Operand
            Of the term's register dtype.
        """
        self._values[-1][k] = value

    def get(self, k: int) -> Operand | None:
        """Return a term's value if it was written in a scope that is still open."""
        for scope in reversed(self._values):
            if k in scope:
                return scope[k]
        return None

    def value(self, k: int) -> Operand:
        """Return the value of a term that was written."""
        value = self.get(k)
        if value is None:
            raise ContractError(f"term {k} ({self.terms[k].node}) is used before it is written")
        return value

    def written_loop(self, key: object) -> tuple[Value, ...] | None:
        """Return the last states of a loop that was written in a scope that is still open.

        A node stands for one of the states; the loop is written once for all of them.
        """
        for scope in reversed(self._loops):
            if key in scope:
                return scope[key]
        return None

    def keep_loop(self, key: object, states: tuple[Value, ...]) -> None:
        """Keep the last states of a loop for the current scope.

        Parameters
        ----------
        key : hashable
            The loop and its operands.
        states : tuple of Value
            The states.
        """
        self._loops[-1][key] = states
