"""The family of the first GPU, as NVIDIA's driver reports it, without opening the device."""

from __future__ import annotations

import ctypes

__all__ = ["gpu_family"]

#: The driver's numbers of the attributes that say the compute capability: major and minor.
_CAPABILITY = (75, 76)


def gpu_family() -> str:
    """Return the first GPU's family, such as ``sm_90``; empty without one."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ""
    if driver.cuInit(0) != 0:
        return ""
    numbers = [ctypes.c_int(), ctypes.c_int()]
    for attribute, number in zip(_CAPABILITY, numbers, strict=True):
        if driver.cuDeviceGetAttribute(ctypes.byref(number), attribute, 0) != 0:
            return ""
    return f"sm_{numbers[0].value}{numbers[1].value}"
