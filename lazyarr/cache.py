"""Statistics of compiling and memory: ``lazyarr.cache.info()`` and ``.clear()``."""

from __future__ import annotations

from lazyarr.autotuning import records
from lazyarr.compiler import saved_plans
from lazyarr.compiler.counters import WorkInfo, work_info
from lazyarr.compiler.plan_cache import PlanInfo, forget_plans, plan_cache_info
from lazyarr.core.config import get_config
from lazyarr.core.frozen import dataclass
from lazyarr.runtime.compile_info import CompileInfo
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cuda import driver
from lazyarr.runtime.cuda.device_info import DeviceInfo
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
    work : WorkInfo
        Elements ``computed`` by evaluations, and those that ``eager`` NumPy would have computed.
    device : DeviceInfo, optional
        What the first GPU holds that was asked for: ``pool``, ``kernels``, ``graphs`` and more.
    """

    kernels: CompileInfo
    disk: DiskInfo
    pool: PoolInfo
    plans: PlanInfo
    work: WorkInfo
    device: DeviceInfo | None = None


def info() -> CacheInfo:
    """Return the counters of compiled kernels and of the memory in the results' pool.

    Examples
    --------
    >>> import lazyarr.cache
    >>> before = lazyarr.cache.info().kernels.compiled
    """
    disk = open_cache(get_config().cache_dir)
    on_disk = disk.info() if disk else DiskInfo()
    gpus = driver.opened_devices()
    figures = gpus[0].figures() if gpus else None
    return CacheInfo(compiler.info(), on_disk, pool.info(), plan_cache_info(), work_info(), figures)


def clear() -> None:
    """Remove the kernels and plans of the cache folder, forget loaded ones, free idle memory.

    What tuning has measured is removed, too.

    The next evaluation of any expression compiles again. Results are not touched.
    """
    disk = open_cache(get_config().cache_dir)
    if disk:
        disk.clear()
    saved_plans.clear(get_config().cache_dir)
    records.clear(get_config().cache_dir)
    forget_plans()
    compiler.forget()
    pool.trim()
    for gpu in driver.opened_devices():
        gpu.memory.trim()


def __dir__() -> list[str]:
    return sorted(__all__)
