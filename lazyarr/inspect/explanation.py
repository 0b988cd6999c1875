"""The result of ``explain``: kernels, their costs, and the limits of their speed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lazyarr.codegen.tiling import Tiling
from lazyarr.compiler.device_choice import Placement
from lazyarr.core.source_location import Origin
from lazyarr.graph.node import Node
from lazyarr.inspect.eager_cost import Eager
from lazyarr.inspect.labels import (
    bytes_text,
    count_text,
    operation_text,
    origin_text,
    shape_text,
    type_text,
)
from lazyarr.inspect.placements import placement_dict, placement_sections
from lazyarr.inspect.sections import Section, html_of, lines_of

__all__ = ["Cut", "Explanation", "Fallback", "Kernel", "NotFused"]

#: Candidates of a kernel that a report shows beside lazyarr's own choice, untried ones.
_CANDIDATES = 2
_ROWS = 40  # of a printed table; the attributes and to_dict have all


@dataclass(frozen=True, slots=True)
class Cut:
    """A way to cut a kernel that gives the same bits.

    Attributes
    ----------
    name : str
        What is changed of lazyarr's own choice; "" is that choice.
    tiling : Tiling
        How the kernel is cut.
    predicted : float
        Seconds of one run, by the cost model.
    measured : float, optional
        Least seconds of a run of its plan, where tuning has tried it.
    is_used : bool
        Whether the kernel is cut so.
    """

    name: str
    tiling: Tiling
    predicted: float
    measured: float | None
    is_used: bool


@dataclass(frozen=True, slots=True)
class Kernel:
    """One generated kernel.

    Attributes
    ----------
    name : str
        As in the generated source.
    template : str
        The shape of its loops.
    domain : tuple of int
        Its iteration space.
    nodes : tuple of Node
        What it computes; views are not among it.
    outputs : tuple of Node
        What it writes to memory.
    bytes_read, bytes_written : int
        What has to be moved: of each input what is touched, once; each output once.
    flops : int
        Arithmetic in additions; an ``exp`` counts as about twenty.
    origin : tuple of (str, int), optional
        The user's file and line.
    source : str
        The generated text.
    tiling : Tiling, optional
        How its work is cut, of templates that choose that: a frozen value, whose text says it.
    candidates : tuple of Cut
        This and other ways to cut it, lazyarr's own choice first, the others by predicted time.
    """

    name: str
    template: str
    domain: tuple[int, ...]
    nodes: tuple[Node, ...]
    outputs: tuple[Node, ...]
    bytes_read: int
    bytes_written: int
    flops: int
    origin: Origin | None
    source: str
    tiling: Tiling | None = None
    candidates: tuple[Cut, ...] = ()


@dataclass(frozen=True, slots=True)
class Fallback:
    """Work that no kernel does: NumPy, SciPy or BLAS does it, on whole arrays.

    Attributes
    ----------
    name : str
        Of the step; empty for what was computed when the expression was built.
    op : str
        The operation, or what asked for a value too early.
    reason : str
        Why no kernel does it, or why it did not wait.
    bytes_read, bytes_written : int
        What it moves at least.
    output : Node
        Its result.
    origin : tuple of (str, int), optional
        The user's file and line.
    when : {"evaluated", "built"}
        When it is computed: in its iteration, or as the expression was built, which is over.
    tiling : Tiling, optional
        How the kernel is cut that may stand for this step and the next one.
    """

    name: str
    op: str
    reason: str
    bytes_read: int
    bytes_written: int
    output: Node
    origin: Origin | None
    when: str = "evaluated"
    tiling: Tiling | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and dictionaries."""
        return {
            "name": self.name,
            "op": self.op,
            "reason": self.reason,
            "bytes_read": self.bytes_read,
            "bytes_written": self.bytes_written,
            "output": type_text(self.output),
            "origin": _origin_list(self.origin),
            "when": self.when,
            "tiling": None if self.tiling is None else str(self.tiling),
        }


