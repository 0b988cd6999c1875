"""Fission of loops around operations whose code has branches for rare cases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from lazyarr.codegen.passes.dead_code import values_assigned, values_read
from lazyarr.core.frozen import replace
from lazyarr.loop_ir.cuda_kernel import DeviceKernel
from lazyarr.loop_ir.kernel import (
    Comment,
    For,
    Index,
    Kernel,
    Let,
    Literal,
    Load,
    Pointer,
    Statement,
    Store,
    Value,
)
from lazyarr.loop_ir.rewriting import rewritten
from lazyarr.loop_ir.threads import (
    Arithmetic,
    Array,
    DividedBy,
    Intrinsic,
    VectorLoad,
    VectorStore,
)

__all__ = ["split_rare_branches"]

K = TypeVar("K", bound=Kernel)


def split_rare_branches(kernel: K) -> K:
    """Split an unrolled loop around operations with branches for rare cases.

    ::

        for t in n: A(t); y = f(x(t)); B(t, y)
            ->  for t in n: A(t); xs[t] = x(t)
                ys = f_or_rare(xs), which sets the loop's variable `rare` if a branch was due
                for t in n: B(t, ys[t])

    Without the branches the iterations of `f` lie side by side, and their instructions overlap.
    Whoever wrote the loop computes its results once more, with the branches, where `rare` is true.
    """
    if not isinstance(kernel, DeviceKernel):
        return kernel
    return rewritten(kernel, _split, (For,))


def _split(statement: Statement) -> Sequence[Statement]:
    assert isinstance(statement, For)
    if statement.rare is None:
        return [statement]
    loop = replace(statement, rare=None)
    if not all(map(_is_straight, loop.body)):
        return [loop]
    return _pieces(loop, statement.rare)


def _has_rare(statement: Let) -> bool:
    """Whether the code of an operation has branches for rare cases, and a form without exists."""
    # Imported here: kernels of a GPU alone have such branches.
    from lazyarr.codegen.emit.cuda_matmul import WITH_RARE

    return statement.primitive in WITH_RARE and statement.target.dtype == np.float64


_STRAIGHT = (
    Arithmetic,
    Comment,
    DividedBy,
    Let,
    Load,
    Store,
    VectorLoad,
    VectorStore,
)


def _is_straight(statement: Statement) -> bool:
    """Whether a statement has no others inside, and its values are assigned once."""
    if isinstance(statement, Intrinsic):
        return statement.name == "tile_pair"
    return isinstance(statement, _STRAIGHT)


def _pieces(loop: For, rare: Value) -> list[Statement]:
    """Return the loops between the values that are computed for all iterations together."""
    assert isinstance(loop.stop, Literal)
    count, result = int(loop.stop.value), list[Statement]()
    pieces: list[list[Statement]] = [[]]
    common: list[Let] = []
    for statement in loop.body:
        if isinstance(statement, Let) and _has_rare(statement):
            common.append(statement)
            pieces.append([])
        else:
            pieces[-1].append(statement)
    # What another piece uses, or what is computed for all iterations, has registers for each
    # iteration.
    born = {v: k for k, piece in enumerate(pieces) for s in piece for v in values_assigned(s)}
    used = [{v for s in piece for v in values_read(s)} for piece in pieces]
    shared = {v for one in common for v in one.args if isinstance(v, Value)}
    shared |= {v for k, values in enumerate(used) for v in values if born.get(v, k) != k}
    kept: dict[Value, Pointer] = {}
    for value in (*born, *(one.target for one in common)):
        if value not in born or value in shared:
            kept[value] = Pointer(f"{value.name}s", value.dtype, True)
            result.append(Array(kept[value], count, False))
    iteration = Index(0, ((1, loop.variable),))
    for k, piece in enumerate(pieces):
        values = [v for v in kept if v in used[k] and born.get(v) != k]
        inner: list[Statement] = [Load(v, kept[v], iteration) for v in values]
        inner += piece
        inner += [Store(kept[v], iteration, v) for v in kept if born.get(v) == k]
        if inner:
            result.append(replace(loop, body=tuple(inner)))
        if k < len(common):
            one = common[k]
            args = tuple(kept.get(a, a) if isinstance(a, Value) else a for a in one.args)
            result.append(
                Intrinsic((), "each_or_rare", (kept[one.target], *args, rare), (one.primitive,))
            )
    return result
