"""A plan on a device, with the objects that queue its steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from lazyarr.core.config import Config
    from lazyarr.execution.cuda.kernels import KernelCall, KernelLoader
    from lazyarr.execution.cuda.library_steps import LibrarySteps
    from lazyarr.execution.cuda.steps import StepQueue
    from lazyarr.execution.launch import RunReporter
    from lazyarr.execution.plan import CompiledPlan
    from lazyarr.runtime.cuda.driver import Device

__all__ = ["DevicePlan"]


class DevicePlan(NamedTuple):
    """A plan on a device.

    Attributes
    ----------
    device : Device
        Where it runs.
    plan : CompiledPlan
        Its steps and results.
    kernels : KernelLoader
        Compiles launches, and knows whether kernels have all optimisations.
    steps : StepQueue
        Queues single steps.
    library : LibrarySteps
        Its library steps.
    settings : Config
        How to compile.
    reporter : RunReporter
        Records runs.
    """

    device: Device
    plan: CompiledPlan[KernelCall]
    kernels: KernelLoader
    steps: StepQueue
    library: LibrarySteps
    settings: Config
    reporter: RunReporter
