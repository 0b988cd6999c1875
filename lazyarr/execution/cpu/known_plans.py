"""Plans that an evaluation runs without a frame of Python's, once an expression came twice.

The way from an expression to its plan and into its kernels takes Python twenty to thirty
microseconds: it walks the graph, makes the key, binds leaves and scalars, allocates and launches.
The compiled form (``c_source/known_plans.c``) does that in two or three, for plans that are nothing
but kernels; it finds others, and their executors run them. Where it was not built, or
``LAZYARR_COMPILED=0`` asks for Python's form, which is the reference, no plan is known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from time import perf_counter
from typing import Any, Protocol, overload

import numpy as np

from lazyarr.core.addresses import ALIGNMENT
from lazyarr.core.dtypes import code_of
from lazyarr.core.hashing import compiled_form
from lazyarr.execution.arguments import ArgumentTemplate, ScalarValue, memory_of, scalar_of
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.graph import elements
from lazyarr.graph.device_leaf import DeviceLeaf
from lazyarr.graph.kind import Kind, part_dtype
from lazyarr.graph.node import Node
from lazyarr.graph.streamed_leaf import StreamedLeaf
from lazyarr.ops.movement import CONSTANT, LEAF
from lazyarr.passes.canonicalize import Bindings, bind, is_special
from lazyarr.runtime.cpu.threads.native_pool import current_pool
from lazyarr.runtime.cpu.threads.parallel_for import launch
from lazyarr.runtime.host_memory_pool import SMALL, pool

__all__ = ["COMPILED", "FORM", "Form", "NodesInOrder", "describe", "install"]

Array = np.ndarray[Any, Any]

#: Where a base lies: as in the C source.
_LEAF, _RESULT, _MEMORY, _STATUS = range(4)
#: What the C source has room for: bytes of a report, and words of a kernel's arguments.
_MOST_REPORT, _MOST_WORDS = 256, 160
#: Bytes of a word: of a kernel's parameter, and of reports.
_WORD = 8
#: Bytes of a result from which on the C library takes its pages from the system: those are pooled.
_LARGEST_RESULT = 2 * SMALL
#: Kinds of operations whose attributes say all that there is to them.
_KINDS = frozenset(
    (
        Kind.GENERATE,
        Kind.ELEMENTWISE,
        Kind.REDUCE,
        Kind.SCAN,
        Kind.VIEW,
        Kind.RESHAPE,
        Kind.GATHER,
        Kind.CONCATENATE,
        Kind.WRITE,
        Kind.LIBRARY,
    )
)


def _extension() -> Any:
    from lazyarr.execution.cpu import _known_plans

    return _known_plans


#: The extension module; None if Python's form runs.
COMPILED, FORM = compiled_form(_extension, __file__)
if elements.COMPILED is None:  # the walk reads the fields of compiled nodes
    COMPILED, FORM = None, elements.FORM


def install(
    computed: object,
    may_change: Callable[[Any], bool],
    store: Callable[[list[Node], list[Array]], None],
    run: Callable[[Any, list[Node], list[Node], tuple[Node, ...], list[Node]], list[Array]],
    large: int,
) -> None:
    """Enter the objects and functions of Python that the compiled form takes.

    Parameters
    ----------
    computed : object
        The memo of a node that an evaluation has computed.
    may_change : callable
        Returns whether somebody else may write to what a leaf holds.
    store : callable
        Lets expressions begin with the values of some nodes.
    run : callable
        Returns the results of a plan that has other steps than kernels, for an evaluation as it
        was entered, the leaves, the scalars, the roots, and the leaves of the whole expression.
    large : int
        Elements of an array from which on values may be stored with the first evaluation.
    """
    if COMPILED is not None and elements.COMPILED is not None:
        COMPILED.install(
            elements.COMPILED.functions,
            leaf=LEAF,
            constant=CONSTANT,
            allowed=_KINDS,
            view=Kind.VIEW,
            generate=Kind.GENERATE,
            call=Kind.LIBRARY,
            elsewhere=(DeviceLeaf, StreamedLeaf),
            is_special=is_special,
            computed=computed,
            allocate=pool.result,
            allocate_block=pool.allocate,
            pool=current_pool,
            launch=launch,
            report=_report,
            clock=perf_counter,
            ran=_ran,
            may_change=may_change,
            store=store,
            run=run,
            large=large,
        )


def _report(
    roots: tuple[Node, ...], leaves: list[Node], sequence: KernelSequence, data: bytes
) -> None:
    """Raise errors and issue warnings from the reports of the kernels of a run."""
    sequence.follow(data, lambda: bind(roots, windows=True, among=leaves)[1])


class Form(Protocol):
    """An expression that came before, written down by the compiled form."""

    @property
    def repeated(self) -> frozenset[int]:
        """Identities of the nodes that were computed before."""


class NodesInOrder(Sequence[Node]):
    """All nodes of an expression, operands first, which are looked up when first asked for.

    Parameters
    ----------
    roots : tuple of Node
        The results.
    leaves : list of Node
        All leaves as the plan found them: values may have been stored since.
    """

    def __init__(self, roots: tuple[Node, ...], leaves: list[Node]) -> None:
        self._roots = roots
        self._leaves = leaves

    @overload
    def __getitem__(self, index: int) -> Node: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Node]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._order[index]

    def __len__(self) -> int:
        return len(self._order)

    @cached_property
    def _order(self) -> list[Node]:
        return bind(self._roots, among=self._leaves)[1].order


class _Scalars(Sequence[ScalarValue]):
    """The values of an expression's scalars, which are looked up when they are asked for."""

    def __init__(self, bindings: Callable[[], Bindings]) -> None:
        self._bindings = bindings

    @overload
    def __getitem__(self, index: int) -> ScalarValue: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[ScalarValue]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return [scalar_of(scalar) for scalar in self._bindings().scalars][index]

    def __len__(self) -> int:
        return len(self._bindings().scalars)


