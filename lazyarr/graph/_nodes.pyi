from collections.abc import Callable, Hashable
from typing import Any

from lazyarr.graph.elements import Node

SOURCE: str
functions: object  # a capsule, for other extension modules

def node(
    op: Any,
    src: tuple[Node, ...],
    dtype: Any,
    shape: tuple[int, ...],
    attr: Hashable = ...,
    origin: Any = ...,
) -> Node: ...
def unique_node(
    op: Any,
    src: tuple[Node, ...],
    dtype: Any,
    shape: tuple[int, ...],
    attr: Hashable = ...,
    origin: Any = ...,
) -> Node: ...
def set_origin(node: Node, origin: Any, /) -> None: ...
def set_memo(node: Node, memo: object, /) -> None: ...
def set_stored(node: Node, leaf: Node, /) -> None: ...
def forget_node(node: Node, /) -> None: ...
def live_nodes() -> list[Node]: ...
def count_nodes() -> int: ...
def set_room(nodes: int, /) -> None: ...
def install(
    leaf_kind: object, count: Callable[..., None], crowded: Callable[[int], int], room: int, /
) -> None: ...
