"""The rewrite engine, on ops of its own."""

from __future__ import annotations

import numpy as np
import pytest

from lazyarr.errors import ContractError
from lazyarr.graph.node import Kind, Node, Op, node, walk
from lazyarr.passes.rewrite import RuleSet, rewrite

FLOAT = np.dtype(np.float64)


def _refuse(node: Node, *arrays: object) -> np.ndarray:
    raise AssertionError("rewriting evaluates nothing")


ATOM = Op("atom", Kind.GENERATE, _refuse)
F = Op("f", Kind.ELEMENTWISE, _refuse)
G = Op("g", Kind.ELEMENTWISE, _refuse)
H = Op("h", Kind.ELEMENTWISE, _refuse)
BOTH = Op("both", Kind.ELEMENTWISE, _refuse)


def atom(name: str = "x") -> Node:
    return node(ATOM, (), FLOAT, (3,), name)


def make(op: Op, *src: Node) -> Node:
    return node(op, src, FLOAT, (3,))


def test_nothing_fits() -> None:
    root = make(F, make(G, atom()))
    assert rewrite((root,), RuleSet()) == (root,)


def test_results_of_rules_are_rewritten_again() -> None:
    rules = RuleSet()

    @rules.on(F)
    def f_to_g(value: Node) -> Node:
        return make(G, *value.src)

    @rules.on(G)
    def g_to_h(value: Node) -> Node:
        return make(H, *value.src)

    x = atom()
    assert rewrite((make(F, make(F, x)),), rules) == (make(H, make(H, x)),)


def test_operands_come_first() -> None:
    rules = RuleSet()

    @rules.on(F)
    def undo(value: Node) -> Node | None:
        return value.src[0].src[0] if value.src[0].op is F else None

    x = atom()
    chain = x
    for _ in range(7):
        chain = make(F, chain)
    assert rewrite((chain, make(F, chain)), rules) == (make(F, x), x)


def test_each_node_is_looked_at_once() -> None:
    rules = RuleSet()
    seen: list[Node] = []

    @rules.on(Kind.ELEMENTWISE)
    def look(value: Node) -> None:
        seen.append(value)

    shared = make(F, atom())
    for _ in range(40):
        shared = make(BOTH, shared, shared)
    rewrite((shared, shared), rules)
    assert len(seen) == len(set(seen)) == 41


def test_rules_of_an_op_come_before_rules_of_its_kind() -> None:
    rules = RuleSet()

    @rules.on(Kind.ELEMENTWISE)
    def general(value: Node) -> Node | None:
        return make(G, *value.src) if value.op is F else None

    @rules.on(F)
    def special(value: Node) -> Node:
        return make(H, *value.src)

    assert rewrite((make(F, atom()),), rules) == (make(H, atom()),)


def test_new_operands_are_rewritten_too() -> None:
    rules = RuleSet()

    @rules.on(F)
    def push(value: Node) -> Node | None:
        inner = value.src[0]
        return make(G, make(F, inner.src[0])) if inner.op is G else None

    x = atom()
    assert rewrite((make(F, make(G, make(G, x))),), rules) == (make(G, make(G, make(F, x))),)


def test_circles_are_found() -> None:
    rules = RuleSet()

    @rules.on(F)
    def there(value: Node) -> Node:
        return make(G, make(F, *value.src))

    with pytest.raises(ContractError, match="does not terminate"):
        rewrite((make(F, atom()),), rules)


def test_circles_of_two_rules_are_found() -> None:
    rules = RuleSet()

    @rules.on(F)
    def f_to_g(value: Node) -> Node:
        return make(G, *value.src)

    @rules.on(G)
    def g_to_f(value: Node) -> Node:
        return make(F, *value.src)

    with pytest.raises(ContractError, match="does not terminate"):
        rewrite((make(BOTH, make(F, atom()), atom()),), rules)


def test_growth_without_end_is_found() -> None:
    rules = RuleSet()

    @rules.on(F)
    def deeper(value: Node) -> Node:
        return make(F, make(G, *value.src))

    with pytest.raises(ContractError, match="does not terminate"):
        rewrite((make(F, atom()),), rules)


def test_a_rule_keeps_shape_and_dtype() -> None:
    rules = RuleSet()

    @rules.on(F)
    def shorten(value: Node) -> Node:
        return node(G, value.src, FLOAT, (2,))

    with pytest.raises(ContractError, match=r"shorten.* rewrote .* shape or dtype differs"):
        rewrite((make(F, atom()),), rules)


def test_deep_chains_need_no_stack() -> None:
    rules = RuleSet()

    @rules.on(F)
    def f_to_g(value: Node) -> Node:
        return make(G, *value.src)

    chain = atom()
    for _ in range(30_000):
        chain = make(F, chain)
    (result,) = rewrite((chain,), rules)
    assert sum(n.op is G for n in walk((result,))) == 30_000
