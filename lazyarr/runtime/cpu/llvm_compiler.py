"""From the LLVM IR of a kernel to an object file, through llvmlite alone."""

from __future__ import annotations

import ctypes
import re
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

import llvmlite.binding as llvm
from llvmlite.binding import ffi

from lazyarr.loop_ir.source import External, Source
from lazyarr.runtime.cpu import llvm_externals
from lazyarr.runtime.cpu.calling_convention import packed_entry
from lazyarr.runtime.cpu.llvm_definitions import baseline_definitions, definitions
from lazyarr.runtime.cpu.llvm_vector_functions import KEEPER

__all__ = ["assembly", "compile_llvm", "compile_quickly", "complete", "leaves_lanes"]

#: Of every kernel: it ends, it raises nothing, and its vectors fill the widest registers. LLVM
#: would use half of an AVX512 register on some processors, which halves what libmvec does a call.
ATTRIBUTES = 'attributes #0 = { nounwind mustprogress willreturn "prefer-vector-width"="512" }\n'

_QUOTIENT = re.compile(r" = fdiv (?:float|double) ")
_VECTOR_QUOTIENT = re.compile(r"\n  (%\S+) = fdiv <(\d+) x (float|double)> \S+, ([^\n]+)")
_INSERTED = re.compile(r"\n  (%\S+) = insertelement <[^>]*> ([^,\n]+), [^,\n]+, i64 (\d+)")
_SHUFFLED = re.compile(r"\n  (%\S+) = shufflevector [^\n]*, (<[^>]*> [^\n]*)")
_BLENDED = re.compile(r" = shufflevector <[^>]*> (%[^,\n]+), <[^>]*> (%[^,\n]+), ")


def complete(source: Source, *, shares: bool = False) -> str:
    """Return a module: the source's text with all that it refers to.

    Parameters
    ----------
    source : Source
        The source.
    shares : bool
        Whether functions of the mathematics library are in a module of their own.
    """
    entry = packed_entry(source, source.entry, declared=False)
    define = baseline_definitions if shares else definitions
    parts = [source.text, entry, ATTRIBUTES, define(source.intrinsics)]
    return "\n".join([*parts, *map(llvm_externals.declarations, source.externals)])


def compile_llvm(source: Source, *, baseline: bool = False) -> bytes:
    """Return the object code of a source in the language "llvm".

    Parameters
    ----------
    source : Source
        What to compile.
    baseline : bool
        Whether to compile it quickly: calls are inlined, and nothing is optimised. It has the same
        bits then if :func:`lazyarr.runtime.cpu.baseline_tier.may_be_baseline`. Its code is for this
        process, as it calls functions of :mod:`lazyarr.runtime.cpu.shared_functions`.
    """
    if baseline:
        return compile_quickly(complete(source, shares=True), source.externals)
    level = 0 if source.baseline else 3
    with _borrowed_machine(level) as machine, _optimized(source, machine, level) as module:
        return _emitted(module, machine)


def compile_quickly(text: str, externals: Sequence[External] = ()) -> bytes:
    """Return the object code of a module at the baseline tier.

    Parameters
    ----------
    text : str
        LLVM IR.
    externals : sequence of External
        Functions that it calls and that are inlined.
    """
    with _borrowed_machine(0) as machine, _parsed(text, externals, machine) as module:
        _optimize(module, machine, 0, beside=True)
        return _emitted(module, machine)


def _emitted(module: Any, machine: Any) -> bytes:
    with ffi.OutputString() as message:
        buffer = _unlocked("LLVMPY_TargetMachineEmitToMemory")(machine, module, 1, message)
        if not buffer:
            raise RuntimeError(str(message))
    try:
        start, size = ffi.lib.LLVMPY_GetBufferStart(buffer), ffi.lib.LLVMPY_GetBufferSize(buffer)
        return ctypes.string_at(start, size)
    finally:
        ffi.lib.LLVMPY_DisposeMemoryBuffer(buffer)


def _unlocked(name: str) -> Any:
    """Return a function of llvmlite's library without the lock that is around all of them.

    With it only one kernel at a time could be compiled. LLVM itself needs no lock as long as each
    thread has a context, a module and a target machine of its own.
    """
    function = getattr(ffi.lib, name)
    return getattr(function, "_cfn", function)


def assembly(source: Source) -> str:
    """Return the assembly text of a kernel, for a reader."""
    with _borrowed_machine(3) as machine, _optimized(source, machine, 3) as module:
        text: str = machine.emit_assembly(module)
    return text


