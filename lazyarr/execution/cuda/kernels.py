"""Launches on a CUDA device with their code, and whether those of a plan can be made ready."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from lazyarr.codegen.cuda.launch import Ahead, Counter, DeviceLaunch
from lazyarr.codegen.emit.cuda import emit_cuda
from lazyarr.codegen.launch import Address, Argument, Bounds, Number, Scratch
from lazyarr.core.config import Config
from lazyarr.core.dtypes import is_narrow, kind_of
from lazyarr.core.frozen import dataclass
from lazyarr.execution.arguments import ArgumentTemplate, Bases, bind, make_template
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.execution.launch import RunReporter
from lazyarr.graph.node import part_dtype
from lazyarr.runtime import run_log
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.driver import Device
from lazyarr.runtime.cuda.kernel_cache import DeviceFunction
from lazyarr.runtime.cuda.launch_batch import (
    Counters,
    Fixed,
    Kernel,
    LaunchedArgument,
    Launches,
    Part,
    Place,
)

__all__ = ["KernelCall", "KernelLoader", "ready_launches"]

#: Blocks of a pool are multiples of it.
_ALIGNMENT = 256
#: Shared memory that the text of a kernel may declare besides what a launch gives.
_DECLARED_BYTES = 2 << 10


@dataclass(frozen=True, eq=False, slots=True)
class KernelCall:
    """One launch with its code.

    Attributes
    ----------
    function : DeviceFunction
        The kernel.
    template : ArgumentTemplate
        Its arguments.
    counters : int
        How many counters it needs that are 0.
    aligned : tuple of (int, int)
        Positions of addresses that must be multiples of the number beside them.
    blocks, threads : int
        Its grid.
    launch : DeviceLaunch
        What it was made of.
    """

    function: DeviceFunction
    template: ArgumentTemplate
    counters: int
    aligned: tuple[tuple[int, int], ...]
    blocks: int
    threads: int
    launch: DeviceLaunch


class KernelLoader:
    """Compiles the launches of one plan for a device.

    Parameters
    ----------
    device : Device
        Where they run.
    settings : Config
        How to compile.
    bases : Bases
        The numbers of the addresses that a run binds.
    status : Reports
        Where kernels report.
    """

    def __init__(self, device: Device, settings: Config, bases: Bases, status: Reports) -> None:
        self._device = device
        self._settings = settings
        self._bases = bases
        self._status = status
        self._unaligned: dict[DeviceLaunch, KernelCall] = {}
        #: Kernels that were compiled quickly, as of when they were first asked for.
        self._baseline: list[DeviceFunction] = []

    def call(self, launch: DeviceLaunch, function: DeviceFunction) -> KernelCall:
        """Return a launch with its code, or a smaller one if the device has no room for it.

        Parameters
        ----------
        launch : DeviceLaunch
            What lowering made.
        function : DeviceFunction
            Its compiled kernel.
        """
        room = self._device.shared_bytes - _DECLARED_BYTES
        if launch.smaller is not None and launch.kernel.shared_bytes > room:
            launch = launch.smaller()
            function = self._device.kernels.compile(emit_cuda(launch.kernel), self._settings)
        if function.baseline:
            self._baseline.append(function)
        l2_bytes = self._device.l2_bytes // tuning.row().l2_parts
        arguments: list[Argument] = [
            Number(l2_bytes // argument.nbytes) if isinstance(argument, Ahead) else argument
            for argument in launch.arguments
        ]
        counts = [argument.count for argument in arguments if isinstance(argument, Counter)]
        return KernelCall(
            function,
            make_template(arguments, self._place),
            max(counts, default=0),
            launch.aligned,
            launch.blocks,
            launch.kernel.threads,
            launch,
        )

    def _place(self, argument: Argument) -> tuple[int, int]:
        match argument:
            case Address(owner, offset):
                return self._bases.of(owner), offset
            case Scratch(offset, _):
                return self._bases.scratch, offset
            case Bounds():
                return self._bases.status, self._status.place(argument)
            case Counter():
                return self._bases.counters, 0
        raise AssertionError(argument)

    def unaligned(self, call: KernelCall) -> KernelCall:
        """Return the call that takes addresses as they come."""
        other = self._unaligned.get(call.launch)
        if other is None:
            launch = call.launch.otherwise
            assert launch is not None
            function = self._device.kernels.compile(emit_cuda(launch.kernel), self._settings)
            other = self._unaligned[call.launch] = self.call(launch, function)
        return other

    def fused(self, launch: DeviceLaunch) -> KernelCall | None:
        """Return a launch that stands for two steps; it is compiled beside other work.

        None if the device cannot run it, or if it would add in another order than cuBLAS.
        """
        # cuBLAS splits the axis that is summed where tiles would leave multiprocessors without
        # work, and then adds in another order, whatever the numbers that are compared.
        if launch.blocks < self._device.multiprocessors:
            return None
        source = emit_cuda(launch.kernel)
        if source.shared_bytes > self._device.shared_bytes:
            return None
        function = self._device.kernels.compile_beside(source, self._settings)
        return self.call(launch, function)

    @property
    def optimized(self) -> bool:
        """Whether all kernels are fully optimised."""
        return not any(function.baseline for function in self._baseline)

    def settled(self, reporter: RunReporter) -> bool:
        """Return whether all kernels are fully optimised; in later runs of a plan, ask for that.

        A profiler wants the times of later runs: for one, this waits.
        """
        if self.optimized:
            return True
        if run_log.listening():
            begun = time.perf_counter()
            self.optimize()
            reporter.compile_seconds += time.perf_counter() - begun
            return True
        if not reporter.first_run:
            self._device.kernels.tier_up(self._baseline)
        return False

    def when_optimized(self, call: Callable[[], None]) -> None:
        """Have all kernels fully optimised, and call a method then: now, or in another thread.

        Parameters
        ----------
        call : callable
            A bound method.
        """
        kernels = self._device.kernels
        kernels.tier_up(self._baseline)
        kernels.when_optimized(self._baseline, call)

    def optimize(self) -> None:
        """Compile all kernels with all optimisations, and wait for that."""
        self._device.kernels.optimize(self._baseline)


def ready_launches(
    device: Device,
    calls: Sequence[KernelCall],
    places: Mapping[int, Place],
    leaves: int,
    counters: int,
    scalars: Sequence[np.dtype[Any]],
) -> Launches | None:
    """Return the launches of a plan as one batch; None if they have to be queued one by one.

    Parameters
    ----------
    device : Device
        Where they run.
    calls : sequence of KernelCall
        In order.
    places : mapping of int to Place
        For each base, which address of a run it begins at, and how many bytes behind it.
    leaves : int
        How many of these addresses may be any; those behind them are of blocks.
    counters : int
        The base of counters.
    scalars : sequence of numpy.dtype
        Of the scalars.
    """
    if device.launcher is None:
        return None
    kernels: list[Kernel] = []
    aligned: dict[tuple[Place, int], None] = {}
    parts = [_parts(k, dtype) for k, dtype in enumerate(scalars)]
    for call in calls:
        if not call.blocks:
            continue
        addresses: dict[int, LaunchedArgument] = {**places, counters: Counters(call.counters)}
        if any(base not in addresses for _, base, _ in call.template.addresses):
            return None
        arguments = _arguments(call, addresses, parts)
        for position, nbytes in call.aligned:
            place = arguments[position]
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
            Kernel(handle, call.blocks, call.threads, function.shared_bytes, tuple(arguments))
        )
    if not kernels:
        return None
    narrow = {k: dtype for k, dtype in enumerate(scalars) if is_narrow(dtype)}
    return Launches(device.launcher, kernels, len(scalars), narrow, tuple(aligned))


def _parts(index: int, dtype: np.dtype[Any]) -> Part | tuple[Part, Part]:
    """Return the place of a scalar in a run's arguments, or of both parts of a complex one."""
    if kind_of(dtype) == "c":
        return Part(index, 0), Part(index, part_dtype(dtype).itemsize)
    return Part(index, 0)


def _arguments(
    call: KernelCall,
    addresses: Mapping[int, LaunchedArgument],
    scalars: Sequence[Part | tuple[Part, Part]],
) -> list[LaunchedArgument]:
    """Return the sources of a call's arguments: addresses, scalars, counters and constants."""
    return [
        argument
        if isinstance(argument, Place | Part | Counters)
        else Fixed(struct.pack(code, argument))
        for code, argument in zip(
            call.function.formats, bind(call.template, addresses, scalars), strict=True
        )
    ]
