"""Launches of a plan with the code of their kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from lazyarr.codegen.launch import (
    Address,
    Argument,
    Bounds,
    Flags,
    Launch,
    Lowered,
    Scratch,
    Status,
)
from lazyarr.core.config import Config
from lazyarr.execution.arguments import Bases, make_template
from lazyarr.execution.cpu.kernel_sequence import Call
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.graph.node import Node
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.compiler import Function
from lazyarr.schedule.groups import Group, Layout

__all__ = ["call_of", "compiled_functions", "library_calls"]


def compiled_functions(
    sources: Iterable[Sequence[Source]],
    settings: Config,
    elements: Sequence[int] = (),
    supports: Sequence[Source] = (),
) -> dict[Source, Function]:
    """Return the machine code of the kernels of a plan, compiled side by side.

    Parameters
    ----------
    sources : iterable of sequence of Source
        Those of each group.
    settings : Config
        How to compile.
    elements : sequence of int, optional
        Those that each group computes. Default: all code is optimised before the first run.
    supports : sequence of Source
        What else their launches call.
    """
    groups = list(sources)
    flat = [source for own in groups for source in own]
    work: Counter[Source] = Counter()
    for own, count in zip(groups, elements, strict=False):
        work.update(dict.fromkeys(own, count))
    return dict(zip(flat, compiler.compile_sources(flat, settings, work, supports), strict=True))


def call_of(
    launch: Launch,
    function: Function,
    kernels: Lowered,
    index: int,
    bases: Bases,
    status: Reports,
) -> Call:
    """Return a launch with its code.

    Parameters
    ----------
    launch : Launch
        As lowering made it.
    function : Function
        Its code.
    kernels : Lowered
        The kernels of its group.
    index : int
        The number of its step.
    bases : Bases
        The numbers of memory.
    status : Reports
        Where kernels report.
    """
    own = tuple(
        position
        for position, argument in enumerate(launch.arguments)
        if isinstance(argument, Scratch) and argument.own
    )
    return Call(
        function,
        make_template(launch.arguments, _places(bases, status, index, kernels.shared_scratch)),
        launch.count,
        launch.chunk,
        (kernels.worker_scratch, own) if own else None,
    )


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
    # Imported here: most plans are kernels alone.
    from lazyarr.execution.cpu.convolutions import convolution_of
    from lazyarr.execution.cpu.long_products import long_product_of
    from lazyarr.execution.cpu.products import product_of
    from lazyarr.execution.cpu.scatters import scatter_of
    from lazyarr.execution.cpu.selections import selection_of
    from lazyarr.execution.cpu.sorts import sort_of

    convolution = convolution_of(group, layouts)
    if convolution is not None:
        status.watch_library(index, group.members[0])
        template = make_template(convolution.arguments, _places(bases, status, index, 0))
        scratch = convolution.scratch, convolution.own
        return (Call(convolution.function, template, convolution.count, 1, scratch),)
    scatter = scatter_of(group, layouts, threads)
    if scatter is not None:
        status.watch_library(index, group.members[0], scatter.name)
        template = make_template(scatter.arguments, _places(bases, status, index, 0))
        return (Call(scatter.function, template, scatter.count, scatter.chunk, None),)
    selection = selection_of(group, layouts) or sort_of(group, layouts)
    if selection is not None:
        template = make_template(selection.arguments, _places(bases, status, index, 0))
        return (Call(selection.function, template, selection.count, selection.chunk, None),)
    parts = long_product_of(group, layouts)
    if parts:
        status.watch_library(index, group.members[0])
        place = _places(bases, status, index, 0)
        return tuple(
            Call(part.function, make_template(part.arguments, place), part.count, part.chunk, None)
            for part in parts
        )
    product = product_of(group, layouts, threads)
    if product is None:
        return ()
    status.watch_library(index, group.members[0])
    template = make_template(product.arguments, _places(bases, status, index, 0))
    count, chunk = product.count, product.chunk
    return (Call(product.function, template, count, chunk, None, product.work),)


def _places(
    bases: Bases, status: Reports, index: int, shared_scratch: int
) -> Callable[[Argument], tuple[int, int]]:
    """Return the function from an address among a step's arguments to its base and offset."""

    def place(argument: Argument) -> tuple[int, int]:
        match argument:
            case Address(owner, offset):
                return bases.of(owner), offset
            case Scratch(offset, is_own):
                return bases.scratch, offset + shared_scratch if is_own else offset
            case Status() | Bounds():
                return bases.status, status.place(argument)
            case Flags():
                return bases.status, status.place_of_flags(index)
        raise AssertionError(argument)

    return place
