"""Evaluations that the user did not ask for by name, and the compiler that all evaluations ask."""

from __future__ import annotations

import functools
from types import ModuleType
from typing import Any

import numpy as np

from lazyarr.core.config import get_config, is_gpu
from lazyarr.core.source_location import origin, warn_user
from lazyarr.errors import ImplicitEvaluationError, ImplicitEvaluationWarning
from lazyarr.graph.node import ComputedLeaf, Early, Node, fresh_leaf
from lazyarr.ops.movement import LEAF
from lazyarr.runtime import run_log
from lazyarr.tracing import refuse_value, running

__all__ = [
    "INDEX_CAUSE",
    "WRITE_CAUSE",
    "compiler",
    "computed_early",
    "evaluate_early",
    "evaluate_now",
]

Array = np.ndarray[Any, Any]

#: What asks for a value, and why it cannot wait.
WRITE_CAUSE = "a write to memory", "what is written to lies in memory"
INDEX_CAUSE = "x[index]", "elements of it are read or written in memory"


@functools.cache
def compiler() -> ModuleType:
    """Return the compiler, which building expressions does without."""
    if is_gpu(get_config().device):
        # Imported here: most processes never see a GPU.
        from lazyarr.runtime.cuda import driver

        driver.begin_opening(name=get_config().device)
    from lazyarr.compiler import pipeline

    return pipeline


def computed_early(value: Node, reason: str, why: str) -> Node:
    """Return the leaf of a value that is computed before the user asks for it.

    It is read-only, as other expressions share it.

    Parameters
    ----------
    value : Node
        The value.
    reason : str
        What asks.
    why : str
        Why it could not wait, for ``explain``.

    Raises
    ------
    ImplicitEvaluationError
        If the settings forbid it.
    """
    if (stored := _stored(value)) is not None:
        return stored
    result = evaluate_early(value, reason, why)
    result.flags.writeable = False
    # Results of plans are as leaves have to be, and no other node stands for their memory.
    attr = ComputedLeaf(result, Early(reason, why))
    return fresh_leaf(LEAF, result.dtype, result.shape, attr, origin())


def _stored(value: Node) -> Node | None:
    """Return the leaf of a value that an earlier evaluation has stored in the host's memory."""
    leaf = value.stored
    if leaf is None or type(leaf.attr) is not ComputedLeaf or running or run_log.listeners():
        return None
    settings = get_config()
    return leaf if settings.implicit == "allow" and not is_gpu(settings.device) else None


def evaluate_early(value: Node, reason: str, why: str) -> Array:
    """Return a value that is computed before the user asks for it, in memory of its own.

    Parameters
    ----------
    value : Node
        The value.
    reason : str
        What asks.
    why : str
        Why it could not wait.

    Raises
    ------
    ImplicitEvaluationError
        If the settings forbid it.
    """
    if running:
        refuse_value(value, reason)
    policy = get_config().implicit
    if policy != "allow":
        _complain(value, reason, policy)
    result: Array
    (result,) = evaluate_now((value,), reason, why)
    return result


def evaluate_now(values: tuple[Node, ...], reason: str, why: str) -> list[Array]:
    """Return values that are computed together, with the cause for whoever listens to runs.

    Parameters
    ----------
    values : tuple of Node
        The values, which every setting allows to compute.
    reason : str
        What asks.
    why : str
        Why they could not wait.
    """
    results: list[Array]
    if not run_log.listeners():
        results = compiler().evaluate(values)
        return results
    with run_log.asking(reason, why):
        results = compiler().evaluate(values)
    return results


def _complain(value: Node, reason: str, policy: str) -> None:
    message = f"{reason} evaluates an expression of shape {value.shape}, dtype {value.dtype}"
    if policy == "raise":
        raise ImplicitEvaluationError(
            message, origin=origin(), hint='call lazyarr.evaluate, or set implicit="allow"'
        )
    warn_user(message, ImplicitEvaluationWarning)