def _ran(
    roots: tuple[Node, ...], leaves: list[Node], sequence: KernelSequence, began: float
) -> None:
    """Count the time of a run that has ended."""
    meter = sequence.meter
    if meter is not None:

        def bindings() -> Bindings:
            return bind(roots, windows=True, among=leaves)[1]

        meter.ran(sequence, perf_counter() - began, _Scalars(bindings), bindings)


def describe(sequence: KernelSequence, bindings: Bindings) -> tuple[Any, ...] | None:
    """Return the description of a plan for the compiled form; None if Python has to run it.

    Parameters
    ----------
    sequence : KernelSequence
        Its launches.
    bindings : Bindings
        Leaves and scalars of an expression, as nodes.
    """
    code = sequence.code
    if sequence.wakes_blas:
        return None
    start_of_scratch = -(-sequence.arena_bytes // ALIGNMENT) * ALIGNMENT
    bases: list[tuple[int, object, int]] = []
    whole = {id(part.src[0]): view.src[0] for view, part in bindings.windows.items()}
    for leaf in bindings.leaves:
        owner = whole.get(id(leaf), leaf)
        bases.append((_LEAF, owner, memory_of(leaf).address - memory_of(owner).address))
    results: list[tuple[Any, ...]] = []
    for shape, dtype, nbytes, offset, donated in sequence.buffers:
        if shape is None:
            bases.append((_MEMORY, None, offset))
        elif donated is not None:
            return None
        else:
            bases.append((_RESULT, sequence.place_of(len(results)), 0))
            results.append((shape, dtype, nbytes if nbytes >= _LARGEST_RESULT else None))
    bases += [(_MEMORY, None, start_of_scratch), (_STATUS, None, 0)]
    threads, workers = sequence.threads, current_pool()
    helpers = -1  # no launch enters the pool
    steps = []
    for function, pack, template, count, chunk, scratch in code.calls:
        scalars = _scalars(pack, template, bindings)
        block = pack(*_numbers(pack, template))
        if scalars is None or len(block) > _WORD * _MOST_WORDS:
            return None
        descriptor = bytearray()
        if count > chunk:
            helpers = max(helpers, min(threads, -(-count // chunk)) - 1)
            if workers is not None:
                words = len(block) // _WORD
                descriptor = workers.descriptor(
                    function.address, words, count, threads, chunk, scratch
                )
        head = function, function.address, count, chunk, threads, block
        steps.append((*head, scratch, template.addresses, scalars, descriptor))
    if sequence.report_bytes > _MOST_REPORT:
        return None
    order = [place for kind, place, _ in bases if kind == _RESULT]
    return (
        tuple([results[order.index(k)] for k in range(len(results))]),
        tuple(bases),
        tuple(steps),
        start_of_scratch + code.scratch_bytes,
        -(-sequence.report_bytes // _WORD),
        helpers,
        (None, 0, 0, 1, None, None) if workers is None else workers.entrance,
    )


def _formats(pack: Any) -> list[str]:
    """Return the format of each of a kernel's arguments, by the letters of the struct module."""
    return re.findall(r"[?bBhHiIqQefd]", pack.__self__.format)


def _numbers(pack: Any, template: ArgumentTemplate) -> list[Any]:
    """Return the arguments of a launch that are always the same, and 0 for the others."""
    values = template.values.copy()
    for position, letter in enumerate(_formats(pack)):
        if letter == "?":
            values[position] = bool(values[position])
    return values


#: Letters of NumPy's dtypes, by their kinds and sizes, in the struct module.
_LETTERS: Mapping[str, str] = {
    "b1": "?",
    "i1": "b",
    "u1": "B",
    "i2": "h",
    "u2": "H",
    "i4": "i",
    "u4": "I",
    "i8": "q",
    "u8": "Q",
    "f2": "e",
    "f4": "f",
    "f8": "d",
}


def _scalars(
    pack: Any, template: ArgumentTemplate, bindings: Bindings
) -> tuple[tuple[int, Node, int, int], ...] | None:
    """Return arguments, constants and the bytes taken of these; None: they are converted."""
    formats = _formats(pack)
    taken = [(position, number, 0) for position, number in template.scalars]
    rows = []
    for position, number, part in (*taken, *template.parts):
        node = bindings.scalars[number]
        dtype = part_dtype(node.dtype)
        if formats[position] != _LETTERS.get(code_of(dtype)):
            return None
        rows.append((position, node, part * dtype.itemsize, dtype.itemsize))
    return tuple(rows)
