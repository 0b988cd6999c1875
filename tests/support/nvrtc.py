"""What NVRTC takes for a kernel, whatever else the machine is doing."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from functools import cache
from zlib import crc32

from lazyarr.errors import CompileError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.compiler import compile_cubin, compile_options, keep_freed_memory

__all__ = [
    "ARCHITECTURES",
    "LIMIT",
    "architectures_of",
    "compile_seconds",
    "compile_together",
    "refusals",
    "slow_kernels",
]

#: Architectures that kernels are compiled for: the least that all helpers are for, and a later one.
ARCHITECTURES = ("sm_80", "sm_90")
#: What depends on the architecture in a text.
_OF_ARCHITECTURES = re.compile(r"\basm\b|__CUDA_ARCH__|__nv_|_sync\b|atomic")
#: Seconds that no kernel may take.
LIMIT = 0.5
#: What NVRTC takes for next to nothing on a machine that nobody else keeps busy.
_NOTHING = 0.016
#: Measurements of next to nothing before one of a kernel, and behind it: about as long as that.
_BESIDE = 8
#: Sources of one program: NVRTC takes as long for an empty program as for a short kernel.
_TOGETHER = 12
#: Texts that NVRTC has compiled, and its options: kernels of several expressions share one.
_accepted: set[tuple[str, tuple[str, ...]]] = set()
#: Texts that it has compiled in less than `LIMIT`, and the architecture.
_quick: set[tuple[str, str]] = set()


def architectures_of(source: Source) -> tuple[str, ...]:
    """Return the architectures to compile a text for: either of them if it names nothing of theirs.

    Parameters
    ----------
    source : Source
        In CUDA.
    """
    if _OF_ARCHITECTURES.search(source.text):
        return ARCHITECTURES
    return (ARCHITECTURES[crc32(source.text.encode()) % len(ARCHITECTURES)],)


@cache
def _prepare() -> None:
    """Let malloc keep what NVRTC frees, as a program with a GPU does: a seventh of its time."""
    keep_freed_memory()


def compile_seconds(source: Source, architecture: str = "sm_90") -> float:
    """Return NVRTC's time for a kernel, corrected for a machine that is busy or slow."""

    _prepare()

    def measured(text: Source) -> float:
        begun = time.thread_time()
        code = compile_cubin(text, compile_options(architecture, "strict"))
        assert code.startswith(b"\x7fELF")
        return time.thread_time() - begun

    result = measured(source)
    if result < LIMIT:
        return result
    nothing = Source("cuda", 'extern "C" __global__ void kernel() {}', "kernel", ())
    corrected = []
    for _ in range(5):  # what shares the core may slow one measurement and not those beside it
        beside = [measured(nothing) for _ in range(_BESIDE)]
        result = measured(source)
        beside += [measured(nothing) for _ in range(_BESIDE)]
        corrected.append(result / max(sum(beside) / len(beside) / _NOTHING, 1.0))
        if corrected[-1] < LIMIT:
            break
    return min(corrected)


def compile_together(sources: Sequence[Source], options: Sequence[str]) -> float:
    """Compile several kernels as one program, each text in a namespace of its own.

    Parameters
    ----------
    sources : sequence of Source
        At least one, in CUDA.
    options : sequence of str
        Of the compiler.

    Returns
    -------
    float
        CPU time in seconds: no kernel alone would take more.

    Raises
    ------
    CompileError
        If NVRTC refuses the program.
    """
    _prepare()
    parts = []
    for k, source in enumerate(sources):
        assert "#include" not in source.text and "#define" not in source.text
        text, count = re.subn(rf"\b{source.entry}\(", f"{source.entry}_{k}(", source.text)
        assert count == 1, source.text
        parts.append(f"namespace case_{k} {{\n{text}\n}}\n")
    program = Source("cuda", "".join(parts), f"{sources[0].entry}_0", ())
    begun = time.thread_time()
    code = compile_cubin(program, options)
    seconds = time.thread_time() - begun
    assert code.startswith(b"\x7fELF")
    for k, source in enumerate(sources):
        assert f".text.{source.entry}_{k}".encode() in code
    return seconds


def slow_kernels(sources: Sequence[Source], architecture: str) -> list[Source]:
    """Return the sources that alone take NVRTC as long as `LIMIT`, or longer.

    Raises
    ------
    CompileError
        If NVRTC refuses a source.
    """
    unique = {s.text: s for s in sources if (s.text, architecture) not in _quick}
    slow = []
    for group in _groups(list(unique.values())):
        try:
            seconds = compile_together(group, compile_options(architecture, "strict"))
        except CompileError:
            seconds = LIMIT  # each alone shows which
        if seconds >= LIMIT:
            slow += [s for s in group if compile_seconds(s, architecture) >= LIMIT]
    _quick.update((text, architecture) for text in unique if unique[text] not in slow)
    return slow


def refusals(sources: Sequence[Source], options: Sequence[str]) -> dict[Source, CompileError]:
    """Return the messages of NVRTC on the sources that it refuses.

    Parameters
    ----------
    sources : sequence of Source
        In CUDA.
    options : sequence of str
        Of the compiler.
    """
    refused = {}
    new = [s for s in sources if (s.text, tuple(options)) not in _accepted]
    for group in _groups(new):
        try:
            compile_together(group, options)
        except CompileError:
            for source in group:
                try:
                    assert compile_cubin(source, options).startswith(b"\x7fELF")
                except CompileError as error:
                    refused[source] = error
    _accepted.update((s.text, tuple(options)) for s in new if s not in refused)
    return refused


def _groups(sources: Sequence[Source]) -> list[Sequence[Source]]:
    return [sources[k : k + _TOGETHER] for k in range(0, len(sources), _TOGETHER)]
