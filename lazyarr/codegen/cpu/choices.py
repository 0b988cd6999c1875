"""Default tilings of CPU kernels: one choice for each template, made before any code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.elementwise import choose_map
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.processor_tilings import MapTiling
from lazyarr.core.frozen import replace
from lazyarr.errors import ContractError

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling

__all__ = ["choose_loops", "choose_tiling", "map_sizes", "other_orders", "scan_sizes"]


def choose_tiling(template: str, terms: GroupTerms) -> Tiling:
    """Return the tiling by which the kernel of a group is written.

    Parameters
    ----------
    template : str
        Of its loops.
    terms : GroupTerms
        What it computes.
    """
    # Imported here: few expressions have all templates.
    match template:
        case "map":
            return _join(terms, choose_loops(terms))
        case "tiles":
            from lazyarr.codegen.cpu.transpose_tiles import choose_transpose
            from lazyarr.codegen.transposes import find_map_transposes

            tiles = find_map_transposes(terms)
            if tiles is None:
                raise ContractError("a group without transposed operands has no tiles")
            return choose_transpose(max(terms.terms[k].dtype.itemsize for k in tiles.terms))
        case "contraction":
            from lazyarr.codegen.cpu.contraction import choose_contraction
            from lazyarr.codegen.cpu.contraction_analysis import find_nest

            nest = find_nest(terms)
            if nest is None:
                raise ContractError("a group without pairs is not a contraction")
            return choose_contraction(terms, nest)
        case "rows":
            from lazyarr.codegen.cpu.row_reduction import choose_row_loops
            from lazyarr.codegen.cpu.rows_together import choose_row_groups
            from lazyarr.codegen.cpu.short_rows import choose_short_rows

            groups = choose_row_groups(terms)
            return groups or choose_short_rows(terms) or choose_row_loops(terms)
        case "split":
            from lazyarr.codegen.cpu.split_reduction import choose_chunks

            return choose_chunks(terms)
        case "columns":
            from lazyarr.codegen.cpu.column_loops import choose_panels

            return choose_panels(terms)
        case "scan":
            from lazyarr.codegen.cpu.scan import choose_scan

            return choose_scan(*scan_sizes(terms))
        case _:
            raise ContractError(f"no kernel template {template!r}")


def choose_loops(terms: GroupTerms) -> MapTiling:
    """Return the tiling of a map of which each merged loop is one.

    Parameters
    ----------
    terms : GroupTerms
        What it computes.
    """
    tiling = choose_map(map_sizes(terms), terms.grain())
    return _nest(terms, replace(tiling, constant=_is_written_out(terms, tiling)))


def _nest(terms: GroupTerms, tiling: MapTiling) -> MapTiling:
    """Return the tiling with several short loops a work item, if each were found by a division."""
    row, sizes = tuning.row(), map_sizes(terms)
    if len(sizes) <= 2 or tiling.length > row.nested_loop:
        return tiling
    rows = row.nested_rows  # of a plan that serves many lengths
    if type(tiling.length) is int and type(sizes[-2]) is int:
        rows = max(1, min(sizes[-2], row.nested_elements // max(1, tiling.length)))
    return replace(tiling, rows=rows, chunk=max(1, tiling.chunk // rows))


def _join(terms: GroupTerms, tiling: MapTiling) -> MapTiling:
    """Return the tiling of short loops that are joined, if the cost model prefers one."""
    row = tuning.row()
    if len(map_sizes(terms)) <= 1 or tiling.length > row.joined_loop:
        return tiling
    # Imported here: few innermost loops are short.
    from lazyarr.codegen.cpu.cost_model import KernelWork, busy_ns
    from lazyarr.codegen.cpu.joined_loops import joined_tilings
    from lazyarr.codegen.cpu.padded_rows import padded_tiling

    others = list(joined_tilings(terms))
    padded = padded_tiling(terms)
    if padded is not None:
        others.append(padded)
    if not others:
        return tiling
    work = KernelWork.of("map", terms)
    # Memory is the same for all.
    return min([tiling, *others], key=lambda choice: busy_ns(work, choice))


def _is_written_out(terms: GroupTerms, tiling: MapTiling) -> bool:
    """Whether a loop is so short that starting it costs more than its body.

    Elements that were at the end of a loop are in vectors then. Functions have the same bits there,
    and take one call for several elements; what loops itself would be long.
    """
    row = tuning.row()
    if type(tiling.length) is not int or type(tiling.block) is not int:
        return False  # the length of a plan that serves many
    return (
        1 < tiling.length <= min(row.written_out_loop, tiling.block)
        and len(map_sizes(terms)) > 1
        and tiling.length * terms.statement_count() <= row.written_out_statements
        and all(term.loaded or term.node.op.loop is None for term in terms.terms)
    )


def other_orders(terms: GroupTerms, tiling: MapTiling) -> Iterator[MapTiling]:
    """Yield maps with other innermost loops.

    Elements at the ends of loops are others then, so arithmetic has to be the same everywhere.

    Parameters
    ----------
    terms : GroupTerms
        What is computed.
    tiling : MapTiling
        How it is cut, its loops in C order.
    """
    row = tuning.row()
    sizes = map_sizes(terms)
    if len(sizes) <= 1 or not _is_exact(terms):
        return
    grain = max(1, tiling.chunk * tiling.block)
    for axis, length in enumerate(sizes[:-1]):
        if length >= row.least_inner:
            order = (*(k for k in range(len(sizes)) if k != axis), axis)
            yield MapTiling(length, length, max(1, grain // length), order)


def _is_exact(terms: GroupTerms) -> bool:
    """Whether all arithmetic is that of single instructions, which round alike everywhere."""
    special = tuning.row().special_cost
    return all(
        term.node.op.cost < special and term.node.op.loop is None
        for term in terms.terms
        if not term.loaded
    )


def map_sizes(group: GroupTerms) -> tuple[int, ...]:
    """Return the sizes of an elementwise group's merged loops, outermost first."""
    return tuple(axis.size for axis in group.frame(range(len(group.domain))).axes)


def scan_sizes(group: GroupTerms) -> tuple[int, int]:
    """Return the lines of a scan that lie side by side, 0 for lines in memory; and their length."""
    from lazyarr.codegen.scans import axis_of_scan

    axis = axis_of_scan(group)
    behind = [k for k in range(axis + 1, len(group.domain)) if group.domain[k] != 1]
    columns = group.frame(behind).axes[-1].size if behind else 0
    return columns, group.domain[axis]
