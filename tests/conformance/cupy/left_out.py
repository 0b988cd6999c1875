"""What of CuPy's suite is not run, and what a failure means: the reasons, in one place."""

from __future__ import annotations

import re
from typing import Any

from tests.conformance import left_out as of_numpy

__all__ = ["FILES_LEFT_OUT", "REFUSED", "TESTS_LEFT_OUT", "difference_of", "kind_of_theirs"]

_CUDA = "CUDA's streams, memory, kernels and libraries under CuPy's names"
_FUSION = "kernels and functions that are made of the user's own CUDA C or by cupy.fuse"
_OWN = "calls functions of CuPy's own by names with an underscore"

#: Files by pattern.
FILES_LEFT_OUT: dict[str, str] = {
    "(cuda|prof|testing|array_api)_tests/.*": _CUDA,
    "core_tests/fusion_tests/.*": _FUSION,
    "core_tests/test_(raw|userkernel|elementwise|function|include|carray).py": _FUSION,
    "core_tests/test_cub_reduction.py": _FUSION,
    "core_tests/test_(core|gufuncs|internal|scan|syncdetect|reduction|flags).py": _OWN,
    "core_tests/test_ndarray_(cuda_array_interface|owndata).py": _CUDA,
    "fft_tests/test_(cache|callback).py": _CUDA,
    "random_tests/test_(init|bit_generator).py": _CUDA,
    "random_tests/test_distributions.py": _OWN,
    "test_(cublas|init|typing|numpy_interop).py": _CUDA,
    "misc_tests/.*": "memory, which an expression has not",
    "io_tests/.*": "files and texts: what is read is checked by tests/numpy_api",
}

_GPU = "how arrays are copied from a GPU, and refused where they are not"

_CHANCE = "may fail by chance: after a seed draws are NumPy's, as docs/random.md says"

#: Tests, or classes of tests, by name.
TESTS_LEFT_OUT: dict[str, str] = {
    **dict.fromkeys("TestCudaArrayInterface TestCudaArrayInterfaceMaskedArray".split(), _CUDA),
    **dict.fromkeys(
        "TestArrayGetWithOut TestNdarrayCudaInterface TestNdarrayImplicitConversion "
        "TestNewDLPackConversion TestDLPackConversion".split(),
        _GPU,
    ),
    **dict.fromkeys("TestFftnContiguity TestMultiGpuFft TestMultiGpuFftOrder".split(), _CUDA),
    **dict.fromkeys("test_goodness_of_fit test_goodness_of_fit_2 test_bound_1".split(), _CHANCE),
    "TestMatmulFp16ComputeTypes": _CUDA,
    "test_binary_mixed_op": _GPU,
    "TestGUFuncSignatures": _OWN,
}

REFUSED = of_numpy.REFUSED

_COMPILED = "vectorize compiles its function"
_NUMPYS = "poly1d, as_strided and functions of coefficients are NumPy's"
_BOTH = "errors of arguments are TypeErrors and ValueErrors"
_STRIDES = "steps along axes of one element are those of C order"

#: Messages and lines of tests that show a documented difference, and which.
DOCUMENTED: dict[str, re.Pattern[str]] = {
    _BOTH: re.compile(r"Different types of errors(?s:.*)lazyarr\.errors\.ArgumentError:"),
    _COMPILED: re.compile(
        r"takes bools, integers and floats, got|use numbers, loops, branches and functions of math"
        r"|of the same type everywhere|numba/core/"
    ),
    _NUMPYS: re.compile(r"return value:\s*cupy: <class 'numpy.ndarray'>|'poly1d' object|poly1d\("),
    "some dtypes are refused": re.compile(r"dtype object is not supported"),
}

#: The same of tests by name that neither message nor line shows.
TESTS_DOCUMENTED: dict[str, str] = {
    **dict.fromkeys(
        "test_vectorize_minmax test_vectorize_ifexp test_vectorize_python_scalar_input "
        "test_vectorize_floor_div test_vectorize_mod".split(),
        _COMPILED,
    ),
    **dict.fromkeys("test_array_from_numpy_c_and_f test_reshape_contiguity".split(), _STRIDES),
    "test_ne_object": "some dtypes are refused",
    "test_explicit_constructor_call": "subclasses of ndarray are not kept",
    **dict.fromkeys(
        "test_percentile_overwrite test_quantile_overwrite test_tril_indices_from_4 "
        "test_triu_indices_from_4".split(),
        "small liberties",
    ),
}


def difference_of(error: str, code: str, test: str = "") -> str | None:
    """Return the documented difference that a failure shows, if it does.

    Parameters
    ----------
    error : str
        The message.
    code : str
        The line of the test that failed.
    test : str, optional
        The test, as pytest names it.
    """
    parts = {part.partition("[")[0] for part in test.split("::")}
    named = next((TESTS_DOCUMENTED[part] for part in parts if part in TESTS_DOCUMENTED), None)
    text = f"{error}\n{code}"
    own = next((name for name, form in DOCUMENTED.items() if form.search(text)), None)
    return named or own or of_numpy.difference_of(error, code)


def kind_of_theirs(entry: dict[str, Any], kind: str) -> str:
    """Return "theirs" for a test that NumPy in CuPy's place fails.

    Parameters
    ----------
    entry
        What is noted of that run.
    kind
        The outcome of the test where NumPy lacks what only the test's way to look at values needs.
    """
    return kind if re.search(r"no attribute '(get|set)'", entry["error"]) else "theirs"
