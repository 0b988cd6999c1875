"""Plans on disk: a process finds the plans of earlier ones without a stage of the compiler.

A plan is saved if it is nothing but kernels and matrix products on the processor. Its key is made
of all that decides on it: the request, lazyarr's own sources, the versions of Python, NumPy, its
BLAS and LLVM, the processor and the variables of the environment. An entry holds plain numbers and
the keys of the kernels, and lies in a folder beside these, under the same rules
(:mod:`lazyarr.runtime.disk_cache`). What tuning has measured since the plan was saved makes it a
plan of the past.

Where ``LAZYARR_CHECK=1`` asks that each stage checks the one before it, all stages are run, and
nothing is saved.
"""

from __future__ import annotations

import marshal
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from lazyarr.autotuning import records, tuning
from lazyarr.compiler.plan_cache import CachedPlan
from lazyarr.compiler.request import Request
from lazyarr.core.config import CUDA
from lazyarr.core.frozen import replace
from lazyarr.core.hashing import key_of
from lazyarr.core.source_stamp import source_stamp
from lazyarr.core.tuning_table import chosen_rows
from lazyarr.execution.arguments import ScalarValue
from lazyarr.execution.cpu.kernel_sequence import KernelSequence
from lazyarr.execution.cpu.saved_plan import RestoredExecutor, SavedPlan
from lazyarr.graph.node import Kind, Node, Op, unique_node
from lazyarr.ops.static_ops import static_names
from lazyarr.passes.canonicalize import Bindings
from lazyarr.runtime import run_log
from lazyarr.runtime.cpu.blas_threads import describe_libraries
from lazyarr.runtime.cpu.compiler import describe_machine
from lazyarr.runtime.disk_cache import DiskCache, Entry, open_cache

if TYPE_CHECKING:
    from lazyarr.compiler.program import Program
    from lazyarr.execution.cpu.executor import CpuExecutor
    from lazyarr.execution.executor import Executor

__all__ = ["PACKAGES", "clear", "restore", "save"]

Build = Callable[[tuple[Node, ...], Request], CachedPlan]

_FORMAT = "lazyarr-plan-2"
#: The first bytes of an entry: `marshal` would read a length in other bytes, of gigabytes perhaps.
_HEAD = _FORMAT.encode()
#: The folder of plans in that of the cache.
_FOLDER = "plans"
#: All that the compiler is made of.
PACKAGES = frozenset(
    "autotuning builders codegen compiler core errors.py execution graph loop_ir ops passes"
    " placement runtime schedule tracing".split()
)
#: Folders of these of which plans of the processor have nothing.
_OF_GPU = frozenset((CUDA,))
#: Variables that decide on kernels beside lazyarr's own.
_VARIABLES = ("NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES")
#: Says nothing of a plan: where it is.
_PLACE = "LAZYARR_CACHE_DIR"


class _NoTextError(Exception):
    """A value has no text that is the same in every process."""


def restore(request: Request, build: Build) -> tuple[CachedPlan | None, Request]:
    """Return the plan that an earlier process has saved, or the request with the key of one.

    Parameters
    ----------
    request : Request
        The request.
    build : callable
        Returns the plan of a request as it is compiled, for what a saved one does not say.

    Returns
    -------
    CachedPlan or None
        None if there is none.
    Request
        As it was, if there is a plan, or none on disk at all.
    """
    disk = _folder(request)
    if disk is None or not disk.is_there:
        return None, request
    key = _plan_key(request)
    entry = disk.load(key) if key else None
    plan = None if entry is None else _restored(entry, request, build)
    return plan, request if plan is not None else replace(request, saved_key=key)


def _restored(entry: Entry, request: Request, build: Build) -> CachedPlan | None:
    """Return the plan in an entry on disk; None if it is of another format, or tuned otherwise."""
    try:
        content, tuned, computed, eager, is_tunable = _values(entry.object_code)
        saved = SavedPlan.from_bytes(content)
    except (ValueError, TypeError, EOFError):
        return None
    if tuned != _tuned(request, [name for name, _ in tuned]):
        return None
    compiled = _compiled(request, build)
    executor = RestoredExecutor.of(saved, request.threads, request.settings, compiled)
    if executor is None:
        return None
    if is_tunable:
        executor.by_address.meter = _Meter(executor)
    return CachedPlan.of(executor, computed, eager)


