"""Fourier transforms of one layout as work items of the extension module.

A work item is a block of lines. NumPy's loops take lines by vectors and what is left one by one,
which gives a NaN another sign and, where a compiler fuses operations, may round otherwise. So
blocks have as many lines as make no difference.
"""

from __future__ import annotations

import operator
import struct
from functools import cache, lru_cache
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.runtime.cpu import tuning
from lazyarr.runtime.cpu.numpy_loops import COMPILED

__all__ = ["ADDRESS", "IN_AT", "NAMES", "OUT_AT", "Job", "has_loops", "job_of"]


#: The transforms over one axis that have a loop of their own.
NAMES = frozenset(("fft", "ifft", "rfft", "irfft"))
#: Of real numbers and of complex ones: the letters of their types.
_PRECISIONS = {"f": "fF", "F": "fF", "d": "dD", "D": "dD"}
#: How the extension module makes the loop's elements of an array's, or an array's of the loop's.
_CONVERSIONS = {"fd": 1, "FD": 2, "dD": 3, "fD": 4, "fF": 5, "df": 1, "DF": 2}
#: Axes beside that of the lines and the one that is cut into blocks, at most.
_MOST_OUTER = 31
_SIDE = 7 + _MOST_OUTER
#: The words of the extension module's structure, and where the operands' addresses are in it.
_WORDS = struct.Struct(f"={5 + 3 + _MOST_OUTER + 2 * _SIDE}q")
ADDRESS = struct.Struct("=q")
IN_AT, OUT_AT = (8 * (8 + _MOST_OUTER + k * _SIDE) for k in range(2))
#: Lengths of the lines that show whether blocks of lines have the bits of all lines: with factors
#: that have code of their own, with a general one, and one of which a longer transform is made.
_SHOWN = (120, 26, 1009)


@dataclass(frozen=True, slots=True)
class Job:
    """A transform of arrays of one layout.

    Attributes
    ----------
    block : bytes
        The words that the extension module reads, without addresses of memory.
    count : int
        Its work items.
    scratch : int
        Bytes of memory for each thread.
    shape : tuple of int
        Of the result, which is in C order.
    dtype : numpy.dtype
        Of the result.
    nbytes : int
        Of the result.
    """

    block: bytes
    count: int
    scratch: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    nbytes: int


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop of NumPy's, its factor, the types that it takes and gives, and lines of a block."""

    addresses: tuple[int, int]
    factor: bytes
    types: str
    together: int


