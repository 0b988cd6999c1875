"""Short texts for people: sizes, shapes, index maps, origins."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import View
from lazyarr.core.source_location import (
    BackwardOrigin,
    Origin,
    RecomputedOrigin,
    TangentOrigin,
)
from lazyarr.graph.node import ComputedLeaf, Early, Kind, Node
from lazyarr.ops.library import LIBRARY, Call, Scalar, packed_starts
from lazyarr.schedule.cost import is_scalar_argument

__all__ = [
    "bytes_text",
    "constant_text",
    "count_text",
    "derivative_pass",
    "detail_text",
    "early_of",
    "hover_text",
    "note_of",
    "operation_text",
    "origin_of",
    "origin_text",
    "seconds_text",
    "shape_text",
    "subtitle_text",
    "table",
    "title_text",
    "type_text",
]

_INDEX_NAMES = "ijklmnpq"


def bytes_text(count: float) -> str:
    """Return a number of bytes in decimal units, as memory bandwidth is given.

    Examples
    --------
    >>> bytes_text(80_000_000)
    '80.0 MB'
    """
    if abs(count) < 1000:
        return f"{count:.0f} B"
    return f"{_scaled(count)}B"


def count_text(count: float) -> str:
    """Return a large number in units of thousands, millions, ...

    Examples
    --------
    >>> count_text(1_250_000)
    '1.25 M'
    """
    return f"{count:.0f}" if abs(count) < 1000 else _scaled(count)


def _scaled(count: float) -> str:
    value = float(count)
    for prefix in ("", "k", "M", "G", "T", "P"):
        # Compared as it will be printed, so that 999,999 reads 1.00 M and not 1000 k.
        if abs(float(f"{value:.3g}")) < 1000 or prefix == "P":
            digits = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
            return f"{value:.{digits}f} {prefix}"
        value /= 1000
    raise AssertionError("unreachable: the last prefix always returns")


def seconds_text(seconds: float) -> str:
    """Return a time with a unit that suits it.

    Examples
    --------
    >>> seconds_text(0.0123)
    '12.3 ms'
    """
    if seconds >= 1:
        return f"{seconds:.2f} s"
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.3g} ms" if seconds < 0.1 else f"{seconds * 1e3:.0f} ms"
    return f"{seconds * 1e6:.3g} µs" if seconds < 1e-4 else f"{seconds * 1e6:.0f} µs"


def shape_text(shape: Sequence[int]) -> str:
    """Return a shape as people say it.

    Examples
    --------
    >>> shape_text((3, 4))
    '3 × 4'
    """
    return " × ".join(map(str, shape)) if len(shape) else "scalar"


def type_text(node: Node) -> str:
    """Return dtype and shape of a value."""
    return f"{node.dtype.name} {shape_text(node.shape)}"


def origin_text(origin: Origin | None) -> str:
    """Return ``file.py:line``, without the folder; an empty text for an unknown origin.

    Of a node that belongs to a derivative the text begins with what it is of.
    """
    if origin is None:
        return ""
    line = f"{Path(origin[0]).name}:{origin[1]}"
    of = derivative_pass(origin)
    return f"{of} of {line}" if of else line


def derivative_pass(origin: Origin | None) -> str:
    """Return "backward", "tangent" or "again" for nodes of a derivative, else an empty text."""
    if isinstance(origin, BackwardOrigin):
        return "backward"
    if isinstance(origin, RecomputedOrigin):
        return "again"
    return "tangent" if isinstance(origin, TangentOrigin) else ""


def origin_of(outputs: Sequence[Node], nodes: Sequence[Node]) -> Origin | None:
    """Return the user's line of a group: that of its first output, else of any node.

    Parameters
    ----------
    outputs : sequence of Node
        The values that it stores.
    nodes : sequence of Node
        All that it computes, operands first.
    """
    for node in (*outputs, *reversed(nodes)):
        if node.origin is not None:
            return node.origin
    return None


def constant_text(node: Node) -> str:
    """Return the value of a CONSTANT node, in at most a dozen characters."""
    if not isinstance(node.attr, bytes):
        return f"{node.dtype.name} scalar"
    value = np.frombuffer(node.attr, dtype=node.dtype, count=1)[0]
    text = str(value)
    if len(text) <= 12 or kind_of(value.dtype) == "b":
        return text
    return f"{value:.6g}" if kind_of(value.dtype) in "fc" else f"{float(value):.6g}"


def _index_name(axis: int) -> str:
    return _INDEX_NAMES[axis] if axis < len(_INDEX_NAMES) else f"i{axis}"


def _view_text(view: View) -> str:
    """Write an index map as the index of the source: ``[i+1, 2j]``."""
    entries = []
    for offset, row in zip(view.offsets, view.coefficients, strict=True):
        text = ""
        for axis, factor in enumerate(row):
            if factor:
                sign = "-" if factor < 0 else "+" if text else ""
                size = "" if abs(factor) == 1 else str(abs(factor))
                text += f"{sign}{size}{_index_name(axis)}"
        if offset or not text:
            text += f"{offset:+d}" if text else str(offset)
        entries.append(text)
    return f"[{', '.join(entries)}]" if entries else ""


def detail_text(node: Node) -> str:
    """Return a node's details among those of its operation: axes, index map, arguments."""
    match node.op.kind:
        case Kind.VIEW if isinstance(node.attr, View):
            return _view_text(node.attr)
        case Kind.REDUCE if isinstance(node.attr, tuple):
            return f"axis {', '.join(map(str, node.attr))}"
        case Kind.CONCATENATE:
            return f"axis {node.attr}"
        case Kind.LIBRARY if isinstance(node.attr, int | str):
            return str(node.attr)[:24]
        case _:
            return ""


