"""cuBLAS: matrix products of strided operands, row-major, without copies where flags can say it.

A long product that is evaluated again is tried with each of the algorithms that cuBLASLt proposes,
once, and the fastest that gives the bits of the default is kept for its shape.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lazyarr.core.dtypes import kind_of
from lazyarr.errors import DeviceMemoryError
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.autotune_cache import load_choice, store_choice
from lazyarr.runtime.cuda.libraries.cublaslt import BIAS, PLAIN, RELU, Matmuls, Problem, alignment
from lazyarr.runtime.cuda.libraries.handles import Libraries, data_type
from lazyarr.runtime.cuda.libraries.kernels import copies
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.thin_products import has_kernel, thin_products
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = [
    "CODES",
    "inner_product",
    "matrix_products",
    "product_with",
    "stacked",
    "warm_up",
    "writable",
]

#: Dtypes that cuBLAS multiplies, by their codes.
CODES = frozenset(("bf2", "f2", "f4", "f8", "c8", "c16"))

#: Factors by dtype of accumulation; cuBLAS reads them through pointers into this memory.
_ONE = {name: np.ones(1, name) for name in ("f4", "f8", "c8", "c16")}
_ZERO = {name: np.zeros(1, name) for name in ("f4", "f8", "c8", "c16")}

_COMPUTE_32F = 68
_COMPUTE_32F_FAST_TF32 = 77
_COMPUTE_64F = 70
_NOT_TURNED, _TURNED = 0, 1
_DEFAULT_ALGORITHM = -1
_HOST, _DEVICE = 0, 1

#: What :func:`warm_up` works with: matrices of so many rows and columns, and bytes in all.
_TINY = 16
_WARM_UP_BYTES = 1 << 20


def _arithmetic(dtype: np.dtype[Any], fast: bool) -> tuple[str, int]:
    """Return the dtype of the factors and the arithmetic, by their names in cuBLAS."""
    wide = dtype in (np.dtype("f8"), np.dtype("c16"))
    factor = f"{kind_of(dtype)}{max(dtype.itemsize, 4)}"
    if wide:
        return factor, _COMPUTE_64F
    tensor = fast and dtype.itemsize > 2
    return factor, _COMPUTE_32F_FAST_TF32 if tensor else _COMPUTE_32F


def _leading(rows: int, columns: int, strides: tuple[int, int]) -> tuple[int, int] | None:
    """Return the flag and the leading dimension by which cuBLAS takes a row-major matrix.

    Seen by columns, as cuBLAS sees memory, a row-major matrix is its transpose: so a matrix whose
    rows are dense needs no flag, and one whose columns are dense is transposed.
    """
    down, along = strides
    if (along == 1 or columns == 1) and (down >= columns or rows == 1):
        return _NOT_TURNED, max(down if rows > 1 else columns, 1)
    if (down == 1 or rows == 1) and (along >= rows or columns == 1):
        return _TURNED, max(along if columns > 1 else rows, 1)
    return None


def _suitable(work: Work, matrix: Strided) -> Strided:
    """Return matrices that cuBLAS can take as they are: themselves, or a copy."""
    rows, columns = matrix.shape[-2:]
    if _leading(rows, columns, (matrix.strides[-2], matrix.strides[-1])) is None:
        return work.packed(matrix)
    return matrix


def matrix_products(work: Work, out: Strided, a: Strided, b: Strided) -> None:
    """Queue ``out[k] = a[k] @ b[k]`` for matrices (k, n, m); strides of the stack may be 0.

    Parameters
    ----------
    work : Work
        Memory and kernels.
    out, a, b : Strided
        Three axes each; `out` must have dense rows or dense columns.
    """
    count, rows, columns = out.shape
    inner = a.shape[-1]
    if not out.size:
        return
    if not inner:
        zeros = work.zeros(out.shape, out.dtype)
        work.copy(zeros, out)
        return
    if has_kernel(out, a):
        thin_products(work, out, a, b)
        return
    a, b = _suitable(work, a), _suitable(work, b)
    flag, target = _out_order(out)
    if flag == _TURNED:
        # The result is wanted by columns: compute its transpose, (a @ b).T = b.T @ a.T.
        a, b, out, rows, columns = b.transposed, a.transposed, out.transposed, columns, rows
    left = _leading(rows, inner, (a.strides[-2], a.strides[-1]))
    right = _leading(inner, columns, (b.strides[-2], b.strides[-1]))
    assert left is not None and right is not None
    kind = data_type(out.dtype)
    factor, compute = _arithmetic(out.dtype, work.fast)
    one, zero = _ONE[factor].ctypes.data, _ZERO[factor].ctypes.data
    # By columns, memory holds the transposes: out.T = b.T @ a.T.
    with work.libraries.lock:
        cublas, handle = work.libraries.opened("cublas")
        sizes = (columns, rows, inner)
        if count == 1:
            problem = _problem(out, a, b, (right, left), target, compute)

            def default(address: int) -> None:
                cublas.gemm_ex_64(
                    handle, right[0], left[0], *sizes, one,
                    b.address, kind, right[1], a.address, kind, left[1], zero,
                    address, kind, target, compute, _DEFAULT_ALGORITHM,
                )  # fmt: skip

            def proposed(number: int, address: int) -> None:
                work.libraries.matmuls.multiply(
                    problem, number, (one, zero), (b.address, a.address, address),
                    work.libraries.stream,
                )  # fmt: skip

            number = _fastest(work, out, problem, default, proposed)
            if number is None:
                default(out.address)
            else:
                proposed(number, out.address)
        else:
            cublas.gemm_strided_batched_ex_64(
                handle, right[0], left[0], *sizes, one,
                b.address, kind, right[1], b.strides[0],
                a.address, kind, left[1], a.strides[0], zero,
                out.address, kind, target, out.strides[0], count, compute, _DEFAULT_ALGORITHM,
            )  # fmt: skip


def _problem(
    out: Strided,
    a: Strided,
    b: Strided,
    flags: tuple[tuple[int, int], tuple[int, int]],
    target: int,
    compute: int,
    epilogue: int = PLAIN,
) -> Problem:
    """Return a product as cuBLASLt sees it: by columns, the transposes, ``out.T = b.T @ a.T``."""
    right, left = flags
    _, rows, columns = out.shape
    return Problem(
        data_type(out.dtype),
        compute,
        (columns, rows, a.shape[-1]),
        (right[0], left[0]),
        (right[1], left[1], target),
        (alignment(b.address), alignment(a.address), alignment(out.address)),
        epilogue,
    )


def _fastest(
    work: Work,
    out: Strided,
    problem: Problem,
    default: Callable[[int], None],
    proposed: Callable[[int, int], None],
) -> int | None:
    """Return the proposal that is to compute a product; None: cuBLAS is left to choose."""
    matmuls: Matmuls = work.libraries.matmuls
    if problem in matmuls.fastest:
        return matmuls.fastest[problem]
    rows, columns, inner = problem.sizes
    long = rows * columns * inner >= tuning.row().race_products and kind_of(out.dtype) == "f"
    if not long or not out.contiguous:
        return None
    chosen = load_choice(work.libraries, work.settings, problem)
    if chosen is not None:
        number = matmuls.proposal(problem, chosen)
        if number is not None or not chosen:
            matmuls.fastest[problem] = number
            return number
    if work.libraries.recording or not work.again:
        return None  # nothing runs yet, or perhaps only once
    try:
        other = work.empty(out.shape, out.dtype)
    except DeviceMemoryError:
        return None  # there is no room to compare results in
    number = matmuls.fastest[problem] = _race(work, out, other, problem, default, proposed)
    algorithm = matmuls.algorithm(problem, number)
    store_choice(work.libraries, work.settings, problem, algorithm)
    return number


def _race(
    work: Work,
    out: Strided,
    other: Strided,
    problem: Problem,
    default: Callable[[int], None],
    proposed: Callable[[int, int], None],
) -> int | None:
    """Return the fastest proposal that gives the default's bits; None: none is clearly faster."""
    winner: int | None = None
    row = tuning.row()
    best = row.race_share
    flag = work.zeros((1,), np.dtype(np.uint32))
    theirs = partial(default, out.address)
    theirs()
    proposals = work.libraries.matmuls.proposals(problem)
    # What both have loaded, once in a process, is no part of the race.
    work.wait()
    begun = time.perf_counter()
    (once,) = work.seconds([theirs])
    spent = once
    for number in range(proposals):
        # Before more is known, an algorithm runs twice and the default once.
        waited = time.perf_counter() - begun
        if spent + 3 * once > row.race_seconds or waited > row.race_wait_seconds:
            break
        ours = partial(proposed, number, other.address)
        times = work.alternately(ours, theirs)
        spent += 2 * once + sum(map(sum, times))  # with those that lead
        ratio = min(times[1]) / min(times[0])
        if ratio < best:
            words = out.nbytes // 4
            work.clear(flag)
            differs = copies.differs_source()
            work.launch(differs, words, words, out.address, other.address, flag.address)
            if not work.download(flag)[0]:
                best, winner = ratio, number
    return winner


