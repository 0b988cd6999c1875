"""Calls of traced functions as launches of kernels, by addresses and numbers alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from lazyarr.builders import build
from lazyarr.core.addresses import address_of
from lazyarr.core.frozen import dataclass
from lazyarr.execution.arguments import converter, scalar_of
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.execution.cpu.small_calls import Interface, SmallCall, small_call
from lazyarr.execution.executor import Donated, LaunchByAddress
from lazyarr.graph.node import Leaf, Node
from lazyarr.passes.canonicalize import Bindings
from lazyarr.tracing import Mismatch, Number, Symbol

__all__ = ["DirectCall", "DrawScalar", "Draws", "NumberScalar", "ScalarSource"]

Array = np.ndarray[Any, Any]
#: Numbers and keys of the draws of a call.
Draws: TypeAlias = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class NumberScalar:
    """A scalar that is a number of the call, or made of such."""

    symbol: Symbol
    dtype: np.dtype[Any]

    def node(self, numbers: Sequence[Number]) -> Node:
        """Return the scalar for the numbers of a call, as a constant."""
        try:
            return build.constant(self.symbol.evaluate(numbers), self.dtype)
        except OverflowError:
            raise Mismatch from None


@dataclass(frozen=True, slots=True)
class DrawScalar:
    """A scalar that is the number (part 0) or the key (part 1) of a draw."""

    index: int
    part: int


#: Where a scalar of a plan comes from: a number of the call, a draw, or a constant.
ScalarSource: TypeAlias = "NumberScalar | DrawScalar | Node"


class DirectCall:
    """The launches of a plan for the arrays and numbers of a call.

    Parameters
    ----------
    strategy : LaunchStrategy
        Launches the kernels.
    addresses : sequence of (int, int)
        For each leaf the position of an argument and which bits of its address must be 0, or -1
        and the address of an array captured.
    scalars : sequence of (Symbol or int or None, object)
        For each scalar a number of the call and what converts it, a draw and which part of it is
        taken, or None and the value.
    """

    __slots__ = ("_addresses", "_scalars", "_strategy")

    def __init__(
        self,
        strategy: LaunchByAddress,
        addresses: Sequence[tuple[int, int]],
        scalars: Sequence[tuple[Symbol | int | None, Any]],
    ) -> None:
        self._strategy = strategy
        self._addresses = tuple(addresses)
        self._scalars = tuple(scalars)

    @classmethod
    def of(
        cls,
        strategy: LaunchByAddress,
        sources: Sequence[int | Node],
        leaves: Sequence[Node],
        scalars: Sequence[ScalarSource],
    ) -> DirectCall | None:
        """Return the launches of a plan; None if a number has no form that kernels take.

        Parameters
        ----------
        strategy : LaunchStrategy
            Launches the kernels.
        sources : sequence of (int or Node)
            For each leaf the position of an argument, or an array captured.
        leaves : sequence of Node
            The leaves.
        scalars : sequence
            Where the scalars come from.
        """
        values: list[tuple[Symbol | int | None, Any]] = []
        for scalar in scalars:
            if isinstance(scalar, Node):
                values.append((None, scalar_of(scalar)))
                continue
            if isinstance(scalar, DrawScalar):
                values.append((scalar.index, scalar.part))
                continue
            convert = converter(scalar.symbol.kind, scalar.dtype)
            if convert is None:
                return None
            values.append((scalar.symbol, convert))
        addresses: list[tuple[int, int]] = []
        for source, leaf in zip(sources, leaves, strict=True):
            if isinstance(source, int):
                addresses.append((source, leaf.dtype.alignment - 1))
            else:
                assert isinstance(source.attr, Leaf)
                addresses.append((-1, source.attr.address))
        return cls(strategy, addresses, values)

    def addresses(self, arrays: Sequence[Array | Node]) -> list[int] | None:
        """Return the addresses of the leaves; None if one is not aligned."""
        addresses = []
        for source, unaligned in self._addresses:
            if source < 0:
                addresses.append(unaligned)  # of an array captured
                continue
            address = address_of(arrays[source])  # type: ignore[arg-type]
            if address & unaligned:
                return None
            addresses.append(address)
        return addresses

    def small_call(
        self,
        arrays: Sequence[Array],
        bindings: Callable[[Sequence[Array]], Bindings],
        finish: Callable[[list[Array]], Any] | None,
        protected: Sequence[tuple[int, int]] = (),
    ) -> SmallCall | None:
        """Return the call in C for arrays laid out like these; None if there is none.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            Of a call without numbers and draws.
        bindings : callable
            Returns leaves and scalars of a call as nodes.
        finish : callable, optional
            Makes what the function returns of the list of results; default: there is one, and it
            is that.
        protected : sequence of (int, int), optional
            Where arrays lie that the function captured, for calls that overwrite arguments.
        """
        sequence = self._strategy
        if any(source is not None for source, _ in self._scalars):
            return None
        scalars = tuple(value for _, value in self._scalars)
        leaves = tuple(self._addresses)
        interface = Interface(leaves, scalars, bindings, finish, tuple(protected))
        layouts = interface.layouts(arrays)
        if not isinstance(sequence, KernelSequence):
            # Imported here: most functions are kernels alone.
            from lazyarr.execution.cpu.mixed_calls import mixed_call

            return mixed_call(sequence, layouts, interface)
        return small_call(sequence, layouts, interface)

    def launch(
        self,
        addresses: list[int],
        numbers: Sequence[Number],
        drawn: Draws,
        bindings: Callable[[], Bindings],
        donated: Donated = None,
    ) -> Sequence[Array]:
        """Return the results; the call must not be profiled.

        Parameters
        ----------
        addresses : list of int
            Of :meth:`addresses`.
        numbers : sequence of number
            Of the call.
        drawn : sequence of (int, int)
            The draws of the call.
        bindings : callable
            Returns leaves and scalars as nodes.
        donated : mapping of int to numpy.ndarray, optional
            For each leaf that the plan overwrites a writable array of its memory.

        Raises
        ------
        Mismatch
            If a number does not fit the dtype that it is computed in.
        """
        scalars: list[Any] = []
        for source, value in self._scalars:
            if source is None:
                scalars.append(value)
            elif type(source) is Symbol:
                try:
                    scalars.append(value(source.evaluate(numbers)))
                except OverflowError:
                    raise Mismatch from None
            else:
                scalars.append(drawn[source][value])  # type: ignore[index]
        computed = self._strategy.launch(addresses, scalars, bindings, donated)
        assert computed is not None
        return computed
