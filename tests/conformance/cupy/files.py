"""CuPy's test files that are run."""

from __future__ import annotations

from pathlib import Path

from tests.conformance.cupy import left_out
from tests.conformance.cupy.names import CUDA_ALONE
from tests.conformance.files import COLUMNS, Suite

__all__ = ["FILES", "suite_of"]

#: Those of the committed table. Others can be named on the command line.
FILES = (
    "test_ndim.py",
    "test_type_routines.py",
    *(
        f"{group}_tests/test_{name}.py"
        for group, names in {
            "core": "array_function dlpack iter ndarray ndarray_adv_indexing ndarray_complex_ops "
            "ndarray_conversion ndarray_copy_and_view ndarray_elementwise_op ndarray_get "
            "ndarray_indexing ndarray_math ndarray_reduction ndarray_scatter ndarray_ufunc "
            "ndarray_unary_op ufunc_methods",
            "binary": "elementwise packing",
            "creation": "basic from_data matrix ranges",
            "fft": "fft",
            "functional": "piecewise vectorize",
            "indexing": "generate indexing insert iterate",
            "lib": "polynomial shape_base strided_tricks",
            "linalg": "decomposition eigenvalue einsum norms product solve",
            "logic": "comparison content ops truth type_test",
            "manipulation": "add_remove basic dims join kind rearrange shape split tiling "
            "transpose",
            "math": "arithmetic explog floating hyperbolic matmul misc rational rounding special "
            "sumprod trigonometric window",
            "padding": "pad",
            "polynomial": "polynomial polyutils",
            "random": "generator generator_api permutations random sample",
            "sorting": "count search sort",
            "statistics": "correlation histogram meanvar order",
        }.items()
        for name in names.split()
    ),
)

_NOTES = """
Each test is in one column. "NumPy fails it": what CuPy alone does, as running the tests with NumPy
itself in CuPy's place shows. "under eager()", "documented difference" and "refused dtype" are as in
NumPy's table; "not run": for the reasons given in `tests/conformance/cupy/left_out.py`; "skipped"
by CuPy. A file of the suite without a row has not been counted yet. Left out are these files:
"""


def suite_of(folder: Path) -> Suite:
    """Return CuPy's test files.

    Parameters
    ----------
    folder
        CuPy's sources.
    """
    folder = folder.resolve()
    version = (folder / "cupy/_version.py").read_text(encoding="utf-8").split("'")[1]
    return Suite(
        f"CuPy {version}",
        folder / "tests/cupy_tests",
        FILES,
        left_out,
        {**COLUMNS, "theirs": "NumPy fails it", "skipped": "skipped"},
        _NOTES,
        ("--noconftest", "-p", "tests.conformance.cupy.plugin"),
        {"LAZYARR_CUPY": str(folder)},
        {"LAZYARR_CONFORMANCE": "numpy"},
        CUDA_ALONE,
    )
