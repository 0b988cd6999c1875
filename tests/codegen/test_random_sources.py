"""Sources of kernels that draw random numbers."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import lazyarr as la
from lazyarr import pipeline
from lazyarr.config import config
from lazyarr.errors import DeviceError
from lazyarr.runtime.cuda_compiler import compile_cubin, compile_options
from lazyarr.runtime.source import Source
from tests.support.device_sources import cuda_sources
from tests.support.random_draws import DRAWS, Draw

Expression = Callable[[la.random.Generator], la.LazyArray]


def _cuda_sources(expression: Expression, seed: int = 0) -> list[Source]:
    lazy = expression(la.random.default_rng(seed))
    return cuda_sources((lazy,))


@pytest.fixture(scope="session")
def nvrtc() -> None:
    try:
        compile_cubin(Source("cuda", "", "kernel", ()), compile_options("sm_90", "strict"))
    except DeviceError as error:
        pytest.skip(error.message)


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("draw", DRAWS, ids=str)
def test_nvrtc_compiles(draw: Draw) -> None:
    for source in _cuda_sources(draw.function):
        for architecture in ("sm_80", "sm_90"):
            code = compile_cubin(source, compile_options(architecture, "strict"))
            assert code.startswith(b"\x7fELF")


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_seeds_and_numbers_of_draws_are_arguments(device: str) -> None:
    def texts(seed: int, before: int) -> list[str]:
        rng = la.random.default_rng(seed)
        for _ in range(before):
            rng.random()
        lazy = rng.normal(3.25, 2.25, (64, 96))
        with config(device=device):
            return [kernel.source for kernel in pipeline.analyse((lazy._node,)).kernels]

    assert texts(0, 0) == texts(1, 0) == texts(0, 5)


def _ptx(text: str) -> str:
    nvrtc = pytest.importorskip("cuda.bindings.nvrtc")
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], [])
    nvrtc.nvrtcCompileProgram(program, 2, [b"--gpu-architecture=compute_90", b"--fmad=false"])
    _, size = nvrtc.nvrtcGetPTXSize(program)
    found = b" " * size
    nvrtc.nvrtcGetPTX(program, found)
    nvrtc.nvrtcDestroyProgram(program)
    return found.decode()


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize(
    "expression",
    [
        lambda rng: rng.random(1 << 20),
        lambda rng: rng.random(1 << 20, dtype=np.float32),
        lambda rng: rng.random((256, 512)) + la.arange(256.0)[:, None],
        lambda rng: rng.random((256, 512), dtype="f4") + la.arange(256)[:, None].astype("f4"),
    ],
    ids=["float64", "float32", "grid-float64", "grid-float32"],
)
def test_neighbours_share_a_block(expression: Expression) -> None:
    """Two float64, or four float32, of one thread come from one Philox of 20 products."""
    products = re.findall(r"mul\.(?:wide\.u32|lo\.s64)", _ptx(_cuda_sources(expression)[0].text))
    assert 18 <= len(products) <= 30
