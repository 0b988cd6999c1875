"""How a group's kernel is cut on a processor: the choice of each template, before any code."""

from __future__ import annotations

from lazyarr.codegen.cpu.column_reduction import choose_panels
from lazyarr.codegen.cpu.contraction import choose_contraction
from lazyarr.codegen.cpu.contraction_analysis import find_nest
from lazyarr.codegen.cpu.elementwise import choose_map
from lazyarr.codegen.cpu.row_reduction import choose_row_loops
from lazyarr.codegen.cpu.scan import choose_scan
from lazyarr.codegen.cpu.split_reduction import choose_chunks
from lazyarr.codegen.cpu.transpose_tiles import choose_transpose
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.scans import axis_of_scan
from lazyarr.codegen.tiling import Tiling
from lazyarr.codegen.transposes import find_map_transposes
from lazyarr.errors import ContractError

__all__ = ["choose_tiling"]


def choose_tiling(template: str, terms: GroupTerms) -> Tiling:
    """Return the tiling by which the kernel of a group is written.

    Parameters
    ----------
    template : str
        Of its loops.
    terms : GroupTerms
        What it computes.
    """
    match template:
        case "map":
            return choose_map(map_sizes(terms), terms.grain())
        case "tiles":
            tiles = find_map_transposes(terms)
            if tiles is None:
                raise ContractError("a group without transposed operands has no tiles")
            return choose_transpose(max(terms.terms[k].dtype.itemsize for k in tiles.terms))
        case "contraction":
            nest = find_nest(terms)
            if nest is None:
                raise ContractError("a group without pairs is no contraction")
            return choose_contraction(terms, nest)
        case "rows":
            return choose_row_loops(terms)
        case "split":
            return choose_chunks(terms)
        case "columns":
            return choose_panels(terms)
        case "scan":
            return choose_scan(*scan_sizes(terms))
        case _:
            raise ContractError(f"no kernel template {template!r}")


def map_sizes(group: GroupTerms) -> tuple[int, ...]:
    """Return the sizes of an elementwise group's merged loops, outermost first."""
    return tuple(axis.size for axis in group.frame(range(len(group.domain))).axes)


def scan_sizes(group: GroupTerms) -> tuple[int, int]:
    """Return the lines of a scan that lie side by side, 0 for lines in memory; and their length."""
    axis = axis_of_scan(group)
    behind = [k for k in range(axis + 1, len(group.domain)) if group.domain[k] != 1]
    columns = group.frame(behind).axes[-1].size if behind else 0
    return columns, group.domain[axis]
