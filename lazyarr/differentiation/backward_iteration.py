"""One iteration of a backward loop: what it reads of the forward loop, and what it records.

The cotangents of an iteration are built of stand-ins for its states. What they are made of decides
which values the forward loop records: the states that they read, and results of products,
reductions and other library calls, which are not computed twice. The cotangent of a weight is a sum
of products over all iterations; where the factors are smaller than the weight they are recorded,
and one product after the loop takes the place of the sum.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from lazyarr.arrays.lazy_array import LazyArray
from lazyarr.core.frozen import dataclass
from lazyarr.differentiation import markers
from lazyarr.differentiation.boxes import added
from lazyarr.differentiation.functions import replaced
from lazyarr.differentiation.loop_bodies import LoopCall, put
from lazyarr.differentiation.loop_slices import sliced_invariants
from lazyarr.differentiation.modes import pull_back
from lazyarr.differentiation.products import Product
from lazyarr.differentiation.rules import zeros
from lazyarr.graph.node import Kind, Node, node, replace_sources
from lazyarr.ops.library import LIBRARY
from lazyarr.ops.loop import PLACEHOLDER
from lazyarr.ops.markers import MEMBER

__all__ = ["BackwardIteration", "Seed"]

#: Kinds of nodes that are not computed twice.
_EXPENSIVE = frozenset((Kind.LIBRARY, Kind.REDUCE, Kind.SCAN))
_UNPACK = LIBRARY["unpack"]


@dataclass(frozen=True, eq=False, slots=True)
class Seed:
    """The cotangent of a value of each iteration.

    Attributes
    ----------
    value : Node
        A node of the loop's body.
    stack : LazyArray
        Its cotangents, along the first axis.
    is_backward : bool
        Whether the cotangent of the first iteration is the last.
    """

    value: Node
    stack: LazyArray
    is_backward: bool


class BackwardIteration:
    """The body of a backward loop: cotangents of states, and sums of those of invariants.

    Parameters
    ----------
    call : LoopCall
        The forward loop.
    count : int
        The number of iterations.
    seeds : sequence of Seed
        The cotangents of recorded values.
    stacks_of : callable
        Returns values of the body for all iterations, by their nodes.

    Attributes
    ----------
    slices : dict of int to list of Node
        The invariants of which iterations read slices, and these.
    whole : list of int
        The other ones.
    slice_places : dict of Node to int
        Where the cotangent of a slice is among the recorded values.
    products : list of list of tuple
        For each of `whole` the factors of products: nodes of the body that `stacks` holds, or
        places among the recorded values.
    has_sum : list of bool
        For each of `whole` whether iterations add anything up.
    stacks : mapping of Node to LazyArray
        The values of the forward loop that are read.
    """

    def __init__(
        self,
        call: LoopCall,
        count: int,
        seeds: Sequence[Seed],
        stacks_of: Callable[[tuple[Node, ...]], Mapping[Node, LazyArray]],
    ) -> None:
        self._call = call
        self._count = count
        self._seeds = seeds
        self._stacks_of = stacks_of
        self.slices: dict[int, list[Node]] = {}
        if call.body.shape is None:
            self.slices = sliced_invariants(call.loop, call.active)
        self.whole = [k for k in call.active if k not in self.slices]
        self._slices = [value for values in self.slices.values() for value in values]
        self.slice_places = {value: place for place, value in enumerate(self._slices)}
        self.products: list[list[tuple[Node | int, Node | int]]] = []
        self.has_sum: list[bool] = []
        self.stacks: Mapping[Node, LazyArray] = {}

    def __call__(self, i: Any, carried: Any) -> tuple[Any, list[LazyArray]]:
        """Return the cotangents and sums after an iteration, and what it records."""
        cotangents, totals = carried
        call = self._call
        index = (self._count - 1) - i
        places = _stand_ins([x._node for x in call.states])
        sources = _stand_ins([call.fixed[k]._node for k in self.whole])
        fixed = put(call.fixed, self.whole, sources)
        known = call.body.known([LazyArray(x) for x in places], index, fixed)
        slices = call.body.values(self._slices, known)
        parts = _stand_ins(slices)
        known.update(zip(self._slices, parts, strict=True))

        roots = [call.loop.updates[k] for k in call.moving]
        roots = call.body.values([*roots, *[seed.value for seed in self._seeds]], known)
        outer = [seed.stack[i if seed.is_backward else index] for seed in self._seeds]
        inputs = [*[places[k] for k in call.moving], *sources, *parts]
        apart: dict[Node, list[Product]] = {source: [] for source in sources}
        shares = pull_back(roots, inputs, [*cotangents, *outer], apart)
        ends = len(call.moving), len(call.moving) + len(sources)
        own = _filled(shares[: ends[0]], inputs)
        of_parts = _filled(shares[ends[1] :], parts)
        sums = [
            _added(share, apart[source])
            for share, source in zip(shares[ends[0] : ends[1]], sources, strict=True)
        ]

        factors = self._noted_products([apart[source] for source in sources], known)
        computed = [*own, *[x for x in sums if x is not None], *of_parts, *factors]
        stand_ins = self._replacements(computed, places, known, index)
        stand_ins |= zip(sources, [call.fixed[k]._node for k in self.whole], strict=True)
        stand_ins |= zip(parts, slices, strict=True)
        values = [LazyArray(x) for x in replaced(computed, stand_ins)]

        following, rest = values[: len(own)], iter(values[len(own) :])
        self.has_sum = [x is not None for x in sums]
        totals = [
            total + next(rest) if changes else total
            for total, changes in zip(totals, self.has_sum, strict=True)
        ]
        return (following, totals), list(rest)

    def _noted_products(
        self, products: Sequence[Sequence[Product]], known: Mapping[Node, Node]
    ) -> list[Node]:
        """Note the factors of products that wait for the end; return those to record here."""
        nodes = {value: stands for stands, value in known.items()}
        fixed = {*self._call.loop.invariants, self._call.loop.index}
        here: dict[Node, int] = {}

        def noted(factor: Node) -> Node | int:
            base = factor
            while base.op.kind is Kind.RESHAPE:
                base = base.src[0]
            of_body = nodes.get(base)
            if (
                of_body is not None
                and of_body not in fixed
                and base.shape[-1:] == factor.shape[-1:]
            ):
                return of_body
            return here.setdefault(factor, len(self._slices) + len(here))

        self.products = [
            [(noted(x.first), noted(x.second)) for x in terms if x.pays] for terms in products
        ]
        return list(here)

    def _replacements(
        self,
        computed: Sequence[Node],
        places: Sequence[Node],
        known: Mapping[Node, Node],
        index: LazyArray,
    ) -> dict[Node, Node]:
        """Return values of the forward loop that stand-ins and expensive values stand for."""
        call = self._call
        candidates = dict(zip(places, call.loop.states, strict=True))
        blocks: dict[Node, Node] = {}
        if call.body.shape is None:
            own = {*call.loop.invariants, *call.loop.states, *self._slices, call.loop.index}
            for of_body, value in known.items():
                is_expensive = value.op.kind in _EXPENSIVE or value.op.loop is not None
                if is_expensive and of_body not in own:
                    of_kind = blocks if markers.width(value) else candidates
                    of_kind[value] = of_body
        read = _reached(computed, candidates, blocks)
        factors = [x for pairs in self.products for pair in pairs for x in pair]
        read += [x for x in factors if isinstance(x, Node)]
        self.stacks = self._stacks_of(tuple(dict.fromkeys(read)))
        values = {of_body: value for value, of_body in candidates.items()}
        return {
            values.get(of_body, known.get(of_body, of_body)): stack[index]._node
            for of_body, stack in self.stacks.items()
        }


def _stand_ins(values: Sequence[Node]) -> list[Node]:
    """Return inputs like some values: leaves, which no rewriting of their operands changes."""
    own = object()
    return [
        node(PLACEHOLDER, (), x.dtype, x.shape, (own, "input", k)) for k, x in enumerate(values)
    ]


def _filled(shares: Sequence[LazyArray | None], like: Sequence[Node]) -> list[Node]:
    """Return cotangents, with zeros where there are none."""
    pairs = zip(shares, like, strict=False)
    return [(zeros(x) if share is None else share)._node for share, x in pairs]


def _added(share: LazyArray | None, products: Sequence[Product]) -> Node | None:
    """Return the sum of a cotangent and of the products that do not wait; None if it is zero."""
    terms = [] if share is None else [share._node]
    terms += [product.value for product in products if not product.pays]
    return added(terms) if terms else None


def _reached(
    roots: Sequence[Node], candidates: dict[Node, Node], blocks: Mapping[Node, Node]
) -> list[Node]:
    """Return the nodes of the body that values are computed from.

    Parameters
    ----------
    roots : sequence of Node
        The values.
    candidates : dict of Node to Node
        The nodes of the body by their values. Takes on the parts of blocks that are reached.
    blocks : mapping of Node to Node
        The same of blocks of several results, of which parts are recorded: a block as a whole has
        no derivative.
    """
    seen: set[Node] = set()
    stack = list(roots)
    reached = []
    while stack:
        current = stack.pop()
        if current in seen:
            continue
        seen.add(current)
        if current.op is _UNPACK and current.src[0] in blocks and current not in candidates:
            candidates[current] = replace_sources(current, (blocks[current.src[0]],))
        if current in candidates:
            reached.append(candidates[current])
        else:
            stack += current.src[:1] if current.op is MEMBER else current.src
    return reached
