"""cuBLASLt: products followed by a bias and a ramp, and the fastest of several algorithms.

What a product needs is described once for each shape and kept, with the algorithms that the library
proposes for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazyarr.runtime.cuda import tuning

__all__ = ["BIAS", "PLAIN", "RELU", "Matmuls", "Problem", "alignment"]

#: cuBLASLt's numbers of what follows a product; they may be combined.
PLAIN, RELU, BIAS = 1, 2, 4


# Attributes of a description, of a layout, and of preferences, by their numbers.
_TRANSPOSE_A, _TRANSPOSE_B, _EPILOGUE, _BIAS_POINTER = 3, 4, 7, 8
_MAX_WORK_SPACE, _REDUCTIONS, _FIRST_ALIGNMENT = 1, 3, 5
#: Parts of sums are added in place, or in the dtype of the arithmetic: not in that of the result.
_WIDE_REDUCTIONS = 1 | 2

#: A proposal: the algorithm, the bytes of work space, and whether it fits.
_PROPOSAL = np.dtype(
    [("algorithm", "u8", 8), ("space", "u8"), ("state", "i4"), ("waves", "f4"), ("rest", "i4", 4)]
)
#: cuBLAS's numbers of data types of factors, by the arithmetic.
_COMPUTE_64F = 70


def alignment(address: int) -> int:
    """Return the largest power of two up to 256 that divides an address."""
    return min(address & -address, 256) if address else 256


@dataclass(frozen=True, slots=True)
class Problem:
    """A product of matrices by columns: everything that is known before the addresses.

    Attributes
    ----------
    kind, compute : int
        The numbers of the data type and of the arithmetic.
    sizes : tuple of int
        Rows and columns of the result, and how many products are summed.
    transposed : tuple of int
        Whether the operands are transposed.
    leading : tuple of int
        The distances between columns of operands and result.
    aligned : tuple of int
        By what the addresses of operands and result can be divided.
    epilogue : int
        What follows.
    """

    kind: int
    compute: int
    sizes: tuple[int, int, int]
    transposed: tuple[int, int]
    leading: tuple[int, int, int]
    aligned: tuple[int, int, int]
    epilogue: int = PLAIN


@dataclass(slots=True)
class _Plan:
    """The library's descriptions of a problem, and its proposals, the most promising first."""

    description: int
    layouts: tuple[int, int, int]
    proposals: np.ndarray[Any, Any]


