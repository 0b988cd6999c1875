"""Vector instructions for loops whose iterations are independent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from lazyarr.core.frozen import replace
from lazyarr.loop_ir.kernel import AxisKind, For, Kernel, Statement
from lazyarr.loop_ir.rewriting import rewritten
from lazyarr.loop_ir.vector_form import spreads

__all__ = ["vectorize"]

K = TypeVar("K", bound=Kernel)


def vectorize(kernel: K) -> K:
    """``for l in lanes: body(l)  ->  body(vector of all l)``.

    That is done where each statement of the body has a vector form, see
    :mod:`lazyarr.loop_ir.vector_form`. Any other independent loop becomes one over lanes, which
    LLVM's vectoriser is asked to take.
    """
    if kernel.of_gpu:
        return kernel  # a thread is a lane, and none of its loops is one over lanes
    return rewritten(kernel, _vectorized, (For,))


def _vectorized(statement: Statement) -> Sequence[Statement]:
    assert isinstance(statement, For)
    if statement.kind is not AxisKind.INDEPENDENT:
        return [statement]
    has_form = spreads(statement.variable, statement.body) is not None
    return [replace(statement, kind=AxisKind.VECTOR if has_form else AxisKind.LANES)]
