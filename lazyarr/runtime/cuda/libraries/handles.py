"""NVIDIA's libraries: their bindings, handles, and plans, opened when first asked for."""

from __future__ import annotations

import importlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from lazyarr.core.config import get_config
from lazyarr.core.dtypes import code_of
from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.device_array import DeviceBlock
from lazyarr.runtime.cuda.interfaces import LibraryStream
from lazyarr.runtime.cuda.libraries import cudnn_graphs
from lazyarr.runtime.cuda.libraries.cublaslt import Matmuls
from lazyarr.runtime.cuda.libraries.cudnn_graphs import Convolutions

__all__ = ["Libraries", "data_type", "load"]

_INSTALL = 'pip install "lazyarr[cuda]"'
#: Of libraries that do not come with the others: their bindings, and how to install them.
_SOURCES = {
    "cudnn": ("cuDNN's frontend", 'pip install "lazyarr[cudnn]"'),
    "nccl": ("nccl4py", 'pip install "lazyarr[multi]"'),
}
#: cuBLAS's arithmetic in which parts of sums of float16 and bfloat16 are not rounded to these.
_PARTS_IN_FLOAT32 = 16
#: The numbers of cudaDataType.
_DATA_TYPES = {"bf2": 14, "f2": 2, "f4": 0, "f8": 1, "c8": 4, "c16": 5}


def data_type(dtype: np.dtype[Any]) -> int:
    """Return the number by which NVIDIA's libraries call a dtype."""
    return _DATA_TYPES[code_of(dtype)]


