"""Vector functions report overflows, poles and invalid operands by the processor's flags."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from lazyarr.loop_ir.builder import Builder
from lazyarr.loop_ir.kernel import Index, Kernel, Pointer
from lazyarr.loop_ir.primitives import PRIMITIVES
from lazyarr.runtime.cpu import fp_flags, llvm_definitions, vector_math
from lazyarr.runtime.cpu.vector_math import Variant
from tests.support.compiled import BACKENDS, BEGIN, END, Compiled
from tests.support.processor_functions import forget_functions
from tests.support.values import special

DType = np.dtype[Any]
FLOATS = [np.dtype("f4"), np.dtype("f8")]
MATHEMATICS = [row for row in PRIMITIVES.values() if row.math]
INT32 = np.dtype(np.int32)
#: More than two of the widest vectors, and a remainder.
SIZE = 37

pytestmark = pytest.mark.skipif(not fp_flags.bits(), reason="no flags of this processor are known")


def watched(name: str, arity: int, dtype: DType, backend: str) -> Compiled:
    """Return a kernel of one function that reports the flags it set."""
    sources = [Pointer(f"in{k}", dtype) for k in range(arity)]
    target = Pointer("out", dtype, written=True)
    report = Pointer("flags", INT32, written=True)
    builder = Builder()
    with builder.loop("i", BEGIN, END) as i:
        index = Index(0, ((1, i),))
        loads = [builder.load(source, index) for source in sources]
        builder.store(target, index, builder.call(name, *loads))
    parameters = (*sources, target, report)
    return Compiled(Kernel("test", parameters, builder.finish(), flags=report), backend)


def called_for(result: Any, operands: tuple[Any, ...]) -> int:
    """Return the flags of which IEEE 754 wants at least one set."""
    bits = fp_flags.bits()
    if np.isnan(result):
        return 0 if any(np.isnan(x) for x in operands) else bits["invalid"]
    if np.isinf(result) and all(np.isfinite(x) for x in operands):
        return bits["divide"] | bits["over"]
    return 0


def check(name: str, arity: int, dtype: DType, backend: str) -> None:
    compiled = watched(name, arity, dtype, backend)
    out, report = np.empty(SIZE, dtype), np.empty(1, INT32)
    places = itertools.cycle((0, 5, 20, SIZE - 1))
    with np.errstate(over="ignore"):
        corners = np.array(special(dtype), dtype)
    for operands in itertools.product(corners, repeat=arity):
        place = next(places)
        arrays = [np.full(SIZE, 0.5, dtype) for _ in operands]
        for array, value in zip(arrays, operands, strict=True):
            array[place] = value
        report[0] = 0
        compiled(0, SIZE, *arrays, out, report)
        expected = called_for(out[place], operands)
        assert not expected or report[0] & expected, (name, dtype, operands, out[place], report[0])


@pytest.fixture(params=["widest", "avx2", "sse2"])
def level(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Restrict the vectors, and forget what was found with others."""
    narrower = {"avx2": ("d", 32), "sse2": ("b", 16)}.get(request.param)
    if narrower is not None:
        if narrower not in vector_math._levels()[1:]:
            pytest.skip("these are the widest vectors, or missing")
        monkeypatch.setattr(vector_math, "_levels", lambda: (narrower,))
    forget_functions()
    yield request.param
    forget_functions()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_every_function_sets_the_flags_that_its_results_call_for(dtype: DType, level: str) -> None:
    for row in MATHEMATICS:
        check(row.name, row.arity, dtype, "llvm")


SILENT = """
define <2 x double> @silent_exp2(<2 x double> %x) {
  %big = fcmp one <2 x double> %x, <double 0.5, double 0.5>
  %r = select <2 x i1> %big, <2 x double> <double 0x7FF0000000000000, double 0x7FF0000000000000>,
                             <2 x double> %x
  %none = fcmp oeq <2 x double> %x, <double -1.0, double -1.0>
  %s = select <2 x i1> %none, <2 x double> <double 0x7FF8000000000000, double 0x7FF8000000000000>,
                              <2 x double> %r
  %unknown = fcmp uno <2 x double> %x, %x
  %t = select <2 x i1> %unknown, <2 x double> %x, <2 x double> %s
  ret <2 x double> %t
}
"""


@pytest.fixture
def silent() -> Iterator[str]:
    """Define a vector function that sets no flag: 0.5 stays, -1 gives NaN, others infinity."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(SILENT), machine)
    engine.finalize_object()
    llvm.add_symbol("silent_exp2", engine.get_function_address("silent_exp2"))
    yield "silent_exp2"


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_library_that_sets_no_flags_is_helped(
    backend: str, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dtype, bits = np.dtype("f8"), fp_flags.bits()
    out, report = np.empty(SIZE), np.empty(1, INT32)

    def reported(compiled: Compiled, value: float) -> int:
        x = np.full(SIZE, 0.5)
        x[20] = value
        report[0] = 0
        compiled(0, SIZE, x, out, report)
        return int(report[0])

    definition = llvm_definitions._definition.__wrapped__

    def fake(sets_flags: bool) -> Compiled:
        known = Variant(2, silent, sets_flags)
        monkeypatch.setattr(
            vector_math, "variant", lambda f, *operand: known if f == "expm1" else None
        )
        monkeypatch.setattr(llvm_definitions, "_definition", definition)
        return watched("expm1", 1, dtype, backend)

    assert reported(fake(True), -1.0) == reported(fake(True), 3.0) == 0
    helped = fake(False)
    assert np.isnan(out[20]) or np.isinf(out[20])
    assert reported(helped, 0.5) == 0
    assert reported(helped, -1.0) == bits["invalid"]
    assert reported(helped, 3.0) == bits["divide"] | bits["over"]
    # Of a NaN, and of the infinity of an infinity, there is nothing to report.
    assert reported(helped, np.nan) == 0
    assert np.isnan(out[20])
    assert reported(helped, np.inf) == 0
    assert np.isinf(out[20])
