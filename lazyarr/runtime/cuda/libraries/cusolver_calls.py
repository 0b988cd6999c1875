"""Calls of cuSOLVER on stacks of matrices: their memory by columns, work space, and outcomes."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from lazyarr.core.dtypes import code_of, kind_of
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.libraries.strided import Strided
from lazyarr.runtime.cuda.libraries.workspace import Work

__all__ = [
    "at_once",
    "call",
    "check",
    "columns_of",
    "deliver",
    "pointers",
    "prefix",
    "real_dtype",
    "rotate",
    "spread",
]


def prefix(dtype: np.dtype[Any]) -> str:
    """Return the first letter of LAPACK's names for a dtype."""
    return {"f4": "s", "f8": "d", "c8": "c", "c16": "z"}[code_of(dtype)]


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype of a complex number's parts; of a real dtype, itself."""
    return np.dtype(f"f{dtype.itemsize // 2}") if kind_of(dtype) == "c" else dtype


def columns_of(work: Work, x: Strided) -> Strided:
    """Return a private copy of matrices by columns, one stacking axis: ``[k, column, row]``.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    x : Strided
        Matrices of shape (..., rows, columns).
    """
    packed = work.columns(x)
    shape = (prod(x.shape[:-2]), *packed.shape[-2:])
    return packed.seen(shape)


def deliver(work: Work, columns: Strided, out: Strided) -> None:
    """Copy matrices by columns into a contiguous result.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    columns : Strided
        Matrices as ``[k, column, row]``.
    out : Strided
        Contiguous, of shape (..., rows, columns).
    """
    shape = (columns.shape[0], *out.shape[-2:])
    flat = out.seen(shape)
    work.copy(columns.transposed, flat)


def call(
    work: Work,
    name: str,
    sizing: tuple[int, ...],
    args: tuple[int, ...],
    *behind: int,
) -> None:
    """Queue one of cuSOLVER's 64-bit functions, with work space on the device and on the host.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    name : str
        Of the function in its bindings.
    sizing : tuple of int
        Arguments of the function that returns the bytes of work space.
    args : tuple of int
        Arguments of the function itself, before the work space.
    *behind : int
        Its arguments after the work space.
    """
    libraries = work.libraries
    with libraries.lock:
        solver, handle = libraries.opened("cusolverDn")
        parameters = libraries.solver_parameters
        here, on_host = getattr(solver, f"{name}_buffer_size")(handle, parameters, *sizing)
        space = work.empty((max(here, 1),), np.dtype(np.uint8))
        host = np.empty(max(on_host, 1), np.uint8)
        getattr(solver, name)(
            handle, parameters, *args, space.address, here, host.ctypes.data, on_host, *behind
        )
        if on_host:
            work.queue.synchronize()  # what is queued may still read it


def check(work: Work, info: Strided, message: str) -> None:
    """Wait for the outcomes of a stack.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    info : Strided
        The library's outcome for each matrix, int32.
    message : str
        Of the error.

    Raises
    ------
    numpy.linalg.LinAlgError
        If one of them is not 0.
    """
    if work.download(info).any():
        raise np.linalg.LinAlgError(message)


def rotate(
    work: Work, name: str, args: tuple[int, ...], info: Strided, dtype: np.dtype[Any]
) -> None:
    """Queue one of the functions that decompose all small matrices of a stack by rotations.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    name : str
        Of the function without letter and suffix: "syevj", "heevj" or "gesvdj".
    args : tuple of int
        Its arguments before the work space.
    info : Strided
        Receives the outcome for each matrix, int32.
    dtype : numpy.dtype
        Of the matrices.
    """
    function = f"{prefix(dtype)}{name}_batched"
    parameter_kind = f"{'gesvdj' if name == 'gesvdj' else 'syevj'}_info"
    with work.libraries.lock:
        solver, handle = work.libraries.opened("cusolverDn")
        parameters = getattr(solver, f"create_{parameter_kind}")()
        try:
            length = getattr(solver, f"{function}_buffer_size")(
                handle, *args, parameters, info.size
            )
            space = work.empty((max(length, 1),), dtype)
            getattr(solver, function)(
                handle, *args, space.address, length, info.address, parameters, info.size
            )
        finally:
            getattr(solver, f"destroy_{parameter_kind}")(parameters)


def pointers(work: Work, stack: Strided, count: int) -> Strided:
    """Return the addresses of `count` matrices, on the device; one matrix serves all.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    stack : Strided
        Of shape (count, n, n), or (1, n, n).
    count : int
        How many addresses.
    """
    step = stack.strides[0] * stack.dtype.itemsize if stack.shape[0] > 1 else 0
    return work.upload(stack.address + step * np.arange(count, dtype=np.int64))


def spread(work: Work, x: Strided, stack: tuple[int, ...], target: tuple[int, ...]) -> Strided:
    """Return stacked values with one for each of a broadcast stack.

    Parameters
    ----------
    work : Work
        Queues kernels and lends memory for one call.
    x : Strided
        The values, along one first axis.
    stack, target : tuple of int
        The shape of the stack, and that which it is broadcast to.
    """
    if stack == target:
        return x
    shape = (*stack, *x.shape[1:])
    full = work.contiguous(x).seen(shape)
    packed = work.packed(full.broadcast((*target, *x.shape[1:])))
    shape = (prod(target), *x.shape[1:])
    return packed.seen(shape)


def at_once(stack: Strided, largest: int) -> bool:
    """Whether one call works on all matrices of a stack: several small, or many larger ones.

    Parameters
    ----------
    stack : Strided
        Of three axes.
    largest : int
        Most rows of matrices for which there is such a call.
    """
    count, n = stack.shape[0], max(stack.shape[1:])
    return count > 1 and (
        2 * n <= largest or (n <= largest and count >= tuning.row().stacked_least)
    )
