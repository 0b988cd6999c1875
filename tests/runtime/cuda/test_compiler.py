"""CUDA kernels on disk: what they are kept under, and when they are compiled again."""

from __future__ import annotations

import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from lazyarr.core.config import Config
from lazyarr.errors import CompileError, DeviceError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import compiler
from lazyarr.runtime.cuda.compiler import CompileCounter, machine_code, machine_codes


def source(number: float) -> Source:
    text = f'extern "C" __global__ void kernel(float* x) {{\n    x[threadIdx.x] = {number}f;\n}}\n'
    return Source("cuda", text, "kernel", ())


@pytest.mark.parametrize("error", [RuntimeError, OSError, ImportError])
def test_bindings_without_nvrtcs_library_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def load() -> None:
        raise error("libnvrtc.so.13: not found")

    bindings = SimpleNamespace(nvrtcVersion=load)
    monkeypatch.setattr(compiler.importlib, "import_module", lambda name: bindings)
    compiler._nvrtc.cache_clear()
    with pytest.raises(DeviceError, match="is not installed") as caught:
        compiler.load_nvrtc()
    assert "lazyarr[cuda]" in str(caught.value)


@pytest.fixture
def settings(tmp_path: Path) -> Config:
    try:
        compiler.warm_up("sm_90")
    except DeviceError as error:
        pytest.skip(error.message)
    tmp_path.chmod(0o700)
    return Config(cache_dir=str(tmp_path))


def test_kernels_are_compiled_again_only_if_something_about_them_is_new(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = CompileCounter()
    fast = Config(cache_dir=settings.cache_dir, numerics="fast")
    expected = [
        (source(1.0), "sm_90", settings),
        (source(2.0), "sm_90", settings),
        (source(1.0), "sm_80", settings),
        (source(1.0), "sm_90", fast),
    ]
    codes = [machine_code(*each, counter) for each in expected]
    assert (counter.compiled, counter.disk_hits) == (4, 0)
    assert [machine_code(*each, counter) for each in expected] == codes
    assert (counter.compiled, counter.disk_hits) == (4, 4)
    _, version = compiler._COMPILERS["nvrtc"]
    newer = (compiler._by_nvrtc, lambda: version() + " and a half")
    monkeypatch.setitem(compiler._COMPILERS, "nvrtc", newer)
    machine_code(*expected[0], counter)
    assert (counter.compiled, counter.disk_hits) == (5, 4)


def test_several_are_compiled_side_by_side_and_come_in_order(settings: Config) -> None:
    counter = CompileCounter()
    sources = [source(float(k)) for k in range(5)]
    codes = machine_codes(sources, "sm_90", settings, counter)
    assert counter.compiled == 5
    assert codes == [machine_code(each, "sm_90", settings, counter) for each in sources]
    assert counter.disk_hits == 5


def test_a_counter_knows_for_how_long_nothing_was_compiled(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = SimpleNamespace(now=10.0, perf_counter=time.perf_counter)
    clock.monotonic = lambda: clock.now
    monkeypatch.setattr(compiler, "time", clock)
    counter = CompileCounter()
    seen: list[float] = []
    compiled_by, version = compiler._COMPILERS["nvrtc"]

    def compiled(source: Source, options: Sequence[str]) -> bytes:
        seen.append(counter.resting())
        return compiled_by(source, options)

    monkeypatch.setitem(compiler._COMPILERS, "nvrtc", (compiled, version))
    clock.now = 12.0
    assert counter.resting() == 2.0
    machine_codes([source(1.0), source(2.0)], "sm_90", settings, counter)
    assert seen == [0.0, 0.0]
    assert counter.resting() == 0.0
    clock.now = 12.5
    assert counter.resting() == 0.5
    with pytest.raises(CompileError):
        machine_codes([Source("cuda", "int kernel() {", "kernel", ())], "sm_90", settings, counter)
    clock.now = 13.0
    assert counter.resting() == 0.5


_FAULTS = """
import resource, sys
from lazyarr.runtime.cuda.compiler import compile_cubin, compile_options, keep_freed_memory
from lazyarr.loop_ir.source import Source

def faults(size):
    text = 'extern "C" __global__ void kernel(double* x) { x[threadIdx.x] *= %d; }' % size
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    compile_cubin(Source("cuda", text, "kernel", ()), compile_options("sm_90", "strict"))
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

faults(1)
without = [faults(size) for size in range(2, 5)]
keep_freed_memory()
faults(5)
print(min(without), max(faults(size) for size in range(6, 9)))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="what glibc's malloc does")
def test_memory_of_one_compile_serves_the_next_one(settings: Config) -> None:
    run = subprocess.run(
        [sys.executable, "-c", _FAULTS], capture_output=True, text=True, check=True
    )
    without, kept = map(int, run.stdout.split())
    assert without > 500 > kept
