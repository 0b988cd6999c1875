"""Source text of expressions: every stage of the compiler that makes no machine code."""

from __future__ import annotations

import numpy as np

import lazyarr as la
from lazyarr.compiler.compilation import analyse
from lazyarr.graph.node import Kind
from lazyarr.passes.canonicalize import bind, canonicalize
from lazyarr.passes.own_results import own_results


def test_a_program_has_the_code_of_each_kernel_group() -> None:
    x = la.asarray(np.ones((30, 40)))
    with la.config(immediate=0):
        program = analyse(((x * 2.5).sum(axis=1)._node, np.sort(x + 1)._node))
    kernels = [group for group in program.groups if group.kind == "kernel"]
    assert [code.group for code in program.kernels] == kernels
    assert [lowered.group for lowered in program.lowered] == kernels
    assert all("define void" in code.source for code in program.kernels)
    assert program.computed == 30 * 40 * 4
    assert program.plan.peak_bytes >= 30 * 40 * 8


def test_results_have_memory_of_their_own() -> None:
    x = la.asarray(np.ones((3, 4)))
    with la.config(immediate=0):
        doubled = x * 2
    roots = tuple(value._node for value in (x.T, doubled, doubled.T, doubled[:1]))
    transposed, first, again, part = own_results(canonicalize(bind(roots)[1]).roots)
    assert transposed.op.name == "cast"
    assert first.op.name == "multiply"
    assert again.op.name == "cast"
    assert part.op.kind is Kind.VIEW
