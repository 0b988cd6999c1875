"""What of NumPy's suite is not run, and what a failure means: the reasons, in one place."""

from __future__ import annotations

import re

__all__ = [
    "DOCUMENTED",
    "FILES_LEFT_OUT",
    "REFUSED",
    "TESTS_DOCUMENTED",
    "TESTS_LEFT_OUT",
    "difference_of",
]

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
            "TestCApiAccess",
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
    **dict.fromkeys(
        ("test_dunder_dlpack_refcount", "test_small_regressions", "test___array___refcount"),
        _REFERENCES,
    ),
    **dict.fromkeys(
        (f"test_{call}_{kind}" for call in ("sort", "argsort") for kind in ("float", "int")),
        _OF_SIZES,
    ),
}

_C = "tests NumPy's C or its build, and calls nothing that lazyarr has"

#: Files by pattern.
FILES_LEFT_OUT: dict[str, str] = {
    "_core/tests/test_(arraymethod|cpu_.*|custom_dtypes|cython|extint128|hashtable).py": _C,
    "_core/tests/test_(limited_api|mem_policy|simd.*|_exceptions|array_api_info).py": _C,
    "_core/tests/test_casting_unittests.py": _C,
    "_core/tests/test_multi(processing|threading).py": "processes and threads of NumPy's own",
    "lib/tests/test_(__datasource|_datasource|_version).py": "files and texts of NumPy's own",
    "ma/tests/test_deprecations.py": "warnings of NumPy's own",
    "random/tests/test_extending.py": "NumPy's bit generators",
    "(f2py|distutils|_pyinstaller|typing|testing|tests)/.*": _C,
}

#: What a message says of an array of a dtype that lazyarr refuses: objects, texts, dates, records.
REFUSED = re.compile(
    r"is not supported"
    r"|expected an array, got (str|bytes|NoneType|object|dict|set|Decimal|Fraction|timedelta|foo)\b"
    r"|expected an array, got (HasComparisons|Dummy|NotConvertible|(add|multiply)_not_\w+)\b"
    r"|Cannot use DescrNewByteOrder|expected a number, got str\b|'LazyArray' and 'decimal.Decimal'"
    r"|int\(\) argument must be .* not '(NoneType|datetime.\w+)'"
    r"|np\.where\(True, None, None\)|inhomogeneous shape.*\bdtype"
)

_MEMORY = "arrays have no memory, and cannot lend it"
_LENT = "arrays of NumPy's that show an expression are read-only"
_OWN = "functions and modules are lazyarr's own"
_PRIVATE = "names with an underscore are NumPy's own affair"
_STREAMS = "generators have streams of their own"
_BYTE_ORDER = "arrays have the byte order of the machine"
_OTHERS = "what asks for the type takes values"
_PRIORITIES = "operators defer to priorities above 1000"
_LOCKED = "views of broadcast elements cannot be written to"
_WARNINGS = "results that came to be infinite or NaN warn"
_LIBERTIES = "small liberties"
_REFERRED = "there may be more references to objects"
_VIEWED = "views of la.ndarray need NumPy's name"
_ENDS = "nditer writes when it ends"
_ELEMENTS = "elements of arrays of objects are values"
_WRAPPED = "writes are visible in views, never in the wrapped array"
_SUBCLASSES = "subclasses of ndarray are not kept"

