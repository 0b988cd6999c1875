"""Loop axes: a kernel's domain after axes that can be walked as one are merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import prod

from lazyarr.core.frozen import dataclass
from lazyarr.loop_ir.kernel import Operand

__all__ = ["Access", "Frame", "LoopAxis", "LoopPosition", "collapse"]


@dataclass(frozen=True, eq=False, slots=True)
class Access:
    """An access pattern: the strides of a kernel's loops in some memory.

    Attributes
    ----------
    owner : object
        Whose memory it is: a stored node, or the name of a scratch area.
    offset : int
        In elements.
    strides : tuple of int
        In elements, one a domain axis.
    unit : int
        Distance of neighbouring elements: 2 for the parts of complex numbers, which are
        elements of their own.
    part : int
        How far behind its place the element lies: 1 for imaginary parts.
    """

    owner: object
    offset: int
    strides: tuple[int, ...]
    unit: int = 1
    part: int = 0

    @classmethod
    def of_part(
        cls, owner: object, offset: int, strides: tuple[int, ...], unit: int, part: int
    ) -> Access:
        """Return the access to one of the `unit` parts of each element.

        Parameters
        ----------
        owner : object
            Whose memory it is: a stored node, or the name of a scratch area.
        offset : int
            Of the first element, in whole elements.
        strides : tuple of int
            In whole elements, one a domain axis.
        unit : int
            Parts of an element: 2 for complex numbers, else 1.
        part : int
            Which of them: 1 for imaginary parts, else 0.
        """
        return cls(owner, offset * unit, tuple([unit * s for s in strides]), unit, part)


@dataclass(frozen=True, eq=False, slots=True)
class LoopAxis:
    """One loop over one or more merged domain axes."""

    size: int
    axes: tuple[int, ...]

    def stride(self, strides: Sequence[int]) -> int:
        """Return the stride of one step along the loop."""
        return strides[self.axes[-1]] if self.axes else 0


@dataclass(frozen=True, eq=False, slots=True)
class Frame:
    """The loops over some domain axes, outermost first."""

    axes: tuple[LoopAxis, ...]

    @property
    def size(self) -> int:
        """Number of points."""
        return prod(axis.size for axis in self.axes)


class LoopPosition:
    """The loops that are open where code is written, with their counters, outermost first."""

    def __init__(self) -> None:
        self.frames: list[tuple[Frame, tuple[Operand, ...]]] = []

    @contextmanager
    def inside(self, frame: Frame, counters: Sequence[Operand]) -> Iterator[None]:
        """Be inside of a frame's loops too.

        Parameters
        ----------
        frame : Frame
            The loops.
        counters : sequence of Operand
            One a loop.
        """
        self.frames.append((frame, tuple(counters)))
        try:
            yield
        finally:
            self.frames.pop()

    @contextmanager
    def outside(self) -> Iterator[None]:
        """Be outside of all loops."""
        frames, self.frames = self.frames, []
        try:
            yield
        finally:
            self.frames = frames

    def moving(self, strides: Sequence[int]) -> Iterator[tuple[int, tuple[int, ...], Operand]]:
        """Yield the loops along which an access moves: stride, axes of the domain, counter."""
        for frame, counters in self.frames:
            for axis, counter in zip(frame.axes, counters, strict=True):
                stride = axis.stride(strides)
                if stride:
                    yield stride, axis.axes, counter


def collapse(domain: Sequence[int], axes: Iterable[int], strides: Iterable[Sequence[int]]) -> Frame:
    """Merge neighbouring axes along which every access moves as along one longer axis.

    Axes of length one vanish. With an empty axis nothing is merged.

    Parameters
    ----------
    domain : sequence of int
        Sizes of all domain axes.
    axes : iterable of int
        The domain axes to loop over, outermost first.
    strides : iterable of sequence of int
        The strides of every access, one a domain axis.
    """
    loop_axes = [axis for axis in axes if domain[axis] != 1]
    steps = list({tuple(s) for s in strides})
    if any(domain[axis] == 0 for axis in loop_axes):
        return Frame(tuple(LoopAxis(domain[axis], (axis,)) for axis in loop_axes))
    merged: list[list[int]] = []
    for axis in loop_axes:
        if merged:
            last = merged[-1][-1]
            if all(s[last] == s[axis] * domain[axis] for s in steps):
                merged[-1].append(axis)
                continue
        merged.append([axis])
    return Frame(tuple(LoopAxis(prod(domain[a] for a in group), tuple(group)) for group in merged))
