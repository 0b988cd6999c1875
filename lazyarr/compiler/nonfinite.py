"""The check under ``config(debug="nan")``: which operation first gave a NaN or an infinity."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import BackwardOrigin, Origin, TangentOrigin
from lazyarr.errors import NonFiniteError
from lazyarr.execution.executor import Donated, Executor
from lazyarr.execution.fp_errors.diagnosis import Diagnosis
from lazyarr.graph.node import Early, Kind, Leaf, Node, walk
from lazyarr.passes.canonicalize import Bindings, Canonical

__all__ = ["NonFiniteCheck"]

Array = np.ndarray[Any, Any]


class NonFiniteCheck:
    """An executor that checks its results.

    Where one is not finite, the expression is computed again node by node, by the reference
    semantics of its operations, to find the first that is not.

    Parameters
    ----------
    executor : Executor
        Runs the plan; it overwrites no leaves.
    canonical : Canonical
        The expression over parameters, as it was built.
    positions : mapping of Node to int
        Which of the user's nodes a node of that expression stands for.
    """

    #: A launch is checked, which takes leaves and scalars as nodes.
    by_address = mixed = None
    sole_call = None
    donated = ()

    def __init__(
        self, executor: Executor, canonical: Canonical, positions: Mapping[Node, int]
    ) -> None:
        self._executor = executor
        self._roots = canonical.roots
        self._positions = positions

    @property
    def peak_bytes(self) -> int:
        """The planned peak of bytes in buffers."""
        return self._executor.peak_bytes

    def diagnose_by(self, diagnosis: Diagnosis) -> None:
        """Set the diagnosis by which reports of kernels become errors and warnings."""
        self._executor.diagnose_by(diagnosis)

    def run(self, bindings: Bindings, outs: Sequence[Array | None] | None = None) -> list[Array]:
        """Return the results in the host's memory.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write the results.
        """
        results = self._executor.run(bindings)
        self._check(bindings, results)
        for k, out in enumerate(outs or ()):
            if out is not None:
                np.copyto(out, results[k])
                results[k] = out
        return results

    def run_over(self, bindings: Bindings, donated: Donated) -> list[Array]:
        """Return the results in the host's memory.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        donated : mapping of int to numpy.ndarray, optional
            None: checked plans overwrite no leaf.
        """
        assert not donated
        return self.run(bindings)

    def persist(self, bindings: Bindings) -> Sequence[Any]:
        """Return the results where they are computed."""
        results = self._executor.persist(bindings)
        self._check(bindings, results)
        return results

    def run_and_keep(
        self, bindings: Bindings, count: int, outs: Sequence[Array | None] | None, early: Early
    ) -> tuple[list[Array], list[Leaf]]:
        """Return the first results on the host, and leaves of the others.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars.
        count : int
            Number of results that were asked for.
        outs : sequence of (numpy.ndarray or None), optional
            Where to write these.
        early : Early
            The reason why the others are computed.
        """
        results, leaves = self._executor.run_and_keep(bindings, count, outs, early)
        self._check(bindings, results)
        return results, leaves

    def repeat(self, bindings: Bindings) -> tuple[Sequence[Any], Callable[[], object]]:
        """Return the results where they are computed, and a function that computes them again."""
        results, again = self._executor.repeat(bindings)
        self._check(bindings, results)

        def checked() -> object:
            again()
            self._check(bindings, results)
            return None

        return results, checked

    def _check(self, bindings: Bindings, results: Sequence[Any]) -> None:
        """Raise NonFiniteError if a result is not finite."""
        for result in results:
            host = result if isinstance(result, np.ndarray) else result.get()
            if kind_of(host.dtype) in "fc" and not np.isfinite(host).all():
                raise self._error(bindings, bool(np.isnan(host).any()))

    def _error(self, bindings: Bindings, is_nan: bool) -> NonFiniteError:
        """Return the error that names the first operation, in an order of dependencies."""
        infinite: tuple[Node, Array] | None = None
        for node, value, has_nan, has_infinity in self._first_ones(bindings):
            if has_nan:
                cause = None if infinite is None else self._described(bindings, infinite[0])
                return self._raised(bindings, node, value, "NaN", cause)
            if has_infinity and not is_nan:
                return self._raised(bindings, node, value, "infinity", None)
            if has_infinity and infinite is None:
                infinite = node, value
        return NonFiniteError(
            "a result is not finite, though every operation is when computed by itself",
            hint="rounding or the order of a sum decides; see config(numerics=...)",
        )

    def _first_ones(self, bindings: Bindings) -> Iterator[tuple[Node, Array, bool, bool]]:
        """Yield nodes with a NaN or an infinity where no operand has such."""
        order = list(walk(self._roots))
        users: dict[Node, int] = {}
        for node in order:
            for source in node.src:
                users[source] = users.get(source, 0) + 1
        values: dict[Node, Array] = {}
        marks: dict[Node, tuple[bool, bool]] = {}
        for node in order:
            with np.errstate(all="ignore"):
                value = values[node] = _value(node, bindings, values)
            floating = kind_of(value.dtype) in "fc"
            has_nan = floating and bool(np.isnan(value).any())
            has_infinity = floating and bool(np.isinf(value).any())
            marks[node] = has_nan, has_infinity
            new_nan = has_nan and not any(marks[source][0] for source in node.src)
            new_infinity = has_infinity and not any(any(marks[source]) for source in node.src)
            # A constant that is not finite, as a mask has, is what the user wrote.
            if (new_nan or new_infinity) and not _is_scalar(node):
                yield node, value, new_nan, new_infinity
            for source in node.src:
                users[source] -= 1
                if not users[source]:
                    values.pop(source, None)

    def _line(self, bindings: Bindings, node: Node) -> Origin | None:
        position = self._positions.get(node)
        return node.origin if position is None else bindings.origin(position)

    def _described(self, bindings: Bindings, node: Node) -> str:
        line = self._line(bindings, node)
        name = "an array that is read" if node.op.kind is Kind.PARAMETER else node.op.name
        return name if line is None else f"{name} at {line[0]}:{line[1]}"

    def _raised(
        self, bindings: Bindings, node: Node, value: Array, kind: str, cause: str | None
    ) -> NonFiniteError:
        """Return the error of a node.

        Parameters
        ----------
        bindings : Bindings
            The leaves and scalars of the run.
        node : Node
            The first that is not finite.
        value : numpy.ndarray
            Its value.
        kind : {"NaN", "infinity"}
            The kind of number to report.
        cause : str, optional
            The operation that gave an infinity before, which a NaN may come from.
        """
        bad = np.isnan(value) if kind == "NaN" else np.isinf(value)
        place = tuple(int(k) for k in np.argwhere(bad)[0])
        line = self._line(bindings, node)
        where = ""
        if isinstance(line, BackwardOrigin):
            where = " in the backward pass"
        elif isinstance(line, TangentOrigin):
            where = " in the tangents"
        message = f"{node.op.name} is the first to give {kind}{where}"
        if node.op.kind is Kind.PARAMETER:
            message = f"an array that the expression reads holds {kind}"
        message += f": {int(bad.sum()):,} of {value.size:,} elements"
        message += f", the first at index {place}" if place else ""
        return NonFiniteError(
            message, origin=line, hint=None if cause is None else f"an infinity came from {cause}"
        )


def _is_scalar(node: Node) -> bool:
    """Whether a node is a constant, or a number of the call."""
    if node.op.kind is Kind.CONSTANT:
        return True
    attr = node.attr
    return node.op.kind is Kind.PARAMETER and isinstance(attr, tuple) and attr[0] == "scalar"


def _value(node: Node, bindings: Bindings, values: Mapping[Node, Array]) -> Array:
    """Return the value of a node, of those of its operands.

    Parameters
    ----------
    node : Node
        Of the canonical expression.
    bindings : Bindings
        The leaves and scalars.
    values : mapping of Node to numpy.ndarray
        The operands' values.
    """
    if node.op.kind is Kind.PARAMETER and isinstance(node.attr, tuple):
        kind, position = node.attr[:2]
        node = bindings.leaves[position] if kind == "leaf" else bindings.scalars[position]
        if isinstance(node.attr, Leaf):
            return node.attr.array
        assert isinstance(node.attr, bytes)
        return np.frombuffer(node.attr, node.dtype).reshape(())
    value: Array = node.op.evaluate(node, *[values[source] for source in node.src])
    return value
