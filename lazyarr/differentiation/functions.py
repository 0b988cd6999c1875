"""Functions of arrays as they are differentiated: their arguments, their results, their graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.arrays.lazy_array import LazyArray, as_lazy, as_node
from lazyarr.control_flow.loop_index import LoopIndex
from lazyarr.core.dtypes import kind_of
from lazyarr.core.source_location import BackwardOrigin, TangentOrigin, origin
from lazyarr.differentiation import markers
from lazyarr.errors import ArgumentError, DTypeError
from lazyarr.graph.node import Kind, Node, WarningText, node
from lazyarr.tracing import Symbol, current, differentiating
from lazyarr.tracing.pytree import Structure, Unknown, flatten, flatten_arrays, is_array, unflatten

__all__ = [
    "Inputs",
    "Tree",
    "name_of",
    "positions",
    "quiet_trace",
    "replaced",
    "tree_of",
]

_SILENT = WarningText(None)
_DERIVED = (BackwardOrigin, TangentOrigin)


class Tree:
    """Leaves of a container, as nodes, and the container.

    Attributes
    ----------
    nodes : list of Node
        The arrays and numbers.
    structure : Structure
        What they are in.
    """

    __slots__ = ("nodes", "structure")

    def __init__(self, nodes: list[Node], structure: Structure) -> None:
        self.nodes = nodes
        self.structure = structure

    def rebuilt(self, values: Iterable[Any]) -> Any:
        """Return the container around other leaves."""
        return unflatten(self.structure, iter(values))


def tree_of(value: Any, what: str) -> Tree:
    """Return a container's leaves, as nodes, and its structure.

    Parameters
    ----------
    value : object
        An array, a number, or containers of them.
    what : str
        A noun for the value, for the message.

    Returns
    -------
    Tree
        The leaves as nodes, and the structure.

    Raises
    ------
    ArgumentError
        It holds something that is neither array, number nor container.
    """
    leaves, structure = flatten_arrays(value, what)
    return Tree([as_node(leaf) for leaf in leaves], structure)


class Inputs:
    """The arguments with respect to which a function is differentiated, as variables.

    Attributes
    ----------
    variables : list of Node
        One for each array or number among them.
    originals : dict of Node to Node
        The values of the variables.
    """

    def __init__(self, args: Sequence[Any], argnums: Sequence[int], name: str) -> None:
        self.variables: list[Node] = []
        self.originals: dict[Node, Node] = {}
        self._trees: list[Tree] = []
        self._args = [_lazy(value) for value in args]
        trace = current()
        for position in argnums:
            what = f"argument {position} of {name}"
            leaves, structure = flatten_arrays(args[position], what)
            tree = Tree([as_node(leaf) for leaf in leaves], structure)
            marked = []
            for value, leaf in zip(tree.nodes, leaves, strict=True):
                if kind_of(value.dtype) not in "fc":
                    raise DTypeError(
                        f"{name} is differentiated with respect to argument {position}, which "
                        f"has dtype {value.dtype}",
                        origin=origin(),
                        hint="pass floating-point numbers, or leave the argument out of argnums",
                    )
                variable = markers.variable(value)
                self.variables.append(variable)
                self.originals[variable] = value
                is_weak = type(leaf) is float or (type(leaf) is Symbol and leaf.kind is float)
                marked.append(LoopIndex(variable) if is_weak else LazyArray(variable))
                if trace is not None:
                    trace.adopt(marked[-1])
            self._trees.append(tree)
            self._args[position] = tree.rebuilt(marked)

    def applied(self, function: Callable[..., Any], **keywords: Any) -> Any:
        """Return the result of a function of the arguments, variables among them.

        Parameters
        ----------
        function : callable
            Takes the arguments.
        **keywords : object
            Its keywords.
        """
        with differentiating():
            return function(*self._args, **keywords)

    def arranged(self, values: Sequence[Any]) -> list[Any]:
        """Return one value for each variable in the containers of the arguments."""
        waiting = iter(values)
        return [tree.rebuilt([next(waiting) for _ in tree.nodes]) for tree in self._trees]


def _lazy(value: Any) -> Any:
    """Return an argument with LazyArrays in the places of NumPy's arrays."""
    leaves: list[Any] = []
    try:
        structure = flatten(value, is_array, leaves)
    except Unknown:
        return value
    lazy = [
        as_lazy(leaf) if isinstance(leaf, (np.ndarray, np.generic)) else leaf for leaf in leaves
    ]
    return unflatten(structure, iter(lazy))


def positions(argnums: Any, count: int, name: str) -> tuple[int, ...]:
    """Return the positions that ``argnums=`` names, counted from the front.

    Parameters
    ----------
    argnums : int or sequence of int
        The positions as the user passed them; negative ones count from the end.
    count : int
        The number of positional arguments of the call.
    name : str
        The function's name in messages.

    Returns
    -------
    tuple of int
        From 0 to ``count - 1``.

    Raises
    ------
    ArgumentError
        If a position is no integer, out of range, or named twice.
    """
    listed = argnums if isinstance(argnums, (tuple, list)) else (argnums,)
    places = []
    for position in listed:
        if isinstance(position, bool) or not isinstance(position, (int, np.integer)):
            raise ArgumentError(
                f"argnums must be an integer or a tuple of integers, got {argnums!r}",
                origin=origin(),
            )
        if not -count <= position < count:
            raise ArgumentError(
                f"argnums contains {position}, but {name} was called with {count} positional "
                "arguments",
                origin=origin(),
            )
        places.append(int(position) % count)
    if len(set(places)) != len(places):
        raise ArgumentError(f"argnums contains a position twice: {argnums!r}", origin=origin())
    return tuple(places)


def replaced(roots: Sequence[Node], known: dict[Node, Node]) -> list[Node]:
    """Return nodes with others in the places of some; derivatives warn of nothing.

    NumPy warns of what a program computes. What a derivative computes beside that is not in the
    program, and where the slope is infinite that is its value.

    Parameters
    ----------
    roots : sequence of Node
        Values of a derivative.
    known : dict of Node to Node
        The nodes to replace, and their replacements.

    Returns
    -------
    list of Node
        One for each root.
    """
    became = dict(known)
    stack = list(roots)
    while stack:
        value = stack[-1]
        if value in became:
            stack.pop()
            continue
        source = value.src
        waiting = [x for x in source if x not in became]
        if waiting:
            stack += waiting
            continue
        stack.pop()
        src = tuple([became[x] for x in source])
        attr = value.attr
        if attr is None and value.op.kind is Kind.ELEMENTWISE and type(value.origin) in _DERIVED:
            attr = _SILENT
        elif src == source:
            became[value] = value
            continue
        became[value] = node(value.op, src, value.dtype, value.shape, attr, value.origin)
    return [became[root] for root in roots]


@contextmanager
def quiet_trace() -> Iterator[None]:
    """Stop the recording of this thread's trace: its function is traced again for other sizes."""
    trace = current()
    if trace is None:
        yield
        return
    trace.is_sized = True
    busy = trace.is_busy
    trace.is_busy = True
    try:
        yield
    finally:
        trace.is_busy = busy


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a function, for errors."""
    return getattr(function, "__name__", type(function).__name__)
