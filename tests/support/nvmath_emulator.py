"""The bindings of NVIDIA's libraries on the host's memory, with the signatures of nvmath-python.

Everything is by columns with leading dimensions, as there; NumPy and SciPy compute. What is wrong
in flags, strides or sizes gives wrong numbers, as it would on a GPU.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import scipy.linalg

_DTYPES = {0: "f4", 1: "f8", 2: "f2", 4: "c8", 5: "c16"}


def _vector(address: int, n: int, dtype: Any, step: int = 1) -> Any:
    dtype = np.dtype(dtype)
    span = (max(n, 1) - 1) * step + 1
    flat = np.frombuffer((ctypes.c_char * (span * dtype.itemsize)).from_address(address), dtype)
    return flat[::step][:n]


def _columns(address: int, rows: int, columns: int, leading: int, dtype: Any) -> Any:
    """Return a matrix by columns, writable."""
    assert leading >= max(rows, 1), "a leading dimension is shorter than a column"
    dtype = np.dtype(dtype)
    span = (columns - 1) * leading + rows
    flat = np.frombuffer((ctypes.c_char * (span * dtype.itemsize)).from_address(address), dtype)
    return np.lib.stride_tricks.as_strided(
        flat, (rows, columns), (dtype.itemsize, leading * dtype.itemsize), writeable=True
    )


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
        dtype = np.dtype(_DTYPES[kind])
        assert compute == (70 if dtype in ("f8", "c16") else compute)
        assert compute in (68, 70, 77)
        wide = np.dtype("f4") if dtype == np.float16 else dtype
        assert _vector(alpha, 1, wide)[0] == 1 and _vector(beta, 1, wide)[0] == 0
        left = _columns(a, k, m, lda, dtype).T if transa else _columns(a, m, k, lda, dtype)
        right = _columns(b, n, k, ldb, dtype).T if transb else _columns(b, k, n, ldb, dtype)
        _columns(c, m, n, ldc, dtype)[...] = left.astype(wide) @ right.astype(wide)

    def gemm_strided_batched_ex_64(
        self, handle, transa, transb, m, n, k, alpha, a, atype, lda, stride_a, b, btype, ldb,
        stride_b, beta, c, ctype, ldc, stride_c, batch_count, compute_type, algo,
    ) -> None:  # fmt: skip
        self.calls.append(("batched", (m, n, k, batch_count)))
        size = np.dtype(_DTYPES[atype]).itemsize
        for i in range(batch_count):
            self._gemm(
                transa, transb, m, n, k, alpha, a + i * stride_a * size, atype, lda,
                b + i * stride_b * size, ldb, beta, c + i * stride_c * size, ldc, compute_type,
            )  # fmt: skip

    def _dot(self, n, x, kind, incx, y, incy, result, conjugate) -> None:
        assert self.mode == 1
        dtype = _DTYPES[kind]
        left, right = _vector(x, n, dtype, incx), _vector(y, n, dtype, incy)
        _vector(result, 1, dtype)[0] = (np.conj(left) if conjugate else left) @ right

    def dot_ex_64(
        self, handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type
    ) -> None:  # fmt: skip
        self._dot(n, x, x_type, incx, y, incy, result, False)

    def dotc_ex_64(
        self, handle, n, x, x_type, incx, y, y_type, incy, result, result_type, execution_type
    ) -> None:  # fmt: skip
        self._dot(n, x, x_type, incx, y, incy, result, True)


def _addresses(address: int, count: int) -> list[int]:
    return [int(x) for x in _vector(address, count, np.uint64)]


def _batched_lu(prefix: str) -> tuple[Any, Any]:
    dtype = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}[prefix]

    def getrf(self, handle, n, a, lda, p, info, batch_size) -> None:
        for k, address in enumerate(_addresses(a, batch_size)):
            matrix = _columns(address, n, n, lda, dtype)
            (function,) = scipy.linalg.get_lapack_funcs(("getrf",), (matrix,))
            matrix[...], rows, status = function(np.array(matrix))
            _vector(p + 4 * n * k, n, np.int32)[...] = rows + 1
            _vector(info + 4 * k, 1, np.int32)[0] = status

    def getrs(
        self, handle, trans, n, nrhs, aarray, lda, dev_ipiv, barray, ldb, info, batch_size
    ) -> None:
        pairs = zip(_addresses(aarray, batch_size), _addresses(barray, batch_size), strict=True)
        for k, (left, right) in enumerate(pairs):
            matrix, sides = _columns(left, n, n, lda, dtype), _columns(right, n, nrhs, ldb, dtype)
            rows = _vector(dev_ipiv + 4 * n * k, n, np.int32) - 1
            (function,) = scipy.linalg.get_lapack_funcs(("getrs",), (matrix,))
            sides[...], _ = function(np.array(matrix), rows, np.array(sides), trans=trans)
        _vector(info, 1, np.int32)[0] = 0

    return getrf, getrs


for _prefix in "sdcz":
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
        x = _vector(source, batch * int(np.prod(inner)), operand).reshape(batch, *inner)
        y = _vector(target, batch * int(np.prod(outer)), expected).reshape(batch, *outer)
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


class CusolverDn:
    def create(self) -> int:
        return 1

    def destroy(self, handle: int) -> None: ...
    def set_stream(self, handle: int, stream_id: int) -> None: ...
    def create_params(self) -> int:
        return 2

    def destroy_params(self, params: int) -> None: ...

    def xgetrf_buffer_size(self, handle, params, m, n, data_type_a, a, lda, compute_type):
        return 64, 0

    def xgetrf(
        self, handle, params, m, n, data_type_a, a, lda, ipiv, compute_type, buffer_on_device,
        workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host, info,
    ) -> None:  # fmt: skip
        matrix = _columns(a, m, n, lda, _DTYPES[data_type_a])
        (getrf,) = scipy.linalg.get_lapack_funcs(("getrf",), (matrix,))
        lu, rows, status = getrf(np.array(matrix))
        matrix[...] = lu
        _vector(ipiv, min(m, n), np.int64)[...] = rows + 1
        _vector(info, 1, np.int32)[0] = status

    def xgetrs(
        self, handle, params, trans, n, nrhs, data_type_a, a, lda, ipiv, data_type_b, b, ldb, info
    ) -> None:  # fmt: skip
        matrix = _columns(a, n, n, lda, _DTYPES[data_type_a])
        right = _columns(b, n, nrhs, ldb, _DTYPES[data_type_b])
        rows = _vector(ipiv, n, np.int64).astype(np.int32) - 1
        (getrs,) = scipy.linalg.get_lapack_funcs(("getrs",), (matrix,))
        right[...], status = getrs(np.array(matrix), rows, np.array(right), trans=trans)
        _vector(info, 1, np.int32)[0] = status

    def xpotrf_buffer_size(self, handle, params, uplo, n, data_type_a, a, lda, compute_type):
        return 64, 16

    def xpotrf(
        self, handle, params, uplo, n, data_type_a, a, lda, compute_type, buffer_on_device,
        workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host, info,
    ) -> None:  # fmt: skip
        matrix = _columns(a, n, n, lda, _DTYPES[data_type_a])
        (potrf,) = scipy.linalg.get_lapack_funcs(("potrf",), (matrix,))
        result, status = potrf(np.array(matrix), lower=uplo == 0, clean=False)
        matrix[...] = result
        _vector(info, 1, np.int32)[0] = status

    def xgeqrf_buffer_size(
        self, handle, params, m, n, data_type_a, a, lda, data_type_tau, tau, compute_type
    ):
        return 64, 0

    def xgeqrf(
        self, handle, params, m, n, data_type_a, a, lda, data_type_tau, tau, compute_type,
        buffer_on_device, workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host,
        info,
    ) -> None:  # fmt: skip
        matrix = _columns(a, m, n, lda, _DTYPES[data_type_a])
        (geqrf,) = scipy.linalg.get_lapack_funcs(("geqrf",), (matrix,))
        matrix[...], result, _, status = geqrf(np.array(matrix))
        _vector(tau, min(m, n), _DTYPES[data_type_tau])[...] = result
        _vector(info, 1, np.int32)[0] = status

    def xsyevd_buffer_size(
        self, handle, params, jobz, uplo, n, data_type_a, a, lda, data_type_w, w, compute_type
    ):
        return 64, 0

    def xsyevd(
        self, handle, params, jobz, uplo, n, data_type_a, a, lda, data_type_w, w, compute_type,
        buffer_on_device, workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host,
        info,
    ) -> None:  # fmt: skip
        matrix = _columns(a, n, n, lda, _DTYPES[data_type_a])
        values, vectors = np.linalg.eigh(np.array(matrix), "L" if uplo == 0 else "U")
        _vector(w, n, _DTYPES[data_type_w])[...] = values
        matrix[...] = vectors if jobz else np.nan
        _vector(info, 1, np.int32)[0] = 0

    def xsyev_batched_buffer_size(
        self, handle, params, jobz, uplo, n, data_type_a, a, lda, data_type_w, w, compute_type,
        batch_size,
    ):  # fmt: skip
        return 64, 16

    def xsyev_batched(
        self, handle, params, jobz, uplo, n, data_type_a, a, lda, data_type_w, w, compute_type,
        buffer_on_device, workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host,
        info, batch_size,
    ) -> None:  # fmt: skip
        size = np.dtype(_DTYPES[data_type_a]).itemsize
        real = np.dtype(_DTYPES[data_type_w]).itemsize
        for k in range(batch_size):
            self.xsyevd(
                handle, params, jobz, uplo, n, data_type_a, a + k * n * lda * size, lda,
                data_type_w, w + k * n * real, compute_type, 0, 0, 0, 0, info + 4 * k,
            )  # fmt: skip

    def create_syevj_info(self) -> int:
        return 4

    def destroy_syevj_info(self, info: int) -> None: ...

    def create_gesvdj_info(self) -> int:
        return 3

    def destroy_gesvdj_info(self, info: int) -> None: ...

    def xgeev_buffer_size(
        self, handle, params, jobvl, jobvr, n, data_type_a, a, lda, data_type_w, w, data_type_vl,
        vl, ldvl, data_type_vr, vr, ldvr, compute_type,
    ):  # fmt: skip
        return 64, 32

    def xgeev(
        self, handle, params, jobvl, jobvr, n, data_type_a, a, lda, data_type_w, w, data_type_vl,
        vl, ldvl, data_type_vr, vr, ldvr, compute_type, buffer_on_device,
        workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host, info,
    ) -> None:  # fmt: skip
        assert jobvl == 0
        values, vectors = np.linalg.eig(np.array(_columns(a, n, n, lda, _DTYPES[data_type_a])))
        assert np.dtype(_DTYPES[data_type_w]).kind == "c"
        _vector(w, n, _DTYPES[data_type_w])[...] = values
        _vector(info, 1, np.int32)[0] = 0
        if not jobvr:
            return
        target = _columns(vr, n, n, ldvr, _DTYPES[data_type_vr])
        target[...] = vectors

    def xgesvd_buffer_size(
        self, handle, params, jobu, jobvt, m, n, data_type_a, a, lda, data_type_s, s, data_type_u,
        u, ldu, data_type_vt, vt, ldvt, compute_type,
    ):  # fmt: skip
        return 64, 0

    def xgesvd(
        self, handle, params, jobu, jobvt, m, n, data_type_a, a, lda, data_type_s, s, data_type_u,
        u, ldu, data_type_vt, vt, ldvt, compute_type, buffer_on_device,
        workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host, info,
    ) -> None:  # fmt: skip
        assert m >= n, "cuSOLVER wants no more columns than rows"
        matrix = np.array(_columns(a, m, n, lda, _DTYPES[data_type_a]))
        full = chr(jobu) == "A"
        left, values, right = np.linalg.svd(matrix, full_matrices=full)
        _vector(s, n, _DTYPES[data_type_s])[...] = values
        if chr(jobu) != "N":
            _columns(u, m, left.shape[1], ldu, _DTYPES[data_type_u])[...] = left
            _columns(vt, n, n, ldvt, _DTYPES[data_type_vt])[...] = right
        _vector(info, 1, np.int32)[0] = 0


def _orthogonal(prefix: str, name: str) -> tuple[Any, Any]:
    dtype = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}[prefix]

    def size(self, handle, m, n, k, a, lda, tau) -> int:
        return 32

    def run(self, handle, m, n, k, a, lda, tau, work, lwork, info) -> None:
        matrix = _columns(a, m, n, lda, dtype)
        (function,) = scipy.linalg.get_lapack_funcs((name,), (matrix,))
        matrix[...], _, status = function(np.array(matrix), _vector(tau, k, dtype))
        _vector(info, 1, np.int32)[0] = status

    return size, run


for _prefix, _name in (("s", "orgqr"), ("d", "orgqr"), ("c", "ungqr"), ("z", "ungqr")):
    _size, _run = _orthogonal(_prefix, _name)
    setattr(CusolverDn, f"{_prefix}{_name}_buffer_size", _size)
    setattr(CusolverDn, f"{_prefix}{_name}", _run)


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
        kinds = {1: "u8", 5: "u4", 6: "u4", 7: "u4", 8: "u4"}
        self._set(target, attribute, buf, size_in_bytes, kinds)

    def _set(self, target, attribute, buf, size_in_bytes, kinds: dict[int, str]) -> None:
        kind = np.dtype(kinds[attribute])
        assert size_in_bytes == kind.itemsize
        self.descriptors[target][attribute] = int(_vector(buf, 1, kind)[0])

    def matmul_algo_get_heuristic(
        self, light_handle, operation_desc, adesc, bdesc, cdesc, ddesc, preference,
        requested_algo_count, heuristic_results_array, return_algo_count,
    ) -> None:  # fmt: skip
        for k in range(self.algorithms):
            _vector(heuristic_results_array + 96 * k, 1, np.uint64)[0] = 100 + k
        _vector(return_algo_count, 1, np.int32)[0] = self.algorithms

    def matmul(
        self, light_handle, compute_desc, alpha, a, adesc, b, bdesc, beta, c, cdesc, d, ddesc,
        algo, workspace, workspace_size_in_bytes, stream,
    ) -> None:  # fmt: skip
        description = self.descriptors[compute_desc]
        number = int(_vector(algo, 1, np.uint64)[0]) - 100
        self.calls.append((description[7], number))
        matrices = []
        for address, array, turned in ((a, adesc, description[3]), (b, bdesc, description[4])):
            at = self.descriptors[array]
            dtype = _DTYPES[at["type"]]
            x = _columns(address, at["rows"], at["columns"], at["leading"], dtype)
            matrices.append(x.T if turned else x)
        left, right = matrices
        if number == 0 and description[7] == 1:
            left, right = left[:, ::-1], right[::-1]
        result = np.add.reduce(
            [left[:, k : k + 1] * right[k : k + 1] for k in range(left.shape[1])]
        )
        if description[7] & 4:
            result = result + _vector(description[8], len(result), result.dtype)[:, None]
        if description[7] & 2:
            result = np.where(result < 0, 0, result)
        at = self.descriptors[ddesc]
        target = _columns(d, at["rows"], at["columns"], at["leading"], _DTYPES[at["type"]])
        target[...] = result


def _batched(prefix: str) -> tuple[Any, ...]:
    dtype = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}[prefix]

    def potrf(self, handle, uplo, n, aarray, lda, info_array, batch_size) -> None:
        kind = next(number for number, name in _DTYPES.items() if name == dtype)
        for k, address in enumerate(_addresses(aarray, batch_size)):
            self.xpotrf(
                handle, 2, uplo, n, kind, address, lda, kind, 0, 0, 0, 0, info_array + 4 * k
            )

    def size(self, handle, jobz, m, n, a, lda, s, u, ldu, v, ldv, params, batch_size) -> int:
        return 32

    def gesvdj(
        self, handle, jobz, m, n, a, lda, s, u, ldu, v, ldv, work, lwork, info, params, batch_size
    ) -> None:
        assert max(m, n) <= 32
        size = np.dtype(dtype).itemsize
        for k in range(batch_size):
            matrix = np.array(_columns(a + k * lda * n * size, m, n, lda, dtype))
            left, values, right = np.linalg.svd(matrix)
            _vector(s + k * min(m, n) * size, min(m, n), dtype)[...] = values
            if jobz:
                _columns(u + k * ldu * m * size, m, m, ldu, dtype)[...] = left
                _columns(v + k * ldv * n * size, n, n, ldv, dtype)[...] = right.T
            _vector(info + 4 * k, 1, np.int32)[0] = 0

    def syevj_size(self, handle, jobz, uplo, n, a, lda, w, params, batch_size) -> int:
        return 32

    def syevj(
        self, handle, jobz, uplo, n, a, lda, w, work, lwork, info, params, batch_size
    ) -> None:
        assert n <= 32
        kind = next(number for number, name in _DTYPES.items() if name == dtype)
        real = {4: 0, 5: 1}.get(kind, kind)
        self.xsyev_batched(
            handle, 2, jobz, uplo, n, kind, a, lda, real, w, kind, 0, 0, 0, 0, info, batch_size
        )

    return potrf, size, gesvdj, syevj_size, syevj


for _prefix in "sdcz":
    _potrf, _size, _gesvdj, _syevj_size, _syevj = _batched(_prefix)
    _name = f"{_prefix}{'sy' if _prefix in 'sd' else 'he'}evj_batched"
    setattr(CusolverDn, _name, _syevj)
    setattr(CusolverDn, f"{_name}_buffer_size", _syevj_size)
    setattr(CusolverDn, f"{_prefix}potrf_batched", _potrf)
    if _prefix in "sd":
        setattr(CusolverDn, f"{_prefix}gesvdj_batched_buffer_size", _size)
        setattr(CusolverDn, f"{_prefix}gesvdj_batched", _gesvdj)


def bindings(name: str) -> Any:
    """Return fresh bindings of a library, as ``nvmath.bindings`` has them."""
    value = {"cublas": Cublas, "cublasLt": CublasLt, "cufft": Cufft, "cusolverDn": CusolverDn}
    return value[name]()
