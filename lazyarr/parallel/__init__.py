"""Training on several devices: each processes a part of the batch, and gradients are averaged.

Each device is driven by a thread of this process: GPUs of one host, which exchange what goes
through :func:`mean` by NCCL, or workers on the processors, each of which computes with a share of
them and adds in the order of the devices. Results are the same bits on all devices.
"""

from lazyarr.parallel.averages import device_count, mean
from lazyarr.parallel.data_parallel import DataParallel, data_parallel

__all__ = ["DataParallel", "data_parallel", "device_count", "mean"]


def __dir__() -> list[str]:
    return sorted(__all__)
