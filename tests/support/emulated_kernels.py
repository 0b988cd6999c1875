"""CUDA kernels compiled as C++: threads are coroutines that meet at barriers and shuffles."""

from __future__ import annotations

import ctypes
import hashlib
import mmap
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lazyarr.codegen.emit import cuda_syntax
from lazyarr.codegen.emit.cuda import SHARED
from lazyarr.core.config import Config
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cuda.kernel_cache import formats_of

TEXTS = Path(__file__).with_name("emulated_gpu_text")
#: What kernels begin with: CUDA's names.
PRELUDE = (TEXTS / "prelude.h").read_text("utf-8")
#: What runs a kernel: blocks one after another.
DRIVER = (TEXTS / "driver.cpp").read_text("utf-8")

#: Helpers whose text is C++ as it is.
PLAIN = (
    "divisor",
    "load_some",
    "philox",
    "positions_in",
    "product_tile",
    "quotient",
    "quotient_of_index",
    "remainder_of_doubles",
    "small_product",
    "store_some",
    "tile_pair",
)

#: What a kernel says whose warps meet at no barrier of the block in a different number of rounds.
ALONE = "// Warps go on alone."

#: C's own headers: half of the time went into those of C++. Not optimised: what is computed is so
#: little that it takes less time than to make it faster.
COMPILE = (
    "-std=c++17 -nostdinc++ -O0 -ffp-contract=off -fwrapv -fno-strict-aliasing "
    "-U_FORTIFY_SOURCE -w -fPIC"
).split()
#: Without the libraries of C and C++: kernels call functions of the first alone, which every
#: process has, and to read it takes a fifth of the time.
LIBRARIES = ("-lgcc",)
#: What follows a kernel among several: they have macros of their own.
UNDEFINED = "#undef run\n#undef stacks_bytes\n#undef WARPS\n"


def _kind(parameter: Parameter) -> Any:
    """Return the C type of an argument: float32 for a float16 that is no element of an array."""
    if parameter.pointer:
        return ctypes.c_void_p
    stored_dtype = np.dtype(np.float32) if parameter.dtype == np.float16 else parameter.dtype
    return np.ctypeslib.as_ctypes_type(stored_dtype)


class _Stacks(threading.local):
    """The stacks of a block's threads, for whichever kernel this thread of Python runs."""

    memory: Any = None


_stacks = _Stacks()


