"""Random members on a GPU: all libraries in one process, on the same arrays.

The libraries that compile take seconds for a member. So processes compile members side by side
before anything is timed, and leave what they compiled in the libraries' caches on disk. A peer that
takes longer than its limit there is left out of the member. Then members are checked and timed one
after another: the clock's time of many calls in a row until the last result is there, the median
over rounds in which the libraries take turns.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.families.catalogue import member as member_of
from benchmarks.families.member import Member
from benchmarks.families.result import Result, plan_text
from benchmarks.peers import torch_namespace
from benchmarks.stations import LONGEST_PREPARATION, TOLERANCE, time_limit

__all__ = ["PEERS", "measure", "name_of", "set_up"]

PEERS = ("jax", "torch")
#: Seconds of a sample, and calls in one.
SAMPLE = 4e-3
MOST_CALLS = 100
#: XLA times candidates for products while it compiles them: that needs the GPU for itself.
NOT_SIDE_BY_SIDE = ("matrix_product",)


def set_up(folder: Path) -> None:
    """Set the variables that libraries read at import: caches on disk, and memory to share.

    Parameters
    ----------
    folder : pathlib.Path
        Of the caches.
    """
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    os.environ["TORCHINDUCTOR_CACHE_DIR"] = str(folder / "inductor")
    os.environ["TORCHINDUCTOR_COMPILE_THREADS"] = "1"
    # What is timed side by side says nothing: each kernel is tuned when it has the GPU for itself.
    os.environ["TORCHINDUCTOR_AUTOTUNE_LOCAL_CACHE"] = "0"
    os.environ["JAX_COMPILATION_CACHE_DIR"] = str(folder / "xla")
    os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
    os.environ["JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES"] = "-1"
    os.environ["JAX_ENABLE_X64"] = "1"
    os.environ["JAX_DEFAULT_MATMUL_PRECISION"] = "highest"


@dataclass
class Ready:
    """A member in one library.

    Attributes
    ----------
    call : callable
        Queues one computation and returns its result.
    wait : callable
        Returns when the result that it is called with is there.
    tensor : callable
        Returns a result as a tensor of PyTorch.
    """

    call: Callable[[], Any]
    wait: Callable[[Any], Any]
    tensor: Callable[[Any], Any]

    def sample(self, calls: int) -> float:
        """Return the seconds of one of some calls in a row."""
        begun = time.perf_counter()
        for _ in range(calls):
            last = self.call()
        self.wait(last)
        return (time.perf_counter() - begun) / calls


def _lazyarr(member: Member, tensors: Sequence[Any], device: str) -> Ready:
    import torch

    import lazyarr as la
    from benchmarks.gpu_timing import settle

    function = la.jit(partial(member.compute, la))
    leaves = [la.asarray(tensor) for tensor in tensors]
    call = partial(function.persist, *leaves)
    settle(call)
    if device == "cpu":  # a rehearsal where there is no GPU
        return Ready(call, lambda _: None, lambda x: torch.from_numpy(np.array(x)))
    from lazyarr.runtime.cuda import driver

    synchronize = driver.device().synchronize
    return Ready(call, lambda _: synchronize(), lambda x: torch.as_tensor(x, device="cuda"))


def _torch(member: Member, tensors: Sequence[Any], device: str) -> Ready:
    import torch

    torch._dynamo.reset()
    namespace = torch_namespace(torch)
    compiled = torch.compile(lambda *x: member.compute(namespace, *x), dynamic=False)

    def synchronize(_: Any) -> None:
        if device != "cpu":
            torch.cuda.synchronize()

    def call() -> Any:
        with torch.no_grad():
            return compiled(*tensors)

    synchronize(call())
    return Ready(call, synchronize, lambda x: x)


def _jax(member: Member, tensors: Sequence[Any], device: str) -> Ready:
    import jax
    import jax.numpy as jnp
    import torch

    # A tensor of bools has no capsule that every version of both libraries can exchange.
    arrays = [
        jnp.asarray(t.cpu().numpy()) if t.dtype == torch.bool else jax.dlpack.from_dlpack(t)
        for t in tensors
    ]
    compiled = jax.jit(lambda *x: member.compute(jnp, *x)).lower(*arrays).compile()

    def tensor(x: Any) -> Any:
        return torch.as_tensor(np.array(x), device=device)

    return Ready(partial(compiled, *arrays), jax.block_until_ready, tensor)


PREPARE = {"lazyarr_jit": _lazyarr, "torch": _torch, "jax": _jax}


def name_of(device: str) -> str:
    """Return the name of the GPU and the version of PyTorch."""
    import torch

    where = "rehearsal on the processor" if device == "cpu" else torch.cuda.get_device_name()
    return f"{where}, PyTorch {torch.__version__}"


# -- compiling side by side -----------------------------------------------------------------------


def _compile(
    connection: Connection, names: Sequence[str], peers: Sequence[str], device: str
) -> None:
    """Compile members, saying before each with which peer and after each that it is there."""
    import torch

    for name in names:
        member = member_of(name)
        arrays = member.arrays(0, np.dtype(member.dtypes[0]))
        tensors = [torch.from_numpy(array).to(device) for array in arrays]
        for peer in peers:
            if peer == "jax" and name.startswith(NOT_SIDE_BY_SIDE):
                continue
            connection.send((name, peer, "begun"))
            try:
                PREPARE[peer](member, tensors, device)
                note = ""
            except Exception as error:  # noqa: BLE001 - a peer that fails is a result
                note = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
            connection.send((name, peer, note))
        del tensors
        if device != "cpu":
            torch.cuda.empty_cache()
    connection.close()


@dataclass
class _Compiler:
    """A process that compiles some members, and what it is at."""

    process: Any
    connection: Connection
    names: list[str]
    busy: tuple[str, str] | None = None
    since: float = 0.0


def _compile_side_by_side(
    names: Sequence[str], peers: Sequence[str], processes: int, limit: float, device: str
) -> dict[tuple[str, str], str]:
    """Return why a peer is left out of a member; both are the key."""
    context = multiprocessing.get_context("spawn")
    notes: dict[tuple[str, str], str] = {}

    def start(some: list[str]) -> _Compiler:
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_compile, args=(theirs, some, peers, device), daemon=True)
        process.start()
        theirs.close()
        return _Compiler(process, ours, some)

    compilers = [start(list(names[k::processes])) for k in range(min(processes, len(names)))]
    while compilers:
        ready = wait([c.connection for c in compilers], timeout=1.0)
        for c in list(compilers):
            if c.connection in ready:
                try:
                    name, peer, state = c.connection.recv()
                except EOFError:
                    c.process.join()
                    compilers.remove(c)
                    if c.busy is not None:
                        notes[c.busy] = "its process ended while it compiled"
                        compilers += _rest(c, start)
                    continue
                c.busy, c.since = (None, 0.0) if state != "begun" else ((name, peer), time.time())
                if state not in ("begun", ""):
                    notes[name, peer] = state
            elif c.busy is not None and time.time() - c.since > limit:
                notes[c.busy] = f"more than {limit:.0f} s to compile"
                c.process.kill()
                c.process.join()
                compilers.remove(c)
                compilers += _rest(c, start)
    return notes


def _rest(compiler: _Compiler, start: Callable[[list[str]], _Compiler]) -> list[_Compiler]:
    """Start another process with the members behind the one that was not compiled."""
    assert compiler.busy is not None
    rest = compiler.names[compiler.names.index(compiler.busy[0]) + 1 :]
    return [start(rest)] if rest else []


# -- timing ---------------------------------------------------------------------------------------


@dataclass
class _Machine:
    """The device that computes members, and its copy rate."""

    device: str
    copy_rate: float = field(init=False)

    def __post_init__(self) -> None:
        import torch

        source = torch.rand(1 << (22 if self.device == "cpu" else 28), device=self.device)
        target = torch.empty_like(source)
        copy = Ready(lambda: target.copy_(source), lambda _: self.synchronize(), lambda x: x)
        copy.sample(3)
        seconds = statistics.median(copy.sample(20) for _ in range(5))
        self.copy_rate = 2.0 * source.nbytes / seconds

    def synchronize(self) -> None:
        """Wait for all that PyTorch has queued."""
        import torch

        if self.device != "cpu":
            torch.cuda.synchronize()

    @contextmanager
    def tidy(self) -> Iterator[None]:
        """Give back what PyTorch keeps afterwards: others need the memory."""
        import torch

        yield
        if self.device != "cpu":
            torch.cuda.synchronize()
            torch.cuda.empty_cache()


def _difference(result: Any, expected: Any) -> float:
    """Return the largest difference relative to the largest element; infinite for other shapes."""
    if tuple(result.shape) != tuple(expected.shape):
        return float("inf")
    if not expected.is_floating_point() and not expected.is_complex():
        return float((result != expected).any())
    largest = float(expected.abs().max())
    return float((result.to(expected.dtype) - expected).abs().max()) / (largest or 1.0)


def _expected(member: Member, tensors: Sequence[Any]) -> Any:
    """Return the result of PyTorch's own functions, one after another."""
    import torch

    with torch.no_grad():
        return member.compute(torch_namespace(torch), *tensors)