class Matmuls:
    """Products by cuBLASLt, of one device. The owner's lock is held during calls.

    Parameters
    ----------
    opened : callable
        Returns the bindings and the handle.
    space : callable
        Returns address and size of the work space.
    """

    def __init__(
        self, opened: Callable[[], tuple[Any, int]], space: Callable[[], tuple[int, int]]
    ) -> None:
        self._opened = opened
        self._space = space
        self._plans: OrderedDict[Problem, _Plan] = OrderedDict()
        #: Which proposal a problem is best served by; none: by cuBLAS itself.
        self.fastest: dict[Problem, int | None] = {}

    def proposals(self, problem: Problem) -> int:
        """Return the number of algorithms for a problem."""
        return len(self._plan(problem).proposals)

    def algorithm(self, problem: Problem, proposal: int | None) -> bytes:
        """Return the algorithm of a proposal, in the library's own bytes.

        Parameters
        ----------
        problem : Problem
            The product.
        proposal : int or None
            Its number; None gives b"".
        """
        if proposal is None:
            return b""
        algorithm: bytes = self._plan(problem).proposals["algorithm"][proposal].tobytes()
        return algorithm

    def proposal(self, problem: Problem, algorithm: bytes) -> int | None:
        """Return the number of the proposal that has an algorithm; None if none has.

        Parameters
        ----------
        problem : Problem
            The product.
        algorithm : bytes
            As :meth:`algorithm` gives it.
        """
        if algorithm:
            for number in range(self.proposals(problem)):
                if self.algorithm(problem, number) == algorithm:
                    return number
        return None

    def multiply(
        self,
        problem: Problem,
        proposal: int,
        factors: tuple[int, int],
        addresses: tuple[int, int, int],
        stream: int,
        bias: int = 0,
    ) -> None:
        """Queue a product.

        Parameters
        ----------
        problem : Problem
            Which.
        proposal : int
            By which algorithm.
        factors : tuple of int
            Addresses, on the host, of 1 and 0 in the dtype of the arithmetic.
        addresses : tuple of int
            Of both operands and the result.
        stream : int
            Where to queue it.
        bias : int
            Address of what is added to each column.
        """
        library, handle = self._opened()
        plan = self._plan(problem)
        if problem.epilogue & BIAS:
            self._set(
                library.matmul_desc_set_attribute, plan.description, _BIAS_POINTER, bias, np.uint64
            )
        space, size = self._space()
        one, zero = factors
        a, b, c = addresses
        first, second, third = plan.layouts
        chosen = plan.proposals[proposal : proposal + 1]
        library.matmul(
            handle, plan.description, one, a, first, b, second, zero, c, third, c, third,
            chosen.ctypes.data, space, size, stream,
        )  # fmt: skip

    def close(self) -> None:
        """Give all descriptions back."""
        while self._plans:
            self._drop(*self._plans.popitem())
        self.fastest.clear()

    def _plan(self, problem: Problem) -> _Plan:
        plan = self._plans.get(problem)
        if plan is None:
            plan = self._plans[problem] = self._describe(problem)
            while len(self._plans) > tuning.row().lt_plans:
                self._drop(*self._plans.popitem(last=False))
        self._plans.move_to_end(problem)
        return plan

    def _drop(self, problem: Problem, plan: _Plan) -> None:
        library, _ = self._opened()
        self.fastest.pop(problem, None)
        library.matmul_desc_destroy(plan.description)
        for layout in plan.layouts:
            library.matrix_layout_destroy(layout)

    @staticmethod
    def _set(setter: Any, target: int, attribute: int, value: int, dtype: Any) -> None:
        memory = np.array([value], dtype)
        setter(target, attribute, memory.ctypes.data, memory.nbytes)

    def _describe(self, problem: Problem) -> _Plan:
        library, handle = self._opened()
        rows, columns, inner = problem.sizes
        scale = 1 if problem.compute == _COMPUTE_64F else 0
        description = library.matmul_desc_create(problem.compute, scale)
        set_here = library.matmul_desc_set_attribute
        self._set(set_here, description, _TRANSPOSE_A, problem.transposed[0], np.int32)
        self._set(set_here, description, _TRANSPOSE_B, problem.transposed[1], np.int32)
        self._set(set_here, description, _EPILOGUE, problem.epilogue, np.uint32)
        shapes = [(rows, inner), (inner, columns), (rows, columns)]
        for k, transposed in enumerate(problem.transposed):
            shapes[k] = shapes[k][::-1] if transposed else shapes[k]
        layouts = [
            library.matrix_layout_create(problem.kind, *shape, leading)
            for shape, leading in zip(shapes, problem.leading, strict=True)
        ]
        proposals = self._ask(library, handle, problem, description, layouts)
        return _Plan(description, (layouts[0], layouts[1], layouts[2]), proposals)

    def _ask(
        self, library: Any, handle: int, problem: Problem, description: int, layouts: list[int]
    ) -> np.ndarray[Any, Any]:
        a, b, c = layouts
        proposals, count = np.zeros(tuning.row().proposals, _PROPOSAL), np.zeros(1, np.int32)
        wishes = library.matmul_preference_create()
        try:
            _, size = self._space()
            set_wish = library.matmul_preference_set_attribute
            self._set(set_wish, wishes, _MAX_WORK_SPACE, size, np.uint64)
            self._set(set_wish, wishes, _REDUCTIONS, _WIDE_REDUCTIONS, np.uint32)
            aligned = (*problem.aligned, problem.aligned[2])
            for k, nbytes in enumerate(aligned):
                self._set(set_wish, wishes, _FIRST_ALIGNMENT + k, nbytes, np.uint32)
            try:
                library.matmul_algo_get_heuristic(
                    handle, description, a, b, c, c, wishes, len(proposals), proposals.ctypes.data,
                    count.ctypes.data,
                )  # fmt: skip
            except library.cuBLASLtError:
                return proposals[:0]  # there is none for such a problem
        finally:
            library.matmul_preference_destroy(wishes)
        offered = proposals[: int(count[0])]
        fitting: np.ndarray[Any, Any] = offered[offered["state"] == 0]
        return fitting
