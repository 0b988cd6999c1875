"""LLVM IR of kernels: control flow, memory and scalars of every kind, and code that vectorises."""

from __future__ import annotations

import platform
import re

import llvmlite.binding as llvm
import numpy as np
import pytest

import lazyarr as la
from lazyarr.codegen.emit.llvm import emit_llvm
from lazyarr.compiler import compilation
from lazyarr.core.config import Config
from lazyarr.errors import CompileError
from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Index, Kernel, Literal, Pointer, Value
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu import llvm_compiler, vector_math
from lazyarr.runtime.cpu.compiler import compile_sources
from tests.support.compiled import BACKENDS, BEGIN, END, INT64, Compiled, kernel

FLOAT64 = np.dtype(np.float64)
BOOL = np.dtype(np.bool_)
backends = pytest.mark.parametrize("backend", BACKENDS)


def integer(value: int) -> Literal:
    return Literal(value, INT64)


@backends
def test_nested_loops_and_accumulators(backend: str) -> None:
    source, target = Pointer("source", FLOAT64), Pointer("target", FLOAT64, written=True)
    columns, step = Value("columns", INT64), Value("step", INT64)
    b = Builder()
    with b.loop("r", BEGIN, END) as r:
        total = b.declare("total", b.literal(0.0, FLOAT64))
        largest = b.declare("largest", b.literal(-np.inf, FLOAT64))
        with b.loop("j", integer(0), columns) as j:
            value = b.load(source, Index(0, ((columns, r), (1, j))))
            b.update(total, "add", total, value, reassociate=True)
            b.update(largest, "maximum", largest, value, reassociate=True)
        before = b.snapshot(total)
        b.assign(total, largest)
        b.store(target, Index(0, ((step, r),)), before)
        b.store(target, Index(1, ((step, r),)), total)
    compiled = Compiled(kernel(b, source, target, columns, step), backend)
    values = np.arange(12.0).reshape(3, 4)
    out = np.full((3, 2), np.nan)
    compiled(0, 3, values, out, 4, 2)
    assert out.tolist() == [[row.sum(), row.max()] for row in values]
    out[:] = np.nan
    compiled(1, 2, values, out, 0, 2)  # a loop without iterations
    assert out[1].tolist() == [0.0, -np.inf]
    assert np.isnan(out[[0, 2]]).all()
    compiled(3, 3, values, out, 4, 2)
    compiled(3, 1, values, out, 4, 2)
    assert np.isnan(out[[0, 2]]).all()


@backends
def test_conditions(backend: str) -> None:
    source, target = Pointer("source", FLOAT64), Pointer("target", FLOAT64, written=True)
    limit, active = Value("limit", FLOAT64), Value("active", BOOL)
    b = Builder()
    best = b.declare("best", b.literal(0.0, FLOAT64))
    result = b.declare("found", Literal(False, BOOL))
    with b.loop("i", BEGIN, END) as i:
        value = b.load(source, Index(0, ((1, i),)))
        with b.when(b.call("and", active, b.call("greater", value, limit))):
            b.assign(best, value)
            with b.when(b.call("equal", value, b.literal(7.0, FLOAT64))):
                b.assign(result, Literal(True, BOOL))
    b.store(target, Index(0), best)
    b.store(target, Index(1), b.call("select", result, best, limit))
    compiled = Compiled(kernel(b, source, target, limit, active), backend)
    values, out = np.array([1.0, 7.0, 3.0, 9.0, 2.0]), np.empty(2)
    for stop, limits, use, expected in (
        (5, 2.5, True, [9.0, 9.0]),
        (5, 8.0, True, [9.0, 8.0]),
        (3, 2.5, True, [3.0, 3.0]),
        (5, 2.5, False, [0.0, 2.5]),
    ):
        compiled(0, stop, values, out, limits, use)
        assert out.tolist() == expected


@backends
@pytest.mark.parametrize("code", "?bBhHiIqQefd")
def test_memory_and_scalars_of_each_kind(code: str, backend: str) -> None:
    dtype = np.dtype(code)
    stored_dtype = np.dtype(np.float32) if code == "e" else dtype
    source, target = Pointer("source", dtype), Pointer("target", dtype, written=True)
    scalar, last = Value("scalar", stored_dtype), Value("last", INT64)
    b = Builder()
    with b.loop("i", BEGIN, END) as i:
        b.store(target, Index(last, ((-2, i),)), b.load(source, Index(0, ((1, i),))))
        b.store(target, Index(1, ((2, i),)), scalar)
    compiled = Compiled(kernel(b, source, target, scalar, last), backend)
    top = (
        True
        if code == "?"
        else np.finfo(dtype).max
        if stored_dtype.kind == "f"
        else np.iinfo(dtype).max
    )
    top = dtype.type(top).item()
    values = np.array([0, 1, 3]).astype(dtype)
    out = np.zeros(6, dtype)
    compiled(0, 3, values, out, top, 4)
    assert out[::2].tolist() == values[::-1].tolist()
    assert out[1::2].tolist() == [top] * 3


def test_a_parameter_of_a_copy_and_a_literal_of_it() -> None:
    target = Pointer("target", FLOAT64, written=True)
    scalar = Value("scalar", FLOAT64)
    b = Builder()
    once = b.snapshot(scalar)
    b.store(target, Index(), b.call("add", once, b.snapshot(once)))
    compiled = Compiled(kernel(b, target, scalar), "llvm")
    out = np.empty(1)
    compiled(0, 1, out, 2.5)
    assert out[0] == 5


