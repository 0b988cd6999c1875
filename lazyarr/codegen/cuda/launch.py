"""Kernels for GPUs with their arguments."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from lazyarr.codegen.device_tilings import ProductTiling
from lazyarr.codegen.launch import Argument, Renaming, TargetArgument
from lazyarr.core.frozen import dataclass, replace
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.schedule.fusion import Group

if TYPE_CHECKING:
    from lazyarr.codegen.tiling import Tiling

__all__ = ["Ahead", "Counter", "DeviceLaunch", "DeviceLowered", "FusedProduct"]


@dataclass(frozen=True, slots=True)
class Counter(TargetArgument):
    """An argument: the address of uint32 counters that are 0 when a kernel starts.

    Attributes
    ----------
    count : int
        How many.
    """

    count: int


@dataclass(frozen=True, slots=True)
class Ahead(TargetArgument):
    """An argument: how many pieces beyond its own a block should have brought to the L2 cache.

    Attributes
    ----------
    nbytes : int
        Of a piece.
    """

    nbytes: int


@dataclass(frozen=True, eq=False, slots=True)
class DeviceLaunch:
    """One kernel with its arguments and its grid.

    Attributes
    ----------
    kernel : DeviceKernel
        What to run.
    arguments : tuple of Argument
        One a parameter.
    blocks : int
        How many; 0 means that there is nothing to do.
    aligned : tuple of (int, int)
        Positions of addresses that must be multiples of the number beside them.
    otherwise : DeviceLaunch, optional
        What to run if one is not.
    smaller : callable, optional
        Returns what to run on a GPU whose blocks cannot have the shared memory of the kernel.
    tiling : Tiling, optional
        How its work is cut.
    """

    kernel: DeviceKernel
    arguments: tuple[Argument, ...]
    blocks: int
    aligned: tuple[tuple[int, int], ...] = ()
    otherwise: DeviceLaunch | None = None
    smaller: Callable[[], DeviceLaunch] | None = None
    tiling: Tiling | None = None

    @property
    def passed(self) -> tuple[tuple[Argument, ...], ...]:
        """The arguments of its kernel, and of those that may run instead."""
        others = () if self.otherwise is None else self.otherwise.passed
        return self.arguments, *others

    def renamed(self, names: Renaming) -> DeviceLaunch:
        """Return the launch of a group of the same form."""
        otherwise, smaller = self.otherwise, self.smaller
        return replace(
            self,
            kernel=names.kernel(self.kernel),
            arguments=names.arguments(self.arguments),
            otherwise=None if otherwise is None else otherwise.renamed(names),
            smaller=None if smaller is None else partial(_renamed, smaller, names),
        )


def _renamed(launch: Callable[[], DeviceLaunch], names: Renaming) -> DeviceLaunch:
    return launch().renamed(names)


@dataclass(frozen=True, eq=False, slots=True)
class FusedProduct:
    """One launch that may stand for a product of a library and for the kernel behind it.

    Attributes
    ----------
    product : Group
        The library's step; the kernel's is the next.
    tiling : ProductTiling
        How the launch is cut.
    launch : callable
        Returns the launch.
    """

    product: Group
    tiling: ProductTiling
    launch: Callable[[], DeviceLaunch]


@dataclass(frozen=True, eq=False, slots=True)
class DeviceLowered:
    """The launches of one group, in order, and the scratch they need in bytes.

    With `fused`, one launch may stand for them and for the product before them.
    """

    group: Group
    launches: tuple[DeviceLaunch, ...]
    shared_scratch: int
    worker_scratch: int = 0
    fused: FusedProduct | None = None

    def scratch_bytes(self, threads: int) -> int:
        """Return the scratch memory of its launches, if each of so many threads has its own."""
        return self.shared_scratch + threads * self.worker_scratch

    def renamed(self, names: Renaming) -> DeviceLowered:
        """Return the launches of a group of the same form; neither has a fused product."""
        launches = tuple([launch.renamed(names) for launch in self.launches])
        return replace(self, group=names.new, launches=launches)
