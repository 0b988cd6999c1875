"""The call of a kernel that computes a library step, or a part of one."""

from __future__ import annotations

from collections.abc import Mapping

from lazyarr.codegen.launch import Address, Argument
from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import Node
from lazyarr.runtime.cpu.function import Function
from lazyarr.schedule.groups import Group, Layout, layout_of

__all__ = ["LibraryKernel", "address_in", "layouts_of_step"]


@dataclass(frozen=True, eq=False, slots=True)
class LibraryKernel:
    """The call of a kernel.

    Attributes
    ----------
    function : Function
        The kernel.
    arguments : tuple of Argument
        Its arguments.
    count, chunk : int
        Its work items, and those that are worth another thread's time.
    """

    function: Function
    arguments: tuple[Argument, ...]
    count: int
    chunk: int


def layouts_of_step(group: Group, layouts: Mapping[Node, Layout]) -> list[Layout] | None:
    """Return the layouts of a library step's result and operands; None if one is not stored.

    Parameters
    ----------
    group : Group
        The step, of one result.
    layouts : mapping of Node to Layout
        Of the stored values.
    """
    places = [group.outputs[0].layout]
    for source in group.members[0].src:
        place = layout_of(source, layouts)
        if place is None:
            return None
        places.append(place)
    return places


def address_in(place: Layout, itemsize: int) -> Address:
    """Return the address of the first element of a value.

    Parameters
    ----------
    place : Layout
        Of the value.
    itemsize : int
        Bytes of an element.
    """
    return Address(place.owner, place.offset * itemsize)
