"""Families in which elements meet: reductions, scans, stencils, pairs, products."""

from __future__ import annotations

from itertools import product
from typing import Any

from benchmarks.families.member import Choice, Member, Shape


def reduction(choice: Choice) -> Member:
    """Return a reduction over some axes, with work before and after it."""
    rank = choice.between(1, 5)
    shape = choice.shape(rank, choice.size(1e4))
    axes = choice.axes(rank)
    kind = choice.one("sum", "mean", "max", "min", "var", "sum of squares", "norm")
    before = choice.one("none", "affine", "exp", "product")
    inputs = 2 if before == "product" else 1

    def compute(xp: Any, *arrays: Any) -> Any:
        x = arrays[0]
        if before == "affine":
            x = 2 * x - 0.5
        elif before == "exp":
            x = xp.exp(-x)
        elif before == "product":
            x = x * arrays[1]
        if kind == "sum of squares":
            return xp.sum(x * x, axis=axes)
        if kind == "norm":
            return xp.sqrt(xp.sum(x * x, axis=axes)) * 2
        return getattr(xp, kind)(x, axis=axes)

    formula = f"{kind} over {axes}, before it {before}"
    return choice.member("reduction", formula, [shape] * inputs, choice.dtype(), compute, flops=3)


def several_reductions(choice: Choice) -> Member:
    """Return an expression of more than one reduction of the same array."""
    rank = choice.between(1, 3)
    shape = choice.shape(rank, choice.size(1e4))
    axis = choice.between(0, rank - 1)
    kinds = choice.random.permutation(["sum", "mean", "max", "min", "var"])[: choice.between(2, 4)]

    def compute(xp: Any, x: Any) -> Any:
        total = 0.0
        for kind in kinds:
            total = total + getattr(xp, str(kind))(x, axis=axis)
        return total

    return choice.member(
        "several_reductions",
        " + ".join(f"{kind}(a, {axis})" for kind in kinds),
        [shape],
        choice.dtype(),
        compute,
        flops=2 * len(kinds),
    )


def arg_extremum(choice: Choice) -> Member:
    """Return the place of an extremum along an axis."""
    rank = choice.between(1, 3)
    shape = choice.shape(rank, choice.size(1e4))
    axis, largest = choice.between(0, rank - 1), choice.between(0, 1)

    def compute(xp: Any, x: Any) -> Any:
        value = 3 * x - x * x
        return xp.argmax(value, axis=axis) if largest else xp.argmin(value, axis=axis)

    name = "argmax" if largest else "argmin"
    return choice.member(
        "arg_extremum", f"{name}(3a - a², {axis})", [shape], choice.dtype(), compute, flops=4
    )


