"""Elementwise operations on joined arrays, computed part by part.

A concatenation has memory of its own, into which each part is written; `stack`, `pad`, `roll` and
the gradients of slices are concatenations, too. Where elementwise operations alone read one, as in
``concatenate([x, y]) ** 2``, they are applied to the parts instead, and what is joined is their
result: ``concatenate([x ** 2, y ** 2])``. The operands beside it are cut as it is. A slice of a
concatenation is one of the parts that it reads.

What a library, a reduction or a scan has computed is written into its part of the concatenation
anyway, so that nothing would be saved; and where several results of the operations have to be
stored for one concatenation, this is stored instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from math import prod

from lazyarr.core import tuning
from lazyarr.core.shapes import Shape, View, compose, slice_view
from lazyarr.graph.node import Kind, Node, node, replace_sources, walk
from lazyarr.ops.movement import CONCATENATE, VIEW

__all__ = ["compute_in_parts"]

#: What takes no memory of its own before it is joined.
_INLINE = frozenset(
    {
        Kind.VIEW,
        Kind.LEAF,
        Kind.PARAMETER,
        Kind.CONSTANT,
        Kind.ELEMENTWISE,
        Kind.CONCATENATE,
    }
)
#: For each axis the places at which a value is cut, in order. Lengths may be symbols, which compare
#: but are no members of sets: equal ones may have several forms.
_Cuts = tuple[list[int], ...]


def compute_in_parts(
    roots: Sequence[Node], final: dict[Node, Node], least: int
) -> tuple[Node, ...]:
    """Return the roots with elementwise operations on the parts of joined operands.

    Parameters
    ----------
    roots : sequence of Node
        Simplified results.
    final : dict of Node to Node
        What became of other nodes; brought up to date. Parts are added, with the value of which
        they are parts.
    least : int
        Elements from which on what is joined is worth a kernel for each part.
    """
    order = list(walk(tuple(roots)))
    if not any(value.op is CONCATENATE and value.size >= least for value in order):
        return tuple(roots)
    choice = _Choice(roots, order, least)
    if not choice.joined:
        return tuple(roots)
    parts = _Parts(choice)
    replaced: dict[Node, Node] = {}
    for value in order:
        replaced[value] = parts.became(value, tuple([replaced[source] for source in value.src]))
    for original, became in final.items():
        final[original] = replaced.get(became, became)
    for part in parts.values:
        whole = parts.whole(part)
        final.setdefault(part, replaced.get(whole, whole))
    return tuple(replaced[root] for root in roots)


def _is_slice(value: Node) -> bool:
    """Whether a node is a slice of a value, of all elements between two places along each axis.

    One of no elements is in none of the parts.
    """
    view = value.attr
    if not value.size:
        return False
    if value.op is not VIEW or not isinstance(view, View) or len(view.offsets) != value.ndim:
        return False
    return view == slice_view(view.offsets, [1] * value.ndim)


def _is_pointwise(value: Node) -> bool:
    """Whether a node computes each element of those at the same place."""
    if value.op.kind is not Kind.ELEMENTWISE or value.op.loop is not None or not value.shape:
        return False
    return all(source.shape in ((), value.shape) for source in value.src)


class _Choice:
    """Values that are computed in parts.

    Parameters
    ----------
    roots : sequence of Node
        Results, which are stored.
    order : sequence of Node
        All nodes, operands before users.
    least : int
        Elements of a value that is worth its parts.

    Attributes
    ----------
    joined : set of Node
        Values in parts.
    unstored : set of Node
        Those of them that nobody reads whole.
    dissolved : set of Node
        Other elementwise values that are read in parts alone.
    """

    def __init__(self, roots: Sequence[Node], order: Sequence[Node], least: int) -> None:
        self._results = set(roots)
        self._least = least
        self._users: dict[Node, list[Node]] = {value: [] for value in order}
        for value in order:
            for source in value.src:
                self._users[source].append(value)
        self._cuts: dict[Node, _Cuts] = {}
        self.joined: set[Node] = set()
        self.unstored: set[Node] = set()
        self.dissolved: set[Node] = set()
        for value in reversed(order):
            if self._is_read_in_parts(value):
                self.unstored.add(value)
        for group in self._groups(order):
            if self._pays(group):
                self.joined.update(group)
        self.unstored &= self.joined
        for value in reversed(order):
            if value not in self._results and value not in self.joined and _is_pointwise(value):
                users = self._users[value]
                if all(user in self.joined or user in self.dissolved for user in users):
                    self.dissolved.add(value)

    def is_read_once(self, value: Node) -> bool:
        """Whether one node alone reads a value that is computed in parts and not stored."""
        return value in self.unstored and len(self._users[value]) == 1

    def _is_read_in_parts(self, value: Node) -> bool:
        """Whether all users of a value could take its parts."""
        if value in self._results:
            return False
        if value.op is CONCATENATE:
            if any(part.op.kind not in _INLINE for part in value.src):
                return False
        elif not _takes_parts(value):
            return False
        return all(
            user in self.unstored if user.op is CONCATENATE else _takes_parts(user)
            for user in self._users[value]
        )

    def _groups(self, order: Sequence[Node]) -> list[list[Node]]:
        """Return values that might be computed in parts, those that depend on another together."""
        group_of: dict[Node, list[Node]] = {}
        for value in order:
            sources = [x for x in value.src if x in group_of and x in self.unstored]
            if value.op is CONCATENATE:
                if value not in self.unstored:
                    continue
            elif not sources or not _takes_parts(value):
                continue
            self._cuts[value] = self._cuts_of(value, sources)
            own = [value]
            for source in sources:
                other = group_of[source]
                if other is not own:
                    own, other = (own, other) if len(own) >= len(other) else (other, own)
                    own += other
                    group_of.update(dict.fromkeys(other, own))
            group_of[value] = own
        return list({id(group): group for group in group_of.values()}.values())

    def _cuts_of(self, value: Node, sources: Sequence[Node]) -> _Cuts:
        """Return the cuts of a value along each axis, of which some sources are in parts."""
        cuts: list[list[int]] = [[] for _ in value.shape]
        if value.op is CONCATENATE:
            axis, start = value.attr, 0
            assert isinstance(axis, int)
            for part in value.src:
                for k, inner in enumerate(self._cuts[part] if part in sources else ()):
                    cuts[k] += [start + cut if k == axis else cut for cut in inner]
                start += part.shape[axis]
                cuts[axis].append(start)
            cuts[axis].pop()
        elif _is_slice(value):
            assert isinstance(value.attr, View)
            for k, (offset, inner) in enumerate(
                zip(value.attr.offsets, self._cuts[sources[0]], strict=True)
            ):
                cuts[k] += [c - offset for c in inner if 0 < c - offset < value.shape[k]]
        else:
            for source in sources:
                for own, inner in zip(cuts, self._cuts[source], strict=True):
                    own += inner
        return tuple(map(_distinct, cuts))

    def _pays(self, group: Sequence[Node]) -> bool:
        """Whether less is stored if a group is computed in parts, and these are few and large."""
        pieces = max(prod(len(axis) + 1 for axis in self._cuts[value]) for value in group)
        most = tuning.row().joined_pieces
        if pieces > most or max(value.size for value in group) < self._least:
            return False
        saved = stored = 0
        for value in group:
            nbytes = value.size * value.dtype.itemsize
            if value not in self.unstored:
                stored += nbytes if value not in self._results else 0
            elif value.op is CONCATENATE:
                inner = all(user.op is CONCATENATE for user in self._users[value])
                saved += 0 if inner else nbytes
        return stored <= saved


def _distinct(places: Sequence[int]) -> list[int]:
    """Return places in order, each once."""
    distinct: list[int] = []
    for place in sorted(places):
        if not distinct or place != distinct[-1]:
            distinct.append(place)
    return distinct


def _takes_parts(value: Node) -> bool:
    """Whether a value is computed of parts of its operands as well as of these."""
    return _is_pointwise(value) or _is_slice(value)


class _Parts:
    """The nodes of values in parts.

    Parameters
    ----------
    choice : _Choice
        Which values they are.

    Attributes
    ----------
    values : dict of Node to Node
        For each part that is computed the value of which it is a part, which may be one, too.
    """

    def __init__(self, choice: _Choice) -> None:
        self._choice = choice
        self.values: dict[Node, Node] = {}
        #: Concatenations that are not stored, and elementwise values that are read in parts.
        self._open: set[Node] = set()
        self._depths: dict[Node, int] = {}
        self._between: dict[tuple[Node, int, int, int], Node] = {}

    def became(self, value: Node, sources: tuple[Node, ...]) -> Node:
        """Return the node in the place of another one.

        Parameters
        ----------
        value : Node
            The node.
        sources : tuple of Node
            What took the places of its operands.
        """
        if value not in self._choice.joined:
            result = replace_sources(value, sources)
            if value in self._choice.dissolved:
                depth = 1 + max([self._depths.get(source, 0) for source in sources], default=0)
                if depth <= tuning.row().joined_depth:
                    self._depths[result] = depth
                    self._open.add(result)
            return result
        if _is_slice(value):
            # Perhaps one of the parts as it is, which need not be open.
            assert isinstance(value.attr, View)
            (result,) = sources
            for axis, (start, size) in enumerate(zip(value.attr.offsets, value.shape, strict=True)):
                result = self._restricted(result, axis, start, start + size)
            if value in self._choice.unstored:
                self._open_unless_alone(result, (result,))
            return result
        if value.op is CONCATENATE:
            assert isinstance(value.attr, int)
            result = _joined(sources, value.attr, value)
        else:
            result = self._applied(value, sources, value.shape)
        if value in self._choice.unstored:
            self._open_unless_alone(result, sources)
        return result

    def _open_unless_alone(self, result: Node, parts: Sequence[Node]) -> None:
        """Let the join of parts be open; one part alone is so if it is joined or computed here."""
        if result not in parts or result in self.values or result.op is CONCATENATE:
            self._open_unless_deep(result)

    def _applied(self, value: Node, sources: tuple[Node, ...], shape: Shape) -> Node:
        """Return an elementwise operation on other operands, in parts if one of them is so."""
        parted = [x for x in sources if x.op is CONCATENATE and x in self._open]
        if not parted:
            part = node(value.op, sources, value.dtype, shape, value.attr, value.origin)
            if part is not value and part not in self.values:
                self.values[part] = value
                deepest = max([self._depths.get(source, 0) for source in sources], default=0)
                self._depths[part] = 1 + deepest
            return part
        axis = parted[0].attr
        assert isinstance(axis, int)
        cuts = [0]
        for source in parted:
            if source.attr == axis:
                cuts += accumulate(part.shape[axis] for part in source.src)
        parts = []
        for start, stop in pairwise(_distinct(cuts)):
            own = tuple([self._restricted(x, axis, start, stop) for x in sources])
            parts.append(self._applied(value, own, _with(shape, axis, stop - start)))
        result = _joined(parts, axis, value)
        if self._choice.is_read_once(self.whole(value)):
            # Its only reader may cut it once more, along another axis or in smaller parts.
            for part in (result, *parts):
                if part.op is CONCATENATE or part in self.values:
                    self._open_unless_deep(part)
        return result

    def _open_unless_deep(self, part: Node) -> None:
        """Let a part be computed in smaller ones unless too many operations lead to it."""
        if self._depths.get(part, 0) <= tuning.row().joined_depth:
            self._open.add(part)

    def whole(self, part: Node) -> Node:
        """Return the value of which something is a part; parts of parts may be one another."""
        chain = {part}
        while (above := self.values.get(part, part)) not in chain:
            chain.add(above)
            part = above
        return part

    def _restricted(self, x: Node, axis: int, start: int, stop: int) -> Node:
        """Return the elements of a value between two places along an axis."""
        if not x.shape or (start, stop) == (0, x.shape[axis]):
            return x
        key = (x, axis, start, stop)
        result = self._between.get(key)
        if result is None:
            result = self._between[key] = self._sliced(x, axis, start, stop)
        return result

    def _sliced(self, x: Node, axis: int, start: int, stop: int) -> Node:
        if x in self._open:
            if x.op is CONCATENATE:
                assert isinstance(x.attr, int)
                parts = self._cut(x, axis, start, stop)
                result = _joined(parts, x.attr, x)
            else:
                parts = [self._restricted(source, axis, start, stop) for source in x.src]
                result = self._applied(x, tuple(parts), _with(x.shape, axis, stop - start))
            self._open_unless_alone(result, parts)
            return result
        starts = [0] * x.ndim
        starts[axis] = start
        view = slice_view(starts, [1] * x.ndim)
        shape = _with(x.shape, axis, stop - start)
        if x.op is VIEW:
            assert isinstance(x.attr, View)
            view, x = compose(x.attr, view, x.ndim), x.src[0]
        return node(VIEW, (x,), x.dtype, shape, view, x.origin)

    def _cut(self, x: Node, axis: int, start: int, stop: int) -> list[Node]:
        """Return the elements between two places along an axis, in parts of a concatenation."""
        if x.attr != axis:
            return [self._restricted(part, axis, start, stop) for part in x.src]
        parts, at = [], 0
        for part in x.src:
            size = part.shape[axis]
            lower, upper = max(start - at, 0), min(stop - at, size)
            if lower < upper:
                parts.append(self._restricted(part, axis, lower, upper))
            at += size
        return parts


def _joined(parts: Sequence[Node], axis: int, like: Node) -> Node:
    """Return values joined along an axis; one alone as it is."""
    if len(parts) == 1:
        return parts[0]
    shape = _with(parts[0].shape, axis, sum(part.shape[axis] for part in parts))
    return node(CONCATENATE, tuple(parts), parts[0].dtype, shape, axis, like.origin)


def _with(shape: Shape, axis: int, size: int) -> Shape:
    return (*shape[:axis], size, *shape[axis + 1 :])
