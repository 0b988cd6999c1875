"""cuDNN on the host's memory: what ``lazyarr.runtime.cuda.libraries.cudnn_graphs`` offers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from lazyarr.ops.convolution import Sliding, transposed
from lazyarr.ops.convolution import _convolve as convolve
from lazyarr.ops.convolution import _filters as filters
from lazyarr.runtime.cuda.libraries.cudnn_graphs import BY_FILTERS, FORWARD, Problem, Sizes


class Cudnn:
    """Bindings that count plans; ``refuses`` says of which problems there is none."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.refuses = False

    def create(self) -> int:
        return 1

    def destroy(self, handle: int) -> None: ...
    def set_stream(self, handle: int, stream: int) -> None: ...

    def plan(self, handle: int, problem: Problem) -> EmulatedPlan | None:
        self.problems.append(problem)
        return None if self.refuses else EmulatedPlan(problem)


class EmulatedPlan:
    """A convolution with NumPy, of arrays whose channels are last."""

    nbytes = 64

    def __init__(self, problem: Problem) -> None:
        self.problem = problem

    def execute(self, handle: int, addresses: tuple[int, int, int], space: int) -> None:
        """Compute the result where it belongs."""
        problem = self.problem
        array(space, (self.nbytes,), "u1")[...] = 255
        stored = {"float16": "f2", "float32": "f4"}[problem.dtype]
        kind = problem.kind

        def seen(address: int, sizes: Sizes) -> Any:
            count, channels, down, across = sizes
            return array(address, (count, down, across, channels), stored)

        _, _, *size = problem.images
        _, _, *windows = problem.cotangent
        _, _, *taps = problem.filters
        for axis in range(2):  # what the library asks for
            reach = (taps[axis] - 1) * problem.gap[axis] + 1
            padded = size[axis] + problem.before[axis] + problem.after[axis]
            assert (padded - reach) // problem.stride[axis] + 1 == windows[axis]
        pairs = tuple(windows), tuple(taps), problem.stride, problem.gap, problem.before
        how = Sliding(*pairs)
        first, second, last = addresses
        if kind == FORWARD:
            images, weights = seen(first, problem.images), seen(second, problem.filters)
            result, target = convolve(images, weights.transpose(1, 2, 3, 0), how), problem.cotangent
        elif kind == BY_FILTERS:
            images, cotangent = seen(first, problem.images), seen(second, problem.cotangent)
            result = filters(images, cotangent, how).transpose(3, 0, 1, 2)
            target = problem.filters
        else:
            cotangent, weights = seen(first, problem.cotangent), seen(second, problem.filters)
            turned = weights[:, ::-1, ::-1].transpose(1, 2, 0, 3)
            back = transposed(how, (size[0], size[1]))
            result, target = convolve(cotangent, turned, back), problem.images
        seen(last, target)[...] = result


def array(address: int, shape: tuple[int, ...], dtype: str) -> Any:
    """Return the array at an address."""
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = (ctypes.c_ubyte * nbytes).from_address(address)
    return np.frombuffer(memory, dtype).reshape(shape)
