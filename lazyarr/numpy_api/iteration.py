"""``nditer`` and ``nested_iters``: NumPy's iterators, which also write to LazyArrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray

__all__ = ["nditer", "nested_iters"]

Array = np.ndarray[Any, Any]

_WRITES = frozenset(("readwrite", "writeonly"))
_SET = frozenset(("index", "iterindex", "iterrange", "multi_index"))


class nditer:  # noqa: N801 - NumPy's name
    """An iterator over several arrays at once, as ``numpy.nditer``; evaluates them.

    What it writes to a LazyArray is written to a copy of its values, and to the LazyArray when the
    iterator is exhausted, closed or reset, or its ``with`` block ends.

    Parameters
    ----------
    op : array_like or sequence of array_like
        The operands; None for one that is allocated.
    flags, op_flags, op_dtypes, order, casting, op_axes, itershape, buffersize
        Those of ``numpy.nditer``.

    Examples
    --------
    >>> import lazyarr as la
    >>> x = la.arange(3)
    >>> with la.nditer(x, op_flags=["readwrite"]) as elements:
    ...     for element in elements:
    ...         element[...] = 2 * element
    >>> x.tolist()
    [0, 2, 4]
    """

    __slots__ = ("_iterator", "_memory", "_operands", "_written")

    _iterator: np.nditer
    _memory: list[Any]
    _operands: tuple[Any, ...]
    _written: list[tuple[LazyArray, Array]]

    def __new__(
        cls,
        op: Any,
        flags: Any = None,
        op_flags: Any = None,
        op_dtypes: Any = None,
        order: Any = "K",
        casting: Any = "safe",
        op_axes: Any = None,
        itershape: Any = None,
        buffersize: Any = 0,
    ) -> Any:
        """Return NumPy's iterator if there is no LazyArray among the operands."""
        options = (op_dtypes, order, casting, op_axes, itershape, buffersize)
        are_several = type(op) in (list, tuple)
        operands = tuple(op) if are_several else (op,)
        if not any(isinstance(operand, LazyArray) for operand in operands):
            return np.nditer(op, flags, op_flags, *options)
        memory, written = _memory_of(operands, op_flags)
        return cls._of(np.nditer(memory, flags, op_flags, *options), memory, operands, written)

    @classmethod
    def _of(cls, *parts: Any) -> nditer:
        """Return the iterator of these parts, in the order of the slots."""
        self: nditer = object.__new__(cls)
        for name, value in zip(cls.__slots__, parts, strict=True):
            object.__setattr__(self, name, value)
        return self

    def __getattr__(self, name: str) -> Any:
        return getattr(self._iterator, name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in _SET:
            raise AttributeError(f"'nditer' object has no attribute {name!r} to set")
        setattr(self._iterator, name, value)

    @property
    def operands(self) -> tuple[Any, ...]:
        """LazyArrays that are read where they lie, and the memory of other operands."""
        copied = {id(array) for array, _ in self._written}
        operands = zip(self._operands, self._memory, self._iterator.operands, strict=True)
        return tuple(
            own
            if isinstance(own, LazyArray) and id(own) not in copied and memory is value
            else value
            for own, memory, value in operands
        )

    def __iter__(self) -> Iterator[Any]:
        return self if self._written else iter(self._iterator)

    def __next__(self) -> Any:
        try:
            return next(self._iterator)
        except StopIteration:
            self._write()
            raise

    def __len__(self) -> int:
        return len(self._iterator)

    def __getitem__(self, index: Any) -> Any:
        return self._iterator[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self._iterator[index] = value

    def __delitem__(self, index: Any) -> None:
        raise TypeError("Cannot delete iterator elements")

    def __enter__(self) -> nditer:
        self._iterator.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()

    def close(self) -> None:
        """Write the buffers, and end the iteration."""
        self._iterator.close()
        self._write()

    def iternext(self) -> bool:
        """Go to the next elements; return False if there are none."""
        goes_on = self._iterator.iternext()
        if not goes_on:
            self._write()
        return goes_on

    def reset(self) -> None:
        """Begin again."""
        self._write()
        self._iterator.reset()

    def copy(self) -> nditer:
        """Return an iterator at the same position."""
        return self._of(self._iterator.copy(), self._memory, self._operands, self._written)

    def _write(self) -> None:
        for array, memory in self._written:
            array[...] = memory


def nested_iters(
    op: Any,
    axes: Any,
    flags: Any = None,
    op_flags: Any = None,
    op_dtypes: Any = None,
    order: Any = "K",
    casting: Any = "safe",
    buffersize: Any = 0,
) -> tuple[Any, ...]:
    """Return iterators for nested loops over several arrays, as ``numpy.nested_iters``.

    What is written to a LazyArray is written to it when the first iterator is exhausted or closed,
    or its ``with`` block ends.

    Parameters
    ----------
    op : array_like or sequence of array_like
        The operands.
    axes : sequence of sequence of int
        The axes of each loop, the outermost first.
    flags, op_flags, op_dtypes, order, casting, buffersize
        Those of :class:`nditer`.

    Examples
    --------
    >>> import lazyarr as la
    >>> rows, items = la.nested_iters(la.arange(4).reshape(2, 2), [[0], [1]])
    >>> [[int(item) for item in items] for _ in rows]
    [[0, 1], [2, 3]]
    """
    are_several = type(op) in (list, tuple)
    operands = tuple(op) if are_several else (op,)
    memory, written = _memory_of(operands, op_flags)
    options = (flags, op_flags, op_dtypes, order, casting, buffersize)
    first, *others = np.nested_iters(memory, axes, *options)
    return (nditer._of(first, memory, operands, written) if written else first, *others)


def _memory_of(
    operands: Sequence[Any], op_flags: Any
) -> tuple[list[Any], list[tuple[LazyArray, Array]]]:
    """Return the memory of operands, and the LazyArrays that are written to with their copies."""
    written: list[tuple[LazyArray, Array]] = []
    memory = [
        _memory(operand, _is_written(op_flags, place), written)
        for place, operand in enumerate(operands)
    ]
    return memory, written


def _is_written(op_flags: Any, place: int) -> bool:
    """Return whether an operand is written to.

    Parameters
    ----------
    op_flags
        NumPy's argument: the flags of each operand, or those of all.
    place
        The operand's number.
    """
    flags: Sequence[Any] = op_flags or ()
    if not all(isinstance(flag, str) for flag in flags):
        flags = flags[place] if place < len(flags) else ()
    return not _WRITES.isdisjoint(flags)


def _memory(operand: Any, is_written: bool, written: list[tuple[LazyArray, Array]]) -> Any:
    """Return the memory of an operand that NumPy iterates over.

    Parameters
    ----------
    operand
        A LazyArray; others are as they are.
    is_written
        Whether it is written to; then the memory is a copy.
    written
        Takes the LazyArray and its copy.
    """
    if not isinstance(operand, LazyArray):
        return operand
    known = next((memory for array, memory in written if array is operand), None)
    if known is not None:
        return known
    value = np.asarray(operand)  # in the order of its steps
    if not (is_written and operand.flags.writeable):
        value = value.view()
        value.flags.writeable = False
        return value
    copy = value.copy("K")
    written.append((operand, copy))
    return copy
