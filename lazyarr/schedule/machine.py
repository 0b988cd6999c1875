"""The machine protocol that fusion uses."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from lazyarr.core.frozen import dataclass

if TYPE_CHECKING:
    from lazyarr.core.shapes import Shape
    from lazyarr.graph.node import Node
    from lazyarr.schedule.groups import Group, Layout

__all__ = ["FusionCosts", "Machine"]


@dataclass(frozen=True, slots=True)
class FusionCosts:
    """The cost constants of a machine.

    Attributes
    ----------
    max_operations : int
        Most simple operations of one kernel; longer chains are cut so that kernels stay compilable.
    function_code : int
        Simple operations that take as long to compile as one unit of a function's code.
    max_operands : int
        Most arrays that one kernel touches.
    store_cost : int
        Arithmetic (in additions) that costs as much as storing and loading one value.
    launch_cost : int
        Arithmetic worth one more kernel launch.
    expensive : int
        Arithmetic for one element that shows beside loading and storing it: a division.
    product_block : int
        Rows or columns of a matrix product for which its kernel computes a factor of its own once.
    searched_groups : int
        The groups, from the last one back, among which one that shares operands is looked for.
    reordered_groups : int
        Most groups of a plan for which another order is looked for, which saves memory.
    shared_elements : int
        Elements of a map for each of which a value that all share counts as computed once; 0: the
        map is a loop, which computes it before its first turn.
    thread_elements : int
        Neighbouring elements of a reduction for which a thread computes what they share once; 0: a
        loop computes it before its first iteration, for all.
    scanned_arithmetic : int
        Arithmetic at most for an element that a scan along memory takes in: its loop has no
        vectors, and what costs more is stored by another one; 0: any.
    near_bytes : int
        Bytes from one reading to another one, below which parts of a concatenation share a kernel.
    """

    max_operations: int
    function_code: int
    max_operands: int
    store_cost: int
    launch_cost: int
    expensive: int
    product_block: int
    searched_groups: int
    reordered_groups: int
    shared_elements: int
    thread_elements: int
    scanned_arithmetic: int
    near_bytes: int


class Machine(Protocol):
    """The interface of a target for fusion: coverage of its kernels, loop templates, and costs."""

    @property
    def costs(self) -> FusionCosts:
        """The cost constants."""

    @property
    def overlaps_exchanges(self) -> bool:
        """Whether exchanges with other devices run beside the steps that do not read them."""

    def covers(self, value: Node) -> bool:
        """Return whether generated code computes an elementwise, reduction or scan node."""

    def choose_template(self, domain: Shape, reduced: Sequence[int]) -> str:
        """Return the loop template that the shape of a group asks for.

        Parameters
        ----------
        domain : tuple of int
            Sizes of the iteration space.
        reduced : sequence of int
            Its axes that are reduced.
        """

    def refine_template(self, group: Group, layouts: Mapping[Node, Layout]) -> str:
        """Return the loop template of a group, by which it is lowered.

        Parameters
        ----------
        group : Group
            The finished group, with the template that its shape asks for.
        layouts : mapping of Node to Layout
            Where stored values lie.
        """

    def order_of(self, value: Node) -> Hashable:
        """Return the order in which a value's kernel must add, None if any will do.

        Reductions share a kernel only if it can add in the order of each.
        """
