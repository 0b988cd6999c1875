"""What inspection needs to know of a compiled expression, and how it gets it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Protocol

from lazyarr.config import get_config
from lazyarr.errors import ArgumentError
from lazyarr.ir import Node

__all__ = [
    "BufferLike",
    "EdgeLike",
    "GroupLike",
    "KernelLike",
    "OutputLike",
    "PlanLike",
    "ProgramLike",
    "StepLike",
    "analyse",
    "roots_of",
]


class OutputLike(Protocol):
    """A value that a group writes."""

    @property
    def node(self) -> Node: ...


class GroupLike(Protocol):
    """Nodes that run as one step."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def nodes(self) -> Sequence[Node]: ...
    @property
    def inputs(self) -> Sequence[Node]: ...
    @property
    def outputs(self) -> Sequence[OutputLike]: ...
    @property
    def domain(self) -> tuple[int, ...]: ...
    @property
    def template(self) -> str: ...


class EdgeLike(Protocol):
    """An edge that was not fused."""

    @property
    def source(self) -> Node: ...
    @property
    def consumer(self) -> Node: ...
    @property
    def reason(self) -> str: ...
    @property
    def nbytes(self) -> int: ...


class BufferLike(Protocol):
    """A piece of memory and the steps during which it is live, both ends included."""

    @property
    def name(self) -> str: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def first(self) -> int: ...
    @property
    def last(self) -> int: ...
    @property
    def values(self) -> Sequence[Node]: ...


class StepLike(Protocol):
    """A group and its place in the schedule."""

    @property
    def index(self) -> int: ...
    @property
    def group(self) -> GroupLike: ...


class PlanLike(Protocol):
    """The memory plan."""

    @property
    def steps(self) -> Sequence[StepLike]: ...
    @property
    def buffers(self) -> Sequence[BufferLike]: ...
    @property
    def arena_bytes(self) -> int: ...
    @property
    def scratch_bytes(self) -> int: ...
    @property
    def peak_bytes(self) -> int: ...


class KernelLike(Protocol):
    """A kernel group and its generated source."""

    @property
    def group(self) -> GroupLike: ...
    @property
    def source(self) -> str: ...


class ProgramLike(Protocol):
    """An expression after every stage."""

    @property
    def raw(self) -> Sequence[Node]: ...
    @property
    def simplified(self) -> Sequence[Node]: ...
    @property
    def groups(self) -> Sequence[GroupLike]: ...
    @property
    def not_fused(self) -> Sequence[EdgeLike]: ...
    @property
    def plan(self) -> PlanLike: ...
    @property
    def kernels(self) -> Sequence[KernelLike]: ...


def roots_of(expressions: Sequence[object]) -> tuple[Node, ...]:
    """Return the nodes behind lazy arrays.

    Raises
    ------
    ArgumentError
        If there are none, or something else is among them.
    """
    roots = []
    for expression in expressions:
        found = expression if isinstance(expression, Node) else getattr(expression, "_node", None)
        if not isinstance(found, Node):
            kind = type(expression).__name__
            raise ArgumentError(
                f"expected lazy arrays, got {kind}",
                hint="wrap arrays in lazyarr.asarray before computing with them",
            )
        roots.append(found)
    if not roots:
        raise ArgumentError("expected at least one lazy array, got none")
    return tuple(roots)


def analyse(roots: tuple[Node, ...]) -> ProgramLike:
    """Run every stage of the compiler that needs no machine code."""
    from lazyarr import pipeline  # type: ignore[attr-defined, unused-ignore]

    program: ProgramLike = pipeline.analyse(roots, get_config())
    return program