#: Messages and lines of tests that show a difference of docs/differences_from_numpy.md, and which.
DOCUMENTED: dict[str, re.Pattern[str]] = {
    "numbers and truths are arrays of shape ()": re.compile(
        r"isinstance\(LazyArray\(|ACTUAL: <class 'lazyarr.arrays.lazy_array.LazyArray'>"
        r"|isinstance\(\w+, np\.ndarray\)"
        r"|isinstance\([^,]+, (bool|int|float|np\.\w+)\)"
        r"|assert_\(res is expected\)|type\([^=]*\) is (bool|np\.(dtype|float|int)\w*)"
        r"|array\(\[True\]\)\[0\] is a1"
        r"|type\(np\.prod\(.*\) is np\.float32|assert_\(type\(\w+\) is np\.ndarray\)"
        r"|hasattr\(sample, 'dtype'\)|\) is np\.(True|False)_|\bisscalar\("
        r"|<class 'numpy\.\w+'> == <class 'lazyarr.arrays.lazy_array.LazyArray'>"
        r"|type\(\w+\[\d\]\) is type\(|type\(a\[\(\)\]\) is a\.dtype\.type"
        r"|res_num\.astype\(\"O\"\)|isinstance\(x, collections\.abc\.Hashable\)"
    ),
    "texts name the class": re.compile(
        r"ACTUAL: 'LazyArray\(|'LazyArray\(\[\S+\](, dtype=\w+)?\)' != 'LazyArray"
        r"|'LazyArray' is not defined"
    ),
    "type(x) is ndarray never holds": re.compile(
        r"(DESIRED:|is) <class 'lazyarr\.arrays\.ndarray\.ndarray'>|type\([^=]*\) is np\.ndarray"
    ),
    _MEMORY: re.compile(
        r"'LazyArray' object has no attribute"
        r" '(data|ctypes|byteswap|getfield|setfield|as_integer_ratio|__array_(struct|wrap)__)'"
        r"|'LazyArray' has no attribute '(byteswap|getfield|setfield|__array_(wrap|finalize)__)'"
        r"|bytes-like object is required, not 'LazyArray'|object supporting the buffer API required"
        r"|property '(shape|dtype|strides)' of 'LazyArray' object has no setter"
        r"|\.base\b|strided arrays not supported|lapack_lite"
        r"|not y\.flags\.owndata|np\.may_share_memory\(arr, res\)"
        r"|not memoryview\(result\)\.readonly"
    ),
    _LENT: re.compile(r"ValueError: (assignment destination|output array|sort array) is read-only"),
    _SUBCLASSES: re.compile(
        r"does not preserve the semantics of|subok=True|view\(.*(matrix|MyArray|SubClass)"
        r"|a view can only have type LazyArray"
        r"|is (MyNDArray|MyArr(ay)?|expected_type|MemmapSubClass)\b"
    ),
    _BYTE_ORDER: re.compile(
        r"dtype\('\w+'\) == '[<>]\w\d'|\.dtype\.isnative|y\.format, '>i'|DESIRED: dtype\('>"
    ),
    "errors name the line that they are of": re.compile(r"str\(e\.value\)\.endswith"),
    "elements that where= leaves out are zero": re.compile(r"'where' used without 'out'"),
    _OWN: re.compile(r"func is getattr\(np, func|scalar\.__array_namespace__\(\) is np"),
    "dot warns under the name matmul": re.compile(
        r"Expected regex: '\w+ value encountered in dot'"
    ),
    _STREAMS: re.compile(r"lazyarr's Generator has no bit_generator"),
    _OTHERS: re.compile(
        r"SeedSequence expects int or sequence|require base class ndarray"
        r"|TypeError: output must be an array|__array__ method not producing an array"
    ),
    _REFERRED: re.compile(r"getrefcount|assert now - before == count"),
    _VIEWED: re.compile(
        r"Cannot change data-type for array of references|must be a sub-type of ndarray type"
    ),
    "a GPU is a device": re.compile(r"Device not understood: no device"),
    "vectorize compiles its function": re.compile(
        r"which vectorize does not support|vectorize takes Python functions|nopython"
    ),
}


