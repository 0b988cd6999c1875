"""The measured libraries: a class for each, which makes a call of a case."""

from __future__ import annotations

import functools
import importlib.metadata
import importlib.util
import logging
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, ClassVar

import numpy as np

from benchmarks.cases import Arrays, Case

_REAL = r"(?<![\w.])\d+\.\d+"


@dataclass(frozen=True)
class Prepared:
    """A case, ready to run in one library.

    Attributes
    ----------
    run : callable
        Computes the result and waits for it.
    trace, compile : float, optional
        Seconds that recording and compiling took, where the library separates them.
    """

    run: Callable[[], Any]
    trace: float | None = None
    compile: float | None = None


#: How threads of OpenMP wait and where they run decides over a factor of two, and which is best
#: depends on the work: they sleep, spin for some milliseconds, or spin on processors of their own.
OPENMP = ({"OMP_WAIT_POLICY": "passive"}, {}, {"OMP_PROC_BIND": "true"})


class Peer(ABC):
    """A library that can compute cases."""

    name: ClassVar[str]
    package: ClassVar[str]
    #: Whether code compiled for one shape serves another.
    shape_free: ClassVar[bool] = True
    #: Environment variables of the processes in which it is measured; the fastest counts.
    ways: ClassVar[tuple[dict[str, str], ...]] = ({},)

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.setup()

    @classmethod
    def version(cls) -> str | None:
        """Return the installed version, or None."""
        if importlib.util.find_spec(cls.package) is None:
            return None
        try:
            return importlib.metadata.version(cls.package)
        except importlib.metadata.PackageNotFoundError:
            return "from a checkout"

    def setup(self) -> None:  # noqa: B027 - most peers have nothing to set
        """Set the number of threads and the like."""

    def release(self) -> None:  # noqa: B027 - most peers hold nothing
        """Give back memory that is held for later."""

    def planned_peak(self, case: Case, arrays: Arrays) -> int | None:
        """Return the peak memory that the library says it will need, if it says so."""
        return None

    @abstractmethod
    def prepare(self, case: Case, arrays: Arrays) -> Prepared | None:
        """Return the case ready to run, or None if this library cannot express it."""


