"""Traced functions with their plan for arrays of one layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr import build
from lazyarr.addresses import address_of
from lazyarr.canonical import Shell
from lazyarr.direct import converter
from lazyarr.errors import TracingError
from lazyarr.executable import Executable
from lazyarr.ir import Leaf, Node
from lazyarr.runtime import record
from lazyarr.runtime.flags import Signals
from lazyarr.traced.tree import Leaf as Place
from lazyarr.traced.tree import Structure, unflatten
from lazyarr.tracing import SYMBOL, Held, Mismatch, Number, Placeholder, Symbol, Trace, exact

__all__ = ["Launch"]

Array = np.ndarray[Any, Any]
Argument = Array | Node


class Launch:
    """A traced function for arrays of certain shapes and strides.

    Parameters
    ----------
    trace : Trace
        Of the function.
    executable : Executable, optional
        What computes its results; None if it returns no arrays.
    found : Shell, optional
        The leaves and scalars of the results.
    structure : Structure
        How the results are put together.
    results : sequence of object
        For each leaf of the result: its position among those computed, a symbol, or an array
        that every call gets a copy of.
    """

    def __init__(
        self,
        trace: Trace,
        executable: Executable | None,
        found: Shell | None,
        structure: Structure,
        results: Sequence[int | Symbol | Array],
    ) -> None:
        self.trace = trace
        self.guards = tuple(trace.guards.values())
        self._executable = executable
        self._structure = structure
        self._results = tuple(results)
        self._single = isinstance(structure, Place) and type(self._results[0]) is int
        self._shell = Shell((), [], [], []) if found is None else found.without_nodes()
        self._sources: list[int | Node] = []
        self._strides: dict[int, tuple[int, ...]] = {}
        for leaf in self._shell.leaves:
            held = leaf.attr
            if isinstance(held, Placeholder):
                if held.trace is not trace:
                    raise _leaked()
                self._sources.append(held.position)
                self._strides[held.position] = held.strides
            else:
                self._sources.append(leaf)
        self._scalars: list[tuple[Symbol, np.dtype[Any]] | Node] = []
        for scalar in self._shell.scalars:
            if scalar.op is SYMBOL:
                assert isinstance(scalar.attr, Held)
                self._scalars.append((scalar.attr.symbol, scalar.dtype))
            else:
                self._scalars.append(scalar)
        self._direct = None if executable is None else executable.direct
        self._addresses: list[tuple[int, int]] = []
        self._numbers: list[tuple[Symbol | None, Any]] = []
        if self._direct is not None and not self._find_direct():
            self._direct = None

    def _find_direct(self) -> bool:
        """Prepare calls of the kernel itself; return whether that is possible."""
        for scalar in self._scalars:
            if isinstance(scalar, Node):
                assert isinstance(scalar.attr, bytes)
                self._numbers.append((None, np.frombuffer(scalar.attr, scalar.dtype)[0].item()))
                continue
            symbol, dtype = scalar
            convert = converter(symbol.kind, dtype)
            if convert is None:
                return False
            self._numbers.append((symbol, convert))
        for source, leaf in zip(self._sources, self._shell.leaves, strict=True):
            if isinstance(source, int):
                self._addresses.append((source, leaf.dtype.alignment - 1))
            else:
                assert isinstance(source.attr, Leaf)
                self._addresses.append((-1, source.attr.address))
        return True

    def run(self, arrays: Sequence[Argument], numbers: Sequence[Number]) -> Any:
        """Return what the function returns for other contents and numbers.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray or Node
            The array arguments, laid out as those that this was made for.
        numbers : sequence of number
            The Python numbers, of the types that this was made for.

        Raises
        ------
        Mismatch
            If the function may do something else for these numbers.
        """
        for symbol, value in self.guards:
            if exact(symbol.evaluate(numbers)) != value:
                raise Mismatch
        direct = self._direct
        if direct is not None and not record.listening():
            addresses = []
            for source, unaligned in self._addresses:
                if source < 0:
                    addresses.append(unaligned)  # of an array captured
                    continue
                address = address_of(arrays[source])  # type: ignore[arg-type]
                if address & unaligned:
                    break
                addresses.append(address)
            else:
                scalars = [
                    value if symbol is None else _converted(value, symbol, numbers)
                    for symbol, value in self._numbers
                ]
                computed = direct.run(
                    addresses, scalars, lambda signals: self._diagnose(arrays, numbers, signals)
                )
                return computed[0] if self._single else self._put_together(computed, numbers)
        return self._put_together(self._run(arrays, numbers), numbers)

    def holds(self, numbers: Sequence[Number]) -> bool:
        """Whether the function would do the same for these numbers."""
        try:
            for scalar in self._scalars:
                if not isinstance(scalar, Node):
                    _constant(*scalar, numbers)
            for result in self._results:
                if type(result) is Symbol:
                    result.evaluate(numbers)
            return all(exact(symbol.evaluate(numbers)) == value for symbol, value in self.guards)
        except Mismatch:
            return False

    def _run(self, arrays: Sequence[Argument], numbers: Sequence[Number]) -> list[Array]:
        """Compute the arrays in the general way."""
        if self._executable is None:
            return []
        return self._executable.run(self._filled(arrays, numbers))

    def _diagnose(
        self, arrays: Sequence[Argument], numbers: Sequence[Number], signals: Signals
    ) -> None:
        assert self._executable is not None
        self._executable.reports.follow(self._filled(arrays, numbers), signals)

    def _filled(self, arrays: Sequence[Argument], numbers: Sequence[Number]) -> Shell:
        """Return the leaves and scalars of a call."""
        leaves = []
        for source in self._sources:
            if not isinstance(source, int):
                leaves.append(source)
                continue
            given = arrays[source]
            leaf = given if isinstance(given, Node) else build.leaf(given)
            assert isinstance(leaf.attr, Leaf)
            if leaf.attr.strides != self._strides[source]:
                raise Mismatch  # a copy had to be made
            leaves.append(leaf)
        scalars = [
            scalar if isinstance(scalar, Node) else _constant(*scalar, numbers)
            for scalar in self._scalars
        ]
        shell = self._shell
        return Shell(shell.key, [], leaves, scalars, shell.lines)

    def _put_together(self, computed: Sequence[Array], numbers: Sequence[Number]) -> Any:
        leaves: list[Any] = []
        for result in self._results:
            if isinstance(result, int) and type(result) is int:
                leaves.append(computed[result])
            elif type(result) is Symbol:
                leaves.append(result.evaluate(numbers))
            else:
                leaves.append(np.array(result))
        return unflatten(self._structure, iter(leaves))


def _leaked() -> TracingError:
    return TracingError(
        "a result of a function given to lazyarr.jit is made of an array of another call",
        hint="pass every array that the function needs as an argument, and keep none",
    )


def _converted(
    convert: Callable[[Any], Any], symbol: Symbol, numbers: Sequence[Number]
) -> int | float:
    try:
        found: int | float = convert(symbol.evaluate(numbers))
    except OverflowError:
        raise Mismatch from None
    return found


def _constant(symbol: Symbol, dtype: np.dtype[Any], numbers: Sequence[Number]) -> Node:
    try:
        return build.constant(symbol.evaluate(numbers), dtype)
    except OverflowError:
        raise Mismatch from None
