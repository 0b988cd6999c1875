"""Entries of ``numpy.linalg.qr``: two loops of NumPy's, and the triangle that lies in the first's.

The first loop leaves the triangle above the diagonal of its matrix, where it found the elements,
and the reflections below; the second one multiplies the reflections.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from lazyarr.core.addresses import address_of
from lazyarr.execution import tuning
from lazyarr.execution.cpu.entry_blocks import Place, Reserve, Row, copy_entry, reserved, whole
from lazyarr.runtime.cpu.matrix_loops import MatrixLoop, reflection_loops

__all__ = ["orthogonal_entries"]

#: The element below diagonals, of whatever dtype.
_ZERO = np.zeros(1, np.complex128)

_LoopCall: TypeAlias = Callable[[MatrixLoop, Sequence[Place]], Row | None]


def orthogonal_entries(
    keywords: Mapping[str, Any],
    matrices: Place,
    results: Sequence[Place],
    reserve: Reserve,
    loop_call: _LoopCall,
) -> list[Row] | None:
    """Return the entries of ``numpy.linalg.qr``; None if C has no room for them.

    Parameters
    ----------
    keywords : mapping of str to object
        Its other arguments.
    matrices : Place
        Of shape (..., m, n).
    results : sequence of Place
        Factors of orthonormal columns and triangles, or triangles alone.
    reserve : callable
        Returns memory of the call.
    loop_call : callable
        Returns the entry of a loop for its operands.
    """
    options = dict(keywords)
    mode = options.pop("mode", "reduced")
    *stack, m, n = matrices.shape
    triangles = results[-1]
    rows = triangles.shape[-2]
    if (
        options
        or rows > tuning.row().copied_triangle_rows
        or len(results) != (1 if mode == "r" else 2)
    ):
        return None
    loops = reflection_loops(matrices.dtype, is_complete=mode == "complete" and m > n)
    if loops is None:
        return None
    factorise, multiply = loops
    wide = factorise.dtypes[0]
    work = reserved(reserve, wide, matrices.shape)
    scales = reserved(reserve, wide, (*stack, min(m, n)))
    entries = [copy_entry(matrices, work), loop_call(factorise, (work, scales))]
    if mode != "r":
        columns = results[0]
        product = columns if columns.dtype == wide else reserved(reserve, wide, columns.shape)
        entries.append(loop_call(multiply, (work, scales, product)))
        if product is not columns:
            entries.append(copy_entry(product, columns))
    entries.append(copy_entry(_zeros_like(triangles), triangles))
    entries += [
        copy_entry(_from_diagonal(work, row), _from_diagonal(triangles, row))
        for row in range(min(rows, n))
    ]
    return whole(entries)


def _zeros_like(place: Place) -> Place:
    """Return the place of as many zeros."""
    address = address_of(_ZERO)
    return Place(-1, address, place.dtype, place.shape, (0,) * len(place.shape))


def _from_diagonal(matrices: Place, row: int) -> Place:
    """Return the elements of a row of matrices from the diagonal on.

    Parameters
    ----------
    matrices : Place
        Of shape (..., m, n).
    row : int
        Less than `m` and `n`.
    """
    *outer, row_step, step = matrices.strides
    offset = matrices.offset + row * (row_step + step)
    shape = (*matrices.shape[:-2], matrices.shape[-1] - row)
    return Place(matrices.base, offset, matrices.dtype, shape, (*outer, step))
