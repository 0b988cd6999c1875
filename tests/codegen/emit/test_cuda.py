"""CUDA sources: some as they must be, all as NVRTC takes them."""

from __future__ import annotations

from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.arrays.lazy_array import wrap
from lazyarr.builders import build
from lazyarr.codegen.cuda import tuning
from lazyarr.codegen.emit.cuda import emit_cuda
from lazyarr.compiler import compilation
from lazyarr.core.config import Config, config
from lazyarr.errors import CompileError, DeviceError
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda.compiler import baseline_options, compile_cubin, compile_options
from tests.ops.test_elementwise_rows import CASES
from tests.support.device_sources import cuda_sources
from tests.support.expressions import EXPRESSIONS, Expression
from tests.support.nvrtc import (
    ARCHITECTURES,
    LIMIT,
    architectures_of,
    compile_seconds,
    refusals,
    slow_kernels,
)
from tests.support.rows import Case
from tests.support.tuned import tune

GOLDEN = Path(__file__).parent / "golden_cuda"
SHOWN = (
    "poly-f4",
    "softmax-block-f4",
    "softmax-block-f8",
    "gauss-f4",
    "columns-f4",
    "columns-var-f4",
    "moments-f8",
    "sum-f8",
    "stencil-wide",
    "filter-f4",
    "complex-c8",
    "cumsum-rows",
    "cumsum-long-f4",
    "gather-f4",
    "transposed",
)
#: Sources of expressions as they are for larger arrays.
TUNED: dict[str, tuple[str, dict[str, int]]] = {
    "softmax-ahead-f4": ("softmax-block-f4", {"prefetch_bytes": 1}),
    "laplace-lines-f8": ("laplace", {"tile_threads_least": 1}),
}


def _sources(expression: Expression) -> list[Source]:
    lazy = expression.function(la, *(la.asarray(a) for a in expression.arrays()))
    return cuda_sources(lazy if isinstance(lazy, tuple) else (lazy,))


@pytest.mark.parametrize("name", SHOWN)
def test_source_is_the_golden_one(name: str, pytestconfig: pytest.Config) -> None:
    (expression,) = (e for e in EXPRESSIONS if e.name == name)
    _compare(name, _sources(expression)[0].text, pytestconfig)


def _compare(name: str, text: str, pytestconfig: pytest.Config) -> None:
    """Compare a source with the golden one, or make it that."""
    path = GOLDEN / f"{name}.cu"
    if pytestconfig.getoption("--update-golden"):
        path.write_text(text)
    assert text == path.read_text(), "if it is meant to change: pytest --update-golden"


def test_no_golden_source_is_left_over() -> None:
    expected = {
        f"{name}.cu" for name in (*SHOWN, *TUNED, "product-sigmoid-f8", "small-products-f4")
    }
    assert {path.name for path in GOLDEN.iterdir()} == expected


@pytest.mark.parametrize("name", TUNED)
def test_source_for_large_arrays_is_the_golden_one(
    name: str, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config
) -> None:
    of, fields = TUNED[name]
    tune(monkeypatch, tuning, **fields)
    (expression,) = (e for e in EXPRESSIONS if e.name == of)
    _compare(name, _sources(expression)[0].text, pytestconfig)


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("architecture", ["sm_75", "sm_80", "sm_90"])
def test_hints_compile_for_gpus_that_have_them_and_that_have_not(
    monkeypatch: pytest.MonkeyPatch, architecture: str
) -> None:
    tune(monkeypatch, tuning, prefetch_bytes=1)
    (expression,) = (e for e in EXPRESSIONS if e.name == "softmax-block-f4")
    code = compile_cubin(_sources(expression)[0], compile_options(architecture, "strict"))
    assert code.startswith(b"\x7fELF")


def _fused_source(function: Any = np.exp) -> Source:
    """Return a product and what follows it, as one kernel."""
    w, v, column = (la.asarray(np.ones(shape)) for shape in ((512, 784), (784, 1024), (512, 1)))
    separate, fused = cuda_sources((1 / (1 + function(-(w @ v + column))),))[::2]
    assert "product_tile" not in separate.text
    return fused


def test_source_of_a_product_and_what_follows_is_the_golden_one(
    pytestconfig: pytest.Config,
) -> None:
    _compare("product-sigmoid-f8", _fused_source().text, pytestconfig)


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("function", [np.exp, np.tanh, np.log1p, np.sqrt])
@pytest.mark.parametrize("architecture", ["sm_80", "sm_90"])
def test_products_and_what_follows_compile(architecture: str, function: Any) -> None:
    code = compile_cubin(_fused_source(function), compile_options(architecture, "strict"))
    assert code.startswith(b"\x7fELF")


