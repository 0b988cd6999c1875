"""Small DAGs and hand-made compiled programs for the tests of inspection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lazyarr.core.shapes import slice_view
from lazyarr.graph.node import Kind, Leaf, Node, Op, node

FLOAT = np.dtype(np.float64)


def _refuse(node_, *arrays):
    raise AssertionError("inspection evaluates nothing")


def _op(name, kind, **traits):
    return Op(name, kind, _refuse, **traits)


def _expand(builder, *values):
    return None


LEAF = _op("array", Kind.LEAF)
CONSTANT = _op("constant", Kind.CONSTANT)
VIEW = _op("view", Kind.VIEW)
ADD = _op("add", Kind.ELEMENTWISE, ufunc=np.add, expand=_expand)
SUBTRACT = _op("subtract", Kind.ELEMENTWISE, ufunc=np.subtract, expand=_expand)
MULTIPLY = _op("multiply", Kind.ELEMENTWISE, ufunc=np.multiply, expand=_expand)
EXP = _op("exp", Kind.ELEMENTWISE, ufunc=np.exp, expand=_expand, cost=20)
CAST = _op("cast", Kind.ELEMENTWISE, expand=_expand, converts=True)
SPECIAL = _op("special", Kind.ELEMENTWISE)
SUM = _op("sum", Kind.REDUCE, expand=_expand)
CONCATENATE = _op("concatenate", Kind.CONCATENATE)
MATMUL = _op("matmul", Kind.LIBRARY)


def leaf(*shape, dtype=np.float64, line=1):
    array = np.zeros(shape, dtype)
    return node(LEAF, (), array.dtype, array.shape, Leaf(array), ("/home/ada/model.py", line))


def constant(value):
    return node(CONSTANT, (), FLOAT, (), np.float64(value).tobytes())


def apply(op, *sources, line=2):
    shape = np.broadcast_shapes(*(source.shape for source in sources))
    return node(op, sources, sources[0].dtype, shape, None, ("/home/ada/model.py", line))


def cast(source, dtype):
    return node(CAST, (source,), np.dtype(dtype), source.shape)


def total(source, *axes, line=3):
    shape = tuple(n for axis, n in enumerate(source.shape) if axis not in axes)
    return node(SUM, (source,), source.dtype, shape, axes, ("/home/ada/model.py", line))


def part(source, starts, shape, steps=None, line=4):
    view = slice_view(starts, steps or (1,) * len(shape))
    return node(VIEW, (source,), source.dtype, shape, view, ("/home/ada/model.py", line))


def concatenate(*sources, line=8):
    shape = (sum(source.shape[0] for source in sources), *sources[0].shape[1:])
    return node(CONCATENATE, sources, sources[0].dtype, shape, 0, ("/home/ada/model.py", line))


def matmul(left, right, line=5):
    shape = (left.shape[0], right.shape[1])
    return node(MATMUL, (left, right), left.dtype, shape, None, ("/home/ada/model.py", line))


@dataclass(frozen=True)
class Output:
    node: Node


@dataclass(frozen=True)
class Group:
    name: str
    kind: str
    nodes: tuple[Node, ...]
    inputs: tuple[Node, ...]
    outputs: tuple[Output, ...]
    domain: tuple[int, ...]
    template: str = "map"


@dataclass(frozen=True)
class Edge:
    source: Node
    consumer: Node
    reason: str
    nbytes: int


@dataclass(frozen=True)
class Buffer:
    name: str
    nbytes: int
    kind: str
    offset: int
    first: int
    last: int
    values: tuple[Node, ...]


@dataclass(frozen=True)
class Step:
    index: int
    group: Group
    joined: int = 0


@dataclass(frozen=True)
class Plan:
    steps: tuple[Step, ...]
    buffers: tuple[Buffer, ...]
    arena_bytes: int
    scratch_bytes: int
    peak_bytes: int


@dataclass(frozen=True)
class KernelCode:
    group: Group
    source: str
    tiling: object = None


@dataclass(frozen=True)
class Program:
    raw: tuple[Node, ...]
    simplified: tuple[Node, ...]
    groups: tuple[Group, ...]
    not_fused: tuple[Edge, ...]
    plan: Plan
    kernels: tuple[KernelCode, ...]
    device: str = "cpu"
    lowered: tuple[object, ...] = ()
    placement: None = None


def program(roots, groups, not_fused=(), buffers=(), scratch=0, peak=0):
    plan = Plan(
        tuple(Step(at, group) for at, group in enumerate(groups)),
        tuple(buffers),
        sum(buffer.nbytes for buffer in buffers if buffer.kind == "arena"),
        scratch,
        peak,
    )
    kernels = tuple(
        KernelCode(group, f"def {group.name}(begin, end): ...")
        for group in groups
        if group.kind == "kernel"
    )
    return Program(tuple(roots), tuple(roots), tuple(groups), tuple(not_fused), plan, kernels)


def outputs(*nodes):
    return tuple(Output(node) for node in nodes)


def layer_program():
    """exp(W @ V - b) * 2 and its row sums: a kernel, a library call, a kernel.

    W is 100 by 50, V is exp(u) of 50 by 40, b is a column: float64 throughout.
    """
    weights, inputs, bias = leaf(100, 50), leaf(50, 40), leaf(100, 1)
    rectified = apply(EXP, inputs, line=10)
    product = matmul(weights, rectified, line=11)
    shifted = apply(SUBTRACT, product, bias, line=12)
    activated = apply(EXP, shifted, line=12)
    doubled = apply(MULTIPLY, activated, constant(2.0), line=13)
    sums = total(doubled, 1, line=14)
    first = Group("exp_0", "kernel", (rectified,), (inputs,), outputs(rectified), (50, 40))
    second = Group(
        "matmul_1",
        "library",
        (product,),
        (weights, rectified),
        outputs(product),
        (100, 40),
        "library",
    )
    third = Group(
        "activate_2", "kernel", (shifted, activated, doubled, sums), (product, bias),
        outputs(doubled, sums), (100, 40), "rows",
    )  # fmt: skip
    edges = (
        Edge(rectified, product, "matmul is a library call", 16000),
        Edge(product, shifted, "matmul is a library call", 32000),
    )
    buffers = (
        Buffer("arena_0", 16000, "arena", 0, 0, 1, (rectified,)),
        Buffer("adopted_0", 32000, "adopted", 0, 1, 2, (product,)),
        Buffer("output_0", 32000, "output", 0, 2, 2, (doubled,)),
        Buffer("output_1", 800, "output", 0, 2, 2, (sums,)),
    )
    return program((doubled, sums), (first, second, third), edges, buffers, 0, 64800)


def stencil():
    """The five-point mean on slices of one array."""
    grid = leaf(1000, 1000)
    shape = (998, 998)
    parts = [part(grid, at, shape) for at in ((1, 1), (0, 1), (2, 1), (1, 0), (1, 2))]
    result = parts[0]
    for other in parts[1:]:
        result = apply(ADD, result, other, line=6)
    return apply(MULTIPLY, result, constant(0.2), line=7)


def chain(length):
    """A chain of additions of one constant."""
    result, one = leaf(8), constant(1.0)
    for _ in range(length):
        result = node(ADD, (result, one), FLOAT, (8,))
    return result


def black_scholes(size=10_000_000):
    """Something with shared subexpressions and several results."""
    spot, strike, time = leaf(size // 1000), leaf(size // 1000), leaf(size // 1000)
    ratio = apply(SUBTRACT, spot, strike)
    root = apply(EXP, time)
    one = apply(ADD, apply(MULTIPLY, ratio, constant(0.5)), root)
    two = apply(SUBTRACT, one, root)
    call = apply(SUBTRACT, apply(MULTIPLY, spot, apply(EXP, one)),
                 apply(MULTIPLY, strike, apply(EXP, two)))  # fmt: skip
    put = apply(ADD, apply(SUBTRACT, call, spot), apply(MULTIPLY, strike, root))
    return call, put


def parts_program():
    """exp of the concatenation of exp(a), written in place, and of b, copied."""
    a, b = leaf(10), leaf(5)
    part_a = apply(EXP, a)
    whole = concatenate(part_a, b)
    result = apply(EXP, whole)
    groups = [
        Group("k0_exp", "kernel", (part_a,), (a,), outputs(part_a), (10,)),
        Group("k1_copy", "kernel", (), (b,), outputs(b), (5,)),
        Group("k2_exp", "kernel", (result,), (whole,), outputs(result), (15,)),
    ]
    return program([result], groups)


def many_program(count):
    """`count` kernels, each followed by a matmul, with the row sums of each as results."""
    weights = leaf(100, 100)
    value = leaf(1000, 100)
    groups, edges, buffers, roots = [], [], [], []
    for number in range(count):
        first, last = 2 * number, 2 * number + 1
        added = apply(ADD, apply(EXP, value), value)
        sums = total(added, 1, line=20 + number)
        product = matmul(added, weights)
        groups.append(
            Group(f"k{first}_add", "kernel", (added, sums), (value,), outputs(added, sums),
                  (1000, 100), "rows")
        )  # fmt: skip
        groups.append(
            Group(f"k{last}_matmul", "library", (product,), (added, weights), outputs(product),
                  (1000, 100), "library")
        )  # fmt: skip
        edges.append(Edge(added, product, "computed by a library call", 2 * added.nbytes))
        buffers.append(Buffer(f"b{first}", added.nbytes, "arena", 0, first, last, (added,)))
        buffers.append(Buffer(f"r{first}", sums.nbytes, "output", 0, first, 2 * count, (sums,)))
        buffers.append(Buffer(f"b{last}", product.nbytes, "adopted", 0, last, last + 1, (product,)))
        roots.append(sums)
        value = product
    return program([*roots, value], groups, edges, buffers, 4096, 1_700_000)
