"""Sources of kernels that draw random numbers."""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compiler import compilation
from lazyarr.core.config import config
from lazyarr.errors import DeviceError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.compiler import compile_cubin, compile_options
from tests.support.device_sources import cuda_sources
from tests.support.nvrtc import ARCHITECTURES, refusals
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
    for architecture in ARCHITECTURES:
        options = compile_options(architecture, "strict")
        assert refusals(_cuda_sources(draw.function), options) == {}


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_seeds_and_numbers_of_draws_are_arguments(device: str) -> None:
    def texts(seed: int, before: int) -> list[str]:
        rng = la.random.default_rng(seed)
        for _ in range(before):
            rng.random()
        lazy = rng.normal(3.25, 2.25, (64, 96))
        with config(device=device):
            return [kernel.source for kernel in compilation.analyse((lazy._node,)).kernels]

    assert texts(0, 0) == texts(1, 0) == texts(0, 5)


def _ptx(text: str) -> str:
    nvrtc = pytest.importorskip("cuda.bindings.nvrtc")
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), b"kernel.cu", 0, [], [])
    nvrtc.nvrtcCompileProgram(program, 2, [b"--gpu-architecture=compute_90", b"--fmad=false"])
    _, size = nvrtc.nvrtcGetPTXSize(program)
    result = b" " * size
    nvrtc.nvrtcGetPTX(program, result)
    nvrtc.nvrtcDestroyProgram(program)
    return result.decode()


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
    """Two float64, or four float32, of one thread come from one Philox: five rounds twice."""
    products = re.findall(r"mul\.(?:wide\.u32|lo\.s64)", _ptx(_cuda_sources(expression)[0].text))
    assert 10 <= len(products) <= 15


@pytest.mark.parametrize(("dtype", "share"), [(np.float64, 2), (np.float32, 4)])
@pytest.mark.parametrize(
    "expression",
    [
        lambda draw: draw((1 << 20,)).sum(),
        lambda draw: draw((1000, 1024)).sum(axis=0),
        lambda draw: draw((1 << 15, 64)).max(axis=1),
        lambda draw: draw((1_000_003,)).std(),
        lambda draw: (draw((1 << 20,)) + draw((1 << 20,))).mean(),
    ],
    ids=["sum", "columns", "rows", "odd", "two"],
)
def test_what_is_reduced_shares_blocks_too(
    expression: Callable[[Callable[..., la.LazyArray]], la.LazyArray], dtype: type, share: int
) -> None:
    """Though nothing is loaded that would make neighbours a vector."""
    rng = la.random.default_rng(0)
    (source, *_) = cuda_sources((expression(lambda shape: rng.random(shape, dtype=dtype)),))
    blocks = source.text.count("= philox(")
    numbers = len(re.findall(r" \* (?:5\.96\d*e-08f|1\.11\d*e-16);", source.text))
    # A deviation also asks for the first number of a chunk alone.
    assert 0 < blocks <= numbers / share + 1
    assert numbers >= share


@pytest.mark.parametrize("reduced", [False, True])
def test_four_normal_numbers_of_float32_share_a_block(reduced: bool) -> None:
    """They are stored, or reduced, together; their logarithm is shared by two."""
    drawn = la.random.default_rng(0).standard_normal((1 << 20,), dtype=np.float32)
    text = cuda_sources((drawn.sum() if reduced else drawn,))[0].text
    assert text.count("= philox(") * 4 == text.count("cospif(") == text.count("logf(") * 2 > 0


def test_numbers_in_another_order_share_none() -> None:
    """Or in rows of a length that is no whole number of blocks."""
    rng = la.random.default_rng(0)
    for lazy in (rng.random((1 << 20,))[::-1].sum(), rng.random((1000, 1001)).sum(axis=1)):
        text = cuda_sources((lazy,))[0].text
        assert text.count("= philox(") == len(re.findall(r" \* 1\.11\d*e-16;", text))
