"""Launches on a CUDA device with their code, and whether those of a plan can be made ready."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.cuda.launch import DeviceLaunch
from lazyarr.core.frozen import dataclass
from lazyarr.graph.node import part_dtype
from lazyarr.runtime.cuda.launch_batch import (
    Argument,
    Counters,
    Given,
    Kernel,
    Launcher,
    Launches,
    Part,
    Place,
)

__all__ = ["KernelCall", "ready_launches"]

#: Blocks of a pool are multiples of it.
_ALIGNMENT = 256


@dataclass(frozen=True, eq=False, slots=True)
class KernelCall:
    """One launch with its code: what to pass, and where the addresses go."""

    function: Any
    template: list[Any]
    addresses: tuple[tuple[int, int, int], ...]  # position, base, offset
    scalars: tuple[tuple[int, int, int], ...]  # position, scalar parameter, its part
    counters: tuple[tuple[int, int], ...]  # position, how many
    aligned: tuple[tuple[int, int], ...]  # position, bytes
    blocks: int
    threads: int
    launch: DeviceLaunch


def ready_launches(
    device: Any,
    calls: Sequence[KernelCall],
    places: Mapping[int, tuple[int, int]],
    leaves: int,
    scalars: Sequence[np.dtype[Any]],
) -> Launches | None:
    """Return what queues the kernels of a plan; None if it has to be done call by call.

    Parameters
    ----------
    device : Device
        Where they run.
    calls : sequence of KernelCall
        In order.
    places : mapping of int to (int, int)
        For each base, which address of a run it begins at, and how many bytes behind it.
    leaves : int
        How many of these addresses may be any; those behind them are of blocks.
    scalars : sequence of numpy.dtype
        Of the scalars.
    """
    launcher: Launcher | None = device.launcher
    if launcher is None:
        return None
    kernels: list[Kernel] = []
    aligned: dict[tuple[Place, int], None] = {}
    for call in calls:
        if not call.blocks:
            continue
        made = _arguments(call, places, scalars)
        if made is None:
            return None
        for position, nbytes in call.aligned:
            place = made[position]
            assert isinstance(place, Place)
            if place.index < leaves:
                aligned[place, nbytes] = None
            elif place.offset % nbytes or _ALIGNMENT % nbytes:
                return None
        function = call.function
        handle = device.handle_of(function, call.threads)
        if not handle:
            return None
        kernels.append(
            Kernel(handle, call.blocks, call.threads, function.shared_bytes, tuple(made))
        )
    if not kernels:
        return None
    halves = [k for k, dtype in enumerate(scalars) if dtype == np.float16]
    return Launches(launcher, kernels, len(scalars), halves, tuple(aligned))


def _arguments(
    call: KernelCall, places: Mapping[int, tuple[int, int]], scalars: Sequence[np.dtype[Any]]
) -> list[Argument] | None:
    """Return where the arguments of a call come from; None if an address is not of the run."""
    found: list[Argument] = [
        Given(struct.pack(code, value))
        for code, value in zip(call.function.formats, call.template, strict=True)
    ]
    for position, base, offset in call.addresses:
        if base not in places:
            return None
        index, start = places[base]
        found[position] = Place(index, start + offset)
    for position, scalar, part in call.scalars:
        found[position] = Part(scalar, part * part_dtype(scalars[scalar]).itemsize)
    for position, count in call.counters:
        found[position] = Counters(count)
    return found