def _small_products(dtype: str) -> list[Source]:
    """Return a stack of products with what precedes and follows it, and without vectors."""
    a, b = (la.asarray(np.ones(shape, dtype)) for shape in ((999, 24, 16), (999, 16, 12)))
    return cuda_sources((np.maximum((2 * a - 1) @ b, 0),))


def test_source_of_small_products_is_the_golden_one(pytestconfig: pytest.Config) -> None:
    _compare("small-products-f4", _small_products("f4")[0].text, pytestconfig)


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("architecture", ["sm_75", "sm_90"])
def test_small_products_compile(architecture: str, dtype: str) -> None:
    for source in _small_products(dtype):
        code = compile_cubin(source, compile_options(architecture, "strict"))
        assert code.startswith(b"\x7fELF")


def _scaled(x: la.LazyArray, axis: int | None) -> la.LazyArray:
    return (x - x.mean(axis, keepdims=True)) / x.std(axis, keepdims=True)


def _like_softmax(x: la.LazyArray, axis: int | None) -> la.LazyArray:
    powers = np.exp(x - x.sum(axis, keepdims=True))
    return powers / powers.sum(axis, keepdims=True)


EMPTY: dict[str, Any] = {
    "var": lambda x, axis: x.var(axis),
    "nanvar": lambda x, axis: np.nanvar(x, axis=axis),
    "scaled": _scaled,
    "like softmax": _like_softmax,
    "cumsum": lambda x, axis: x.cumsum(axis) / x.sum(axis, keepdims=True),
    "norm": lambda x, axis: np.sqrt((x * x).sum(axis)),
}


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.filterwarnings("ignore:Degrees of freedom", "ignore:Mean of empty")
@pytest.mark.parametrize("name", EMPTY)
def test_kernels_of_empty_arrays_compile(name: str) -> None:
    """No array in them has a size of zero, which NVRTC refuses."""
    texts: dict[str, Source] = {}
    for shape in ((0,), (0, 3), (3, 0), (2, 0, 3)):
        for axis in (None, *range(len(shape))):
            result = EMPTY[name](la.asarray(np.zeros(shape)), axis)
            texts |= {source.text: source for source in cuda_sources((result,))}
    assert texts
    assert refusals(list(texts.values()), compile_options("sm_90", "strict")) == {}


def test_explain_shows_the_source_with_its_line() -> None:
    x = la.asarray(np.arange(8.0))
    with la.config(device="cuda"):
        (kernel,) = la.explain(x * 2 + 1).kernels
    assert "__global__" in kernel.source
    assert "test_cuda.py:" in kernel.source


def test_explain_lists_what_goes_to_the_host() -> None:
    x = la.asarray(np.arange(8.0))
    with la.config(device="cuda"):
        (step,) = la.explain(np.i0(x) + 1).fallbacks
    assert step.op == "i0"
    assert "host" in step.reason


def test_sizes_do_not_change_the_source() -> None:
    def source(n: int) -> str:
        x = la.asarray(np.ones(n, np.float32))
        with config(device="cuda"):
            return compilation.analyse(((x * 2 + 1)._node,)).kernels[0].source.split("\n", 2)[2]

    assert source(1 << 10) == source(1 << 20)


def test_large_arrays_have_wide_indices() -> None:
    x = la.broadcast_to(la.asarray(np.ones(1, np.int8)), (1 << 32,))
    with config(device="cuda"):
        code = compilation.analyse(((x + x)._node,)).kernels[0].source
    assert "const long long block = blockIdx.x" in code


@pytest.fixture(scope="session")
def nvrtc() -> None:
    try:
        compile_cubin(Source("cuda", "", "kernel", ()), compile_options("sm_90", "strict"))
    except DeviceError as error:
        pytest.skip(error.message)


#: Expressions whose kernels are compiled together.
GROUP = 8