def save(request: Request, executor: Executor, program: Program) -> None:
    """Write a plan to disk, if it is one that later processes can do with.

    Parameters
    ----------
    request : Request
        What it was compiled for.
    executor : Executor
        Runs the plan.
    program : Program
        All that the compiler knows of it.
    """
    disk = _folder(request)
    if disk is None:
        return
    own = cast("CpuExecutor", executor)  # that of plans on the processor, in memory
    saved = SavedPlan.of(own)
    content = None if saved is None else saved.to_bytes()
    if content is None or own.plan.status.certain:
        return
    key = _plan_key(request) if request.saved_key is None else request.saved_key
    if not key:
        return
    tuned = _tuned(request, [code.key for code in program.kernels if code.key])
    assert own.by_address is not None
    is_tunable = own.by_address.meter is not None
    work = program.computed, program.eager
    disk.store(key, Entry("plan", _HEAD + marshal.dumps((content, tuned, *work, is_tunable))))


def _values(content: bytes) -> Any:
    """Return the values of an entry. Raises ValueError if it is of another format."""
    if not content.startswith(_HEAD):
        raise ValueError(f"a plan begins with {_HEAD!r}, not with {content[: len(_HEAD)]!r}")
    return marshal.loads(content[len(_HEAD) :])


def clear(cache_dir: str) -> None:
    """Remove all plans of a folder.

    Parameters
    ----------
    cache_dir : str
        The setting of that name.
    """
    disk = open_cache(cache_dir, _FOLDER)
    if disk is not None and disk.is_there:
        disk.clear()


def _folder(request: Request) -> DiskCache | None:
    """Return the folder of saved plans; None for a request whose plan is compiled."""
    settings, target = request.settings, request.target
    if settings.debug or run_log.listeners() or target is None or not target.on_host:
        return None
    if request.donated or request.tiled or request.choice or request.placement or chosen_rows.get():
        return None
    if tuning.current() is not tuning.BY_DEFAULT:
        return None
    return open_cache(settings.cache_dir, _FOLDER)


def _tuned(request: Request, names: Sequence[str]) -> tuple[tuple[str, str | None], ...]:
    """Return the choices of tuning for kernels, by the keys of their records."""
    chosen = [records.load(request.settings.cache_dir, name) for name in names]
    pairs = zip(names, chosen, strict=True)
    return tuple([(name, None if record is None else record.choice) for name, record in pairs])


def _plan_key(request: Request) -> str:
    """Return the key of a saved plan; "" if there is none that every process would make."""
    surroundings = _surroundings(request.settings.backend)
    if not surroundings:
        return ""
    entries: Any = request.signature[:-1]
    heads = [entry[0] for entry in entries if isinstance(entry, tuple)]
    if any(isinstance(head, Op) and head.kind is Kind.LIBRARY for head in heads):
        surroundings = *surroundings, *describe_libraries()
    try:
        return key_of((*surroundings, _text(request.key, static_names(), {})))
    except _NoTextError:
        return ""


@cache
def _surroundings(backend: str) -> tuple[str, ...]:
    """Return the part of a key that is the same for all requests; () if sources cannot be read."""
    stamp = source_stamp(PACKAGES, _OF_GPU)
    if not stamp:
        return ()
    names = sorted(name for name in os.environ if name.startswith("LAZYARR_") and name != _PLACE)
    variables = [f"{name}={os.environ.get(name, '')}" for name in (*names, *_VARIABLES)]
    return (_FORMAT, stamp, sys.version, np.__version__, *describe_machine(backend), *variables)


_PLAIN = frozenset((type(None), bool, int, float, complex, str, bytes))


