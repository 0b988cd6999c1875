"""Other ways to cut a processor's kernel, none of which changes a bit of its results.

Only what does not reorder additions is varied: the panels that columns are worked in and the rows
taken together (each column is added from the top down, whatever its neighbours do), blocks and
heights of contractions (a sum goes along its own axis alone), tiles of transposes, and what one
thread takes at a time. Pieces begin at multiples of `piece_elements`, so that elements at the
ends of pieces are computed by the same instructions as before. Chunks of sums, and whatever is
inside of a loop that adds floats, stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeAlias

from lazyarr.codegen.candidate import Candidate
from lazyarr.codegen.cpu import tuning
from lazyarr.codegen.cpu.choices import (
    choose_loops,
    choose_tiling,
    map_sizes,
    other_orders,
    scan_sizes,
)
from lazyarr.codegen.cpu.column_loops import column_count
from lazyarr.codegen.cpu.cost_model import HostRates, KernelWork, predict
from lazyarr.codegen.cpu.joined_loops import joined_tilings
from lazyarr.codegen.cpu.padded_rows import padded_tiling
from lazyarr.codegen.group_terms import GroupTerms
from lazyarr.codegen.processor_tilings import (
    ChunkTiling,
    ContractionTiling,
    LineScanTiling,
    MapTiling,
    PanelTiling,
    RowGroupTiling,
    RowLoopTiling,
    ShortRowTiling,
    TransposeTiling,
)
from lazyarr.codegen.row_tile_tiling import RowTileTiling
from lazyarr.core.frozen import replace

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling

__all__ = ["other_tilings", "ranked"]


Named: TypeAlias = "tuple[str, Tiling]"


def ranked(template: str, terms: GroupTerms, rates: HostRates) -> tuple[Candidate, ...]:
    """Return today's choice, then the others, those of the least predicted time first.

    Parameters
    ----------
    template : str
        Of the loops.
    terms : GroupTerms
        What is computed.
    rates : HostRates
        The machine.
    """
    chosen = choose_tiling(template, terms)
    work = KernelWork.of(template, terms)
    seen = {chosen}
    candidates = []
    for name, tiling in other_tilings(terms, chosen):
        if tiling not in seen:
            seen.add(tiling)
            candidates.append(Candidate(name, tiling, predict(work, tiling, rates)))
    candidates.sort(key=lambda candidate: candidate.seconds)
    return Candidate("", chosen, predict(work, chosen, rates)), *candidates


def other_tilings(terms: GroupTerms, chosen: Tiling) -> Iterator[Named]:
    """Yield tilings of the same bits with their names.

    Parameters
    ----------
    terms : GroupTerms
        What is computed.
    chosen : Tiling
        Today's choice.
    """
    match chosen:
        case MapTiling():
            yield from _maps(terms, chosen)
        case TransposeTiling():
            yield from _transposes(chosen)
        case ContractionTiling():
            yield from _contractions(chosen)
        case RowLoopTiling():
            if chosen.tile > 1:
                for name, tile in _scaled("tile", chosen.tile, 4):
                    chunk = max(1, chosen.chunk * chosen.tile // tile)
                    yield name, replace(chosen, tile=tile, chunk=chunk)
            for name, chunk in _shares(chosen.chunk):
                yield name, replace(chosen, chunk=chunk)
        case ChunkTiling() | RowGroupTiling() | ShortRowTiling() | RowTileTiling():
            for name, chunk in _shares(chosen.chunk):
                yield name, replace(chosen, chunk=chunk)
        case PanelTiling():
            yield from _panels(terms, chosen)
        case LineScanTiling():
            yield from _scans(terms, chosen)
        case _:
            return


def _scaled(field: str, value: int, factor: int) -> tuple[tuple[str, int], ...]:
    """Return a number times and divided by a factor, with names."""
    return (f"{field}*{factor}", value * factor), (f"{field}/{factor}", max(1, value // factor))


def _shares(chunk: int) -> tuple[tuple[str, int], ...]:
    """Return other numbers of work items for a thread to take."""
    return _scaled("chunk", chunk, tuning.row().candidate_share)


def _maps(terms: GroupTerms, chosen: MapTiling) -> Iterator[Named]:
    row = tuning.row()
    sizes = map_sizes(terms)
    piece = row.piece_elements
    if len(sizes) <= 1:
        for name, chunk in _shares(chosen.chunk):
            yield name, replace(chosen, chunk=max(piece, chunk // piece * piece))
        return
    for joined in joined_tilings(terms):
        yield str(joined.joined), joined
    padded = padded_tiling(terms)
    if padded is not None:
        yield "padded", padded
    is_combined = chosen.joined is not None or chosen.padding is not None
    apart = choose_loops(terms) if is_combined else chosen
    if is_combined:
        yield "apart", apart
    for other in other_orders(terms, apart):
        yield f"inner {other.order[-1] - len(sizes)}", other
    for name, chunk in _shares(chosen.chunk):
        yield name, replace(chosen, chunk=chunk)
    if is_combined:
        return
    grain = max(1, chosen.chunk * chosen.block)
    blocks = (
        ("block/4", row.inner_elements // 4),
        ("block", row.inner_elements),
        ("whole", chosen.length),
    )
    for name, block in blocks:
        if 0 < block <= chosen.length:
            yield name, replace(chosen, block=block, chunk=max(1, grain // block))


def _transposes(chosen: TransposeTiling) -> Iterator[Named]:
    row = tuning.row()
    padding = chosen.pitch - chosen.side
    for name, side in (*_scaled("side", chosen.side, 2), *_scaled("side", chosen.side, 4)):
        if row.least_tile_side <= side <= chosen.side * 2:
            chunk = max(1, row.tile_chunk // (side * side))
            yield name, TransposeTiling(side, side + padding, chunk, chosen.lines)


def _contractions(chosen: ContractionTiling) -> Iterator[Named]:
    for rows in (2, 1):
        for columns in (2, 1):
            for height in (2, 1):
                high = chosen.height // height
                tall = chosen.block_rows // rows // max(high, 1) * high
                wide = chosen.block_columns // columns // chosen.width * chosen.width
                if not (high and tall and wide):
                    continue
                smaller = chosen.block_rows * chosen.block_columns // (tall * wide)
                yield (
                    f"rows/{rows} columns/{columns} height/{height}",
                    replace(
                        chosen,
                        height=high,
                        block_rows=tall,
                        block_columns=wide,
                        chunk=max(1, chosen.chunk * smaller),
                    ),
                )


def _panels(terms: GroupTerms, chosen: PanelTiling) -> Iterator[Named]:
    columns = column_count(terms)
    together = [("", chosen.together)]
    if chosen.together > 1:  # more than one: no loop is inside
        together += _scaled(" together", chosen.together, 2)
    widths = [
        ("", chosen.columns),
        *_scaled("columns", chosen.columns, 2),
        *_scaled("columns", chosen.columns, 4),
    ]
    for name, width in widths:
        panels = max(1, -(-columns // width))
        if (
            width % chosen.merged
            or width < tuning.row().least_panel
            or (name and panels == chosen.panels)
        ):
            continue
        for more, rows in together:
            yield (
                (name + more).strip(),
                replace(chosen, columns=width, panels=panels, together=rows),
            )


def _scans(terms: GroupTerms, chosen: LineScanTiling) -> Iterator[Named]:
    if not chosen.panel:
        for name, chunk in _shares(chosen.chunk):
            yield name, replace(chosen, chunk=chunk)
        return
    columns, _ = scan_sizes(terms)
    for factor in (2, 4):
        for name, panel in _scaled("panel", chosen.panel, factor):
            panels = max(1, -(-columns // panel))
            if panel >= tuning.row().least_panel and panels != chosen.panels:
                yield name, LineScanTiling(panel, panels, chosen.chunk)
