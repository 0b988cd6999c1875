"""One kernel with its arguments, the interface between lowering and execution."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar, TypeVar

from lazyarr.core.frozen import dataclass, replace

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling
    from lazyarr.graph.node import Node, Op
    from lazyarr.loop_ir.kernel import Kernel
    from lazyarr.schedule.groups import Group

__all__ = [
    "Address",
    "Argument",
    "Bounds",
    "Flags",
    "Launch",
    "Lowered",
    "Number",
    "Renaming",
    "Scalar",
    "Scratch",
    "Status",
    "TargetArgument",
]


@dataclass(frozen=True, slots=True)
class Address:
    """An argument: the address of a stored value plus an offset in bytes."""

    owner: Node
    offset: int


@dataclass(frozen=True, slots=True)
class Scratch:
    """An argument: an address in the scratch memory that all kernels of a plan share.

    Attributes
    ----------
    offset : int
        In bytes, from the start of the shared area or of a worker's own area.
    own : bool
        Whether every worker has such an area of its own.
    """

    offset: int
    own: bool


@dataclass(frozen=True, slots=True)
class Number:
    """An argument: a number known when the plan is made."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Scalar:
    """An argument: the value of a scalar parameter, or of a complex one a part: 0 is the real."""

    node: Node
    part: int = 0


@dataclass(frozen=True, slots=True)
class Status:
    """An argument: the address of a bool that a kernel sets when NumPy would warn.

    Attributes
    ----------
    op : Op
        What NumPy would warn of.
    fault : str
        Which warning, by its name in ``np.errstate``; or that there may be one of any kind; or
        that a Python function raised an exception; or a warning of the node itself.
    node : Node, optional
        The node that reports it.
    """

    SUSPECT: ClassVar[str] = "suspect"
    RAISED: ClassVar[str] = "raised"
    WARNING: ClassVar[str] = "warning"

    op: Op
    fault: str
    node: Node | None = None


@dataclass(frozen=True, slots=True)
class Bounds:
    """An argument: the address of a uint64 that takes an index beyond the end of an axis.

    Attributes
    ----------
    node : Node
        The gather whose index it is.
    axis : int
        Which axis of what it gathers from.
    """

    node: Node
    axis: int


class TargetArgument:
    """An argument that kernels of one target alone take."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Flags:
    """An argument: the address of a word where a step's floating-point flags are collected."""


Argument = Address | Scratch | Number | Scalar | Status | Flags | Bounds | TargetArgument

K = TypeVar("K", bound="Kernel")


@dataclass(frozen=True, eq=False, slots=True)
class Renaming:
    """The way from the kernels of a group to those of another of the same form.

    Attributes
    ----------
    nodes : mapping of Node to (Node, int)
        What takes the place of each node that arguments name, and how many bytes further on
        addresses lie in its memory.
    old, new : Group
        The groups.
    comments : tuple of str
        Lines for the reader above kernels of the new one.
    """

    nodes: Mapping[Node, tuple[Node, int]]
    old: Group
    new: Group
    comments: tuple[str, ...]

    def kernel(self, kernel: K) -> K:
        """Return a kernel under the other group's name."""
        name = kernel.name.replace(self.old.name, self.new.name, 1)
        return replace(kernel, name=name, comments=self.comments)

    def arguments(self, arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
        """Return arguments that name the other group's nodes."""
        return tuple(map(self._argument, arguments))

    def _argument(self, argument: Argument) -> Argument:
        match argument:
            case Address(owner, offset):
                other, further = self.nodes[owner]
                return Address(other, offset + further)
            case Scalar(node, part):
                return Scalar(self.nodes[node][0], part)
            case Status(op, fault, node):
                return Status(op, fault, None if node is None else self.nodes[node][0])
            case Bounds(node, axis):
                return Bounds(self.nodes[node][0], axis)
            case _:
                return argument


@dataclass(frozen=True, eq=False, slots=True)
class Launch:
    """One kernel with its arguments and its tiling.

    Attributes
    ----------
    kernel : Kernel
        What to run.
    arguments : tuple of Argument
        One a parameter.
    count : int
        Number of work items.
    chunk : int
        Work items that are worth handing to another thread; a call takes a multiple of them.
    tiling : Tiling, optional
        How a work item is cut, of templates that choose that.
    """

    kernel: Kernel
    arguments: tuple[Argument, ...]
    count: int
    chunk: int
    tiling: Tiling | None = None

    @property
    def passed(self) -> tuple[tuple[Argument, ...], ...]:
        """The arguments of its kernel."""
        return (self.arguments,)

    def renamed(self, names: Renaming) -> Launch:
        """Return the launch of a group of the same form."""
        kernel, arguments = names.kernel(self.kernel), names.arguments(self.arguments)
        return replace(self, kernel=kernel, arguments=arguments)


@dataclass(frozen=True, eq=False, slots=True)
class Lowered:
    """The launches of one group, in order, and the scratch they need in bytes."""

    group: Group
    launches: tuple[Launch, ...]
    shared_scratch: int
    worker_scratch: int

    def scratch_bytes(self, threads: int) -> int:
        """Return the scratch memory of its launches, of as many threads as these have work for.

        Parameters
        ----------
        threads : int
            That may work on a launch.
        """
        workers = 1
        for launch in self.launches:
            count, chunk = launch.count, launch.chunk
            if type(count) is not int or type(chunk) is not int:
                workers = threads  # of a plan that serves many lengths
            elif chunk > 0:
                workers = max(workers, min(threads, -(-count // chunk)))
        return self.shared_scratch + workers * self.worker_scratch

    def renamed(self, names: Renaming) -> Lowered:
        """Return the launches of a group of the same form."""
        launches = tuple([launch.renamed(names) for launch in self.launches])
        return replace(self, group=names.new, launches=launches)
