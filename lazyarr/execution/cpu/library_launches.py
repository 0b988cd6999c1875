"""Launches of library steps that BLAS or a kernel of the CPU computes as others are computed.

The modules for one kind of step are imported where a plan has one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from lazyarr.codegen.launch import Argument
from lazyarr.execution.arguments import Bases, make_template
from lazyarr.execution.cpu.calls import places_of
from lazyarr.execution.cpu.kernel_sequence import Call
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.graph.node import Node
from lazyarr.ops.convolution import CONVOLUTION, FILTER_PARTS
from lazyarr.ops.library import LIBRARY
from lazyarr.ops.lookups import INTERPOLATED, SEARCHED
from lazyarr.ops.sorted_rows import SORTED_ROWS
from lazyarr.schedule.groups import Group, Layout

if TYPE_CHECKING:
    from lazyarr.execution.cpu.library_kernel import LibraryKernel
    from lazyarr.execution.cpu.scatters import Scatter

__all__ = ["is_launched", "library_calls"]

_MATMUL = LIBRARY["matmul"]
_PART = LIBRARY["sorted_part"]
_SCATTER = LIBRARY["scatter"]


def library_calls(
    group: Group,
    index: int,
    layouts: Mapping[Node, Layout],
    bases: Bases,
    status: Reports,
    threads: int,
) -> tuple[Call, ...]:
    """Return the call of a library step that BLAS or a kernel computes as others do; else none.

    Parameters
    ----------
    group : Group
        The step.
    index : int
        Its number.
    layouts : mapping of Node to Layout
        Where stored values lie.
    bases : Bases
        The numbers of memory.
    status : Reports
        Where the step's flags are collected.
    threads : int
        That may work on the step.
    """
    calls, watched = _launches(group, layouts, threads, places_of(bases, status, index, 0))
    if watched is not None:
        status.watch_library(index, group.members[0], watched)
    return calls


def is_launched(group: Group, layouts: Mapping[Node, Layout], threads: int) -> bool:
    """Whether BLAS or a kernel computes a library step as kernels are launched.

    Parameters
    ----------
    group, layouts, threads
        As of :func:`library_calls`.
    """
    calls, _ = _launches(group, layouts, threads, lambda _: (0, 0))
    return bool(calls)


def _launches(
    group: Group,
    layouts: Mapping[Node, Layout],
    threads: int,
    place: Callable[[Argument], tuple[int, int]],
) -> tuple[tuple[Call, ...], str | None]:
    """Return the calls of a library step, and the function whose flags are collected, if any."""
    step = group.members[0]
    if step.op in (CONVOLUTION, FILTER_PARTS):
        from lazyarr.execution.cpu.convolutions import convolution_of

        convolution = convolution_of(group, layouts)
        if convolution is None:
            return (), None
        template = make_template(convolution.arguments, place)
        scratch = convolution.scratch, convolution.own
        return (Call(convolution.function, template, convolution.count, 1, scratch),), step.op.name
    if step.op is _SCATTER:
        from lazyarr.execution.cpu.scatters import scatter_of

        scatter = scatter_of(group, layouts, threads)
        return ((), None) if scatter is None else ((_call_of(scatter, place),), scatter.name)
    if step.op is _PART:
        from lazyarr.execution.cpu.selections import selection_of

        selection = selection_of(group, layouts)
        return () if selection is None else (_call_of(selection, place),), None
    if step.op is SORTED_ROWS:
        from lazyarr.execution.cpu.sorts import sort_of

        sort = sort_of(group, layouts)
        return () if sort is None else (_call_of(sort, place),), None
    if step.op in (SEARCHED, INTERPOLATED):
        from lazyarr.execution.cpu.lookups import lookup_of

        lookup = lookup_of(group, layouts)
        return () if lookup is None else (_call_of(lookup, place),), None
    if step.op is not _MATMUL:
        return (), None
    from lazyarr.execution.cpu.long_products import long_product_of
    from lazyarr.execution.cpu.products import product_of

    parts = long_product_of(group, layouts)
    product = None if parts else product_of(group, layouts, threads)
    if product is None:
        calls = tuple(_call_of(part, place) for part in parts)
        return calls, step.op.name if calls else None
    template = make_template(product.arguments, place)
    call = Call(product.function, template, product.count, product.chunk, None, product.work)
    return (call,), step.op.name


def _call_of(kernel: LibraryKernel | Scatter, place: Callable[[Argument], tuple[int, int]]) -> Call:
    """Return the call of a kernel that needs no scratch memory."""
    template = make_template(kernel.arguments, place)
    return Call(kernel.function, template, kernel.count, kernel.chunk, None)