@dataclass(frozen=True, slots=True)
class NotFused:
    """A value that goes through memory between two steps.

    Attributes
    ----------
    source, consumer : Node
        The value and what is computed from it.
    reason : str
        Why they are not one kernel.
    bytes : int
        Moved because of it.
    """

    source: Node
    consumer: Node
    reason: str
    bytes: int


@dataclass(frozen=True)
class Explanation:
    """The kernels of an expression and their costs. Prints as a report.

    Attributes
    ----------
    kernels : tuple of Kernel
        Generated kernels, in the order in which they run.
    fallbacks : tuple of Fallback
        Steps that no kernel does, nor with ``device="cuda"`` a library on the GPU; then what was
        computed when the expression was built.
    device_calls : tuple of Fallback
        With ``device="cuda"``: steps that a library does on the GPU.
    not_fused : tuple of NotFused
        Values that go through memory, the most bytes first.
    steps : tuple of str
        Names of all steps in order.
    bytes_moved : int
        Read and written by all steps.
    peak_bytes : int
        Planned peak of lazyarr's own buffers, results included.
    eager : Eager
        What NumPy would do for the same expression.
    results : tuple of Node
        The expressions, as written.
    bus_bytes : int
        With ``device="cuda"``: bytes of host arrays that every evaluation copies to the GPU.
    waits : tuple of Node
        With ``device="cuda"``: what every evaluation waits for, because it reads back whether an
        index was out of bounds. Such a plan is no graph.
    placement : Placement, optional
        With ``device="auto"`` on a calibrated machine: where the parts run, the times predicted
        for both devices, and what crosses the bus.
    """

    kernels: tuple[Kernel, ...]
    fallbacks: tuple[Fallback, ...]
    device_calls: tuple[Fallback, ...]
    not_fused: tuple[NotFused, ...]
    steps: tuple[str, ...]
    bytes_moved: int
    peak_bytes: int
    eager: Eager
    results: tuple[Node, ...]
    bus_bytes: int = 0
    waits: tuple[Node, ...] = ()
    placement: Placement | None = None

    @property
    def eager_bytes(self) -> int:
        """Bytes that NumPy would move."""
        return self.eager.bytes_moved

    @property
    def eager_peak_bytes(self) -> int:
        """Peak bytes of NumPy's temporaries and results."""
        return self.eager.peak_bytes

    @property
    def fraction(self) -> float:
        """Bytes moved, as a fraction of the bytes that NumPy would move."""
        return self.bytes_moved / self.eager_bytes if self.eager_bytes else 1.0

    @property
    def library_calls(self) -> tuple[Fallback, ...]:
        """The steps of the plan that a library does, on the GPU or on the host."""
        return (*self.device_calls, *(s for s in self.fallbacks if s.when == "evaluated"))

    @property
    def computed_when_built(self) -> tuple[Fallback, ...]:
        """The fallbacks that are over: computed as the expression was built."""
        return tuple(step for step in self.fallbacks if step.when == "built")

    @property
    def summary(self) -> str:
        """One sentence."""
        results = _plural(len(self.results), "result")
        kernels = _plural(len(self.kernels), "kernel")
        calls = _plural(len(self.library_calls), "library call")
        early = len(self.computed_when_built)
        over = f"; {_plural(early, 'computation')} done when built" if early else ""
        return (
            f"{results} from {kernels} and {calls}: moves {bytes_text(self.bytes_moved)} "
            f"where NumPy moves {bytes_text(self.eager_bytes)} in "
            f"{_plural(self.eager.operations, 'operation')}{over}"
        )

    def __str__(self) -> str:
        return "\n".join(lines_of(self._sections()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_of(self._sections())

    def _sections(self) -> list[Section]:
        """Return the parts of the report."""
        compared = [
            ("bytes moved", *_compared(self.bytes_moved, self.eager_bytes)),
            ("peak memory", *_compared(self.peak_bytes, self.eager_peak_bytes)),
            ("steps", str(len(self.steps)), str(self.eager.operations), ""),
            ("temporaries", "", str(self.eager.temporaries), ""),
        ]
        sections = [
            Section("", (), [(self.summary,)]),
            Section("", ("", "lazyarr", "NumPy", "ratio"), compared, "lrrr"),
        ]
        if self.placement is not None:
            sections += placement_sections(self.placement)
        if self.kernels:
            sections += _kernel_sections(self.kernels)
        if self.library_calls:
            where = " on the GPU" if len(self.device_calls) == len(self.library_calls) else ""
            sections.append(_fallback_section(f"library calls{where}", self.library_calls))
            sections += _tiling_sections("one kernel cut into", self.library_calls)
        if self.computed_when_built:
            title = "computed when built, outside of this plan"
            sections.append(_fallback_section(title, self.computed_when_built))
        if self.not_fused:
            sections.append(_edge_section(self.not_fused))
        return [*sections, Section("", (), [(sentence,) for sentence in self.advice])]

    @property
    def advice(self) -> tuple[str, ...]:
        """Sentences on the main limits of the speed of this expression."""
        lines = []
        if self.not_fused:
            worst = self.not_fused[0]
            where = origin_text(worst.consumer.origin)
            lines.append(
                f"Largest cost of not fusing: {bytes_text(worst.bytes)} between "
                f"{operation_text(worst.source)} and {operation_text(worst.consumer)}"
                + (f" ({where})" if where else "")
                + f": {worst.reason}."
            )
        if self.bus_bytes:
            lines.append(
                f"Each evaluation copies {bytes_text(self.bus_bytes)} of host arrays to the GPU: "
                'asarray(x, device="cuda") copies them once.'
            )
        if self.waits:
            where = origin_text(self.waits[0].origin)
            lines.append(
                f"Each evaluation waits for the GPU: whether an index of {self.waits[0].op.name}"
                + (f" ({where})" if where else "")
                + " is out of bounds is read back."
            )
        if self.library_calls:
            moved = sum(step.bytes_read + step.bytes_written for step in self.library_calls)
            share = moved / self.bytes_moved if self.bytes_moved else 0.0
            lines.append(f"Library calls move {share:.0%} of the bytes.")
        if not lines:
            lines.append("Everything is fused: no value goes through memory between steps.")
        return tuple(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists and dictionaries, ready for JSON."""
        return {
            "summary": self.summary,
            "bytes_moved": self.bytes_moved,
            "peak_bytes": self.peak_bytes,
            "fraction": self.fraction,
            "steps": list(self.steps),
            "results": [type_text(node) for node in self.results],
            "eager": {
                "operations": self.eager.operations,
                "bytes_moved": self.eager.bytes_moved,
                "temporaries": self.eager.temporaries,
                "peak_bytes": self.eager.peak_bytes,
            },
            "kernels": [
                {
                    "name": kernel.name,
                    "template": kernel.template,
                    "domain": list(kernel.domain),
                    "nodes": [node.op.name for node in kernel.nodes],
                    "outputs": [type_text(node) for node in kernel.outputs],
                    "bytes_read": kernel.bytes_read,
                    "bytes_written": kernel.bytes_written,
                    "flops": kernel.flops,
                    "origin": _origin_list(kernel.origin),
                    "tiling": None if kernel.tiling is None else str(kernel.tiling),
                    "candidates": [
                        {
                            "name": cut.name,
                            "tiling": str(cut.tiling),
                            "predicted": cut.predicted,
                            "measured": cut.measured,
                            "is_used": cut.is_used,
                        }
                        for cut in kernel.candidates
                    ],
                    "source": kernel.source,
                }
                for kernel in self.kernels
            ],
            "fallbacks": [step.to_dict() for step in self.fallbacks],
            "device_calls": [step.to_dict() for step in self.device_calls],
            "bus_bytes": self.bus_bytes,
            "waits": [type_text(node) for node in self.waits],
            "placement": None if self.placement is None else placement_dict(self.placement),
            "not_fused": [
                {
                    "source": operation_text(edge.source),
                    "consumer": operation_text(edge.consumer),
                    "reason": edge.reason,
                    "bytes": edge.bytes,
                    "origin": _origin_list(edge.consumer.origin),
                }
                for edge in self.not_fused
            ],
        }


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _origin_list(origin: Origin | None) -> list[Any] | None:
    return None if origin is None else [origin[0], origin[1]]


def _compared(ours: int, theirs: int) -> tuple[str, str, str]:
    ratio = f"{ours / theirs:.2f}" if theirs else ""
    return bytes_text(ours), bytes_text(theirs), ratio


def _cut(rows: Sequence[tuple[str, ...]]) -> Sequence[tuple[str, ...]]:
    if len(rows) <= _ROWS:
        return rows
    blank = ("",) * (len(rows[0]) - 1)
    return [*rows[: _ROWS - 1], (f"… {len(rows) - _ROWS + 1:,} more", *blank)]


def _kernel_sections(kernels: tuple[Kernel, ...]) -> list[Section]:
    rows = [
        (
            kernel.name,
            kernel.template,
            shape_text(kernel.domain),
            ", ".join(dict.fromkeys(node.dtype.name for node in kernel.outputs)),
            str(len(kernel.nodes)),
            bytes_text(kernel.bytes_read),
            bytes_text(kernel.bytes_written),
            count_text(kernel.flops),
            origin_text(kernel.origin),
        )
        for kernel in kernels
    ]
    header = ("name", "loops", "domain", "dtype", "nodes", "reads", "writes", "flops", "built at")
    sections = [Section("kernels", header, _cut(rows), "llllrrrrl")]
    sections += _tiling_sections("cut into", kernels)
    others = [row for kernel in kernels for row in _candidate_rows(kernel)]
    if others:
        columns = ("name", "or into", "predicted", "measured", "")
        sections.append(Section("", columns, _cut(others), "llrrl"))
    return sections


def _tiling_sections(title: str, steps: Sequence[Kernel | Fallback]) -> list[Section]:
    """Return a line for each step whose kernel is cut in a way that was chosen."""
    rows = [(step.name, str(step.tiling)) for step in steps if step.tiling is not None]
    return [Section("", ("name", title), _cut(rows), "ll")] if rows else []


def _candidate_rows(kernel: Kernel) -> list[tuple[str, ...]]:
    """Return a line for each candidate of a kernel that has several."""
    if len(kernel.candidates) < 2:
        return []
    shown = [
        cut
        for number, cut in enumerate(kernel.candidates)
        if number <= _CANDIDATES or cut.is_used or cut.measured is not None
    ]
    return [
        (
            kernel.name,
            str(cut.tiling),
            _microseconds(cut.predicted),
            "" if cut.measured is None else _microseconds(cut.measured),
            "used" if cut.is_used else "",
        )
        for cut in shown
    ]


def _microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:,.1f} µs"


def _fallback_section(title: str, fallbacks: tuple[Fallback, ...]) -> Section:
    rows = [
        (
            step.name,
            step.op,
            type_text(step.output),
            bytes_text(step.bytes_read),
            bytes_text(step.bytes_written),
            step.reason,
            origin_text(step.origin),
        )
        for step in fallbacks
    ]
    header = ("name", "operation", "result", "reads", "writes", "why", "built at")
    return Section(title, header, _cut(rows), "lllrrll")


def _edge_section(edges: tuple[NotFused, ...]) -> Section:
    rows = [
        (
            bytes_text(edge.bytes),
            operation_text(edge.source),
            operation_text(edge.consumer),
            edge.reason,
            origin_text(edge.consumer.origin),
        )
        for edge in edges
    ]
    header = ("bytes", "value", "used by", "why", "built at")
    title = "not fused: stored by one step and read again by another"
    return Section(title, header, _cut(rows), "rllll")
