"""Differentiation of functions of arrays: derivatives are graphs of ordinary nodes."""

from __future__ import annotations

from lazyarr.differentiation.checkpointing import checkpoint
from lazyarr.differentiation.custom import custom_vjp, stop_gradient
from lazyarr.differentiation.loops import LOOP
from lazyarr.differentiation.rules import LOOPS
from lazyarr.differentiation.transforms import grad, hessian, jacobian, jvp, value_and_grad, vjp
from lazyarr.graph.node import Kind

__all__ = [
    "checkpoint",
    "custom_vjp",
    "grad",
    "hessian",
    "jacobian",
    "jvp",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]

LOOPS.update(dict.fromkeys((Kind.ELEMENTWISE, Kind.LIBRARY), LOOP))