def _measure_one(
    member: Member, peers: Sequence[str], rounds: int, left_out: dict[str, str], place: _Machine
) -> Result:
    import torch

    import lazyarr as la

    arrays = member.arrays(0, np.dtype(member.dtypes[0]))
    tensors = [torch.from_numpy(array).to(place.device) for array in arrays]
    expected = _expected(member, tensors)
    moved = sum(array.nbytes for array in arrays) + expected.nbytes
    notes = dict(left_out)
    ready: dict[str, Ready] = {}
    for peer in ("lazyarr_jit", *peers):
        if peer in notes:
            continue
        try:
            with time_limit(LONGEST_PREPARATION):
                here = PREPARE[peer](member, tensors, place.device)
                result = here.tensor(here.call())
                difference = _difference(result, expected)
                if difference and not (result.is_floating_point() or result.is_complex()):
                    # Which of two elements is the least may depend on rounding.
                    numpys = np.asarray(member.compute(np, *arrays))
                    difference = _difference(result, torch.from_numpy(numpys).to(result.device))
                del result
        except Exception as error:  # noqa: BLE001 - a peer that fails is a result
            notes[peer] = f"{type(error).__name__}: {(str(error).splitlines() or [''])[0][:120]}"
            continue
        if difference <= TOLERANCE.get(member.dtypes[0], 0):
            ready[peer] = here
        else:
            notes[peer] = f"WRONG by {difference:.1e}"
    del expected
    calls = {
        peer: max(1, min(MOST_CALLS, int(SAMPLE / min(here.sample(2), here.sample(2)))))
        for peer, here in ready.items()
    }
    samples: dict[str, list[float]] = {peer: [] for peer in ready}
    for _ in range(rounds):
        for peer, here in ready.items():
            samples[peer].append(here.sample(calls[peer]))
    explained = la.explain(member.compute(la, *[la.asarray(tensor) for tensor in tensors]))
    return Result(
        member.name,
        member.formula,
        {peer: statistics.median(times) for peer, times in samples.items()},
        notes,
        place.copy_rate,
        moved,
        member.flops,
        plan_text(explained),
    )


