"""Strength reduction: cheap operations for expensive ones on non-negative numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.kernel import Kernel, Literal, Statement, Value
from lazyarr.loop_ir.rewriting import rewritten
from lazyarr.loop_ir.threads import Arithmetic, Builtin

__all__ = ["reduce_strength"]

K = TypeVar("K", bound=Kernel)


def reduce_strength(kernel: K) -> K:
    """``t % 2**k  ->  t & (2**k - 1)`` and ``t / 2**k  ->  t >> k``, for t a thread or block.

    Compilers do not see that numbers of threads and blocks are never negative, and write code for
    that case too.
    """
    if not isinstance(kernel, DeviceKernel):
        return kernel
    counted: set[str] = set()

    def reduced(statement: Statement) -> Sequence[Statement]:
        if isinstance(statement, Builtin):
            counted.add(statement.target.name)
        if not isinstance(statement, Arithmetic) or statement.operator not in ("%", "/"):
            return [statement]
        left, divisor = statement.left, statement.right
        if not isinstance(left, Value) or left.name not in counted:
            return [statement]
        if not isinstance(divisor, Literal):
            return [statement]
        n = int(divisor.value)
        if n & (n - 1):
            return [statement]
        operator, value = ("&", n - 1) if statement.operator == "%" else (">>", n.bit_length() - 1)
        return [replace(statement, operator=operator, right=Literal(value, divisor.dtype))]

    return rewritten(kernel, reduced, (Arithmetic, Builtin))
