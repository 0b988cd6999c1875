"""Times of groups on the two devices, predicted from a calibration."""

from __future__ import annotations

from lazyarr.placement.calibration import DeviceRates
from lazyarr.placement.work import GroupWork

__all__ = ["seconds_of"]


def seconds_of(work: GroupWork, rates: DeviceRates) -> float | None:
    """Return the seconds of a group, its data at hand; None of a call that was not measured.

    ::

        time = launch + max(memory, arithmetic)

    Parameters
    ----------
    work : GroupWork
        What it does.
    rates : DeviceRates
        Of the device.
    """
    memory = rates.memory.at(max(1, work.nbytes))
    if work.library:
        curve = rates.library.get(work.library)
        if curve is None:
            return None
        # A thin product is as fast as its matrices are read.
        return rates.launch + max(memory, curve.at(work.size, may_be_cube=True))
    arithmetic = sum(
        additions * rates.arithmetic[name].at(work.elements)
        for name, additions in work.additions.items()
    )
    return rates.launch + max(memory, arithmetic)