@lru_cache(maxsize=256)
def job_of(
    name: str,
    dtype: np.dtype[Any],
    shape: tuple[int, ...],
    strides: tuple[int, ...],
    n: int | None,
    axis: int,
    norm: str | None,
    threads: int,
) -> Job | None:
    """Return the transform of arrays of one layout; None: NumPy has to compute it.

    Parameters
    ----------
    name : str
        One of :data:`NAMES`.
    dtype, shape, strides
        Of the operand.
    n, axis, norm
        As NumPy takes them.
    threads : int
        That work on it.
    """
    ndim = len(shape)
    if dtype.char not in _PRECISIONS or not 0 < ndim <= _MOST_OUTER or not -ndim <= axis < ndim:
        return None
    axis %= ndim
    points = shape[axis] if n is None else operator.index(n)
    if n is None and name == "irfft":
        points = 2 * (points - 1)
    loop = _loop(name, dtype.char, points, norm) if points > 0 else None
    if loop is None or 0 in shape:
        return None
    last = points // 2 + 1 if name == "rfft" else points
    needed = points // 2 + 1 if name == "irfft" else points
    result = np.dtype(_PRECISIONS[dtype.char][name != "irfft"])
    result_shape = (*shape[:axis], last, *shape[axis + 1 :])
    steps = _steps(result_shape, result.itemsize)
    sides = (
        _Side(dtype.char + loop.types[0], min(shape[axis], needed), strides[axis]),
        _Side(loop.types[1] + result.char, last, steps[axis]),
    )
    outer = _joined([(shape[k], strides[k], steps[k]) for k in range(ndim) if k != axis])
    if any(abs(first[1]) < abs(then[1]) for first, then in pairwise(outer)):
        return None  # NumPy takes the axes in another order, and so other lines together
    lines, *moves = outer[-1]
    size = _block(lines, sides, loop.together, prod(extent for extent, *_ in outer) // threads)
    count = prod(extent for extent, *_ in outer[:-1]) * -(-lines // size)
    tiles = [size * side.points * side.itemsize if side.is_copied else 0 for side in sides]
    if min(threads, count) == 1 and all(side.types[0] == side.types[1] for side in sides):
        return None
    extents = [extent for extent, *_ in outer[:-1]]
    words = [0, tiles[0], *loop.addresses, *ADDRESS.unpack(loop.factor)]
    words += [len(extents), lines, size, *_filled(extents)]
    for k, side in enumerate(sides):
        words += [0, _CONVERSIONS.get(side.types, 0), side.itemsize, side.points, moves[k]]
        words += [side.step, tiles[k] > 0, *_filled([each[1 + k] for each in outer[:-1]])]
    nbytes = prod(result_shape) * result.itemsize
    return Job(_WORDS.pack(*words), count, sum(tiles), result_shape, result, nbytes)


@dataclass(frozen=True, slots=True)
class _Side:
    """An operand of a loop: its elements' types, and its lines' points and step in bytes."""

    types: str
    points: int
    step: int

    @property
    def itemsize(self) -> int:
        """Bytes of an element that the loop sees."""
        return max(np.dtype(letter).itemsize for letter in self.types)

    @property
    def is_copied(self) -> bool:
        """Whether the loop gets a copy: of other elements, or of such that lie apart."""
        return self.types[0] != self.types[1] or abs(self.step) >= tuning.row().points_apart


def _block(lines: int, sides: tuple[_Side, ...], together: int, share: int) -> int:
    """Return the lines of a work item."""
    row = tuning.row()
    size = -(-share // row.transform_parts)
    if any(side.is_copied for side in sides):
        within = row.transformed_block // max(side.points for side in sides)
        size = max(min(size, within), row.lines_apart)
    return min(lines, max(1, -(-size // together)) * together)


def _steps(shape: tuple[int, ...], itemsize: int) -> list[int]:
    """Return the bytes between elements in C order."""
    steps = [itemsize] * len(shape)
    for k in range(len(shape) - 2, -1, -1):
        steps[k] = steps[k + 1] * shape[k + 1]
    return steps


def _joined(axes: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Return axes as few as there can be: extents, and steps of operand and result."""
    kept: list[tuple[int, int, int]] = []
    for extent, first, second in axes:
        if extent == 1:
            continue
        if kept and kept[-1][1:] == (extent * first, extent * second):
            kept[-1] = (kept[-1][0] * extent, first, second)
        else:
            kept.append((extent, first, second))
    return kept or [(1, 0, 0)]


def _filled(numbers: list[int]) -> list[int]:
    return numbers + [0] * (_MOST_OUTER - len(numbers))


def _loop(name: str, letter: str, points: int, norm: str | None) -> _Loop | None:
    """Return the loop that NumPy would call; None where that is not known."""
    real, is_inverse = _PRECISIONS[letter][0], name.startswith("i")
    is_real = letter == real
    if name == ("irfft" if is_real else "rfft"):
        return None
    unscaled = ("forward",) if is_inverse else (None, "backward")
    if norm in unscaled:
        scale, within = np.float64(1), "d" if real == "d" or _rounds_float64() else "f"
    elif norm == "ortho":
        scale, within = np.reciprocal(np.sqrt(points, dtype=real)), real
    elif norm in (None, "backward", "forward"):
        scale, within = np.reciprocal(points, dtype=real), real
    else:
        return None
    if is_real and name != "rfft":
        within = "d"  # the first loop that takes real numbers
    ufunc, together = _ufunc(name, points), _together(name, within)
    types = ("f" if name == "rfft" else "F") + within + ("f" if name == "irfft" else "F")
    types = types if within == "f" else types.replace("f", "d").replace("F", "D")
    assert COMPILED is not None
    numbers = bytes(np.dtype(each).num for each in types)
    addresses = None if ufunc is None else COMPILED.loop_of(ufunc, numbers)
    if addresses is None or together is None:
        return None
    factor = scale.astype(within).tobytes().ljust(8, b"\0")
    return _Loop(addresses, factor, types[0] + types[2], together)


def _ufunc(name: str, points: int) -> np.ufunc | None:
    """Return the function whose loops transform lines; None of a NumPy that has other ones."""
    if name == "rfft":
        name = "rfft_n_odd" if points % 2 else "rfft_n_even"
    try:
        from numpy.fft import _pocketfft_umath  # type: ignore[attr-defined]
    except ImportError:
        return None
    ufunc = getattr(_pocketfft_umath, name, None)
    return ufunc if isinstance(ufunc, np.ufunc) and ufunc.nargs == 3 else None


@cache
def has_loops() -> bool:
    """Return whether NumPy's transforms can be divided among threads."""
    return COMPILED is not None and all(_ufunc(name, 2) is not None for name in NAMES)


@cache
def _rounds_float64() -> bool:
    """Return whether unscaled transforms of float32 are those of float64, rounded."""
    sample = np.sqrt(np.arange(1, 120, dtype=np.float32)).astype(np.complex64)
    wide = np.fft.fft(sample.astype(np.complex128)).astype(np.complex64)
    return wide.tobytes() == np.fft.fft(sample).tobytes()


@cache
def _together(name: str, real: str) -> int | None:
    """Return the least number of lines whose bits are those among all lines; None: all of them."""
    letter = real if name == "rfft" else real.upper()
    transform = getattr(np.fft, name)
    whole = []
    for length in _SHOWN:
        lines = np.sqrt(np.arange(1, 35 * length, dtype=real)).astype(letter)[: 34 * length]
        lines = np.sin(lines).reshape(34, length)
        lines[3, 1] = lines[16, 2] = np.nan
        lines[8, 0] = np.inf
        whole.append(lines)
    least = 16 // np.dtype(real).itemsize  # the narrowest vectors
    for count in (least, 2 * least, 4 * least):
        with np.errstate(all="ignore"):
            same = all(
                transform(lines, norm="ortho").tobytes()
                == b"".join(
                    transform(lines[k : k + count], norm="ortho").tobytes()
                    for k in range(0, len(lines), count)
                )
                for lines in whole
            )
        if same:
            return count
    return None
