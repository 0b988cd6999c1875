"""The bindings of NVIDIA's libraries on the host's memory, with the signatures of nvmath-python.

Everything is by columns with leading dimensions, as there; NumPy and SciPy compute. What is wrong
in flags, strides or sizes gives wrong numbers, as it would on a GPU.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from tests.support.cudnn_emulator import Cudnn
from tests.support.cusolver_emulator import CusolverDn
from tests.support.library_memory import DTYPES, addresses, columns, vector
from tests.support.nccl_emulator import Nccl


class Cublas:
    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[int, ...]]] = []
        self.mode = 0

    def create(self) -> int:
        return 1

    def destroy(self, handle: int) -> None: ...
    def set_stream(self, handle: int, stream_id: int) -> None: ...

    def set_workspace(self, handle: int, workspace: int, workspace_size_in_bytes: int) -> None: ...

    def set_pointer_mode(self, handle: int, mode: int) -> None:
        self.mode = mode

    def set_math_mode(self, handle: int, mode: int) -> None:
        assert mode == 16  # parts of sums are not rounded to float16

    def gemm_ex_64(
        self, handle, transa, transb, m, n, k, alpha, a, atype, lda, b, btype, ldb, beta, c, ctype,
        ldc, compute_type, algo,
    ) -> None:  # fmt: skip
        self.calls.append(("gemm", (m, n, k)))
        self._gemm(
            transa, transb, m, n, k, alpha, a, atype, lda, b, ldb, beta, c, ldc, compute_type
        )

    def _gemm(
        self, transa, transb, m, n, k, alpha, a, kind, lda, b, ldb, beta, c, ldc, compute
    ) -> None:  # fmt: skip
        assert self.mode == 0
        dtype = np.dtype(DTYPES[kind])
        assert compute == (70 if dtype in ("f8", "c16") else compute)
        assert compute in (68, 70, 77)
        wide = np.dtype("f4") if dtype.itemsize == 2 else dtype
        assert vector(alpha, 1, wide)[0] == 1 and vector(beta, 1, wide)[0] == 0
        left = columns(a, k, m, lda, dtype).T if transa else columns(a, m, k, lda, dtype)
        right = columns(b, n, k, ldb, dtype).T if transb else columns(b, k, n, ldb, dtype)
        columns(c, m, n, ldc, dtype)[...] = left.astype(wide) @ right.astype(wide)

    def gemm_strided_batched_ex_64(
        self, handle, transa, transb, m, n, k, alpha, a, atype, lda, stride_a, b, btype, ldb,
        stride_b, beta, c, ctype, ldc, stride_c, batch_count, compute_type, algo,
    ) -> None:  # fmt: skip
        self.calls.append(("batched", (m, n, k, batch_count)))
        size = np.dtype(DTYPES[atype]).itemsize
        for i in range(batch_count):
            self._gemm(
                transa, transb, m, n, k, alpha, a + i * stride_a * size, atype, lda,
                b + i * stride_b * size, ldb, beta, c + i * stride_c * size, ldc, compute_type,
            )  # fmt: skip

    def _dot(self, n, x, kind, incx, y, incy, result, conjugate) -> None:
        assert self.mode == 1
        dtype = DTYPES[kind]
        left, right = vector(x, n, dtype, incx), vector(y, n, dtype, incy)
        vector(result, 1, dtype)[0] = (np.conj(left) if conjugate else left) @ right

    def dot_ex_64(
        self, handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type
    ) -> None:  # fmt: skip
        self._dot(n, x, x_type, incx, y, incy, result, False)

    def dotc_ex_64(
        self, handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type
    ) -> None:  # fmt: skip
        self._dot(n, x, x_type, incx, y, incy, result, True)


def _batched_lu(prefix: str) -> tuple[Any, Any]:
    dtype = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}[prefix]

    def getrf(self, handle, n, a, lda, p, info, batch_size) -> None:
        for k, address in enumerate(addresses(a, batch_size)):
            matrix = columns(address, n, n, lda, dtype)
            (function,) = scipy.linalg.get_lapack_funcs(("getrf",), (matrix,))
            matrix[...], rows, status = function(np.array(matrix))
            vector(p + 4 * n * k, n, np.int32)[...] = rows + 1
            vector(info + 4 * k, 1, np.int32)[0] = status

    def getrs(
        self, handle, trans, n, nrhs, aarray, lda, dev_ipiv, barray, ldb, info, batch_size
    ) -> None:
        pairs = zip(addresses(aarray, batch_size), addresses(barray, batch_size), strict=True)
        for k, (left, right) in enumerate(pairs):
            matrix, sides = columns(left, n, n, lda, dtype), columns(right, n, nrhs, ldb, dtype)
            rows = vector(dev_ipiv + 4 * n * k, n, np.int32) - 1
            (function,) = scipy.linalg.get_lapack_funcs(("getrs",), (matrix,))
            sides[...], _ = function(np.array(matrix), rows, np.array(sides), trans=trans)
        vector(info, 1, np.int32)[0] = 0

    return getrf, getrs


def _triangular(prefix: str) -> tuple[Any, Any]:
    dtype = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}[prefix]

    def trsm(self, handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb) -> None:
        size = n if side else m
        matrix, sides = columns(a, size, size, lda, dtype), columns(b, m, n, ldb, dtype)
        factor = vector(alpha, 1, dtype)[0]
        (function,) = scipy.linalg.get_blas_funcs(("trsm",), (matrix,))
        sides[...] = function(
            factor, np.array(matrix), np.array(sides), side=side, lower=1 - uplo, trans_a=trans,
            diag=diag,
        )  # fmt: skip

    def batched(
        self, handle, side, uplo, trans, diag, m, n, alpha, aarray, lda, barray, ldb, batch_count
    ) -> None:
        pairs = zip(addresses(aarray, batch_count), addresses(barray, batch_count), strict=True)
        for a, b in pairs:
            trsm(self, handle, side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb)

    return trsm, batched


for _prefix in "sdcz":
    _trsm, _trsm_batched = _triangular(_prefix)
    setattr(Cublas, f"{_prefix}trsm", _trsm)
    setattr(Cublas, f"{_prefix}trsm_batched", _trsm_batched)
    _getrf, _getrs = _batched_lu(_prefix)
    setattr(Cublas, f"{_prefix}getrf_batched", _getrf)
    setattr(Cublas, f"{_prefix}getrs_batched", _getrs)


class Cufft:
    def __init__(self) -> None:
        self.plans: dict[int, tuple[Any, ...]] = {}

    def create(self) -> int:
        plan = len(self.plans) + 1
        self.plans[plan] = ()
        return plan

    def destroy(self, plan: int) -> None: ...
    def set_auto_allocation(self, plan: int, auto_allocate: int) -> None: ...
    def set_stream(self, plan: int, stream: int) -> None: ...
    def set_work_area(self, plan: int, work_area: int) -> None: ...

    def make_plan_many64(
        self, plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch
    ) -> int:  # fmt: skip
        assert len(n) == len(inembed) == len(onembed) == rank and istride == ostride == 1
        assert idist == np.prod(inembed) and odist == np.prod(onembed)
        self.plans[plan] = (tuple(n), tuple(inembed), tuple(onembed), type, batch)
        return 512

    def _run(self, plan, source, target, kinds, transform) -> None:
        n, inner, outer, type_, batch = self.plans[plan]
        assert type_ in kinds
        wide = type_ > 100
        real, complex_ = ("f8", "c16") if wide else ("f4", "c8")
        operand = real if type_ in (42, 106) else complex_
        expected = real if type_ in (44, 108) else complex_
        x = vector(source, batch * int(np.prod(inner)), operand).reshape(batch, *inner)
        y = vector(target, batch * int(np.prod(outer)), expected).reshape(batch, *outer)
        value = transform(x, n, tuple(range(1, 1 + len(n))))
        y[tuple(slice(k) for k in value.shape)] = value

    def _complex(self, plan, idata, odata, direction) -> None:
        def transform(x: Any, n: Any, axes: Any) -> Any:
            if direction == -1:
                return np.fft.fftn(x, axes=axes)
            return np.fft.ifftn(x, axes=axes, norm="forward")

        self._run(plan, idata, odata, (41, 105), transform)

    def exec_c2c(self, plan, idata, odata, direction) -> None:
        self._complex(plan, idata, odata, direction)

    def exec_z2z(self, plan, idata, odata, direction) -> None:
        self._complex(plan, idata, odata, direction)

    def exec_r2c(self, plan, idata, odata) -> None:
        self._run(plan, idata, odata, (42,), lambda x, n, axes: np.fft.rfftn(x, axes=axes))

    def exec_d2z(self, plan, idata, odata) -> None:
        self._run(plan, idata, odata, (106,), lambda x, n, axes: np.fft.rfftn(x, axes=axes))

    def _to_real(self, plan, idata, odata) -> None:
        def transform(x: Any, n: Any, axes: Any) -> Any:
            value = np.fft.irfftn(x, n, axes=axes, norm="forward")
            x[...] = np.nan  # cuFFT may write over its input
            return value

        self._run(plan, idata, odata, (44, 108), transform)

    def exec_c2r(self, plan, idata, odata) -> None:
        self._to_real(plan, idata, odata)

    def exec_z2d(self, plan, idata, odata) -> None:
        self._to_real(plan, idata, odata)


class CublasLt:
    """Two proposals a product: the first adds up from the back, and so has other last bits."""

    class cuBLASLtError(Exception):  # noqa: N801 - the bindings' name
        pass

    def __init__(self) -> None:
        self.descriptors: dict[int, dict[Any, int]] = {}
        self.calls: list[tuple[int, int]] = []
        self.algorithms = 2

    def create(self) -> int:
        return 1

    def destroy(self, handle: int) -> None: ...

    def _new(self, **values: int) -> int:
        value = max(self.descriptors, default=0) + 1
        self.descriptors[value] = dict(values)
        return value

    def get_version(self) -> int:
        return 130100

    def matmul_desc_create(self, compute_type: int, scale_type: int) -> int:
        assert scale_type == (1 if compute_type == 70 else 0)
        return self._new(compute=compute_type)

    def matrix_layout_create(self, type: int, rows: int, cols: int, ld: int) -> int:
        return self._new(type=type, rows=rows, columns=cols, leading=ld)

    def matmul_preference_create(self) -> int:
        return self._new()

    def matmul_desc_destroy(self, array: int) -> None:
        del self.descriptors[array]

    matrix_layout_destroy = matmul_preference_destroy = matmul_desc_destroy

    def matmul_desc_set_attribute(self, target, attribute, buf, size_in_bytes) -> None:
        self._set(target, attribute, buf, size_in_bytes, {3: "i4", 4: "i4", 7: "u4", 8: "u8"})

    def matmul_preference_set_attribute(self, target, attribute, buf, size_in_bytes) -> None:
        kinds = {1: "u8", 3: "u4", 5: "u4", 6: "u4", 7: "u4", 8: "u4"}
        self._set(target, attribute, buf, size_in_bytes, kinds)

    def _set(self, target, attribute, buf, size_in_bytes, kinds: dict[int, str]) -> None:
        kind = np.dtype(kinds[attribute])
        assert size_in_bytes == kind.itemsize
        self.descriptors[target][attribute] = int(vector(buf, 1, kind)[0])

    def matmul_algo_get_heuristic(
        self, light_handle, operation_desc, adesc, bdesc, cdesc, ddesc, preference,
        requested_algo_count, heuristic_results_array, return_algo_count,
    ) -> None:  # fmt: skip
        for k in range(self.algorithms):
            vector(heuristic_results_array + 96 * k, 1, np.uint64)[0] = 100 + k
        vector(return_algo_count, 1, np.int32)[0] = self.algorithms

    def matmul(
        self, light_handle, compute_desc, alpha, a, adesc, b, bdesc, beta, c, cdesc, d, ddesc,
        algo, workspace, workspace_size_in_bytes, stream,
    ) -> None:  # fmt: skip
        description = self.descriptors[compute_desc]
        number = int(vector(algo, 1, np.uint64)[0]) - 100
        self.calls.append((description[7], number))
        matrices = []
        for address, array, turned in ((a, adesc, description[3]), (b, bdesc, description[4])):
            at = self.descriptors[array]
            dtype = DTYPES[at["type"]]
            x = columns(address, at["rows"], at["columns"], at["leading"], dtype)
            matrices.append(x.T if turned else x)
        left, right = matrices
        if number == 0 and description[7] == 1:
            left, right = left[:, ::-1], right[::-1]
        result = np.add.reduce(
            [left[:, k : k + 1] * right[k : k + 1] for k in range(left.shape[1])]
        )
        if description[7] & 4:
            result = result + vector(description[8], len(result), result.dtype)[:, None]
        if description[7] & 2:
            result = np.where(result < 0, 0, result)
        at = self.descriptors[ddesc]
        target = columns(d, at["rows"], at["columns"], at["leading"], DTYPES[at["type"]])
        target[...] = result


def bindings(name: str) -> Any:
    """Return fresh bindings of a library, as ``nvmath.bindings`` has them."""
    value = {
        "cublas": Cublas,
        "cublasLt": CublasLt,
        "cudnn": Cudnn,
        "cufft": Cufft,
        "cusolverDn": CusolverDn,
        "nccl": Nccl,
    }
    return value[name]()
