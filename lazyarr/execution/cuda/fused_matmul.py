"""A product and the kernel behind it as one kernel: compiled beside the first runs, then compared.

The kernel takes longer to compile than a first evaluation should, so what it may stand for runs
meanwhile. When it is there, both ways run alternately. One kernel is taken if it gives the same
bits, and no later: it moves less memory, so that a GPU at work for long keeps a higher clock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

import numpy as np

from lazyarr.codegen.cuda.launch import DeviceLaunch, DeviceLowered, FusedProduct
from lazyarr.core.shapes import contiguous_strides
from lazyarr.errors import DeviceMemoryError
from lazyarr.execution.cuda.device_plan import DevicePlan
from lazyarr.execution.cuda.kernels import KernelCall
from lazyarr.execution.cuda.memory import DeviceRun
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.driver import Device
from lazyarr.runtime.cuda.libraries.kernels import copies
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work
from lazyarr.runtime.cuda.recorder import Recorder
from lazyarr.runtime.cuda.streams import DeviceStream

__all__ = ["FusedMatmuls", "FusionTrial"]

_U4 = np.dtype(np.uint32)
#: Tensor cores multiply float64 from this architecture on.
_LEAST_ARCHITECTURE = 80


class FusionTrial:
    """The choice between one fused launch and separate launches.

    Parameters
    ----------
    candidate : FusedProduct
        The product, and the launch.
    make : callable
        Compiles a launch, and returns it ready to be given addresses; None: it cannot run here.
    settled : callable
        Is called when the kernel is compiled, from the thread that compiled it.
    """

    def __init__(
        self,
        candidate: FusedProduct,
        make: Callable[[DeviceLaunch], KernelCall | None],
        settled: Callable[[], None],
    ) -> None:
        self.candidate = candidate
        self._make = make
        self._settled = settled
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._call: KernelCall | None = None
        self._state = "new"  # then compiling, compiled, and taken or refused

    @property
    def call(self) -> KernelCall | None:
        """The launch if it is taken, else None."""
        return self._call if self._state == "taken" else None

    @property
    def in_trial(self) -> bool:
        """Whether the kernel is compiled, and the trial against separate steps still to come."""
        return self._state == "compiled"

    def compile_beside(self) -> None:
        """Compile the kernel in a thread of its own, unless that was done already.

        If no thread can be started, as when the process ends, the next call tries again.
        """
        with self._lock:
            if self._state != "new":
                return
            self._state = "compiling"
            thread = threading.Thread(target=self._compile, name="lazyarr-fusion")
            try:
                thread.start()
            except RuntimeError:
                self._state = "new"
                return
            self._thread = thread

    def wait(self) -> None:
        """Return when the kernel is compiled, or when there is no thread to compile it."""
        self.compile_beside()
        thread = self._thread
        if thread is not None:
            thread.join()

    def _compile(self) -> None:
        try:
            self._call = self._make(self.candidate.launch())
        finally:
            # What goes wrong is shown as of any thread; separate launches compute the results.
            self._state = "refused" if self._call is None else "compiled"
            self._settled()

    def compare(
        self,
        work: Work,
        results: Sequence[Strided],
        separate: Callable[[], None],
        fused: Callable[[KernelCall], Callable[[], None] | None],
    ) -> None:
        """Compute the results in both ways, and decide.

        Parameters
        ----------
        work : Work
            Where to work.
        results : sequence of Strided
            What both write; contiguous.
        separate : callable
            Queues the product and the kernel behind it.
        fused : callable
            Returns what queues the launch that it is given; None if addresses forbid it.
        """
        with self._lock:
            if not self.in_trial:
                separate()
                return
            assert self._call is not None
            one = fused(self._call)
            better = False
            if one is not None:
                # Without room to compare in; what the results themselves need is asked for below.
                with suppress(DeviceMemoryError):
                    better = self._is_better(work, results, separate, one)
            self._state = "taken" if better else "refused"
            if not better:
                separate()

    @staticmethod
    def _is_better(
        work: Work,
        results: Sequence[Strided],
        separate: Callable[[], None],
        fused: Callable[[], None],
    ) -> bool:
        """Whether one kernel gives the same bits, and sooner."""
        others = [work.empty(result.shape, result.dtype) for result in results]
        flag = work.zeros((1,), _U4)
        separate()
        for result, other in zip(results, others, strict=True):
            work.queue.copy(other.address, result.address, result.nbytes)
        fused()
        for result, other in zip(results, others, strict=True):
            words = result.nbytes // _U4.itemsize
            differs = copies.differs_source()
            work.launch(differs, words, words, result.address, other.address, flag.address)
        if work.download(flag)[0]:
            return False
        theirs, ours = work.alternately(fused, separate)
        return min(ours) < tuning.row().fused_share * min(theirs)


def _may_fuse(device: Device) -> bool:
    """Whether a device can run products in kernels of ours."""
    return int(device.architecture.removeprefix("sm_")) >= _LEAST_ARCHITECTURE


class FusedMatmuls:
    """The products of a plan that one launch may compute together with the next step.

    Parameters
    ----------
    own : DevicePlan
        The plan.
    lowered : sequence of DeviceLowered
        The lowered kernels of the plan.
    settled : callable
        Is called when a launch was compiled, from the thread that compiled it.
    """

    def __init__(
        self,
        own: DevicePlan,
        lowered: Sequence[DeviceLowered],
        settled: Callable[[], None],
    ) -> None:
        self._plan = plan = own.plan
        self._kernels = own.kernels
        self._steps = own.steps
        self._library = own.library
        self._settings = own.settings
        self._reporter = own.reporter
        self._trials: dict[int, FusionTrial] = {}
        step_of = {step.group: index for index, step in enumerate(plan.steps)}
        results = {result.layout.owner for result in plan.results}
        for kernel in lowered:
            fused = kernel.fused
            if fused is None or fused.product.members[0] in results or not _may_fuse(own.device):
                continue
            self._trials[step_of[fused.product]] = FusionTrial(fused, own.kernels.fused, settled)

    @property
    def in_trial(self) -> bool:
        """Whether a launch for two steps is there, and to be compared with them."""
        return any(trial.in_trial for trial in self._trials.values())

    def __contains__(self, index: object) -> bool:
        """Whether a step may be one launch with the next one."""
        return index in self._trials

    def wait(self) -> None:
        """Return when all launches are compiled."""
        for trial in self._trials.values():
            trial.wait()

    def queue(
        self, run: DeviceRun, index: int, queue: DeviceStream | Recorder, *, decide: bool
    ) -> bool:
        """Queue a product and the next step as one launch, if that is faster; or find out.

        Parameters
        ----------
        run : DeviceRun
            The memory.
        index : int
            The step of the product.
        queue : DeviceStream or Recorder
            Where.
        decide : bool
            Whether to compare, or to compile what is to be compared.

        Returns
        -------
        bool
            Whether both steps are queued.
        """
        trial = self._trials.get(index)
        if trial is None:
            return False
        product, after = self._plan.steps[index], self._plan.steps[index + 1]

        def fused(call: KernelCall) -> Callable[[], None] | None:
            arguments = run.arguments(call)
            if any(arguments[position] % nbytes for position, nbytes in call.aligned):
                return None
            return lambda: queue.launch(call.function, call.blocks, call.threads, arguments)

        def separate() -> None:
            self._steps.queue(run, product, queue)
            self._steps.queue(run, after, queue)

        line = self._plan.lines.of(run.bindings, product.group.members[0])
        if decide and trial.in_trial and self._kernels.settled(self._reporter):
            self._library.output(run, product.group, line)
            results = [
                Strided(
                    run.addresses[self._plan.bases.of(output.layout.owner)],
                    output.node.shape,
                    contiguous_strides(output.node.shape),
                    output.node.dtype,
                )
                for output in after.group.outputs
            ]
            work = Work(queue, self._settings, run.limit, line)
            trial.compare(work, results, separate, fused)
            return True
        if decide and not self._reporter.first_run:
            trial.compile_beside()  # what runs again is worth it
        launch = None
        if trial.call is not None:
            self._library.output(run, product.group, line)  # the next step may write there
            launch = fused(trial.call)
        if launch is not None:
            launch()
        return launch is not None