def row_normalisation(choice: Choice) -> Member:
    """Return a softmax, layer norm or the like, of short and of very long rows."""
    size = choice.size(1e4)
    length = min(size, choice.one(3, 17, 64, 1000, 1023, 4096, 100_001, size))
    shape = (max(1, size // length), length)
    kind = choice.one("softmax", "log-sum-exp", "layer norm", "unit length", "min-max")

    def compute(xp: Any, x: Any) -> Any:
        if kind == "layer norm":
            centred = x - xp.mean(x, axis=1, keepdims=True)
            return centred / xp.sqrt(xp.mean(centred * centred, axis=1, keepdims=True) + 1e-5)
        if kind == "unit length":
            return x / xp.sqrt(xp.sum(x * x, axis=1, keepdims=True))
        top = xp.max(x, axis=1, keepdims=True)
        if kind == "min-max":
            low = xp.min(x, axis=1, keepdims=True)
            return (x - low) / (top - low + 1e-3)
        raised = xp.exp(x - top)
        total = xp.sum(raised, axis=1, keepdims=True)
        return xp.log(total) + top if kind == "log-sum-exp" else raised / total

    return choice.member("row_normalisation", kind, [shape], choice.dtype(), compute, flops=6)


def scan(choice: Choice) -> Member:
    """Return running sums along an axis."""
    rank = choice.between(1, 3)
    shape = choice.shape(rank, choice.size(1e4))
    axis = choice.between(0, rank - 1)

    def compute(xp: Any, x: Any) -> Any:
        return xp.cumsum(2 * x - 1, axis=axis) * 0.5

    return choice.member(
        "scan", f"cumsum(2a - 1, {axis})/2", [shape], choice.dtype(), compute, flops=4
    )


def stencil(choice: Choice) -> Member:
    """Return a weighted sum of neighbours in one to three dimensions."""
    rank = choice.between(1, 3)
    reach = choice.between(1, 2)
    shape = tuple(max(n, 2 * reach + 3) for n in choice.shape(rank, choice.size(1e4)))
    offsets = list(product(range(-reach, reach + 1), repeat=rank))
    if choice.between(0, 1):  # a star instead of a box
        offsets = [o for o in offsets if sum(map(bool, o)) <= 1]
    offsets = offsets[: choice.between(3, 125)]
    factors = [choice.real(-1, 1) for _ in offsets]
    inputs = choice.between(1, 2)

    def compute(xp: Any, *arrays: Any) -> Any:
        total = 0.0
        for k, (offset, factor) in enumerate(zip(offsets, factors, strict=True)):
            where = tuple(
                slice(reach + step, n - reach + step) for step, n in zip(offset, shape, strict=True)
            )
            total = total + factor * arrays[k % inputs][where]
        return total

    return choice.member(
        "stencil",
        f"{len(offsets)} points in {rank} dimensions",
        [shape] * inputs,
        choice.dtype(),
        compute,
        flops=2 * len(offsets),
    )


def filtered(choice: Choice) -> Member:
    """Return a finite impulse response over slices."""
    taps, size = choice.between(3, 40), choice.size(1e3)
    factors = [choice.real(-1, 1) for _ in range(taps)]

    def compute(xp: Any, x: Any) -> Any:
        count = size - taps + 1
        total = factors[0] * x[:count]
        for k in range(1, taps):
            total = total + factors[k] * x[k : k + count]
        return total

    return choice.member(
        "filtered", f"{taps} taps", [(size,)], choice.dtype(), compute, flops=2 * taps
    )


def masked(choice: Choice) -> Member:
    """Return a sum of what a mask selects."""
    size, limit = choice.size(), choice.real(0.6, 1.4)

    def compute(xp: Any, x: Any, y: Any) -> Any:
        return xp.sum(xp.where((x > limit) & (y < 1.3), x * y, 0.0 * x))

    return choice.member(
        "masked", f"sum(a*b where a > {limit} and b < 1.3)", [(size,)] * 2, choice.dtype(), compute
    )


def pairwise(choice: Choice) -> Member:
    """Return something of all pairs of points."""
    width = choice.between(2, 64)
    most = max(8, int((16 * choice.largest / width) ** 0.5))
    rows, columns = choice.between(8, most), choice.between(8, most)
    kind = choice.one("min", "argmin", "kernel sum", "distances")

    def compute(xp: Any, a: Any, b: Any) -> Any:
        squares = xp.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=2)
        if kind == "min":
            return xp.min(squares, axis=1)
        if kind == "argmin":
            return xp.argmin(squares, axis=1)
        return xp.sum(xp.exp(-squares), axis=1) if kind == "kernel sum" else squares

    shapes: list[Shape] = [(rows, width), (columns, width)]
    flops = 3.0 * rows * columns * width / max(rows * width, columns * width)
    return choice.member("pairwise", kind, shapes, choice.dtype(), compute, flops=flops)


def matrix_product(choice: Choice) -> Member:
    """Return a product of matrices or of stacks of them, with work before and after it."""
    side = min(2048, int(choice.largest**0.5))
    form = choice.one("square", "tall", "wide", "batched", "vector")
    n = choice.between(16, max(17, side // 2))
    batch: Shape = ()
    if form == "batched":
        m, k, n = (choice.one(4, 8, 16, 33, 64) for _ in range(3))
        batch = (choice.between(2, max(3, choice.largest // (m * k + k * n))),)
    elif form == "tall":
        m, k = choice.between(side, 8 * side), choice.between(4, 64)
        n = choice.between(4, 64)
    elif form == "wide":
        m, k, n = choice.between(4, 64), choice.between(side, 8 * side), choice.between(4, 64)
    elif form == "vector":
        m, k, n = choice.between(16, side), choice.between(16, side), 1
    else:
        m = k = n
    after = choice.one("none", "relu", "sigmoid", "bias")
    shapes: list[Shape] = [(*batch, m, k), (k,) if form == "vector" else (*batch, k, n)]
    shapes.append((m,) if form == "vector" else (n,))

    def compute(xp: Any, a: Any, b: Any, bias: Any) -> Any:
        value = (2 * a - 2) @ b if after == "bias" else a @ b
        if after == "relu":
            return xp.maximum(value - 1, 0.0 * value)
        if after == "sigmoid":
            return 1 / (1 + xp.exp(-0.01 * value))
        return value + bias

    flops = 2.0 * m * n * k / max(m * k, k * n)
    return choice.member(
        "matrix_product", f"{form}, then {after}", shapes, choice.dtype(), compute, flops=flops
    )


FAMILIES = (
    reduction,
    several_reductions,
    arg_extremum,
    row_normalisation,
    scan,
    stencil,
    filtered,
    masked,
    pairwise,
    matrix_product,
)
"""The generators of members in which elements meet."""
