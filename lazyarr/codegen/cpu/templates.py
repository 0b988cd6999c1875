"""The loop template of a group on the CPU, by the layouts of its operands."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.graph.node import Kind, Node
from lazyarr.schedule.groups import Group, Layout, copied_in_place

__all__ = ["refine_template"]


def refine_template(group: Group, layouts: Mapping[Node, Layout]) -> str:
    """Return the template of a group: that of its shape, or one that its operands allow.

    Parameters
    ----------
    group : Group
        The group, with the template of its shape.
    layouts : mapping of Node to Layout
        Where stored values lie.

    Returns
    -------
    str
        "contraction" for reductions that pair rows with columns, "tiles" for elementwise groups
        with transposed operands, "rows" for columns of a few elements, which are written out,
        "split" for positions of extrema down few columns, which are taken one by one, and "columns"
        for rows of several lines, between which a kept axis lies; otherwise the group's own.
    """
    template = _for_any_length(group, layouts)
    if group.template == "columns" and _is_written_out(group, layouts):
        return template if template == "contraction" and _is_deep(group) else "rows"
    if template not in ("rows", "split") or not _lies_between(group):
        return template
    if template == "rows" and _is_written_out(group, layouts):
        return template
    # Imported here: few groups keep an axis between others that they reduce.
    from lazyarr.codegen.cpu.column_loops import merges_columns

    return "columns" if merges_columns(GroupTerms(group, layouts)) else template


def _lies_between(group: Group) -> bool:
    """Whether a kept axis lies between reduced ones."""
    gone = [axis for axis in group.reduced if group.domain[axis] != 1]
    between = range(gone[0], gone[-1]) if gone else ()
    return any(axis not in group.reduced and group.domain[axis] != 1 for axis in between)


def _for_any_length(group: Group, layouts: Mapping[Node, Layout]) -> str:
    """Return the template of a group; sums down columns have that for columns of any length."""
    kept = [n for axis, n in enumerate(group.domain) if n != 1 and axis not in group.reduced]
    if group.template == "columns" and _looks_for_positions(group):
        # A position is the same in whatever order elements are looked at.
        if prod(group.domain[axis] for axis in group.reduced) <= tuning.row().written_out_row:
            return "rows"
        if _columns(group) <= tuning.row().columns_apart:
            return "split"
    if len(kept) < 2 or group.template == "scan":
        return group.template
    if not group.reduced:
        # What is copied to its own place is read as it is written.
        if not group.members and len(group.outputs) == 1:
            if copied_in_place(group.outputs[0], layouts) is not None:
                return group.template
        from lazyarr.codegen.transposes import find_map_transposes

        tiles = find_map_transposes(GroupTerms(group, layouts))
        return group.template if tiles is None else "tiles"
    if prod(group.domain) < tuning.row().contraction_elements:
        return group.template
    from lazyarr.codegen.cpu.contraction_analysis import find_nest

    return group.template if find_nest(GroupTerms(group, layouts)) is None else "contraction"


def _is_written_out(group: Group, layouts: Mapping[Node, Layout]) -> bool:
    """Whether columns are so short that vectors hold the same element of several of them."""
    if prod(group.domain[axis] for axis in group.reduced) > tuning.row().most_tiled_row:
        return False
    # Imported here: few columns are short.
    from lazyarr.codegen.cpu.short_rows import choose_short_rows

    return choose_short_rows(GroupTerms(group, layouts)) is not None


def _is_deep(group: Group) -> bool:
    """Whether a contraction adds so many elements that packing them is worth it."""
    depth = prod(group.domain[axis] for axis in group.reduced)
    return depth >= tuning.row().packed_depth_least


def _looks_for_positions(group: Group) -> bool:
    """Whether all reductions of a group are those of positions."""
    reducers = [node.op.reducer for node in group.members if node.op.kind is Kind.REDUCE]
    return all(reducer is not None and reducer.is_positional for reducer in reducers)


def _columns(group: Group) -> int:
    """Return the number of columns that lie side by side behind the last reduced axis."""
    last = max(axis for axis in group.reduced if group.domain[axis] != 1)
    return prod(group.domain[last + 1 :])