def measure(
    chosen: Sequence[Member],
    peers: Sequence[str],
    rounds: int,
    processes: int,
    seconds: float = float("inf"),
    device: str = "cuda",
) -> list[Result]:
    """Return the results of members.

    Parameters
    ----------
    chosen : sequence of Member
        What is measured.
    peers : sequence of str
        Libraries beside lazyarr.
    rounds : int
        Samples of each library.
    processes : int
        That compile side by side beforehand; 0: none do.
    seconds : float, optional
        After which no other member is begun.
    device : {"cuda", "cpu"}, optional
        "cpu" rehearses the measurement where there is no GPU.
    """
    import torch

    begun = time.monotonic()
    names = [member.name for member in chosen]
    notes = {}
    if processes:
        limit = float(LONGEST_PREPARATION)
        notes = _compile_side_by_side(names, peers, processes, limit, device)
        print(f"compiled side by side in {time.monotonic() - begun:.0f} s", flush=True)
    place = _Machine(device)
    results = []
    for member in chosen:
        if time.monotonic() - begun > seconds:
            print(f"{len(chosen) - len(results)} members were not begun: out of time", flush=True)
            break
        left_out = {peer: note for (name, peer), note in notes.items() if name == member.name}
        with place.tidy():
            try:
                result = _measure_one(member, peers, rounds, left_out, place)
            except torch.OutOfMemoryError:
                print(f"      –  {member.name}  left out: steps one by one take too much memory")
                continue
        ratio = result.ratio("lazyarr_jit")
        times = " ".join(f"{p} {s * 1e6:.1f}" for p, s in result.seconds.items())
        shown = "–" if ratio is None else f"{ratio:.2f}"
        notes_shown = "; ".join(f"{peer}: {note}" for peer, note in result.notes.items())
        print(f"{shown:>7}  {member.name}  {times}  {result.plan}  {notes_shown}", flush=True)
        results.append(result)
    return results