class Libraries:
    """The libraries of one stream. Calls of them hold `lock`: a handle serves one thread.

    Parameters
    ----------
    queue : DeviceStream
        What they work in.
    loader : callable, optional
        Returns the bindings of a library by its name.
    """

    def __init__(self, queue: LibraryStream, loader: Callable[[str], Any] | None = None) -> None:
        self.queue = queue
        self.lock = threading.RLock()
        self._load = loader or load
        self._modules: dict[str, Any] = {}
        self._handles: dict[str, tuple[Any, int]] = {}
        self._plans: OrderedDict[tuple[object, ...], tuple[int, int]] = OrderedDict()
        self._params = 0
        self._stream: int | None = None  # another than the queue's, while a graph is made
        self._bound: dict[tuple[str, int], int] = {}
        self._space: DeviceBlock | None = None
        self.matmuls = Matmuls(lambda: self.opened("cublasLt"), self._work_space)
        self.convolutions = Convolutions(lambda: self.opened("cudnn"))

    def module(self, name: str) -> Any:
        """Return the bindings of a library.

        Raises
        ------
        DeviceError
            If they or the library are not installed.
        """
        bindings = self._modules.get(name)
        if bindings is None:
            try:
                bindings = self._modules[name] = self._load(name)
            except (ImportError, RuntimeError, OSError) as error:
                through, hint = _SOURCES.get(name, ("nvmath-python", _INSTALL))
                raise DeviceError(
                    f"{name} cannot be loaded through {through} ({error})", hint=hint
                ) from error
        return bindings

    def opened(self, name: str) -> tuple[Any, int]:
        """Return the bindings of a library and its handle, bound to the stream."""
        library = self._created(name)
        self._bind(name, *library)
        return library

    def _created(self, name: str) -> tuple[Any, int]:
        library = self._handles.get(name)
        if library is None:
            module = self.module(name)
            library = self._handles[name] = (module, module.create())
            if name == "cublas":
                module.set_math_mode(library[1], _PARTS_IN_FLOAT32)
        return library

    def open_beside(self, names: Iterable[str], after: threading.Thread | None = None) -> None:
        """Open libraries that are not open, in a thread of its own that holds `lock` meanwhile.

        Parameters
        ----------
        names : iterable of str
            Of the libraries.
        after : threading.Thread, optional
            What has to end before.
        """
        missing = [name for name in names if name not in self._handles]
        if missing:
            name = "lazyarr-libraries"
            threading.Thread(target=self._open_all, args=(missing, after), name=name).start()

    def _open_all(self, names: Sequence[str], after: threading.Thread | None) -> None:
        if after is not None:
            after.join()
            if not threading.main_thread().is_alive():
                return  # a process that ends meanwhile need not wait for more
        # What goes wrong here goes wrong again where the library is needed, and is raised there.
        with self.lock, suppress(Exception), self.queue.current():
            for name in names:
                self._created(name)  # memory is asked for under the settings of who calls it

    def _bind(self, name: str, module: Any, handle: int) -> None:
        """Let a handle or a plan work in the stream in force."""
        stream = self._stream or self.queue.handle
        if self._bound.get((name, handle)) == stream:
            return
        if name == "cublasLt":
            return  # each of its calls names the stream and the work space
        space = self._work_space() if name == "cublas" else None
        module.set_stream(handle, stream)
        if space is not None:
            # Its own would be given back to the driver's pool whenever the stream changes.
            module.set_workspace(handle, *space)
        self._bound[name, handle] = stream

    def _work_space(self) -> tuple[int, int]:
        """Return address and size of the memory that matrix products work with."""
        if self._space is None:
            self._space = self.queue.pool.allocate(
                tuning.row().blas_bytes, get_config().memory_limit
            )
        return self._space.address, self._space.nbytes

    @contextmanager
    def beforehand(self, nbytes: int) -> Iterator[Any]:
        """Let libraries do their first work in this much memory; None: they have worked before.

        Handles stay as they are opened. To give one back would wait for the whole device.
        """
        with self.lock:
            if self._handles:
                yield None
                return
            self._space = self.queue.pool.allocate(nbytes)
            try:
                yield self._space
            finally:
                self._space = None
                self._bound.clear()  # so each gets its work space when it is used next

    @property
    def stream(self) -> int:
        """The stream in force."""
        handle: int = self._stream or self.queue.handle
        return handle

    @property
    def recording(self) -> bool:
        """Whether queued work goes into a graph, and none of it runs yet."""
        return self._stream is not None

    @contextmanager
    def working_in(self, stream: int) -> Iterator[None]:
        """Let all libraries work in another stream of the driver's; other threads wait."""
        with self.lock:
            self._stream = stream
            try:
                yield
            finally:
                self._stream = None

    @property
    def solver_parameters(self) -> int:
        """The parameters object of cuSOLVER's 64-bit functions."""
        if not self._params:
            self._params = self.module("cusolverDn").create_params()
        return self._params

    def plan(
        self, key: tuple[object, ...], make: Callable[[Any, int], int]
    ) -> tuple[Any, int, int]:
        """Return cuFFT's bindings, a plan and the bytes of work space it needs.

        Parameters
        ----------
        key : tuple
            Equal for equal plans.
        make : callable
            ``make(bindings, plan)`` plans and returns the bytes.
        """
        module = self.module("cufft")
        known = self._plans.get(key)
        if known is None:
            plan = module.create()
            module.set_auto_allocation(plan, 0)
            nbytes = make(module, plan)
            known = self._plans[key] = (plan, nbytes)
            while len(self._plans) > tuning.row().fft_plans:
                _, (old, _) = self._plans.popitem(last=False)
                self.queue.synchronize()
                module.destroy(old)
                self._bound.pop(("cufft", old), None)
        self._plans.move_to_end(key)
        self._bind("cufft", module, known[0])
        return module, *known

    @property
    def plans(self) -> int:
        """Plans of Fourier transforms that are kept."""
        return len(self._plans)

    def close(self) -> None:
        """Give everything back; the context must be current and all work done."""
        with self.lock:
            for plan, _ in self._plans.values():
                self._modules["cufft"].destroy(plan)
            self._plans.clear()
            self.matmuls.close()
            self.convolutions.close()
            if self._params:
                self._modules["cusolverDn"].destroy_params(self._params)
                self._params = 0
            for module, handle in self._handles.values():
                module.destroy(handle)
            self._handles.clear()


def load(name: str) -> Any:
    """Return the bindings of a library; the first call for it loads both."""
    if name == "cudnn":
        cudnn_graphs.frontend()
        return cudnn_graphs
    if name == "nccl":
        return importlib.import_module("nccl.bindings.nccl")
    return importlib.import_module(f"nvmath.bindings.{name}")
