"""Blocks: every kind of parameter arrives as it was packed, in both languages."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lazyarr.core.config import Config
from lazyarr.errors import ContractError
from lazyarr.loop_ir.source import Parameter, Source
from lazyarr.runtime.cpu import compiler
from lazyarr.runtime.cpu.calling_convention import FAILED, SLOT, block_layout
from lazyarr.runtime.cpu.compiler import compile_sources
from lazyarr.runtime.host_memory_pool import address_of

KINDS = {
    "?": ("i8", True),
    "i1": ("i8", -128),
    "u1": ("i8", 255),
    "i2": ("i16", -(2**15)),
    "u2": ("i16", 2**16 - 1),
    "i4": ("i32", -(2**31)),
    "u4": ("i32", 2**32 - 1),
    "i8": ("i64", -(2**63)),
    "u8": ("i64", 2**64 - 1),
    "f2": ("half", -1.5),
    "f4": ("float", 1e-45),
    "f8": ("double", -0.0),
}


def test_each_parameter_has_a_slot_of_its_own() -> None:
    parameters = tuple(Parameter(f"a{n}", np.dtype(k), False) for n, k in enumerate(KINDS))
    layout = block_layout(parameters)
    block = layout.pack(*(value for _, value in KINDS.values()))
    assert len(block) == SLOT * len(KINDS)
    for position, (dtype, (_, value)) in enumerate(KINDS.items()):
        result = np.frombuffer(block, dtype, 1, SLOT * position)[0]
        assert result == np.array(value, dtype)
        assert np.signbit(result) == np.signbit(np.array(value, dtype))


def test_a_kernel_in_llvm_gets_what_was_packed(tmp_path: Path) -> None:
    signature = ["i64 %begin", "i64 %end"]
    lines, parameters, arguments, results = [], [], [], []
    for position, (dtype, (kind, value)) in enumerate(KINDS.items()):
        signature += [f"{kind} %v{position}", f"ptr %out{position}"]
        lines += [
            f"  %at{position} = getelementptr inbounds {kind}, ptr %out{position}, i64 %begin",
            f"  store {kind} %v{position}, ptr %at{position}",
        ]
        parameters += [
            Parameter(f"v{position}", np.dtype(dtype), False),
            Parameter(f"out{position}", np.dtype(dtype), True),
        ]
        results.append(np.zeros(3, dtype))
        arguments += [value, address_of(results[-1])]
    text = "\n".join(
        [f"define void @kernel({', '.join(signature)}) #0 {{", *lines, "  ret void\n}"]
    )
    function = compile_sources(
        (Source("llvm", text, "kernel", tuple(parameters)),), Config(cache_dir=str(tmp_path))
    )[0]
    assert function(2, 3, *arguments) == 0
    for result, (_, value) in zip(results, KINDS.values(), strict=True):
        assert result.tolist() == [0, 0, np.array(value, result.dtype)]


@pytest.mark.parametrize("language", ["llvm", "numba"])
def test_a_kernel_without_parameters(language: str, tmp_path: Path) -> None:
    texts = {
        "llvm": "define void @kernel(i64 %begin, i64 %end) #0 {\n  ret void\n}\n",
        "numba": "def kernel(begin, end):\n    pass\n",
    }
    source = Source(language, texts[language], "kernel", ())
    function = compile_sources((source,), Config(cache_dir=str(tmp_path)))[0]
    assert function(0, 1) == 0
    assert function.run(0, 1, function.pack()) == 0


def test_a_status_is_an_error(tmp_path: Path) -> None:
    text = "define void @kernel(i64 %begin, i64 %end) #0 {\n  ret void\n}\n"
    function = compiler.compile_sources(
        (Source("llvm", text, "kernel", ()),), Config(cache_dir=str(tmp_path))
    )[0]
    assert function.check(5) == 5
    with pytest.raises(ContractError, match="kernel"):
        function.check(FAILED | 1)
