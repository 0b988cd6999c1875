"""CUDA kernels on disk: what they are kept under, and when they are compiled again."""

from __future__ import annotations

from pathlib import Path

import pytest

from lazyarr.config import Config
from lazyarr.errors import DeviceError
from lazyarr.runtime import cuda_compiler
from lazyarr.runtime.cuda_compiler import CompileCounter, machine_code, machine_codes
from lazyarr.runtime.source import Source


def source(number: float) -> Source:
    text = f'extern "C" __global__ void kernel(float* x) {{\n    x[threadIdx.x] = {number}f;\n}}\n'
    return Source("cuda", text, "kernel", ())


@pytest.fixture
def settings(tmp_path: Path) -> Config:
    try:
        cuda_compiler.warm_up("sm_90")
    except DeviceError as error:
        pytest.skip(error.message)
    tmp_path.chmod(0o700)
    return Config(cache_dir=str(tmp_path))


def test_kernels_are_compiled_again_only_if_something_about_them_is_new(
    settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = CompileCounter()
    fast = Config(cache_dir=settings.cache_dir, numerics="fast")
    wanted = [
        (source(1.0), "sm_90", settings),
        (source(2.0), "sm_90", settings),
        (source(1.0), "sm_80", settings),
        (source(1.0), "sm_90", fast),
    ]
    codes = [machine_code(*each, counter) for each in wanted]
    assert (counter.compiled, counter.disk_hits) == (4, 0)
    assert [machine_code(*each, counter) for each in wanted] == codes
    assert (counter.compiled, counter.disk_hits) == (4, 4)
    _, version = cuda_compiler._COMPILERS["nvrtc"]
    newer = (cuda_compiler._by_nvrtc, lambda: version() + " and a half")
    monkeypatch.setitem(cuda_compiler._COMPILERS, "nvrtc", newer)
    machine_code(*wanted[0], counter)
    assert (counter.compiled, counter.disk_hits) == (5, 4)


def test_several_are_compiled_side_by_side_and_come_in_order(settings: Config) -> None:
    counter = CompileCounter()
    sources = [source(float(k)) for k in range(5)]
    codes = machine_codes(sources, "sm_90", settings, counter)
    assert counter.compiled == 5
    assert codes == [machine_code(each, "sm_90", settings, counter) for each in sources]
    assert counter.disk_hits == 5