def product_with(
    work: Work, out: Strided, a: Strided, b: Strided, bias: Strided | None, ramp: bool
) -> None:
    """Queue the product of two matrices of float32 with its epilogue.

    Parameters
    ----------
    work : Work
        Memory and kernels.
    out, a, b : Strided
        Matrices; `out` is contiguous.
    bias : Strided, optional
        A vector that is added to each row.
    ramp : bool
        Whether what is negative becomes 0.
    """
    wide, left, right = (stacked(x) for x in (out, a, b))
    left, right = _suitable(work, left), _suitable(work, right)
    flags = [_leading(x.shape[1], x.shape[2], (x.strides[1], x.strides[2])) for x in (right, left)]
    first, second = flags
    assert first is not None and second is not None
    vector = None if bias is None else work.contiguous(bias)
    epilogue = (BIAS if vector else 0) | (RELU if ramp else 0)
    factor, compute = _arithmetic(out.dtype, work.fast)
    problem = _problem(wide, left, right, (first, second), out.shape[1], compute, epilogue)
    with work.libraries.lock:
        matmuls = work.libraries.matmuls
        if matmuls.proposals(problem):
            factors = _ONE[factor].ctypes.data, _ZERO[factor].ctypes.data
            addresses = right.address, left.address, out.address
            at = vector.address if vector else 0
            matmuls.multiply(problem, 0, factors, addresses, work.libraries.stream, at)
            return
    matrix_products(work, wide, left, right)
    kernel = copies.follow_source(vector is not None, ramp)
    at = vector.address if vector else 0
    work.launch(kernel, out.size, out.size, out.shape[1], at, out.address)


