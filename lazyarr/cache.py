"""What compiling and memory have cost so far: ``lazyarr.cache.info()`` and ``.clear()``."""

from __future__ import annotations

from lazyarr.compiler.plan_cache import PlanInfo, forget_plans, plan_cache_info
from lazyarr.core.config import get_config
from lazyarr.core.frozen import dataclass
from lazyarr.runtime.compile_info import CompileInfo
from lazyarr.runtime.cpu import compiler as cpu
from lazyarr.runtime.cuda import device as cuda
from lazyarr.runtime.cuda.device import DeviceInfo
from lazyarr.runtime.disk_cache import DiskInfo, open_cache
from lazyarr.runtime.host_memory_pool import PoolInfo, pool

__all__ = ["CacheInfo", "clear", "info"]


@dataclass(frozen=True, slots=True)
class CacheInfo:
    """The counters of this process.

    Attributes
    ----------
    kernels : CompileInfo
        ``compiled``, ``disk_hits``, ``memory_hits``, ``compile_seconds``, ``loaded``.
    disk : DiskInfo
        ``directory``, ``entries``, ``nbytes``, ``limit`` of the kernels on disk.
    pool : PoolInfo
        ``in_use``, ``peak``, ``held``, ``idle`` bytes, ``pages``, ``mappings``.
    plans : PlanInfo
        ``plans`` that are kept, ``hits`` of expressions that found theirs, and ``misses``.
    device : DeviceInfo, optional
        What a GPU holds, once one was asked for: ``pool``, ``kernels``, ``graphs`` and more.
    """

    kernels: CompileInfo
    disk: DiskInfo
    pool: PoolInfo
    plans: PlanInfo
    device: DeviceInfo | None = None


def info() -> CacheInfo:
    """Return how many kernels were compiled or found, and what memory the results' pool holds.

    Examples
    --------
    >>> import lazyarr.cache
    >>> before = lazyarr.cache.info().kernels.compiled
    """
    disk = open_cache(get_config().cache_dir)
    on_disk = disk.info() if disk else DiskInfo("", 0, 0, 0)
    gpu = cuda.opened()
    figures = gpu.figures() if gpu is not None else None
    return CacheInfo(cpu.info(), on_disk, pool.info(), plan_cache_info(), figures)


def clear() -> None:
    """Remove the kernels of the cache folder, forget plans and loaded kernels, free idle memory.

    The next evaluation of any expression compiles again. Results are not touched.
    """
    disk = open_cache(get_config().cache_dir)
    if disk:
        disk.clear()
    forget_plans()
    cpu.forget()
    pool.trim()
    gpu = cuda.opened()
    if gpu is not None:
        gpu.memory.trim()
