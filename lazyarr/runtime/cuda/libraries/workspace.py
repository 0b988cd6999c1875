"""The workspace of library functions: temporaries, copies and small kernels."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from math import prod
from typing import Any, Protocol

import numpy as np

from lazyarr.core.config import Config
from lazyarr.core.dtypes import kind_of
from lazyarr.core.shapes import contiguous_strides
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cuda import tuning
from lazyarr.runtime.cuda.branch import Branch
from lazyarr.runtime.cuda.interfaces import WorkStream
from lazyarr.runtime.cuda.libraries.handles import Libraries
from lazyarr.runtime.cuda.libraries.kernels import copies
from lazyarr.runtime.cuda.libraries.strided import Strided

__all__ = ["Work"]

DType = np.dtype[Any]


class LibraryWorkStream(WorkStream, Protocol):
    """A stream, or the recorder of a graph for one, with the libraries that use it."""

    @property
    def libraries(self) -> Libraries:
        """Return the libraries, with their handles."""


class WorkMemory:
    """The memory and the clock of one library step. The device's context is current.

    Everything is queued in one stream, so temporaries may be dropped as soon as the
    work on them is queued.

    Parameters
    ----------
    queue : DeviceStream
        Where to work.
    settings : Config
        ``numerics`` and how to compile.
    limit : int
        Bytes that lazyarr may hold of the device; 0 means no limit.
    origin : tuple of (str, int), optional
        The user's line, for errors.
    again : bool
        Whether the plan has run before: what runs again is worth finding out about.
    report : int
        The address to which a place beyond an axis is written; 0 if nobody looks.
    branch : Branch, optional
        Where the step may go on beside those that follow.
    """

    def __init__(
        self,
        queue: LibraryWorkStream,
        settings: Config,
        limit: int = 0,
        origin: tuple[str, int] | None = None,
        again: bool = False,
        report: int = 0,
        branch: Branch | None = None,
    ) -> None:
        self.queue = queue
        self.settings = settings
        self.limit = limit
        self.origin = origin
        self.again = again
        self.report = report
        self._branch = branch

    @property
    def libraries(self) -> Libraries:
        """The libraries that work in the stream."""
        return self.queue.libraries

    def beside(self, *used: Strided) -> int:
        """Return the handle of the stream in which work goes on beside the steps that follow.

        It waits for what is queued by now. Where the run has no branch, it is the stream in force.

        Parameters
        ----------
        *used : Strided
            What the work uses.
        """
        if self._branch is None:
            return self.libraries.stream
        return self._branch.fork(*[array.keep for array in used])

    @property
    def fast(self) -> bool:
        """Whether last bits may be traded for speed."""
        return self.settings.numerics == "fast"

    def empty(self, shape: tuple[int, ...], dtype: DType) -> Strided:
        """Return new memory, not initialised.

        Parameters
        ----------
        shape : tuple of int
            Of the array.
        dtype : numpy.dtype
            Of its elements.
        """
        nbytes = prod(shape) * dtype.itemsize
        block = self.queue.pool.allocate(nbytes, self.limit, self.origin)
        return Strided(block.address, shape, contiguous_strides(shape), dtype, block)

    def zeros(self, shape: tuple[int, ...], dtype: DType) -> Strided:
        """Return new memory filled with zeros.

        Parameters
        ----------
        shape : tuple of int
            Of the array.
        dtype : numpy.dtype
            Of its elements.
        """
        array = self.empty(shape, dtype)
        self.clear(array)
        return array

    def clear(self, target: Strided) -> None:
        """Fill contiguous memory with zeros."""
        if target.nbytes:
            self.queue.clear(target.address, target.nbytes)

    def upload(self, array: np.ndarray[Any, Any]) -> Strided:
        """Return a copy of a host array."""
        copy = self.empty(array.shape, array.dtype)
        self.upload_to(copy, array)
        return copy

    def upload_to(self, target: Strided, array: np.ndarray[Any, Any]) -> None:
        """Copy a host array into contiguous memory.

        Parameters
        ----------
        target : Strided
            Contiguous, on the device.
        array : numpy.ndarray
            Of the same size and dtype; it may be written on return.
        """
        if array.nbytes:
            flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            self.queue.upload(target.address, flat)

    def wait(self) -> None:
        """Wait for all that is queued."""
        self.queue.synchronize()

    def seconds(self, series: Sequence[Callable[[], None]]) -> list[float]:
        """Return the device's time, in seconds, for the work that each function queues; waits."""
        times: list[float] = self.queue.seconds(series)
        return times

    def alternately(
        self, candidate: Callable[[], None], default: Callable[[], None]
    ) -> tuple[list[float], list[float]]:
        """Return the times of two ways to do a step, run alternately, as the GPU's clock changes.

        Parameters
        ----------
        candidate : callable
            Queues the way that is tried.
        default : callable
            Queues the other.

        Returns
        -------
        theirs : list of float
            Seconds of the default.
        ours : list of float
            Seconds of the candidate.
        """
        # The first of a series keeps the GPU busy while the others are queued, and may load
        # kernels.
        _, theirs, ours = self.seconds([candidate, default, candidate])
        if ours > theirs * tuning.row().race_hopeless:
            return [theirs], [ours]
        _, *rest = self.seconds([default, *[default, candidate] * (tuning.row().race_rounds - 1)])
        return [theirs, *rest[::2]], [ours, *rest[1::2]]


