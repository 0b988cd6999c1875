"""The Python array API standard, 2024.12: each function's name, parameters and dtypes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime import gpu_sight
from lazyarr.runtime.cuda import driver

pytestmark = pytest.mark.host

#: Every function of the standard, as it may be called.
SIGNATURES = """
__array_namespace_info__()
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
asarray(obj, /, *, dtype=None, device=None, copy=None)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
meshgrid(x, y, indexing='xy')
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)
astype(x, dtype, /, *, copy=True, device=None)
can_cast(from_, to, /)
finfo(type, /)
iinfo(type, /)
isdtype(dtype, kind)
result_type(x, y)
take(x, indices, /, *, axis=None)
take_along_axis(x, indices, /, *, axis=-1)
matmul(x1, x2, /)
matrix_transpose(x, /)
tensordot(x1, x2, /, *, axes=2)
vecdot(x1, x2, /, *, axis=-1)
broadcast_arrays(x, y)
broadcast_to(x, /, shape)
concat(arrays, /, *, axis=0)
expand_dims(x, /, *, axis)
flip(x, /, *, axis=None)
moveaxis(x, source, destination, /)
permute_dims(x, /, axes)
repeat(x, repeats, /, *, axis=None)
reshape(x, /, shape, *, copy=None)
roll(x, /, shift, *, axis=None)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
tile(x, repetitions, /)
unstack(x, /, *, axis=0)
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
count_nonzero(x, /, *, axis=None, keepdims=False)
nonzero(x, /)
searchsorted(x1, x2, /, *, side='left', sorter=None)
where(condition, x1, x2, /)
unique_all(x, /)
unique_counts(x, /)
unique_inverse(x, /)
unique_values(x, /)
argsort(x, /, *, axis=-1, descending=False, stable=True)
sort(x, /, *, axis=-1, descending=False, stable=True)
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False)
min(x, /, *, axis=None, keepdims=False)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
var(x, /, *, axis=None, correction=0.0, keepdims=False)
all(x, /, *, axis=None, keepdims=False)
any(x, /, *, axis=None, keepdims=False)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
clip(x, /, min=None, max=None)
round(x, /)
linalg.cholesky(x, /, *, upper=False)
linalg.cross(x1, x2, /, *, axis=-1)
linalg.det(x, /)
linalg.diagonal(x, /, *, offset=0)
linalg.eigh(x, /)
linalg.eigvalsh(x, /)
linalg.inv(x, /)
linalg.matmul(x1, x2, /)
linalg.matrix_norm(x, /, *, keepdims=False, ord='fro')
linalg.matrix_power(x, n, /)
linalg.matrix_rank(x, /, *, rtol=None)
linalg.matrix_transpose(x, /)
linalg.outer(x1, x2, /)
linalg.pinv(x, /, *, rtol=None)
linalg.qr(x, /, *, mode='reduced')
linalg.slogdet(x, /)
linalg.solve(x1, x2, /)
linalg.svd(x, /, *, full_matrices=True)
linalg.svdvals(x, /)
linalg.tensordot(x1, x2, /, *, axes=2)
linalg.trace(x, /, *, offset=0, dtype=None)
linalg.vecdot(x1, x2, /, *, axis=-1)
linalg.vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
fft.fft(x, /, *, n=None, axis=-1, norm='backward')
fft.ifft(x, /, *, n=None, axis=-1, norm='backward')
fft.fftn(x, /, *, s=None, axes=None, norm='backward')
fft.ifftn(x, /, *, s=None, axes=None, norm='backward')
fft.rfft(x, /, *, n=None, axis=-1, norm='backward')
fft.irfft(x, /, *, n=None, axis=-1, norm='backward')
fft.rfftn(x, /, *, s=None, axes=None, norm='backward')
fft.irfftn(x, /, *, s=None, axes=None, norm='backward')
fft.hfft(x, /, *, n=None, axis=-1, norm='backward')
fft.ihfft(x, /, *, n=None, axis=-1, norm='backward')
fft.fftfreq(n, /, *, d=1.0, dtype=None, device=None)
fft.rfftfreq(n, /, *, d=1.0, dtype=None, device=None)
fft.fftshift(x, /, *, axes=None)
fft.ifftshift(x, /, *, axes=None)
""".split("\n")[1:-1]

BOOL = ("bool",)
SIGNED = ("int8", "int16", "int32", "int64")
INTEGERS = (*SIGNED, "uint8", "uint16", "uint32", "uint64")
REAL_FLOATS = ("float32", "float64")
FLOATS = (*REAL_FLOATS, "complex64", "complex128")
REAL = (*INTEGERS, *REAL_FLOATS)
NUMBERS = (*INTEGERS, *FLOATS)
ALL = (*BOOL, *NUMBERS)

#: Elementwise functions of one array by the dtypes they have to take; the dtype stays.
UNARY = {
    **dict.fromkeys(
        "acos acosh asin asinh atan atanh cos cosh exp expm1 log log10 log1p log2 reciprocal sin "
        "sinh sqrt tan tanh".split(),
        FLOATS,
    ),
    **dict.fromkeys("abs ceil floor trunc".split(), REAL),
    **dict.fromkeys("negative positive round sign square".split(), NUMBERS),
    "bitwise_invert": (*BOOL, *INTEGERS),
    "conj": FLOATS,
}
#: Elementwise functions of one array that give booleans.
TESTS = {
    **dict.fromkeys("isfinite isinf isnan".split(), NUMBERS),
    "logical_not": BOOL,
    "signbit": REAL_FLOATS,
}
#: Elementwise functions of two arrays, which give the dtype that theirs promote to.
BINARY = {
    **dict.fromkeys("add multiply pow subtract".split(), NUMBERS),
    **dict.fromkeys("atan2 copysign hypot logaddexp nextafter".split(), REAL_FLOATS),
    **dict.fromkeys("bitwise_and bitwise_or bitwise_xor".split(), (*BOOL, *INTEGERS)),
    **dict.fromkeys("bitwise_left_shift bitwise_right_shift".split(), INTEGERS),
    **dict.fromkeys("floor_divide remainder maximum minimum".split(), REAL),
    "divide": FLOATS,
}
#: Elementwise functions of two arrays that give booleans.
COMPARISONS = {
    **dict.fromkeys("equal not_equal".split(), ALL),
    **dict.fromkeys("greater greater_equal less less_equal".split(), REAL),
    **dict.fromkeys("logical_and logical_or logical_xor".split(), BOOL),
}


def _function(name: str) -> Any:
    space, _, last = name.rpartition(".")
    return getattr(getattr(la, space) if space else la, last)


@pytest.mark.parametrize("text", SIGNATURES)
def test_parameters(text: str) -> None:
    names: dict[str, Any] = {}
    name, _, parameters = text.partition("(")
    exec(f"def f({parameters}: ...", names)
    standard = list(inspect.signature(names["f"]).parameters.values())
    own = inspect.signature(_function(name))
    kinds = inspect.Parameter
    places = [p for p in standard if p.kind is kinds.POSITIONAL_ONLY]
    either = [p for p in standard if p.kind is kinds.POSITIONAL_OR_KEYWORD]
    named = [p for p in standard if p.kind is kinds.KEYWORD_ONLY]
    if name in ("meshgrid", "broadcast_arrays", "result_type"):
        places, either = either[:2], either[2:]  # any number of arrays
        named, either = named + either, []
    required = [p for p in places if p.default is p.empty]
    needed = [p for p in (*either, *named) if p.default is p.empty]
    # By place, as few as there may be and as many; what has a name, by that too.
    own.bind(*required, **{p.name: p for p in needed})
    own.bind(*places, **{p.name: p for p in either}, **{p.name: p for p in named})
    own.bind(*places, *either, **{p.name: p for p in named})


def test_the_namespace_has_every_function() -> None:
    names = {text.partition("(")[0] for text in SIGNATURES} - {"__array_namespace_info__"}
    namespace: Any = la.asarray([1.0]).__array_namespace__(api_version="2024.12")
    for name in (*names, *UNARY, *TESTS, *BINARY, *COMPARISONS, "imag", "real"):
        space, _, last = name.rpartition(".")
        assert hasattr(getattr(namespace, space) if space else namespace, last), name
    for constant in ("e", "inf", "nan", "newaxis", "pi"):
        assert hasattr(namespace, constant)
    for dtype in ALL:
        assert namespace.isdtype(
            getattr(namespace, dtype), "bool" if dtype == "bool" else "numeric"
        )


def _cases(table: dict[str, Any]) -> list[tuple[str, str]]:
    return [(name, dtype) for name, dtypes in table.items() for dtype in dtypes]


@pytest.mark.parametrize(("name", "dtype"), _cases(UNARY))
def test_functions_of_one_array_keep_the_dtype(name: str, dtype: str) -> None:
    with np.errstate(divide="ignore"):
        result = _function(name)(la.ones(3, dtype=dtype))
    assert (result.dtype, result.shape) == (dtype, (3,))


@pytest.mark.parametrize(("name", "dtype"), _cases(TESTS))
def test_questions_give_booleans(name: str, dtype: str) -> None:
    assert _function(name)(la.ones((2, 3), dtype=dtype)).dtype == bool


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_parts_of_complex_numbers_are_real(dtype: str) -> None:
    x = la.ones(3, dtype=dtype)
    real = np.dtype(dtype).type(0).real.dtype
    assert {function(x).dtype for function in (la.abs, la.real, la.imag)} == {real}


def _kind(dtype: str) -> str:
    return np.dtype(dtype).kind.replace("u", "i").replace("c", "f")


@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS])
def test_functions_of_two_arrays_promote(name: str) -> None:
    dtypes = (BINARY | COMPARISONS)[name]
    function: Callable[..., Any] = _function(name)
    for left, right in product(dtypes, dtypes):
        both = np.promote_types(left, right)
        if _kind(left) != _kind(right) or both.name not in dtypes:
            continue  # which the standard leaves open
        result = function(la.ones((2, 1), dtype=left), la.ones(3, dtype=right))
        assert result.shape == (2, 3)
        assert result.dtype == (bool if name in COMPARISONS else both), (left, right)


@pytest.mark.parametrize("name", [*BINARY, *COMPARISONS])
def test_numbers_of_pythons_take_the_dtype_of_the_array(name: str) -> None:
    function: Callable[..., Any] = _function(name)
    for dtype in (BINARY | COMPARISONS)[name]:
        number = {"b": True, "i": 1, "u": 1, "f": 1.0, "c": 1.0}[np.dtype(dtype).kind]
        x = la.ones(3, dtype=dtype)
        for result in (function(x, number), function(number, x)):
            assert result.dtype == (bool if name in COMPARISONS else dtype), dtype


@pytest.mark.parametrize("name", ["sum", "prod", "cumulative_sum", "cumulative_prod"])
def test_sums_of_integers_are_wide(name: str) -> None:
    for dtype in NUMBERS:
        expected = {"i": "int64", "u": "uint64"}.get(np.dtype(dtype).kind, dtype)
        assert _function(name)(la.ones(3, dtype=dtype)).dtype == expected
        if np.dtype(dtype).kind != "c":  # of which a float is a part
            wide = _function(name)(la.ones(3, dtype=dtype), dtype=la.float64)
            assert wide.dtype == "float64"


@pytest.mark.parametrize(
    "name", ["max", "min", "sort", "flip", "unique_values", "matrix_transpose"]
)
def test_what_moves_or_chooses_keeps_the_dtype(name: str) -> None:
    for dtype in REAL:
        assert _function(name)(la.ones((2, 3), dtype=dtype)).dtype == dtype


@pytest.mark.parametrize("name", ["mean", "std", "var"])
def test_moments_of_floats_keep_the_dtype(name: str) -> None:
    for dtype in REAL_FLOATS:
        assert _function(name)(la.ones((2, 3), dtype=dtype)).dtype == dtype


@pytest.mark.parametrize("name", ["argmax", "argmin", "argsort", "count_nonzero", "searchsorted"])
def test_indices_have_the_dtype_of_indices(name: str) -> None:
    x = la.arange(3.0)
    result = _function(name)(x, x) if name == "searchsorted" else _function(name)(x)
    info: Any = la.__array_namespace_info__()
    assert result.dtype == info.default_dtypes()["indexing"]


def test_what_the_namespace_says_of_itself() -> None:
    info: Any = la.__array_namespace_info__()
    assert info.capabilities()["boolean indexing"]
    assert info.capabilities()["data-dependent shapes"]
    assert set(info.default_dtypes()) == {
        "real floating",
        "complex floating",
        "integral",
        "indexing",
    }
    assert set(ALL) <= set(info.dtypes())
    assert set(info.dtypes(kind=("integral", "bool"))) >= {*INTEGERS, "bool"}
    assert info.default_device() in info.devices()


def test_devices_are_those_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    devices: Any = la.__array_namespace_info__().devices
    monkeypatch.setattr(driver, "opened_devices", list)
    monkeypatch.setattr(gpu_sight, "_in_sight", [""])
    assert devices() == ["cpu"]
    monkeypatch.setattr(gpu_sight, "_in_sight", ["a GPU"])
    assert devices() == ["cpu", "cuda"]


def test_results_of_several_arrays_have_names() -> None:
    x = la.asarray([[2.0, 0.0], [0.0, 3.0]])
    assert la.unique_all(x)._fields == ("values", "indices", "inverse_indices", "counts")
    assert la.unique_counts(x)._fields == ("values", "counts")
    assert la.unique_inverse(x)._fields == ("values", "inverse_indices")
    assert la.linalg.eigh(x)._fields == ("eigenvalues", "eigenvectors")
    assert la.linalg.qr(x)._fields == ("Q", "R")
    assert la.linalg.slogdet(x)._fields == ("sign", "logabsdet")
    assert la.linalg.svd(x)._fields == ("U", "S", "Vh")


def test_frequencies_have_a_dtype_and_versions_numpys_words() -> None:
    narrow = la.fft.rfftfreq(5, d=0.1, dtype=la.float32)
    np.testing.assert_array_equal(narrow, np.fft.rfftfreq(5, 0.1).astype("f4"), strict=True)
    with pytest.raises(TypeError, match="floating-point"):
        la.fft.fftfreq(5, dtype="i4")
    with pytest.raises(ValueError) as theirs:
        np.ones(1).__array_namespace__(api_version="2020.1")
    with pytest.raises(ValueError, match=re.escape(str(theirs.value))):
        la.ones(1).__array_namespace__(api_version="2020.1")


def test_the_processor_takes_no_stream() -> None:
    x = la.ones(2)
    assert x.to_device("cpu") is x
    for array in (x, np.ones(2)):
        with pytest.raises(ValueError, match=r"stream argument in to_device\(\) is not supported"):
            array.to_device("cpu", stream=1)
