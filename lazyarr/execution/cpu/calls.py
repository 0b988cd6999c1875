"""Launches of a plan with the code of their kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

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
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.function import Function

__all__ = ["call_of", "compiled_functions", "places_of"]


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
        make_template(launch.arguments, places_of(bases, status, index, kernels.shared_scratch)),
        launch.count,
        launch.chunk,
        (kernels.worker_scratch, own) if own else None,
    )


def places_of(
    bases: Bases, status: Reports, index: int, shared_scratch: int
) -> Callable[[Argument], tuple[int, int]]:
    """Return the function from an address among a step's arguments to its base and offset.

    Parameters
    ----------
    bases : Bases
        The numbers of memory.
    status : Reports
        Where flags are collected.
    index : int
        The step.
    shared_scratch : int
        Bytes of scratch memory in front of that of each worker.
    """

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