def _text(value: object, names: Mapping[Op, str], known: dict[int, str]) -> str:
    """Return a text of a part of a request's key, which no other value has.

    Parameters
    ----------
    value : object
        The part.
    names : mapping of Op to str
        Those of operations; scans are not among them.
    known : dict of int to str
        Texts of operations, dtypes and attributes, which come again, by the values' identities.

    Raises
    ------
    _NoTextError
        If it is of this process alone.
    """
    kind = type(value)
    if kind in _PLAIN:
        return repr(value)
    if kind is tuple and _PLAIN.issuperset(map(type, cast("tuple[object, ...]", value))):
        return f"tuple{value!r}"
    if isinstance(value, tuple):
        return f"{kind.__name__}({','.join([_text(part, names, known) for part in value])})"
    text = known.get(id(value))
    if text is None:
        text = known[id(value)] = _text_of_one(value, names, known)
    return text


def _text_of_one(value: object, names: Mapping[Op, str], known: dict[int, str]) -> str:
    """Return the text of a value that is neither plain nor a tuple; see :func:`_text`."""
    kind = type(value)
    if isinstance(value, np.dtype) and value.names is None:
        return f"<{value.str} {value.name}>"
    if isinstance(value, Op):
        name = names.get(value)
        if name is None and value.kind is Kind.SCAN:
            name = static_names(scans=True).get(value)
        if name is not None:
            return f"<{name}>"
    fields: tuple[str, ...] = getattr(kind, "__match_args__", ())
    if fields and kind.__module__.startswith("lazyarr."):
        parts = [_text(getattr(value, field), names, known) for field in fields]
        return f"{kind.__module__}.{kind.__qualname__}({','.join(parts)})"
    raise _NoTextError


def _compiled(request: Request, build: Build) -> Callable[[Bindings], CpuExecutor]:
    """Return a function from bindings to the executor of a request's plan, compiled once."""
    # Without its nodes, which would count as in use.
    bare = replace(request, bindings=Bindings([], [], []))
    form = request.signature
    executors: list[CpuExecutor] = []

    def compiled(bindings: Bindings) -> CpuExecutor:
        if not executors:
            bindings = _with_nodes(form, bindings)
            places: Any = form[-1]
            roots = tuple([bindings.order[place] for place in places])
            executor: Any = build(roots, replace(bare, bindings=bindings)).executor
            executors.append(executor)
        return executors[0]

    return compiled


def _with_nodes(form: tuple[object, ...], bindings: Bindings) -> Bindings:
    """Return bindings with the nodes of their expression, which a request that is cached lacks.

    Parameters
    ----------
    form : tuple
        The form of the expression.
    bindings : Bindings
        Its leaves and scalars, perhaps with its nodes.
    """
    if bindings.order:
        return replace(bindings, form=form)
    leaves, scalars = iter(bindings.leaves), iter(bindings.scalars)
    order: list[Node] = []
    for entry, line in zip(form[:-1], bindings.lines, strict=True):
        parts: Any = entry
        if isinstance(entry, np.dtype):
            order.append(next(scalars))
        elif isinstance(parts[0], Op):
            op, dtype, shape, attr, *places = parts
            sources = tuple([order[place] for place in places])
            order.append(unique_node(op, sources, dtype, shape, attr, line))
        else:
            order.append(next(leaves))
    return replace(bindings, order=order, form=form)


class _Meter:
    """Counts the time of a saved plan; once it is hot, its kernels are tried as those of others.

    Parameters
    ----------
    executor : RestoredExecutor
        Runs the plan.
    """

    def __init__(self, executor: RestoredExecutor) -> None:
        self._executor = executor
        self._spent = 0.0

    def ran(
        self,
        sequence: KernelSequence,
        seconds: float,
        scalars: Sequence[ScalarValue],
        bindings: Callable[[], Bindings],
    ) -> None:
        """Count a run; the meter of the compiled plan goes on with the time of all.

        Parameters
        ----------
        sequence : KernelSequence
            The launches of the plan.
        seconds : float
            That it took.
        scalars : sequence of number
            The values of its scalars.
        bindings : callable
            Returns its leaves.
        """
        self._spent += seconds
        if self._spent < tuning.current().hot_seconds:
            return
        compiled = self._executor.compiled(bindings())
        sequence.meter = None
        if compiled.by_address is not None and SavedPlan.of(compiled) == self._executor.saved:
            meter = sequence.meter = compiled.by_address.meter
            if meter is not None:
                meter.ran(sequence, self._spent, scalars, bindings)
