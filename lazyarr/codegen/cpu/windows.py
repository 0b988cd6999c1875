"""Windows of one array that are read from a common address.

A stencil or filter reads an array at many places a constant distance apart. With an address for
each of them the registers do not suffice, and every vector loads its address first. Windows that
lie near each other have one: the distances are constants of the code then.

Their sum is a chain of additions, each of which waits for the one before. A processor has no room
for the instructions of the next vectors, so several of them take turns; as in any long chain, most
of all in one of functions, each of which is a chain itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.loop_nest import Access
from lazyarr.core.dtypes import kind_of
from lazyarr.core.vector_registers import registers
from lazyarr.loop_ir.axes import AxisKind
from lazyarr.loop_ir.primitives import register_dtype

__all__ = ["find_anchors", "kind_of_chain", "kind_of_loop"]


def find_anchors(group: GroupTerms) -> Mapping[int, Access]:
    """Return for terms the access of the window by whose address they are read.

    Parameters
    ----------
    group : GroupTerms
        What is computed.

    Returns
    -------
    mapping of int to Access
        None of terms whose window is read by its own address: of few windows, whose code serves
        all distances, and of plans that serve many lengths.
    """
    row = tuning.row()
    if len(group.accesses) <= row.addresses:
        return {}
    written = {place.owner for _, place in group.stores}
    windows: dict[object, list[int]] = {}
    for k, place in group.accesses.items():
        if type(place.offset) is int and place.owner not in written:
            key = place.owner, group.terms[k].dtype, place.strides, place.unit
            windows.setdefault(key, []).append(k)
    anchors: dict[int, Access] = {}
    for terms in windows.values():
        terms.sort(key=lambda k: group.accesses[k].offset)
        anchor = group.accesses[terms[0]]
        for k in terms:
            place = group.accesses[k]
            if (place.offset - anchor.offset) * group.terms[k].dtype.itemsize > row.window_bytes:
                anchor = place
            anchors[k] = anchor
    return anchors


def kind_of_loop(
    group: GroupTerms, anchors: Mapping[int, Access], length: int, computed: Sequence[int]
) -> AxisKind:
    """Return the kind of an innermost loop: vectors take turns in long chains of operations.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    anchors : mapping of int to Access
        The windows that are read by a common address.
    length : int
        Elements of the loop.
    computed : sequence of int
        The terms that it computes.
    """
    row = tuning.row()
    if type(length) is not int:
        return AxisKind.SERIAL
    widest = max((register_dtype(group.terms[k].dtype).itemsize for k in computed), default=0)
    is_long = length * widest >= row.interleaved_bytes
    return kind_of_chain(group, anchors, computed) if is_long else AxisKind.SERIAL


def kind_of_chain(
    group: GroupTerms, anchors: Mapping[int, Access], computed: Sequence[int]
) -> AxisKind:
    """Return the kind of a loop of enough vectors to take turns; SERIAL where none has to.

    Parameters
    ----------
    group : GroupTerms
        What is computed.
    anchors : mapping of int to Access
        The windows that are read by a common address.
    computed : sequence of int
        The terms that the loop computes.
    """
    row = tuning.row()
    terms = [group.terms[k] for k in computed]
    applied = [term for term in terms if term.args and not term.loaded]
    loads = sum(term.loaded for term in terms)
    is_chain = loads <= row.addresses and len(applied) >= row.interleaved_operations
    if not is_chain and len(anchors) < row.interleaved_windows:
        return AxisKind.SERIAL
    if any(term.node.op.loop is not None for term in applied):
        return AxisKind.SERIAL
    expensive = [term for term in applied if term.node.op.cost > row.interleaved_cost]
    if not expensive:
        values = row.interleaved_vectors * _alive(group, computed)
        fits = values <= row.interleaved_values * registers().count
        return AxisKind.INTERLEAVED if fits else AxisKind.PAIRED
    # Several powers of one base share their steps, which have to stay in registers.
    bases = [term.args for term in expensive if term.node.op.cost < row.special_cost]
    shares = any(len(base) == 1 and bases.count(base) > 1 for base in bases)
    is_real = all(kind_of(term.dtype) == "f" for term in expensive)
    if not is_chain or not is_real or shares:
        return AxisKind.SERIAL
    functions = sum(term.node.op.cost >= row.special_cost for term in expensive)
    few = functions <= row.interleaved_functions
    return AxisKind.INTERLEAVED if few else AxisKind.PAIRED


def _alive(group: GroupTerms, computed: Sequence[int]) -> int:
    """Return the most values of one element that are alive at once, without scalars."""
    last = {argument: k for k in computed for argument in group.terms[k].args}
    alive: set[int] = set()
    most = 0
    for k in computed:
        term = group.terms[k]
        if term.loaded or not term.args:
            continue
        alive.update(a for a in term.args if group.terms[a].loaded or group.terms[a].args)
        alive.add(k)
        alive -= {a for a in alive if last.get(a, k) <= k and a != k}
        most = max(most, len(alive))
    return most
