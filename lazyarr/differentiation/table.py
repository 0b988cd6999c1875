"""Looking a rule up, and deriving one direction of it from the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from lazyarr.differentiation import (  # noqa: F401 - they enter their rules
    accumulations,
    composites,
    computed,
    contractions,
    convolutions,
    elementwise,
    fourier,
    indexing,
    linear_algebra,
    movement,
    reductions,
)
from lazyarr.differentiation.rules import BY_FUNCTION, BY_NAME, BY_OP, DISCRETE, LOOPS, Rule
from lazyarr.errors import DifferentiationError
from lazyarr.graph.node import Kind, Node
from lazyarr.ops.library import LIBRARY, Call
from lazyarr.ops.markers import DERIVED, Derivation

__all__ = ["function_of", "refusal", "rule_of"]

_PACK = LIBRARY["pack"]


_UNKNOWN = "its derivative is not known to lazyarr"


def _of_derived(attribute: object) -> Rule | None:
    """Return the rule of a derived value: its own, or that of the function that computed it."""
    if not isinstance(attribute, Derivation):
        return BY_NAME.get(str(attribute))
    rule = BY_NAME.get(attribute.name) or BY_NAME.get(attribute.function)
    is_known = attribute.call.args or attribute.call.keywords
    return None if rule is None or (rule.compose is not None and not is_known) else rule


def function_of(node: Node) -> Callable[..., Any]:
    """Return the library function whose results a block of bytes holds."""
    call = node.attr
    assert isinstance(call, Call)
    function: Callable[..., Any] = cast("Callable[..., Any]", call.args[0])
    return function


def rule_of(node: Node) -> Rule:
    """Return the rule of a node's operation.

    Raises
    ------
    DifferentiationError
        There is none.
    """
    op = node.op
    rule = BY_OP.get(op)
    if rule is None and op.loop is not None:
        rule = LOOPS.get(op.kind)
    elif rule is None:
        if op.kind is Kind.GENERATE:
            return DISCRETE
        if op is DERIVED:
            rule = _of_derived(node.attr)
        if op.kind is Kind.LIBRARY:
            if op is _PACK:
                function = function_of(node)
                rule = BY_FUNCTION.get(function) or getattr(function, "rule", None)
            else:
                rule = BY_NAME.get(op.name)
    if rule is None:
        raise refusal(node, _UNKNOWN)
    if rule.refusal:
        raise refusal(node, rule.refusal)
    return rule


def refusal(node: Node, reason: str) -> DifferentiationError:
    """Return the error for a node that has no derivative.

    Parameters
    ----------
    node : Node
        The node that has no derivative.
    reason : str
        A clause for the message, unless the node itself has a better one.

    Returns
    -------
    DifferentiationError
        With the line that built the node, and a hint.
    """
    name = node.op.name
    if node.op is DERIVED:
        name = node.attr.function if isinstance(node.attr, Derivation) else str(node.attr)
        if reason == _UNKNOWN:
            reason = "it is computed immediately, and lazyarr has no rule for its derivative"
    hint = "define the derivative with lazyarr.custom_vjp, or make the value constant with "
    hint += "lazyarr.stop_gradient"
    if node.op.cpu_only:
        reason = "it is a Python function of numbers without derivatives"
        hint = "pass its partial derivatives: lazyarr.vectorize(function, derivatives=...)"
    if node.op is _PACK:
        name = getattr(function_of(node), "__name__", name)
    return DifferentiationError(
        f"{name} cannot be differentiated: {reason}",
        origin=node.origin,
        hint=hint,
    )