@cache
def _refusals_of_group(number: int) -> dict[str, list[CompileError]]:
    """What NVRTC says of expressions whose kernels it refuses, by the names of these."""
    expressions = EXPRESSIONS[GROUP * number : GROUP * (number + 1)]
    sources = {str(expression): _sources(expression) for expression in expressions}
    every = list(dict.fromkeys(chain.from_iterable(sources.values())))
    tiered = [source for source in every if source.tiered]
    errors: dict[str, list[CompileError]] = {name: [] for name in sources}
    # Both tiers and both architectures, not each with each: a text is refused by what the tiers
    # share, or by one of the architectures.
    once = [source for source in every if not source.tiered]
    tier = baseline_options(Config())
    for chosen, architecture, more in (
        (every, "sm_90", ()),
        (tiered, "sm_80", tier),
        (once, "sm_80", ()),
    ):
        refused = refusals(chosen, (*compile_options(architecture, "strict"), *more))
        for name, of_expression in sources.items():
            errors[name] += [refused[source] for source in of_expression if source in refused]
    return errors


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("number", range(len(EXPRESSIONS)), ids=map(str, EXPRESSIONS))
def test_nvrtc_compiles(number: int) -> None:
    assert _refusals_of_group(number // GROUP)[str(EXPRESSIONS[number])] == []


ROWS: dict[str, list[Case]] = {}
for _case in CASES:
    ROWS.setdefault(_case.op.name, []).append(_case)


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("name", sorted(ROWS))
def test_every_row_compiles_in_every_dtype(name: str) -> None:
    sources = []
    for case in ROWS[name]:
        leaves = tuple(build.leaf(np.ones(37, dtype)) for dtype in case.loop)
        cast = name == "cast"
        root = build.cast(leaves[0], case.result) if cast else build.elementwise(case.op, leaves)
        sources += cuda_sources((wrap(root),))
    for architecture in ARCHITECTURES:
        of_it = [source for source in sources if architecture in architectures_of(source)]
        assert slow_kernels(of_it, architecture) == []


@pytest.mark.usefixtures("nvrtc")
def test_refused_source_is_shown_with_numbers() -> None:
    source = Source("cuda", "int a;\nint b = nothing;\n", "kernel", ())
    with pytest.raises(CompileError, match=r"2 \| int b = nothing;[\s\S]*undefined"):
        compile_cubin(source, compile_options("sm_90", "strict"))


@pytest.mark.usefixtures("nvrtc")
def test_of_kernels_that_are_compiled_together_the_refused_one_is_named() -> None:
    options = compile_options("sm_90", "strict")
    texts = [f'extern "C" __global__ void kernel(int* x) {{ *x = {k}; }}' for k in ("1", "y", "3")]
    first, second, third = (Source("cuda", text, "kernel", ()) for text in texts)
    for _ in range(2):  # what was compiled before is not compiled again, and what was refused is
        assert refusals([first, third], options) == {}
        assert list(refusals([first, second, third], options)) == [second]
    with pytest.raises(CompileError):
        slow_kernels([first, second], "sm_90")


HEAVY = {
    "columns": lambda x: np.exp(np.sin(x)).sum(axis=0),
    "long row": lambda x: np.arcsin(x).sum(),
    "rows kept": lambda x: (z := np.arcsin(np.tanh(x))) / abs(z).max(axis=1, keepdims=True),
    "scan": lambda x: np.cumsum(np.arcsin(np.tan(x)), axis=1),
    "map": lambda x: sum(np.sin(k * x) for k in range(1, 13)),
    "transposed": lambda x: np.sin(np.tan(x.T)) + np.exp(x),
}


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("name", HEAVY)
@pytest.mark.parametrize("dtype", ["float32", "complex64", "complex128"])
def test_no_kernel_takes_half_a_second_to_compile(name: str, dtype: str) -> None:
    """Functions of complex numbers are long, so less of them is written out."""
    x = la.asarray(np.ones((1024, 1024), dtype))
    with config(device="cuda"):
        program = compilation.analyse((HEAVY[name](x)._node,))  # type: ignore[no-untyped-call]
    for lowered in program.lowered:
        for launch in lowered.launches:
            assert isinstance(launch.kernel, DeviceKernel)
            assert compile_seconds(emit_cuda(launch.kernel)) < LIMIT


MANY: dict[str, Any] = {
    "positions": lambda x: [(x + k).argmax() for k in range(24)],
    "positions down columns": lambda x: [(x * k).argmax(axis=0) for k in range(24)],
    "sums": lambda x: [(x * k).sum() for k in range(48)],
    "deviations": lambda x: [(x * k).std(axis=1) for k in range(24)],
    "functions": lambda x: [sum(np.tan(x * k) for k in range(45))],
    "remainders": lambda x: [sum(x // k for k in range(2, 40))],
    "functions of complex numbers": lambda x: [np.sin((x + 1j) * k) for k in range(24)],
    "sums of functions": lambda x: [np.tan(x * k).sum() for k in range(24)],
}


@pytest.mark.usefixtures("nvrtc")
@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_what_takes_long_together_is_several_kernels(name: str, dtype: str) -> None:
    x = la.asarray(np.ones((1024, 1024), dtype))
    with config(numerics="fast"):  # so that kernels compute functions of complex numbers
        sources = cuda_sources(MANY[name](x))
    assert len(sources) > 1
    assert compile_seconds(max(sources, key=lambda source: len(source.text))) < LIMIT