def early_of(node: Node) -> Early | None:
    """Return the computation that was done when a node was built, if any was."""
    attr = node.attr
    if isinstance(attr, ComputedLeaf):
        return attr.early
    return attr.early if isinstance(attr, Call) else None


def note_of(node: Node) -> str:
    """Return the note of a library call on itself; an empty text if it has none."""
    return node.attr.note if isinstance(node.attr, Call) else ""


def subtitle_text(node: Node) -> str:
    """Return dtype and shape of a value, and whether it was computed before anything runs."""
    if isinstance(node.attr, ComputedLeaf):
        return f"{type_text(node)} · computed when built"
    return f"{'at most ' if note_of(node) else ''}{type_text(node)}"


def operation_text(node: Node) -> str:
    """Return the name of an operation as the user knows it: of a library's result, its function.

    A function with several results is one call, and reading each result is another:
    ``svd`` and ``svd[1]``. Methods of ufuncs are ``add.accumulate``.
    """
    call = node.attr
    if not isinstance(call, Call) or not call.args:
        return node.op.name
    if node.op.known_as is not None:
        return node.op.known_as(call)
    function = call.args[0]
    if call.outputs:
        return getattr(function, "__name__", node.op.name)
    if isinstance(function, np.ufunc):
        name = function.__name__
        return name if node.op is LIBRARY["ufunc"] else f"{name}.{node.op.name}"
    if node.op is LIBRARY["unpack"] and isinstance(node.src[0].attr, Call):
        outputs = node.src[0].attr.outputs
        sizes = [prod(shape) * dtype.itemsize for shape, dtype in outputs]
        starts, start = packed_starts(sizes)[0], call.args[1]
        if isinstance(start, Scalar) and start.value in starts:
            # An empty result begins where the next one does.
            same = [k for k, known in enumerate(starts) if known == start.value]
            fitting = [k for k in same if outputs[k] == (node.shape, node.dtype)]
            return f"{operation_text(node.src[0])}[{(fitting or same)[0]}]"
    return node.op.name


def title_text(node: Node) -> str:
    """Return the operation, with its constant operands in place: ``power(·, 2.0)``."""
    if is_scalar_argument(node):
        return constant_text(node)
    if isinstance(node.attr, ComputedLeaf):
        return node.attr.early.function
    if node.op.kind in (Kind.LEAF, Kind.PARAMETER):
        return "input"
    if any(is_scalar_argument(source) for source in node.src):
        operands = (
            constant_text(source) if is_scalar_argument(source) else "·" for source in node.src
        )
        return f"{operation_text(node)}({', '.join(operands)})"
    return operation_text(node)


def hover_text(node: Node) -> str:
    """Return all that is known of a node, one fact a line."""
    lines = [f"{title_text(node)} — {node.op.kind.value}"]
    lines.append(f"{type_text(node)}, {bytes_text(node.nbytes)}")
    detail = detail_text(node)
    if detail:
        lines.append(f"source index {detail}" if node.op.kind is Kind.VIEW else detail)
    note, early = note_of(node), early_of(node)
    if note:
        lines.append(note)
    if early is not None:
        lines.append(f"{early.function}: computed when built, because {early.reason}")
    if node.origin is not None:
        of = derivative_pass(node.origin)
        lines.append(f"{of and f'{of} of '}built at {node.origin[0]}:{node.origin[1]}")
    return "\n".join(lines)


def table(header: Sequence[str], rows: Sequence[Sequence[str]], right: str = "") -> list[str]:
    """Return the lines of an aligned table.

    Parameters
    ----------
    header : sequence of str
        Column names.
    rows : sequence of sequence of str
        One text a column.
    right : str
        One letter a column: "r" aligns it to the right; missing ones are left-aligned.
    """
    columns = list(zip(header, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for row in (header, *rows):
        cells = [
            text.rjust(width) if right[at : at + 1] == "r" else text.ljust(width)
            for at, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines
