"""What of NumPy's suite is not run, and what a failure means: the reasons, in one place."""

from __future__ import annotations

import re

__all__ = ["DOCUMENTED", "FILES_LEFT_OUT", "REFUSED", "TESTS_LEFT_OUT", "difference_of"]

_INTERNAL = "calls functions in C of NumPy's own tests, which take an ndarray's memory"
_IDENTITY = "asks whether objects of NumPy's are themselves, half of which are lazyarr's here"
_SIGNATURES = "compares the signatures of NumPy's scalar types with those of its arrays"
_REFERENCES = "counts references to NumPy's objects"
_OF_SIZES = "one library call for each of 511 sizes"

#: Tests, or classes of tests, by name.
TESTS_LEFT_OUT: dict[str, str] = {
    **dict.fromkeys(
        (
            "TestAsCArray",
            "TestLowlevelAPIAccess",
            "TestNeighborhoodIter",
            "TestStackedNeighborhoodIter",
            "TestWritebackIfCopy",
            "test_extension_incref_elide",
            "test_extension_incref_elide_stack",
        ),
        _INTERNAL,
    ),
    **dict.fromkeys(("TestVerifyMatchingSignatures", "TestNumPyFunctions"), _IDENTITY),
    **dict.fromkeys(("TestSignature", "TestTextSignatures"), _SIGNATURES),
    **dict.fromkeys(("test_dunder_dlpack_refcount",), _REFERENCES),
    **dict.fromkeys(
        (f"test_{call}_{kind}" for call in ("sort", "argsort") for kind in ("float", "int")),
        _OF_SIZES,
    ),
}

_C = "tests NumPy's C or its build, and calls nothing that lazyarr has"
_TEXT = "text and bytes, which lazyarr has not"
_RECORDS = "records and structured dtypes, which lazyarr has not"
_MATRIX = "numpy.matrix, which lazyarr has not"
_MASKED = "numpy.ma, which lazyarr has not"

#: Files by pattern.
FILES_LEFT_OUT: dict[str, str] = {
    "_core/tests/test_(arraymethod|cpu_.*|custom_dtypes|cython|extint128|hashtable).py": _C,
    "_core/tests/test_(limited_api|mem_policy|simd.*|_exceptions|array_api_info).py": _C,
    "_core/tests/test_casting_unittests.py": _C,
    "_core/tests/test_multi(processing|threading).py": "processes and threads of NumPy's own",
    "_core/tests/test_(defchararray|strings|stringdtype|unicode|arrayprint|print).py": _TEXT,
    "_core/tests/test_(scalar_ctors|scalarbuffer|scalarinherit|scalarmath|scalarprint).py": (
        "NumPy's scalar types, which are lazyarr's too"
    ),
    "_core/tests/test_(dtype|finfo|longdouble).py": "NumPy's dtypes, which are lazyarr's too",
    "_core/tests/test_datetime.py": "dates, which lazyarr has not",
    "_core/tests/test_(records|array_interface).py": _RECORDS,
    "_core/tests/test_(memmap|nditer|umath_accuracy).py": "memory, which an expression has not",
    "lib/tests/test_(recfunctions|_iotools).py": _RECORDS,
    "polynomial/tests/test_printing.py": "texts of polynomials, which are NumPy's",
    "lib/tests/test_(__datasource|_datasource|_version|utils|format|io|loadtxt).py": (
        "files and texts: what is read is checked by tests/numpy_api"
    ),
    "random/tests/test_(direct|extending|seed_sequence|smoke).py": "NumPy's bit generators",
    "(ma)/tests/.*": _MASKED,
    "(matrixlib)/tests/.*": _MATRIX,
    "(f2py|distutils|_pyinstaller|typing|testing|tests)/.*": _C,
}

#: What a message says of an array of a dtype that lazyarr refuses: objects, texts, dates, records.
REFUSED = re.compile(
    r"is not supported"
    r"|expected an array, got (str|bytes|NoneType|object|dict|set|Decimal|Fraction|timedelta|foo)\b"
    r"|int\(\) argument must be .* not '(NoneType|datetime.\w+)'"
    r"|inhomogeneous shape.*\bdtype"
)

#: Messages and lines of tests that show a difference of docs/differences_from_numpy.md, and which.
DOCUMENTED: dict[str, re.Pattern[str]] = {
    "numbers and truths are arrays of shape ()": re.compile(
        r"isinstance\(LazyArray\(|ACTUAL: <class 'lazyarr.arrays.lazy_array.LazyArray'>"
        r"|isinstance\(\w+, np\.ndarray\)"
        r"|isinstance\(\w+(\([^)]*\))?, (bool|int|float|np\.(bool|integer|floating|generic)\w*)\)"
        r"|hasattr\(sample, 'dtype'\)|\) is np\.(True|False)_|np\.isscalar\("
    ),
    "arrays have no memory, and cannot lend it": re.compile(
        r"'LazyArray' object has no attribute"
        r" '(data|ctypes|byteswap|getfield|setfield|__array_struct__|as_integer_ratio)'"
        r"|'LazyArray' has no attribute '(byteswap|getfield|setfield|__array_(wrap|finalize)__)'"
        r"|bytes-like object is required, not 'LazyArray'|object supporting the buffer API required"
        r"|property '(shape|dtype|strides)' of 'LazyArray' object has no setter"
        r"|\.base\b|strided arrays not supported|lapack_lite"
    ),
    "subclasses of ndarray are not kept": re.compile(
        r"has semantics that lazyarr does not keep|subok=True|view\(.*(matrix|MyArray|SubClass)"
    ),
    "arrays have the byte order of the machine": re.compile(r"dtype\('\w+'\) == '[<>]\w\d'"),
    "vectorize compiles its function": re.compile(
        r"which vectorize does not compile|vectorize takes Python functions|nopython"
    ),
}


def difference_of(error: str, code: str) -> str | None:
    """Return the documented difference that a failure shows, if it does.

    Parameters
    ----------
    error : str
        The message.
    code : str
        The line of the test that failed.
    """
    text = f"{error}\n{code}"
    return next((name for name, form in DOCUMENTED.items() if form.search(text)), None)
