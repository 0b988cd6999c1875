"""A product and the kernel behind it as one kernel: compiled beside the first runs, then compared.

The kernel takes longer to compile than a first evaluation should, so what it may stand for runs
meanwhile. When it is there, both ways run in turns. One kernel is taken if it gives the same bits,
and no later: it moves less memory, so that a GPU at work for long keeps a higher clock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from lazyarr.codegen.cuda.launch import DeviceLaunch, Joint
from lazyarr.errors import DeviceMemoryError
from lazyarr.runtime.cuda.libraries.kernels import copies as kernels
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = ["JointStep", "may_join"]

_U4 = np.dtype(np.uint32)
#: Tensor cores multiply float64 from this architecture on.
_LEAST_ARCHITECTURE = 80
#: What one kernel may take of the time of two when they run in turns, at equal clocks. It moves
#: less, which takes less power, so alone it leaves the GPU a higher clock. On an H200 the sigmoid
#: of a product of 512 x 784 x 65536 takes 0.99 to 1.01 in turns, and 0.94 if each runs for 0.3 s.
_NO_SLOWER = 1.03


def may_join(device: Any) -> bool:
    """Whether a device can run products in kernels of ours."""
    return int(device.architecture.removeprefix("sm_")) >= _LEAST_ARCHITECTURE


class JointStep:
    """What one launch would do, and whether it does.

    Parameters
    ----------
    joint : Joint
        The product, and the launch.
    make : callable
        Compiles a launch, and returns it ready to be given addresses; None: it cannot run here.
    settled : callable
        Is called when the kernel is compiled, from the thread that compiled it.
    """

    def __init__(
        self,
        joint: Joint,
        make: Callable[[DeviceLaunch], Any],
        settled: Callable[[], None],
    ) -> None:
        self.joint = joint
        self._make = make
        self._settled = settled
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._call: Any = None
        self._state = "new"  # then compiling, compiled, and taken or refused

    @property
    def call(self) -> Any:
        """The launch if it is taken, else None."""
        return self._call if self._state == "taken" else None

    @property
    def undecided(self) -> bool:
        """Whether the kernel is there, and to be compared with what it may stand for."""
        return self._state == "compiled"

    def compile_beside(self) -> None:
        """Compile the kernel in a thread of its own, unless that was done already.

        If no thread can be started, as when the process ends, the next call tries again.
        """
        with self._lock:
            if self._state != "new":
                return
            self._state = "compiling"
            thread = threading.Thread(target=self._compile, name="lazyarr-joint")
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
            self._call = self._make(self.joint.launch())
        finally:
            # What goes wrong is shown as of any thread; what is asked for is computed apart.
            self._state = "refused" if self._call is None else "compiled"
            self._settled()

    def compare(
        self,
        work: Work,
        results: Sequence[Strided],
        apart: Callable[[], None],
        together: Callable[[Any], Callable[[], None] | None],
    ) -> None:
        """Compute the results in both ways, and decide.

        Parameters
        ----------
        work : Work
            Where to work.
        results : sequence of Strided
            What both write; contiguous.
        apart : callable
            Queues the product and the kernel behind it.
        together : callable
            Returns what queues the launch that it is given; None if addresses forbid it.
        """
        with self._lock:
            if not self.undecided:
                apart()
                return
            one = together(self._call)
            better = False
            if one is not None:
                # Without room to compare in; what the results themselves need is asked for below.
                with suppress(DeviceMemoryError):
                    better = self._is_better(work, results, apart, one)
            self._state = "taken" if better else "refused"
            if not better:
                apart()

    @staticmethod
    def _is_better(
        work: Work,
        results: Sequence[Strided],
        apart: Callable[[], None],
        together: Callable[[], None],
    ) -> bool:
        """Whether one kernel gives the same bits, and sooner."""
        others = [work.empty(result.shape, result.dtype) for result in results]
        flag = work.zeros((1,), _U4)
        apart()
        for result, other in zip(results, others, strict=True):
            work.queue.copy(other.address, result.address, result.nbytes)
        together()
        for result, other in zip(results, others, strict=True):
            words = result.nbytes // _U4.itemsize
            differs = kernels.differs_source()
            work.launch(differs, words, words, result.address, other.address, flag.address)
        if work.download(flag)[0]:
            return False
        theirs, ours = work.in_turns(together, apart)
        return min(ours) < _NO_SLOWER * min(theirs)
