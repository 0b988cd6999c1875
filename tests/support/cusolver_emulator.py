"""The bindings of cuSOLVER on the host's memory, with the signatures of nvmath-python."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from tests.support.library_memory import DTYPES, addresses, columns, vector


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
        matrix = columns(a, m, n, lda, DTYPES[data_type_a])
        (getrf,) = scipy.linalg.get_lapack_funcs(("getrf",), (matrix,))
        lu, rows, status = getrf(np.array(matrix))
        matrix[...] = lu
        vector(ipiv, min(m, n), np.int64)[...] = rows + 1
        vector(info, 1, np.int32)[0] = status

    def xgetrs(
        self, handle, params, trans, n, nrhs, data_type_a, a, lda, ipiv, data_type_b, b, ldb, info
    ) -> None:  # fmt: skip
        matrix = columns(a, n, n, lda, DTYPES[data_type_a])
        right = columns(b, n, nrhs, ldb, DTYPES[data_type_b])
        rows = vector(ipiv, n, np.int64).astype(np.int32) - 1
        (getrs,) = scipy.linalg.get_lapack_funcs(("getrs",), (matrix,))
        right[...], status = getrs(np.array(matrix), rows, np.array(right), trans=trans)
        vector(info, 1, np.int32)[0] = status

    def xpotrf_buffer_size(self, handle, params, uplo, n, data_type_a, a, lda, compute_type):
        return 64, 16

    def xpotrf(
        self, handle, params, uplo, n, data_type_a, a, lda, compute_type, buffer_on_device,
        workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host, info,
    ) -> None:  # fmt: skip
        matrix = columns(a, n, n, lda, DTYPES[data_type_a])
        (potrf,) = scipy.linalg.get_lapack_funcs(("potrf",), (matrix,))
        result, status = potrf(np.array(matrix), lower=uplo == 0, clean=False)
        matrix[...] = result
        vector(info, 1, np.int32)[0] = status

    def xgeqrf_buffer_size(
        self, handle, params, m, n, data_type_a, a, lda, data_type_tau, tau, compute_type
    ):
        return 64, 0

    def xgeqrf(
        self, handle, params, m, n, data_type_a, a, lda, data_type_tau, tau, compute_type,
        buffer_on_device, workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host,
        info,
    ) -> None:  # fmt: skip
        matrix = columns(a, m, n, lda, DTYPES[data_type_a])
        (geqrf,) = scipy.linalg.get_lapack_funcs(("geqrf",), (matrix,))
        matrix[...], result, _, status = geqrf(np.array(matrix))
        vector(tau, min(m, n), DTYPES[data_type_tau])[...] = result
        vector(info, 1, np.int32)[0] = status

    def xsyevd_buffer_size(
        self, handle, params, jobz, uplo, n, data_type_a, a, lda, data_type_w, w, compute_type
    ):
        return 64, 0

    def xsyevd(
        self, handle, params, jobz, uplo, n, data_type_a, a, lda, data_type_w, w, compute_type,
        buffer_on_device, workspace_in_bytes_on_device, buffer_on_host, workspace_in_bytes_on_host,
        info,
    ) -> None:  # fmt: skip
        matrix = columns(a, n, n, lda, DTYPES[data_type_a])
        values, vectors = np.linalg.eigh(np.array(matrix), "L" if uplo == 0 else "U")
        vector(w, n, DTYPES[data_type_w])[...] = values
        matrix[...] = vectors if jobz else np.nan
        vector(info, 1, np.int32)[0] = 0

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
        size = np.dtype(DTYPES[data_type_a]).itemsize
        real = np.dtype(DTYPES[data_type_w]).itemsize
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
        values, vectors = np.linalg.eig(np.array(columns(a, n, n, lda, DTYPES[data_type_a])))
        assert np.dtype(DTYPES[data_type_w]).kind == "c"
        vector(w, n, DTYPES[data_type_w])[...] = values
        vector(info, 1, np.int32)[0] = 0
        if not jobvr:
            return
        target = columns(vr, n, n, ldvr, DTYPES[data_type_vr])
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
        matrix = np.array(columns(a, m, n, lda, DTYPES[data_type_a]))
        full = chr(jobu) == "A"
        left, values, right = np.linalg.svd(matrix, full_matrices=full)
        vector(s, n, DTYPES[data_type_s])[...] = values
        if chr(jobu) != "N":
            columns(u, m, left.shape[1], ldu, DTYPES[data_type_u])[...] = left
            columns(vt, n, n, ldvt, DTYPES[data_type_vt])[...] = right
        vector(info, 1, np.int32)[0] = 0


def _orthogonal(prefix: str, name: str) -> tuple[Any, Any]:
    dtype = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}[prefix]

    def size(self, handle, m, n, k, a, lda, tau) -> int:
        return 32

    def run(self, handle, m, n, k, a, lda, tau, work, lwork, info) -> None:
        matrix = columns(a, m, n, lda, dtype)
        (function,) = scipy.linalg.get_lapack_funcs((name,), (matrix,))
        matrix[...], _, status = function(np.array(matrix), vector(tau, k, dtype))
        vector(info, 1, np.int32)[0] = status

    return size, run


for _prefix, _name in (("s", "orgqr"), ("d", "orgqr"), ("c", "ungqr"), ("z", "ungqr")):
    _size, _run = _orthogonal(_prefix, _name)
    setattr(CusolverDn, f"{_prefix}{_name}_buffer_size", _size)
    setattr(CusolverDn, f"{_prefix}{_name}", _run)


def _batched(prefix: str) -> tuple[Any, ...]:
    dtype = {"s": "f4", "d": "f8", "c": "c8", "z": "c16"}[prefix]

    def potrf(self, handle, uplo, n, aarray, lda, info_array, batch_size) -> None:
        kind = next(number for number, name in DTYPES.items() if name == dtype)
        for k, address in enumerate(addresses(aarray, batch_size)):
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
            matrix = np.array(columns(a + k * lda * n * size, m, n, lda, dtype))
            left, values, right = np.linalg.svd(matrix)
            vector(s + k * min(m, n) * size, min(m, n), dtype)[...] = values
            if jobz:
                columns(u + k * ldu * m * size, m, m, ldu, dtype)[...] = left
                columns(v + k * ldv * n * size, n, n, ldv, dtype)[...] = right.T
            vector(info + 4 * k, 1, np.int32)[0] = 0

    def syevj_size(self, handle, jobz, uplo, n, a, lda, w, params, batch_size) -> int:
        return 32

    def syevj(
        self, handle, jobz, uplo, n, a, lda, w, work, lwork, info, params, batch_size
    ) -> None:
        assert n <= 32
        kind = next(number for number, name in DTYPES.items() if name == dtype)
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
