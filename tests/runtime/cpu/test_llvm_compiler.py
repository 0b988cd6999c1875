"""Sources in LLVM IR: compiled side by side, kept on disk, and loaded without the compiler."""

from __future__ import annotations

import ctypes
import itertools
import os
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest import mock

import hypothesis
import llvmlite.binding as llvm
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lazyarr as la
from lazyarr.core.config import Config
from lazyarr.errors import CompileError
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.loop_ir.intrinsics import intrinsic_name
from lazyarr.loop_ir.primitives import PRIMITIVES
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.compiler import compile_sources
from lazyarr.runtime.cpu.function import Function
from lazyarr.runtime.cpu.llvm_compiler import leaves_lanes
from lazyarr.runtime.cpu.llvm_definitions import definitions
from lazyarr.runtime.host_memory_pool import address_of

FLOAT64 = np.dtype(np.float64)
ROOT = Path(__file__).parents[3]


@pytest.fixture
def settings(tmp_path: Path) -> Config:
    compiler.forget()
    return Config(cache_dir=str(tmp_path), threads=4)


def fill(value: float, function: str = "exp_f64") -> Source:
    """Return a source that stores a function of a number."""
    text = (
        "define void @kernel(i64 %begin, i64 %end, ptr noalias %out) #0 {\n"
        f"  %v = call double @{function}(double {float(value)})\n"
        "  %at = getelementptr inbounds double, ptr %out, i64 %begin\n"
        "  store double %v, ptr %at, align 8\n"
        "  ret void\n"
        "}\n"
    )
    return Source("llvm", text, "kernel", (Parameter("out", FLOAT64, True),), ("exp_f64",))


def value(function: Function) -> float:
    out = np.zeros(1)
    function(0, 1, address_of(out))
    return float(out[0])


def test_several_at_a_time(settings: Config) -> None:
    sources = [fill(k) for k in range(12)]
    before = compiler.info()
    functions = compile_sources([*sources, sources[3]], settings)
    np.testing.assert_allclose([value(f) for f in functions[:12]], np.exp(range(12)), rtol=1e-15)
    assert functions[12] is functions[3]
    assert compiler.info().compiled == before.compiled + 12
    assert compile_sources(sources[::-1], settings) == functions[11::-1]
    assert compiler.info().memory_hits == before.memory_hits + 12
    compiler.forget()
    again = compile_sources([fill(20), *sources], settings)
    assert compiler.info().disk_hits == before.disk_hits + 12
    assert compiler.info().compiled == before.compiled + 13
    assert [value(f) for f in again[1:]] == [value(f) for f in functions[:12]]