#: Target machines that nobody uses now, by level. A new one costs a millisecond before its first
#: kernel: it finds out about its processor anew. Each is used by one thread at a time.
_machines: defaultdict[int, deque[Any]] = defaultdict(deque)


@contextmanager
def _borrowed_machine(level: int) -> Iterator[Any]:
    try:
        machine = _machines[level].pop()
    except IndexError:
        machine = _new_machine(level)
    yield machine
    # Not after an error, in whatever state that left it.
    _machines[level].append(machine)


def _new_machine(level: int) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=level,
        codemodel="jitdefault",
    )


@contextmanager
def _optimized(source: Source, machine: Any, level: int) -> Iterator[Any]:
    """Yield the optimised module of a source; it and its context are gone afterwards."""
    text = complete(source)
    with _parsed(text, source.externals, machine) as module:
        if source.optimize:
            _optimize(module, machine, level, beside=True)
        is_suspect = source.optimize and level > 0 and _QUOTIENT.search(source.text)
        if not (is_suspect and leaves_lanes(str(module))):
            yield module
            return
    with _parsed(text, source.externals, machine) as module:
        _optimize(module, machine, level, beside=False)
        yield module


@contextmanager
def _parsed(text: str, externals: Sequence[External], machine: Any) -> Iterator[Any]:
    """Yield the module of a text; it and its context are gone afterwards.

    They are closed here and in this order: the garbage collector, which finds them together in
    the cycle of an error's traceback, may end a context before its modules, and with it the
    process.
    """
    with closing(llvm.create_context()) as context:
        with closing(llvm.parse_assembly(text, context)) as module:
            for function in externals:
                # Gone once all calls are inlined.
                with closing(llvm_externals.definition(function, "linkonce_odr", context)) as other:
                    module.link_in(other)
            module.triple = machine.triple
            module.data_layout = str(machine.target_data)
            module.verify()
            yield module


def leaves_lanes(text: str) -> bool:
    """Return whether a module divides what else lies in a register of which it uses some lanes.

    LLVM computes quotients side by side although not all lanes of a divisor are defined, two of
    float32 in a register of four, and a sum beside a quotient as two of each. A lane that is zero
    sets a flag for nothing, in every run. A divisor that all lanes share leaves none over.

    Parameters
    ----------
    text : str
        The module after LLVM's passes.
    """
    inserted = {name: (base, int(lane)) for name, base, lane in _INSERTED.findall(text)}
    shuffled = dict(_SHUFFLED.findall(text))
    blended = {name for names in _BLENDED.findall(text) for name in names}
    for quotient, width, dtype, divisor in _VECTOR_QUOTIENT.findall(text):
        lanes: set[int] = set()
        base = divisor
        while base in inserted:
            base, lane = inserted[base]
            lanes.add(lane)
        mask = shuffled.get(base, base)
        is_shared = not lanes and ("splat" in mask or mask.endswith("zeroinitializer"))
        is_narrow = dtype == "float" and int(width) == 2  # of the four lanes of a register
        is_partial = "poison" in mask and len(lanes) < int(width)
        if is_partial or (is_narrow and not is_shared) or quotient in blended:
            return True
    return False


def _optimize(module: Any, machine: Any, level: int, *, beside: bool) -> None:
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    for name in ("loop_vectorization", "loop_interleaving", "loop_unrolling"):
        setattr(options, name, level > 0)
    options.slp_vectorization = beside and level > 0
    with closing(llvm.create_pass_builder(machine, options)) as builder:
        if level:
            _run_passes(builder.getModulePassManager(), module, builder)
        unused = any(variable.name == KEEPER for variable in module.global_variables)
        if unused:
            # Vector forms that the vectoriser did not ask for would be a quarter of what follows.
            keeper = module.get_global_variable(KEEPER)
            keeper.name, keeper.linkage = "unused", "internal"
        if unused or not level:
            cleanup = llvm.create_new_module_pass_manager()
            # The forms that the vectoriser put into loops, which no call is to interrupt.
            cleanup.add_always_inliner_pass()
            cleanup.add_global_dead_code_eliminate_pass()
            _run_passes(cleanup, module, builder)


def _run_passes(manager: Any, module: Any, builder: Any) -> None:
    """Run a pass manager, and end it: llvmlite's own class forgets to, at 80 kB a kernel."""
    try:
        _unlocked("LLVMPY_RunNewModulePassManager")(manager, module, builder)
    finally:
        ffi.lib.LLVMPY_DisposeNewModulePassManger(manager)
        manager.detach()