def warm_up(libraries: Libraries) -> None:
    """Load cuBLAS's kernels and cuBLASLt's rules, for which the first products would wait.

    They take 60 and 30 ms. The device's context is current. Where somebody multiplies already,
    nothing is done.
    """
    with libraries.beforehand(_WARM_UP_BYTES) as memory:
        if memory is None:
            return
        cublas, handle = libraries.opened("cublas")
        for dtype in (np.dtype("f4"), np.dtype("f8")):
            kind, (factor, compute) = data_type(dtype), _arithmetic(dtype, False)
            matrix = (memory.address, kind, _TINY)
            result = (memory.address + _WARM_UP_BYTES // 2, kind, _TINY)
            cublas.gemm_ex_64(
                handle, _NOT_TURNED, _NOT_TURNED, _TINY, _TINY, _TINY, _ONE[factor].ctypes.data,
                *matrix, *matrix, _ZERO[factor].ctypes.data, *result, compute, _DEFAULT_ALGORITHM,
            )  # fmt: skip
            sizes = (_TINY, _TINY, _TINY)
            problem = Problem(kind, compute, sizes, (0, 0), sizes, (256, 256, 256))
            libraries.matmuls.proposals(problem)


def writable(out: Strided) -> bool:
    """Whether cuBLAS can write matrices where they lie."""
    rows, columns = out.shape[-2:]
    return _leading(rows, columns, (out.strides[-2], out.strides[-1])) is not None


def _out_order(out: Strided) -> tuple[int, int]:
    order = _leading(out.shape[-2], out.shape[-1], (out.strides[-2], out.strides[-1]))
    assert order is not None, "a product needs dense rows or columns to write to"
    return order


def inner_product(work: Work, out: Strided, a: Strided, b: Strided, conjugate: bool) -> None:
    """Queue the sum of products of two vectors.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    out : Strided
        One number.
    a, b : Strided
        Vectors of one length and dtype.
    conjugate : bool
        Whether the first is conjugated.
    """
    if not a.size:
        work.clear(out)
        return
    kind = data_type(out.dtype)
    compute = data_type(np.dtype("f4")) if out.dtype.itemsize == 2 else kind
    a, b = (work.contiguous(x) if min(x.strides) <= 0 else x for x in (a, b))
    with work.libraries.lock:
        cublas, handle = work.libraries.opened("cublas")
        conjugates = conjugate and kind_of(out.dtype) == "c"
        function = cublas.dotc_ex_64 if conjugates else cublas.dot_ex_64
        cublas.set_pointer_mode(handle, _DEVICE)
        try:
            function(
                handle, a.size, a.address, kind, a.strides[0], b.address, kind, b.strides[0],
                out.address, kind, compute,
            )  # fmt: skip
        finally:
            cublas.set_pointer_mode(handle, _HOST)


def stacked(x: Strided) -> Strided:
    """Return one matrix as a stack of one."""
    return x.seen((1, *x.shape), (0, *x.strides))