class EmulatedFunction:
    """A kernel compiled for this CPU."""

    def __init__(self, path: Path, source: Source) -> None:
        library = ctypes.CDLL(str(path))
        self._run = library[f"run_{path.stem}"]
        self._stacks_bytes = ctypes.c_long.in_dll(library, f"stacks_bytes_{path.stem}").value
        self.shared_bytes = source.shared_bytes
        self.formats = formats_of(source.parameters)
        self.kinds = [_kind(p) for p in source.parameters]
        self.address = 0
        self.baseline = False

    def run(self, blocks: int, threads: int, arguments: Any) -> int:
        """Run the blocks of a grid, and return 0 if their threads met as they must."""
        if _stacks.memory is None:
            pages = mmap.mmap(-1, self._stacks_bytes)  # they come when they are touched
            _stacks.memory = (ctypes.c_char * self._stacks_bytes).from_buffer(pages)
        status: int = self._run(blocks, threads, arguments, _stacks.memory)
        return status


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _compile(
    text: str, paths: Sequence[Path], options: Sequence[str], libraries: Sequence[str]
) -> None:
    """Make a file of C++, whole or not at all: other threads and processes may make it too.

    Parameters
    ----------
    text : str
        The source.
    paths : sequence of Path
        The names of the file.
    options, libraries : sequence of str
        Arguments of the compiler, before the source and after it.
    """
    if shutil.which("g++") is None:
        pytest.skip("needs g++ for the emulator")
    with tempfile.TemporaryDirectory() as folder:
        code, result = Path(folder) / "kernel.cpp", Path(folder) / "kernel.out"
        code.write_text(text)
        done = subprocess.run(
            ["g++", "-o", str(result), *options, str(code), *libraries],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{done.stderr}\n{text}"
        # Linked before they have their names: another process may make such a file of other texts.
        first, *others = unfinished = list(map(_unfinished, paths))
        first.write_bytes(result.read_bytes())
        for other in others:
            other.hardlink_to(first)
        for temporary, path in zip(unfinished, paths, strict=True):
            temporary.replace(path)


def _unfinished(path: Path) -> Path:
    """Return the name of a file of this thread's that is to become another."""
    return path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")


def _precompiled(folder: Path) -> Path:
    """Return the header that kernels begin with, which is compiled once for all of them."""
    header = folder / f"prelude-{_digest(PRELUDE)}.h"
    compiled = header.with_suffix(".h.gch")
    if not compiled.exists():
        # Nobody reads the header itself where it is there compiled.
        temporary = _unfinished(header)
        temporary.write_text(PRELUDE)
        temporary.replace(header)
        _compile(PRELUDE, [compiled], [*COMPILE, "-x", "c++-header"], ())
    return header


class EmulatedKernels:
    """What `lazyarr.runtime.cuda.kernel_cache.DeviceKernels` is.

    Parameters
    ----------
    warps : int
        As of the device.
    """

    def __init__(self, warps: int) -> None:
        self._warps = warps
        self._folder = Path(os.environ.get("LAZYARR_TEST_CACHE") or tempfile.gettempdir())
        self.functions: dict[Source, EmulatedFunction] = {}
        #: Whether kernels come in the baseline tier.
        self.tiers = False
        #: Those that were asked for in the other tier.
        self.compile_requests: list[EmulatedFunction] = []
        self._watches: list[tuple[list[EmulatedFunction], Callable[[], None]]] = []

    def compile(self, source: Source, settings: Config) -> EmulatedFunction:
        function: EmulatedFunction = self.compile_all((source,), settings)[source]
        return function

    def compile_all(self, sources: Sequence[Source], settings: Config) -> dict[Source, Any]:
        new = [source for source in dict.fromkeys(sources) if source not in self.functions]
        for source, path in zip(new, self.libraries(new), strict=True):
            function = EmulatedFunction(path, source)
            function.baseline = self.tiers
            self.functions[source] = function
        return {source: self.functions[source] for source in sources}

    def compile_beside(self, source: Source, settings: Config) -> EmulatedFunction:
        return self.compile(source, settings)

    def tier_up(self, functions: Sequence[EmulatedFunction]) -> bool:
        self.compile_requests += [
            f for f in functions if f.baseline and f not in self.compile_requests
        ]
        return True

    def when_optimized(
        self, functions: Sequence[EmulatedFunction], call: Callable[[], None]
    ) -> None:
        self._watches.append((list(functions), call))
        self.optimize(())

    def optimize(self, functions: Sequence[EmulatedFunction]) -> None:
        for function in functions:
            function.baseline = False
        pending, self._watches = self._watches, []
        for watched, call in pending:
            if any(function.baseline for function in watched):
                self._watches.append((watched, call))
            else:
                call()

    def libraries(self, sources: Sequence[Source]) -> list[Path]:
        """Return the shared library of each source.

        Those that are not there are compiled together: two thirds of the time of one go into
        starting the compiler and reading the prelude.

        Parameters
        ----------
        sources : sequence of Source
            In CUDA, each once.
        """
        texts = list(map(self._text, sources))
        paths = [self._folder / f"cuda_{_digest(PRELUDE + text)}.so" for text in texts]
        missing = {path: text for path, text in zip(paths, texts, strict=True) if not path.exists()}
        if missing:
            parts = [f'#include "{_precompiled(self._folder)}"\n']
            for path, text in missing.items():
                # Barriers are identified by their lines, the prelude's too.
                names = "".join(f"#define {n} {n}_{path.stem}\n" for n in ("run", "stacks_bytes"))
                parts.append(
                    f"{names}namespace {path.stem} {{\n#line 1000\n{text}\n}}\n{UNDEFINED}"
                )
            _compile("".join(parts), list(missing), [*COMPILE, "-shared", "-nostdlib"], LIBRARIES)
        return paths

    def _text(self, source: Source) -> str:
        """Return the program of a source: its kernel, and what runs that."""
        text = source.text.replace('extern "C" __global__', "__global__")
        for name, helper in cuda_syntax.HELPERS.items():
            if name not in PLAIN:
                text = text.replace(helper, "")
        memory = f"    alignas(128) static unsigned char shared[{source.shared_bytes}];"
        text = text.replace(SHARED, memory)
        casts = []
        for n, p in enumerate(source.parameters):
            kind = cuda_syntax.c_type(p.dtype)
            if p.pointer:
                kind = f"{cuda_syntax.memory_type(p.dtype)}*"
            casts.append(f"*({kind}*)arguments[{n}]")
        assert not re.search(r"\basm\b|#include <cu", text)
        warps = self._warps or int(ALONE in text)
        order = f"#define WARPS {warps}\n" if warps else ""
        return order + text + DRIVER.replace("CALL", ", ".join(casts))