@pytest.mark.parametrize(
    "stage", ["LLVMPY_RunNewModulePassManager", "LLVMPY_TargetMachineEmitToMemory"]
)
def test_llvm_works_on_two_kernels_at_once(
    stage: str, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    from llvmlite.binding import ffi

    # ctypes releases the GIL for the functions of such a library, and only of such a one.
    function = getattr(ffi.lib, stage)._cfn
    assert isinstance(ffi.lib._lib, ctypes.CDLL) and not isinstance(ffi.lib._lib, ctypes.PyDLL)
    assert not function._flags_ & ctypes._FUNCFLAG_PYTHONAPI
    # Each waits where LLVM is called until the other is there too: with llvmlite's lock around
    # the call, or with one kernel after the other, nobody else would come.
    meeting = threading.Barrier(2, timeout=300)
    arrivals = itertools.count()
    met: list[int] = []

    def together(*arguments: object) -> object:
        if next(arrivals) < 2:
            met.append(meeting.wait())
        return function(*arguments)

    monkeypatch.setattr(getattr(ffi.lib, stage), "_cfn", together)
    functions = compile_sources([fill(1), fill(2)], settings)
    assert sorted(met) == [0, 1]
    assert [value(f) for f in functions] == pytest.approx([np.e, np.e**2])


def test_many_callers_at_a_time(settings: Config) -> None:
    results: list[list[Function]] = []
    barrier = threading.Barrier(5)
    before = compiler.info().compiled

    def ask(first: int) -> None:
        barrier.wait()
        results.append(compile_sources([fill(k / 8) for k in range(first, first + 4)], settings))

    callers = [threading.Thread(target=ask, args=(k,)) for k in range(5)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert compiler.info().compiled == before + 8
    assert len({function for functions in results for function in functions}) == 8


def test_threads_print_their_first_strings_at_once(tmp_path: Path) -> None:
    # llvmlite fills its table of escapes with the first string, and takes no lock.
    code = (
        "import time\n"
        "from dataclasses import replace\n"
        "import numpy as np\n"
        "from numpy import dtype\n"
        "from llvmlite import ir\n"
        "from lazyarr.core.config import Config\n"
        "from lazyarr.runtime.cpu import compiler\n"
        "from lazyarr.loop_ir.source import Parameter, Source\n"
        "class Slow(dict):\n"
        "    def __setitem__(self, key, value):\n"
        "        time.sleep(1e-3)\n"
        "        super().__setitem__(key, value)\n"
        "ir.values._escape_string.__defaults__ = (Slow(),)\n"
        f"source = {fill(1)!r}\n"
        "flags = (*source.intrinsics, 'watch_begin', 'watch_end')\n"
        "texts = [source.text.replace('1.0', f'{k}.0') for k in range(4)]\n"
        "sources = [replace(source, text=text, intrinsics=flags) for text in texts]\n"
        f"compiler.compile_sources(sources, Config(cache_dir={str(tmp_path)!r}, threads=4))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr


def test_helpers_need_no_lock_that_an_interrupted_import_keeps(tmp_path: Path) -> None:
    code = (
        "import _imp\n"
        "import numpy as np\n"
        "from numpy import dtype\n"
        "from lazyarr.core.config import Config\n"
        "from lazyarr.runtime.cpu import compiler\n"
        "from lazyarr.loop_ir.source import Parameter, Source\n"
        "_imp.acquire_lock()\n"
        f"sources = {[fill(k) for k in range(4)]!r}\n"
        f"compiler.compile_sources(sources, Config(cache_dir={str(tmp_path)!r}, threads=4))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=200)
    assert not done.returncode, done.stderr


def test_one_refusal_among_several(settings: Config) -> None:
    sources = [fill(1), fill(2, "nothing"), fill(3)]
    with pytest.raises(CompileError, match="nothing"):
        compile_sources(sources, settings)
    assert value(compile_sources((fill(1),), settings)[0]) == pytest.approx(np.e)


def test_a_warm_process_loads_what_a_cold_one_compiled(settings: Config) -> None:
    assert value(compile_sources((fill(1),), settings)[0]) == pytest.approx(np.e)
    code = (
        "import sys\n"
        "import numpy as np\n"
        "from numpy import dtype\n"
        "from lazyarr.core.config import Config\n"
        "from lazyarr.runtime.cpu import compiler as cpu\n"
        "from lazyarr.loop_ir.source import Parameter, Source\n"
        f"function = cpu.compile_sources(({fill(1)!r},), {settings!r})[0]\n"
        "out = np.zeros(1)\n"
        "function(0, 1, out.ctypes.data)\n"
        "print(round(out[0], 3), cpu.info().disk_hits)\n"
        "print({'numba', 'lazyarr.runtime.cpu.llvm_compiler'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["2.718", "1", "set()"], done.stderr


#: Prints the bytes by which a process grows that compiles 300 kernels, after its first ten.
GROWTH = """
import mmap
from pathlib import Path

from lazyarr.runtime.cpu.llvm_compiler import compile_llvm
from tests.runtime.cpu.test_llvm_compiler import fill


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE


for _ in range(100):  # the heap has grown to what one takes
    compile_llvm(fill(1.0))
before = resident()
for _ in range(300):
    compile_llvm(fill(1.0))
print(resident() - before)
"""


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs Linux")
def test_what_llvm_compiles_with_is_given_back() -> None:
    # In a process of its own: the pages of this one hold whatever ran before.
    done = subprocess.run(
        [sys.executable, "-c", GROWTH], capture_output=True, text=True, check=True, cwd=ROOT
    )
    # 3 kB a kernel; a pass manager that nobody ends has 80, the text's module 50.
    assert int(done.stdout) < 2 << 20


@pytest.mark.parametrize("text", ["define void @kernel(", "declare void @other()\n"])
def test_errors_may_be_kept_in_cycles(text: str) -> None:
    """The garbage collector ends what the traceback holds in any order."""
    program = f"""
import gc
from lazyarr.core.config import Config
from lazyarr.errors import CompileError
from lazyarr.execution.fp_errors.status import Reports
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu.compiler import compile_sources
for k in range(20):
    try:
        source = Source("llvm", {text!r} + " " * k, "kernel", ())
        compile_sources((source,), Config(cache_dir="off"))
    except CompileError as error:
        error.cycle = error
    gc.collect()
print("alive")
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stdout) == (0, "alive\n"), done.stderr


@pytest.mark.skipif(not hasattr(os, "kill"), reason="needs signals")
def test_an_interrupt_while_compiling_is_an_exception() -> None:
    program = """
import gc, os, random, signal, threading, time
import numpy as np
import lazyarr as la

caught, armed, done = 0, False, threading.Event()

def interrupted(number, frame):
    global armed
    if armed:  # else it comes late
        armed = False
        raise KeyboardInterrupt

def interrupt():
    while not done.is_set():
        time.sleep(random.uniform(0.001, 0.03))
        if armed:
            os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, interrupted)
thread = threading.Thread(target=interrupt)
x = np.arange(1.0, 6.0)
with la.config(cache_dir="off"):
    la.evaluate(la.asarray(x) + 0.75)
    thread.start()
    for k in range(60):
        value = la.asarray(x)
        for bit in range(6):
            value = value * 1.5 if k >> bit & 1 else la.sqrt(value)
        try:
            try:
                armed = True
                la.evaluate(value + 0.25)
            finally:
                armed = False
        except KeyboardInterrupt as error:
            caught += 1
            error.cycle = error
        gc.collect()
done.set()
thread.join()
np.testing.assert_array_equal(la.evaluate(la.asarray(x) + 0.25), x + 0.25)
print("alive", caught > 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "alive True\n"


def test_supports_are_compiled_beside_kernels_and_once(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = []
    compile_one = compiler._compile

    def count(source: Source, key: str, baseline: bool = False) -> Any:
        compiled.append(source)
        return compile_one(source, key, baseline)

    monkeypatch.setattr(compiler, "_compile", count)
    support = fill(9.0)
    before = compiler.info()
    functions = compile_sources((fill(1.0), fill(2.0)), settings, supports=(support,))
    assert len(functions) == 2
    assert set(compiled) == {fill(1.0), fill(2.0), support}
    assert compiler.info().compiled - before.compiled == 2
    out = np.zeros(1)
    compiler.load_support(support, settings)(0, 1, address_of(out))
    np.testing.assert_allclose(out, np.exp(9.0))
    compiler.forget()
    # On disk by now, and not compiled again, with whatever it is asked for.
    compile_sources((fill(3.0),), settings, supports=(support,))
    compiler.load_support(support, settings)
    assert compiled.count(support) == 1
    # Nor without a cache, for a thread that waited, or a process that was forked.
    compile_sources((fill(4.0),), Config(cache_dir="off"), supports=(support,))
    assert compiled.count(support) == 1


def test_definitions_of_all_intrinsics_agree_on_what_they_share() -> None:
    floats = [np.dtype(code) for code in "fd"]
    names = [
        intrinsic_name(row.name, dtype, None)
        for row in PRIMITIVES.values()
        if row.math
        for dtype in floats
    ]
    text = definitions([*names, "watch_begin", "watch_end"])
    with closing(llvm.parse_assembly(text)) as module:
        module.verify()
        defined = {function.name for function in module.functions if not function.is_declaration}
    assert defined.issuperset(names)
    assert definitions(names[:3]) == definitions(names[:3])


@pytest.mark.parametrize("lanes", [2, 32])
def test_bits_of_vectors_are_read_as_other_vectors(lanes: int) -> None:
    name = f"bitcast_u32_f32_x{lanes}"
    text = definitions((name,))
    assert f"<{lanes} x float> @" in text.replace('"', "")
    with closing(llvm.parse_assembly(text)) as module:
        module.verify()


QUOTIENTS = {
    "one lane of two": (
        "double",
        2,
        "%a = insertelement <2 x double> poison, double %x, i64 0",
        True,
    ),
    "both": (
        "double",
        2,
        """%b = insertelement <2 x double> poison, double %x, i64 0
  %a = insertelement <2 x double> %b, double %y, i64 1""",
        False,
    ),
    "shared": (
        "double",
        2,
        "%a = shufflevector <2 x double> %b, <2 x double> poison, <2 x i32> zeroinitializer",
        False,
    ),
    "half of a mask": (
        "double",
        2,
        "%a = shufflevector <2 x double> %b, <2 x double> %c, <2 x i32> <i32 1, i32 poison>",
        True,
    ),
    "half of a register": ("float", 2, "%a = load <2 x float>, ptr %p, align 4", True),
    "half of a register, shared": (
        "float",
        2,
        "%a = shufflevector <2 x float> %b, <2 x float> poison, <2 x i32> zeroinitializer",
        False,
    ),
    "beside a sum": (
        "double",
        2,
        """%a = load <2 x double>, ptr %p, align 8
  %s = fadd <2 x double> %n, %a
  %r = shufflevector <2 x double> %q, <2 x double> %s, <2 x i32> <i32 0, i32 3>""",
        True,
    ),
    "a register": ("float", 4, "%a = load <4 x float>, ptr %p, align 4", False),
}


@pytest.mark.parametrize("name", QUOTIENTS)
def test_divisors_whose_lanes_are_not_all_defined(name: str) -> None:
    dtype, width, divisor, expected = QUOTIENTS[name]
    text = f"\n  {divisor}\n  %q = fdiv <{width} x {dtype}> %n, %a\n"
    assert leaves_lanes(text) == expected


@pytest.mark.optimized
@hypothesis.settings(max_examples=25, deadline=None)
@given(
    st.integers(2, 8),
    st.sampled_from([1, 3, 10]),
    st.sampled_from(["f4", "f8"]),
    st.sampled_from(
        ["means", "means of differences", "means of other differences", "reciprocals", "ratios"]
    ),
)
def test_quotients_side_by_side_set_no_flags(count: int, n: int, dtype: str, form: str) -> None:
    def total(*arrays: Any) -> Any:
        value = 0.0
        for x, y in zip(arrays, (*arrays[1:], arrays[0]), strict=True):
            if form == "means":
                value = value + (x * x).mean()
            elif form == "means of differences":
                value = value + ((x - y) ** 2).mean()
            elif form == "means of other differences":
                value = value + ((x[:, :1] - y[:, 1:]) ** 2).mean()
            elif form == "reciprocals":
                value = value + 1 / (x * x).sum()
            else:
                value = value + x.sum() / (x * y).sum()
        return value / count

    random = np.random.default_rng(count)
    arrays = [random.random((n, 2)).astype(dtype) + 1 for _ in range(count)]
    function = la.jit(total)
    with mock.patch.object(Reports, "follow", side_effect=AssertionError("a flag was set")):
        for _ in range(3):
            np.testing.assert_allclose(function(*arrays), total(*arrays), rtol=1e-5)
