"""Readers of the standard formats: IDX (MNIST and its kin, gzip too) and CIFAR-10's binaries."""

import gzip
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from training.errors import DataError

Array = np.ndarray[Any, Any]

_IDX_DTYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}
#: Of NumPy 1's arrays; the data sets have at most four.
_MOST_AXES = 32
CIFAR_SHAPE = (3, 32, 32)
_CIFAR_RECORD = 1 + 3 * 32 * 32


def _bytes_of(path: Path) -> bytes:
    """Return a file's content, unpacked if it begins as gzip does."""
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, zlib.error) as error:
        raise DataError(f"{path}: cannot be read: {error}") from error


def read_idx(path: Path) -> Array:
    """Return the array of an IDX file, in the machine's byte order.

    The format: two zero bytes, a byte for the dtype, one for the number of axes, the sizes as
    big-endian 32-bit integers, and the elements in C order.
    """
    data = _bytes_of(path)
    if len(data) < 4 or data[:2] != b"\0\0" or data[2] not in _IDX_DTYPES:
        raise DataError(f"{path}: no IDX file: it begins with {data[:4]!r}")
    dtype, axes = np.dtype(_IDX_DTYPES[data[2]]), data[3]
    start = 4 + 4 * axes
    if len(data) < start:
        raise DataError(f"{path}: cut short within its header of {start} bytes")
    if axes > _MOST_AXES:
        raise DataError(f"{path}: no IDX file: it begins with {axes} axes")
    shape = tuple(int(n) for n in np.frombuffer(data, ">u4", axes, 4))
    size = dtype.itemsize
    for n in shape:
        size *= n
    if len(data) - start != size:
        state = "cut short" if len(data) - start < size else "too long"
        raise DataError(
            f"{path}: {state}: shape {shape} needs {size:,} bytes, there are "
            f"{len(data) - start:,}; load it again"
        )
    result = np.frombuffer(data, dtype, offset=start).reshape(shape)
    return result.astype(dtype.newbyteorder("="))


def check_labels(labels: Array, place: str) -> None:
    """Check that labels are those of ten classes.

    Raises
    ------
    DataError
        With `place` and the position of the first that is not.
    """
    outside = (labels < 0) | (labels > 9)
    if outside.any():
        first = int(np.argmax(outside))
        raise DataError(f"{place} {first} has the label {labels[first]}, not 0-9")


def read_cifar10(paths: list[Path]) -> tuple[Array, Array]:
    """Return images of shape (n, 3, 32, 32) and labels of CIFAR-10's binary files, in order."""
    parts = []
    for path in paths:
        data = np.frombuffer(_bytes_of(path), np.uint8)
        if not data.size or data.size % _CIFAR_RECORD:
            raise DataError(
                f"{path}: cut short: {data.size:,} bytes are no multiple of a record's "
                f"{_CIFAR_RECORD:,}; load it again"
            )
        parts.append(data.reshape(-1, _CIFAR_RECORD))
    records = np.concatenate(parts)
    labels = records[:, 0]
    check_labels(labels, f"{paths[0].parent}: record")
    return records[:, 1:].reshape(-1, *CIFAR_SHAPE), labels
