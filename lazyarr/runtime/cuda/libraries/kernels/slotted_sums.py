"""Kernels that add rows at places of a few rows each: CUDA C without a header.

Each row takes a slot of its place, in whatever order they come; the slots of a place are put in
order, and its rows are added up by them.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.libraries.kernels.copies import THREADS
from lazyarr.runtime.cuda.libraries.kernels.networks import exchanges
from lazyarr.runtime.cuda.libraries.kernels.placed_sums import (
    ITEM,
    NAMES,
    DType,
    pieces,
    placed_text,
)
from lazyarr.runtime.cuda.libraries.kernels.texts import int64s, kernel_source, kernel_text

__all__ = ["order_source", "slot_source", "slotted_source"]

_U4 = np.dtype(np.uint32)


def _exchanges(slots: int) -> dict[str, str]:
    """Return the steps by which slots are put in order: of the halves first, then of all."""
    pairs = list(exchanges(slots))
    halves = 2 * len(list(exchanges(slots // 2)))
    parts = {"halves": pairs[:halves], "all": pairs[halves:]}
    return {
        f"exchanges_of_{part}": "\n".join(
            f"    exchange(rows[{one}], rows[{two}]);" for one, two in some
        )
        for part, some in parts.items()
    }


def _slotted(section: str, slots: int, **values: object) -> str:
    names = {"threads": THREADS, "slots": slots}
    return kernel_text("slotted_sums.cuh", section, **names, **values)


@cache
def slot_source(places: DType, slots: int) -> Source:
    """Return the kernel that puts rows into slots of their places.

    Parameters
    ----------
    places : numpy.dtype
        Of the places.
    slots : int
        Of a place.
    """
    text = placed_text("placed") + _slotted("slot", slots, place=NAMES[places], **pieces())
    return kernel_source(
        text,
        int64s("rows", "count"),
        {
            "needed": _U4,
            "places": places,
            "mixed": _U4,
            "sizes": _U4,
            "heads": _U4,
            "slots": _U4,
            "links": _U4,
            "other": _U4,
            "far": ITEM,
        },
    )


@cache
def order_source(slots: int) -> Source:
    """Return the kernel that puts the slots of each place in order."""
    text = _slotted("in_order", slots, **_exchanges(slots)) + _slotted("order", slots)
    pointers = {"needed": _U4, "sizes": _U4, "slots": _U4, "other": _U4}
    return kernel_source(text, int64s("count"), pointers)


@cache
def slotted_source(dtype: DType, values: DType, slots: int, most: int, sorts: bool) -> Source:
    """Return the kernel that adds up rows by slots.

    Parameters
    ----------
    dtype, values : numpy.dtype
        Of the sums, and of what is added.
    slots, most : int
        Of a place, and rows of one that a thread holds.
    sorts : bool
        Whether slots are in no order yet.
    """
    names = {"number": NAMES[dtype], "value": NAMES[values], "of_list": most, "sorts": int(sorts)}
    text = _slotted("in_order", slots, **_exchanges(slots)) + _slotted("slotted", slots, **names)
    return kernel_source(
        text,
        int64s("count", "width", "step", "lead"),
        {
            "needed": _U4,
            "sizes": _U4,
            "heads": _U4,
            "slots": _U4,
            "links": _U4,
            "values": values,
            "start": dtype,
            "out": dtype,
            "other": _U4,
        },
    )