def test_the_text_is_of_no_host(monkeypatch: pytest.MonkeyPatch) -> None:
    def source() -> Source:
        b = Builder()
        target = Pointer("target", FLOAT64, written=True)
        b.store(target, Index(), b.call("exp", b.literal(1.0, FLOAT64)))
        return emit_llvm(kernel(b, target))

    first = source()
    monkeypatch.setattr(vector_math, "variant", lambda *args: None)
    assert source() == first
    assert first.intrinsics == ("exp_f64",)
    assert "target" not in first.text.replace("%target", "")


def test_a_refusal_shows_the_numbered_source() -> None:
    source = Source(
        "llvm", "define void @kernel(i64 %b, i64 %e) #0 {\n  nonsense\n}\n", "kernel", ()
    )
    with pytest.raises(CompileError) as caught:
        compile_sources((source,), Config(cache_dir="off"))[0]
    assert "2 |   nonsense" in str(caught.value)
    assert "expected instruction opcode" in str(caught.value)


def test_ill_typed_text_is_refused_and_does_not_abort() -> None:
    bad = Source("llvm", "define void @kernel(i64 %b, i64 %e) #0 {\n  ret i64 0\n}\n", "kernel", ())
    with pytest.raises(CompileError, match="result type"):
        compile_sources((bad,), Config(cache_dir="off"))[0]


def test_long_kernels() -> None:
    b = Builder()
    source, target = Pointer("source", FLOAT64), Pointer("target", FLOAT64, written=True)
    with b.loop("i", BEGIN, END) as i:
        value = b.load(source, Index(0, ((1, i),)))
        for step in range(500):
            value = b.call("add", value, b.literal(float(step), FLOAT64))
        b.store(target, Index(0, ((1, i),)), value)
    result = emit_llvm(Kernel("long", (source, target), b.finish()))
    assert result.text.count("fadd") == 500
    assert len(result.text.splitlines()) < 530


# ---------------------------------------------------------------- assembly


def _register() -> tuple[str, int]:
    """Return the name of the host's widest vector registers and their bytes."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        pytest.skip("counts registers of x86-64")
    features = llvm.get_host_cpu_features()
    if features.get("avx512f"):
        return "zmm", 64
    if features.get("avx2"):
        return "ymm", 32
    pytest.skip("this processor has not these vectors")


def _assembly(result: la.LazyArray) -> str:
    program = compilation.analyse((result._node,), Config(backend="llvm"))
    sources = [source for code in program.kernels for source in code.sources]
    return "\n".join(llvm_compiler.assembly(source) for source in sources)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", ["polynomial", "squares", "waves", "softmax", "variance"])
def test_kernels_are_vector_code(name: str, dtype: type) -> None:
    register, width = _register()
    x, y = (la.asarray(np.zeros(100_000, dtype)) for _ in range(2))
    matrix = la.asarray(np.zeros((300, 400), dtype))
    shifted = la.exp(matrix - matrix.max(axis=1, keepdims=True))
    results = {
        "polynomial": ((x * 2 + y) * x - y) * x + 1,
        "squares": ((x - y) ** 2).sum(),
        "waves": la.sin(x) ** 2 + la.cos(y) ** 2 + la.exp(-x),
        "softmax": shifted / shifted.sum(axis=1, keepdims=True),
        "variance": matrix.var(axis=0),
    }
    instructions = {
        "polynomial": ["mul", "add", "sub"],
        "squares": ["sub", "mul"],
        "waves": ["mul", "add"],
        "softmax": ["sub", "max", "div"],
        "variance": ["sub", "add"],
    }
    result = _assembly(results[name])
    for instruction in instructions[name]:
        # Sums of float32 are float64, and half a register holds what becomes a whole one.
        sums = name == "squares" and dtype is np.float32
        half = "xmm" if sums and register == "ymm" else "ymm"
        pattern = rf"\bv{instruction}p[sd]\s[^\n]*({half}|{register})"
        assert re.search(pattern, result), f"no {instruction} of vectors"
    assert result.count(register) > 10
    if name == "waves" and vector_math.variant("sin", 1, 8):
        lanes = width // np.dtype(dtype).itemsize
        suffix = "" if dtype is np.float64 else "f"
        assert re.search(rf"_ZGV.N{lanes}v_sin{suffix}\b", result)
    if name == "softmax" and vector_math.has_fused_multiplication():
        # The exponential is part of the loop.
        assert re.search(rf"vfmadd\w+p[sd]\s[^\n]*{register}", result)
        assert "_exp" not in re.sub(r"lazyarr_\w+", "", result)


def test_narrow_types_are_vector_code() -> None:
    register, _ = _register()
    a, b = (la.asarray(np.zeros(10_000, np.int8)) for _ in range(2))
    assert register in _assembly(la.maximum(a, b) + a)
    flags = la.asarray(np.zeros(10_000, np.bool_))
    assert register in _assembly(flags & (a > b))
    half = la.asarray(np.zeros(10_000, np.float16))
    assert "vcvtph2ps" in _assembly(half * 2 + 1)