def _elapsed(call: Callable[[], Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    result = call()
    return time.perf_counter() - begun, result


def _parts(result: Any) -> tuple[Any, ...]:
    """Return the arrays of a result, which is one or a tuple of them."""
    return result if isinstance(result, tuple) else (result,)


class Lazyarr(Peer):
    """Each run builds the expression anew and evaluates it."""

    name = "lazyarr"
    package = "lazyarr"

    def release(self) -> None:
        from lazyarr.runtime.host_memory_pool import pool

        pool.trim()

    def planned_peak(self, case: Case, arrays: Arrays) -> int:
        import lazyarr as la

        return int(la.explain(*_parts(case.compute(la, *map(la.asarray, arrays)))).peak_bytes)

    def prepare(self, case: Case, arrays: Arrays) -> Prepared:
        import lazyarr as la

        leaves = [la.asarray(array) for array in arrays]

        def build() -> Any:
            return case.compute(la, *leaves)

        def run() -> Any:
            return la.evaluate(*_parts(build()))

        build()  # what is set up once a process is not the cost of recording this expression
        trace, _ = _elapsed(build)
        before = la.cache.info().kernels.compile_seconds
        run()
        return Prepared(run, trace, la.cache.info().kernels.compile_seconds - before)


class LazyarrJit(Lazyarr):
    """Traced once, as the functions of the peers that compile are."""

    name = "lazyarr_jit"

    def prepare(self, case: Case, arrays: Arrays) -> Prepared:
        import lazyarr as la

        function = la.jit(functools.partial(case.compute, la))
        before = la.cache.info().kernels.compile_seconds
        function(*arrays)
        compiled = la.cache.info().kernels.compile_seconds - before
        return Prepared(lambda: function(*arrays), None, compiled)


class NumPy(Peer):
    """Eager: the baseline of every ratio."""

    name = "numpy"
    package = "numpy"

    def prepare(self, case: Case, arrays: Arrays) -> Prepared:
        return Prepared(lambda: case.compute(np, *arrays))


class Numexpr(Peer):
    """Blocks of a compiled expression; no axes, slices or matrices."""

    name = "numexpr"
    package = "numexpr"

    def setup(self) -> None:
        import numexpr

        numexpr.set_num_threads(self.threads)

    def prepare(self, case: Case, arrays: Arrays) -> Prepared | None:
        import numexpr

        if case.numexpr is None:
            return None
        # A real number in the text is a double and would make a float32 expression double.
        numbers = dict.fromkeys(re.findall(_REAL, case.numexpr))
        constants = {number: f"k{index}" for index, number in enumerate(numbers)}
        text = re.sub(_REAL, lambda match: constants[match[0]], case.numexpr)
        names = dict(zip(case.names, arrays, strict=False))
        names |= {name: arrays[0].dtype.type(number) for number, name in constants.items()}
        return Prepared(lambda: numexpr.evaluate(text, names, {}))


class Numba(Peer):
    """Loops written by hand for each case."""

    name = "numba"
    package = "numba"
    ways = OPENMP

    def setup(self) -> None:
        import numba

        numba.set_num_threads(min(self.threads, numba.config.NUMBA_NUM_THREADS))

    def prepare(self, case: Case, arrays: Arrays) -> Prepared | None:
        from benchmarks import numba_kernels

        function = getattr(numba_kernels, case.name, None)
        return None if function is None else Prepared(lambda: function(*arrays))


class Jax(Peer):
    """``jax.jit``, arrays already converted."""

    name = "jax"
    package = "jax"
    shape_free = False

    def setup(self) -> None:
        import jax

        jax.config.update("jax_enable_x64", True)

    def prepare(self, case: Case, arrays: Arrays) -> Prepared:
        import jax
        import jax.numpy as jnp

        compute = case.static or case.compute
        converted = [jnp.asarray(array) for array in arrays]
        function = jax.jit(lambda *inputs: compute(jnp, *inputs))
        trace, lowered = _elapsed(lambda: function.lower(*converted))
        seconds, compiled = _elapsed(lowered.compile)
        return Prepared(lambda: jax.block_until_ready(compiled(*converted)), trace, seconds)


class Torch(Peer):
    """``torch.compile`` with static shapes, tensors already converted."""

    name = "torch"
    package = "torch"
    ways = OPENMP
    shape_free = False

    def setup(self) -> None:
        import torch

        torch.set_num_threads(self.threads)
        # What it cannot compile in time is a line of the report, not a dump of its program.
        logging.getLogger("torch._inductor").setLevel(logging.CRITICAL + 1)

    def prepare(self, case: Case, arrays: Arrays) -> Prepared:
        import torch

        torch._dynamo.reset()
        namespace = torch_namespace(torch)
        compute = case.static or case.compute
        tensors = [torch.from_numpy(array) for array in arrays]
        function = torch.compile(lambda *inputs: compute(namespace, *inputs), dynamic=False)
        with torch.no_grad():
            seconds, _ = _elapsed(lambda: function(*tensors))

        def run() -> Any:
            with torch.no_grad():
                return function(*tensors)

        return Prepared(run, None, seconds)


def torch_namespace(torch: Any) -> SimpleNamespace:
    """Return NumPy's names and keywords for what the cases need of torch."""

    def reduction(function: Callable[..., Any], **fixed: Any) -> Callable[..., Any]:
        def reduce(
            x: Any, axis: int | tuple[int, ...] | None = None, keepdims: bool = False
        ) -> Any:
            if axis is None:
                return function(x, **fixed)
            return function(x, dim=axis, keepdim=keepdims, **fixed)

        return reduce

    def minimum(x: Any, y: Any) -> Any:
        return torch.clamp(x, max=y) if isinstance(y, int) else torch.minimum(x, y)

    def interp(x: Any, table: Any, values: Any) -> Any:
        last = len(table) - 2
        left = torch.clamp(torch.searchsorted(table, x) - 1, 0, last)
        slope = (values[left + 1] - values[left]) / (table[left + 1] - table[left])
        between = torch.clamp(x, table[0], table[-1])
        return values[left] + slope * (between - table[left])

    return SimpleNamespace(
        abs=torch.abs,
        argmax=lambda x, axis: torch.argmax(x, dim=axis),
        argmin=lambda x, axis: torch.argmin(x, dim=axis),
        argsort=lambda x, axis: torch.argsort(x, dim=axis, stable=True),
        concatenate=lambda parts, axis: torch.cat(parts, dim=axis),
        cos=torch.cos,
        cumsum=lambda x, axis: torch.cumsum(x, dim=axis),
        exp=torch.exp,
        flip=lambda x, axis: torch.flip(x, (axis,)),
        index_add=lambda values, places, count: torch.index_add(
            values.new_zeros((count, *values.shape[1:])), 0, places, values
        ),
        interp=interp,
        log=torch.log,
        max=reduction(torch.amax),
        maximum=torch.maximum,
        mean=reduction(torch.mean),
        median=lambda x, axis: torch.quantile(x, 0.5, dim=axis),
        min=reduction(torch.amin),
        minimum=minimum,
        permute_dims=torch.permute,
        repeat=lambda x, count, axis: torch.repeat_interleave(x, count, dim=axis),
        roll=torch.roll,
        searchsorted=torch.searchsorted,
        sin=torch.sin,
        smallest=lambda x, count: torch.topk(x, count, dim=1, largest=False).values,
        sort=lambda x, axis: torch.sort(x, dim=axis).values,
        sqrt=torch.sqrt,
        stack=lambda parts, axis: torch.stack(parts, dim=axis),
        std=reduction(torch.std, correction=0),
        sum=reduction(torch.sum),
        take_along_axis=lambda x, places, axis: torch.take_along_dim(x, places, dim=axis),
        tanh=torch.tanh,
        var=reduction(torch.var, correction=0),
        where=torch.where,
    )


PEERS: dict[str, type[Peer]] = {
    peer.name: peer for peer in (Lazyarr, LazyarrJit, NumPy, Numexpr, Numba, Jax, Torch)
}