#: Tests by name that fail by a documented difference which neither message nor line shows.
TESTS_DOCUMENTED: dict[str, str] = {
    **dict.fromkeys(
        "TestApplyAlongAxis::test_scalar_array TestApplyAlongAxis::test_0d_array "
        "TestDiff::test_n TestArrayCreationCopyArgument::test_scalars "
        "test_scalar_coercion_same_as_cast_and_assignment "
        "TestScalarIndexing::test_invalid_subscript_assignment".split(),
        "numbers and truths are arrays of shape ()",
    ),
    **dict.fromkeys(
        "TestSizeOf test_array_wrap test_bad_array_like_attributes test_binary_ufunc_reduce_fuzz "
        "test_binary_ufunc_accumulate_fuzz test_binary_ufunc_reduceat_fuzz test_byte_bounds "
        "test_contiguous_flags test_count_nonzero_non_aligned_array test_mem_dot test_no_dgemv "
        "test_operand_flags "
        "test_non_ndarray_inputs test_unusual_order_negative_stride test_writeable_from_readonly "
        "test_warnonwrite test_readonly_flag_protocols test_check_reference test_check_weakref "
        "test_check_reference_2 test_empty_view test_malloc_fails "
        "TestZeroRank::test_constructor test_pickle_with_buffercallback test_non_contiguous_array "
        "TestFlat::test___array__ test_accelerate_framework_sgemv_fix test_various_alignments "
        "TestDLPack::test_readonly".split(),
        _MEMORY,
    ),
    **dict.fromkeys(
        "test_add_doc TestAttributes::test_doc test_frompyfunc_name test_function_like "
        "test_import_entry_point test_load_ufunc_pickle test_nep35_functions_as_array_functions "
        "TestArrayFunctionImplementation::test_not_implemented test_pickle_withstring "
        "TestArrayFunctionDispatch::test_pickle test_pickle_name_is_qualname test_ufunc_arg "
        "test_ufunc_docstring test__array_namespace__ "
        "test_where_dispatch test_ufunc_override_methods TestBroadcast::test_signatures "
        "test_inspect_signature TestOptionalArgs::test_ndarrayfuncs TestMa::test_testAPI".split(),
        _OWN,
    ),
    **dict.fromkeys(
        "test__nan_mask test__replace_nan test_astype_copyflag test_memmap_takes_fast_route "
        "TestBroadcast::test_poisson test_coercion_RandomState_Generator".split(),
        _PRIVATE,
    ),
    **dict.fromkeys(
        "test_generator_ctor_old_style_pickle test_hot_swap test_legacy_pickle "
        "test_randomstate_ctor_old_style_pickle test_c_contig_req_out".split(),
        _STREAMS,
    ),
    **dict.fromkeys(
        "test_array_like_add TestNDArrayOperatorsMixin::test_inplace test_ufunc_at "
        "TestNDArrayOperatorsMixin::test_matmul test_intersect1d_array_like "
        "TestSeed::test_array TestSubarray::test_shape_sequence test_dot_out".split(),
        _OTHERS,
    ),
    **dict.fromkeys(
        "test_operator_concat TestFlat::test_maxdims test_output_ellipsis_errors "
        "test_einsum_0d_out test_array_interface_empty_shape test___array__copy_arg "
        "test___array__copy_once TestArrayCreationCopyArgument::test___array__ "
        "test_ufunc_override_out test_replace_0d_array TestMaskedArray::test_copy".split(),
        _LIBERTIES,
    ),
    **dict.fromkeys(
        "lib/tests/test_stride_tricks.py::test_writeable TestUfunc::test_broadcast".split(), _LOCKED
    ),
    "test_ufunc_binop_interaction": _PRIORITIES,
    "test_compatible_cast": _BYTE_ORDER,
    **dict.fromkeys("test_size_zero_output".split(), "vectorize compiles its function"),
    **dict.fromkeys("test_float_remainder_overflow".split(), _WARNINGS),
    **dict.fromkeys(
        "test_cast_safety test_out_and_dtype test_invalid_byte_swapping test_dtype_identity "
        "test_iter_allocate_output_types_byte_order".split(),
        _BYTE_ORDER,
    ),
    **dict.fromkeys(
        "test_outer_subclass_preserve test_subclass_op test_unique_subclass "
        "test_default_prepare TestSpecialMethods::test_wrap TestSpecialMethods::test_priority "
        "test_failing_wrap test_none_wrap TestDeprecatedArrayWrap TestMemmap::test_getitem "
        "TestKeepdims::test_raise test_ndarray_subclass_and_duck_array "
        "TestNDArrayArrayFunction::test_method TestRegression::test_attributes "
        "test_ufunc_no_unnecessary_views test_squeeze_axis_handling "
        "test_richcompare_scalar_and_subclass TestArrayPriority::test_ndarray_subclass "
        "test_array_wrap_array_priority test_reduce_output_subclass_ok".split(),
        _SUBCLASSES,
    ),
    **dict.fromkeys("test_iter_slice test_iter_copy_if_overlap".split(), _ENDS),
    **dict.fromkeys(
        "test_uneven_depth_ragged test_array_of_different_depths test_0d_object_special_case "
        "TestMaskedObjectArray::test_getitem".split(),
        _ELEMENTS,
    ),
    "TestProperties::test_asmatrix": _WRAPPED,
    "TestMaskedArray::test_str_repr": "texts name the class",
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
    parts = [part.partition("[")[0] for part in test.split("::")]
    for name in (*parts, "::".join(parts[-2:])):
        if name in TESTS_DOCUMENTED:
            return TESTS_DOCUMENTED[name]
    text = f"{error}\n{code}"
    return next((name for name, form in DOCUMENTED.items() if form.search(text)), None)