class Work(WorkMemory):
    """The memory and the kernels of one library step. The device's context is current."""

    def download(self, source: Strided) -> np.ndarray[Any, Any]:
        """Wait, and return the elements in the host's memory."""
        host = np.empty(source.shape, source.dtype)
        if host.size:
            whole = self.contiguous(source)
            self.queue.download(host.reshape(-1).view(np.uint8), whole.address)
        return host

    def contiguous(self, source: Strided) -> Strided:
        """Return the array itself if it is contiguous, else a copy that is."""
        return source if source.contiguous else self.packed(source)

    def packed(self, source: Strided) -> Strided:
        """Return a contiguous copy."""
        copy = self.empty(source.shape, source.dtype)
        self.copy(source, copy)
        return copy

    def columns(self, source: Strided) -> Strided:
        """Return a copy of matrices in Fortran's order, as ``x[..., column, row]``."""
        return self.packed(source.transposed)

    def flat(self, source: Strided, shape: tuple[int, ...]) -> Strided:
        """Return the elements in another shape, copied if their order asks for it.

        Parameters
        ----------
        source : Strided
            The elements.
        shape : tuple of int
            A shape of the same size.
        """
        reshaped = source.reshaped(shape)
        if reshaped is None:
            reshaped = self.packed(source).seen(shape)
        return reshaped

    # -- kernels -----------------------------------------------------------------------------

    def launch(self, source: Source, items: int, *args: Any) -> None:
        """Queue a small kernel with one thread for each item.

        Parameters
        ----------
        source : Source
            The kernel, for blocks of ``copies.THREADS`` threads.
        items : int
            How many items.
        *args : int or float
            One a parameter; addresses are integers.
        """
        blocks = -(-items // copies.THREADS)
        self.launch_blocks(source, blocks, *args)

    def launch_blocks(
        self, source: Source, blocks: int, *args: Any, threads: int = copies.THREADS
    ) -> None:
        """Queue a small kernel with a number of blocks.

        Parameters
        ----------
        source : Source
            The kernel.
        blocks : int
            How many; without any, nothing is queued.
        *args : int or float
            One a parameter; addresses are integers.
        threads : int, optional
            Of a block.
        """
        if blocks:
            function = self.queue.compile(source, self.settings)
            self.queue.launch(function, blocks, threads, args)

    def number(self, value: np.ndarray[Any, Any]) -> Strided:
        """Return memory that holds one number, which a graph may write again.

        Parameters
        ----------
        value : numpy.ndarray
            Of shape () and a dtype of 8 bytes at most.
        """
        memory = self.empty((), value.dtype)
        size = value.dtype.itemsize
        bits = int.from_bytes(value.tobytes(), sys.byteorder)
        self.launch(copies.number_source(size), 1, 1, bits, memory.address)
        return memory

    def copy(self, source: Strided, target: Strided) -> None:
        """Copy elements between arrays of one shape and any strides.

        Parameters
        ----------
        source : Strided
            On the device, of any strides.
        target : Strided
            Of the same shape and dtype; the memory does not overlap.
        """
        if not source.size:
            return
        if source.contiguous and target.contiguous:
            self.queue.copy(target.address, source.address, source.nbytes)
            return
        if source.dtype.itemsize > 8:
            half = np.dtype(np.float64)
            self.copy(source.viewed(half), target.viewed(half))
            return
        axes = _merged(source, target)
        if len(axes) > copies.MAX_AXES:
            for k in range(source.shape[0]):
                self.copy(source.at(k), target.at(k))
            return
        itemsize = source.dtype.itemsize
        if _turns(axes):
            self._transpose(axes, itemsize, source.address, target.address)
            return
        sizes = [n for n, _, _ in axes]
        reads = [r for _, r, _ in axes]
        writes = [w for _, _, w in axes]
        total = prod(sizes)
        kernel = copies.copy_source(itemsize, len(axes))
        self.launch(
            kernel, total, total, *sizes[1:], *reads, *writes, source.address, target.address
        )

    def _transpose(
        self, axes: list[tuple[int, int, int]], itemsize: int, read: int, write: int
    ) -> None:
        batch, (rows, r0, _), (columns, _, w1) = _turned_axes(axes)
        across, down = -(-columns // copies.TILE), -(-rows // copies.TILE)
        count, rb, wb = batch
        kernel = copies.transpose_source(itemsize)
        args = (rows, columns, across, down, r0, rb, w1, wb, read, write)
        self.launch_blocks(kernel, across * down * count, *args)

    def identity(self, count: int, n: int, dtype: DType) -> Strided:
        """Return `count` identity matrices.

        Parameters
        ----------
        count : int
            How many.
        n : int
            Rows of each.
        dtype : numpy.dtype
            Floats or complex numbers.
        """
        matrices = self.empty((count, n, n), dtype)
        parts = 2 if kind_of(dtype) == "c" else 1
        one = np.ones(1, f"f{dtype.itemsize // parts}")
        bits = int(one.view(copies.word(one.itemsize)[1])[0])
        total = matrices.size * parts
        kernel = copies.identity_source(one.itemsize, parts)
        self.launch(kernel, total, total, n, bits, matrices.address)
        return matrices

    def keep_triangle(self, target: Strided, lower: bool) -> None:
        """Clear the elements above (or below) the diagonals of contiguous matrices.

        Parameters
        ----------
        target : Strided
            Contiguous matrices.
        lower : bool
            Whether the lower triangle stays, or else the upper one.
        """
        itemsize = target.dtype.itemsize
        total = target.nbytes // min(itemsize, 8)
        rows, columns = target.shape[-2:]
        self.launch(
            copies.triangle_source(itemsize),
            total,
            total,
            rows,
            columns,
            1 if lower else -1,
            target.address,
        )

    def scale(self, target: Strided, factor: float) -> None:
        """Multiply every element of contiguous memory, real or complex, in place.

        Parameters
        ----------
        target : Strided
            Contiguous, of floats or complex numbers.
        factor : float
            The factor.
        """
        itemsize = target.dtype.itemsize // (2 if kind_of(target.dtype) == "c" else 1)
        total = target.nbytes // itemsize
        self.launch(copies.scale_source(itemsize), total, total, factor, target.address)


def _merged(source: Strided, target: Strided) -> list[tuple[int, int, int]]:
    """Return size, reading and writing stride of the axes, those that allow it made one."""
    axes: list[tuple[int, int, int]] = []
    for n, r, w in zip(source.shape, source.strides, target.strides, strict=True):
        if n == 1:
            continue
        if axes:
            before, r0, w0 = axes[-1]
            if r0 == n * r and w0 == n * w:
                axes[-1] = (before * n, r, w)
                continue
        axes.append((n, r, w))
    return axes or [(1, 0, 0)]


def _turns(axes: list[tuple[int, int, int]]) -> bool:
    """Whether the copy is a transposition of (a batch of) matrices large enough for tiles."""
    if len(axes) not in (2, 3):
        return False
    first, last = axes[-2], axes[-1]
    sizes = min(first[0], last[0]) >= 16
    return sizes and {(first[1] == 1, first[2] == 1), (last[1] == 1, last[2] == 1)} == {
        (True, False),
        (False, True),
    }


def _turned_axes(
    axes: list[tuple[int, int, int]],
) -> tuple[tuple[int, int, int], tuple[int, int, int], tuple[int, int, int]]:
    """Return batch, the axis along which writes are dense, and that along which reads are."""
    batch = axes[0] if len(axes) == 3 else (1, 0, 0)
    first, last = axes[-2], axes[-1]
    return (batch, first, last) if last[1] == 1 else (batch, last, first)
