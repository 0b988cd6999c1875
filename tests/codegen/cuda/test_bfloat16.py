"""CUDA's sources of bfloat16: NVRTC takes them, and no header or type of CUDA's is needed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.core.config import Config
from lazyarr.errors import DeviceError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.compiler import baseline_options, compile_cubin, compile_options
from tests.support.bfloat16 import BFLOAT16, needs_bfloat16
from tests.support.device_sources import cuda_sources
from tests.support.nvrtc import refusals

pytestmark = needs_bfloat16
SHAPE = (300, 1024)
EXPRESSIONS: dict[str, Callable[[Any, Any], Any]] = {
    "elementwise": lambda x, y: np.maximum(x * y + 1.5, 0) / (abs(y) + 1),
    "functions": lambda x, y: np.tanh(np.exp(-x) * np.sin(y)),
    "casts": lambda x, y: (x.astype(np.float32) + y.astype(np.float64)).astype(BFLOAT16),
    "from integers": lambda x, y: (x > y).astype(np.int32).astype(BFLOAT16) * x,
    "beside float16": lambda x, y: x.astype(np.float16) * y.astype(np.float16) + x,
    "sum": lambda x, y: (x * y).sum(),
    "rows": lambda x, y: (x - x.max(axis=1, keepdims=True)).sum(axis=1),
    "columns": lambda x, y: (x * y).mean(axis=0),
    "positions": lambda x, y: (x + y).argmax(axis=1),
    "softmax": lambda x, y: la.nn.softmax(x + y),
    "normalised": lambda x, y: la.nn.layer_norm(x * y),
    "scan": lambda x, y: np.cumsum(x * y, axis=1),
    "transposed": lambda x, y: (x + y).T * 2 + y.reshape(y.shape[::-1]),
    "strided": lambda x, y: x[::2, ::3][:18, :2] * y[1::2, 1::2][:18, :2],
    "joined": lambda x, y: np.concatenate([x * 2, y], axis=1),
    "gathered": lambda x, y: np.take(x, np.arange(5), axis=1) * 2,
    "product": lambda x, y: (x @ y.T) * 0.5,
}


@pytest.fixture(scope="module")
def nvrtc() -> None:
    try:
        compile_cubin(Source("cuda", "", "kernel", ()), compile_options("sm_90", "strict"))
    except DeviceError as error:
        pytest.skip(error.message)


def _sources(name: str, shape: tuple[int, int]) -> list[Source]:
    x, y = (la.asarray(np.full(shape, k, BFLOAT16)) for k in (1, 2))
    return cuda_sources((la.asarray(EXPRESSIONS[name](x, y)),))


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("name", EXPRESSIONS)
def test_nvrtc_compiles(name: str) -> None:
    sources = [*_sources(name, SHAPE), *_sources(name, (37, 5))]
    assert sources
    for architecture, tier in (("sm_80", baseline_options(Config())), ("sm_90", ())):
        options = compile_options(architecture, "strict")
        assert refusals(list(dict.fromkeys(sources)), (*options, *tier)) == {}


def test_elements_are_words_of_two_bytes() -> None:
    for source in _sources("elementwise", SHAPE):
        assert "unsigned short" in source.text
        assert "bfloat16" not in source.text
