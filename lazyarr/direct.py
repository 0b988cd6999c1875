"""Runs that are one call of one kernel, with all that can be known beforehand worked out.

For a few thousand elements the way to a kernel costs more than the kernel. Most of what
:class:`lazyarr.executable.Executable` does for a run comes out the same every time when there is
one launch that one thread does, no scratch memory and nothing to watch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyarr.executable import Executable
from lazyarr.runtime.pool import SMALL, address_of, pool

__all__ = ["Direct", "converter"]

Array = np.ndarray[Any, Any]


class Direct:
    """The one launch of an executable.

    Parameters
    ----------
    executable : Executable
        Of which :meth:`fits` is true.
    sources : sequence of ((int, int) or numpy.ndarray)
        For each leaf which argument it is and how it must be aligned, or the array itself.
    """

    __slots__ = ("_count", "_fixed", "_function", "_inputs", "_outputs", "_scalars", "_template")

    def __init__(self, executable: Executable, sources: Sequence[tuple[int, int] | Array]) -> None:
        (step,) = executable.steps
        (call,) = step.calls
        self._function = call.function
        self._count = call.count
        self._template = list(call.template)
        self._scalars = call.scalars
        inputs: list[tuple[int, int, int, int]] = []
        fixed: list[tuple[int, Array, int]] = []
        outputs: dict[int, list[tuple[int, int]]] = {}
        for position, base, offset in call.addresses:
            if base >= executable.leaf_count:
                outputs.setdefault(base, []).append((position, offset))
                continue
            source = sources[base]
            if isinstance(source, tuple):
                inputs.append((position, source[0], offset, source[1] - 1))
            else:
                fixed.append((position, source, offset))
        self._inputs = tuple(inputs)
        self._fixed = tuple(fixed)
        self._outputs = tuple(
            (root.shape, root.dtype, root.nbytes, tuple(outputs[base]))
            for base, root, _, _ in executable.results
        )

    @staticmethod
    def fits(executable: Executable) -> bool:
        """Return whether a run of an executable is one call and nothing else."""
        plan = executable.plan
        if type(executable) is not Executable or len(executable.steps) != 1 or executable.faults:
            return False
        calls = executable.steps[0].calls
        if len(calls) != 1 or plan.arena_bytes or plan.scratch_bytes:
            return False
        (call,) = calls
        serial = executable.threads <= 1 or call.count <= call.chunk
        if not serial or call.count <= 0 or call.scratch is not None:
            return False
        bases = {base for base, *_ in executable.results}
        written = {base for _, base, _ in call.addresses if base >= executable.leaf_count}
        if bases != written or len(bases) != len(executable.results):
            return False
        for base, root, _, plain in executable.results:
            buffer = plan.buffers[base - executable.leaf_count]
            value = buffer.values[-1]
            if not plain or buffer.kind != "output":
                return False
            if value.shape != root.shape or value.dtype != root.dtype:
                return False
        return True

    def run(self, arrays: Sequence[Array], scalars: Sequence[Any]) -> list[Array] | None:
        """Return the results for arrays and scalars; None if an array is not aligned.

        Parameters
        ----------
        arrays : sequence of numpy.ndarray
            The arguments, with the dtypes, shapes and strides of the plan's leaves.
        scalars : sequence of number
            The scalar parameters, as :func:`converter` leaves them.
        """
        args = self._template.copy()
        for position, source, offset, mask in self._inputs:
            address = address_of(arrays[source])
            if address & mask:
                return None
            args[position] = address + offset
        for position, array, offset in self._fixed:
            args[position] = address_of(array) + offset
        for position, index in self._scalars:
            args[position] = scalars[index]
        results = []
        for shape, dtype, nbytes, places in self._outputs:
            if nbytes < SMALL:
                result = np.empty(shape, dtype)
            else:
                result = pool.allocate(nbytes).array(shape, dtype)
            results.append(result)
            address = address_of(result)
            for position, offset in places:
                args[position] = address + offset
        self._function(0, self._count, *args)
        return results


def converter(kind: type, dtype: np.dtype[Any]) -> Callable[[Any], Any] | None:
    """Return what turns a Python number into what a kernel takes for it; None: nothing does.

    Parameters
    ----------
    kind : type
        bool, int or float.
    dtype : numpy.dtype
        Of the scalar parameter.
    """
    if kind is complex or dtype.kind not in "biuf" or (dtype.itemsize == 2 and dtype.kind == "f"):
        return None
    if dtype.kind == "b":
        return bool if kind is bool else None
    if dtype.kind == "f":
        # ctypes rounds to single precision as NumPy does.
        return float
    if kind is float:
        return None
    limits = np.iinfo(dtype)
    low, high = int(limits.min), int(limits.max)

    def fit(value: int) -> int:
        if low <= value <= high:
            return int(value)
        raise OverflowError(f"Python integer {value} out of bounds for {dtype}")

    return fit
