"""Families of gradients: functions of arrays of random shapes, differentiated."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.families.gradient_member import Gradient, gradient, normal
from benchmarks.families.member import Choice, Shape

__all__ = ["GRADIENTS"]


def gradient_chain(choice: Choice) -> Gradient:
    """Return the gradient of a chain of elementwise functions."""
    shape = choice.shape(choice.between(1, 3), choice.size(1e4))
    steps = [
        choice.one("exp", "log", "tanh", "sqrt", "sin", "multiply", "divide", "square", "where")
        for _ in range(choice.between(2, 7))
    ]

    def function(xp: Any, x: Any, y: Any) -> Any:
        value = x
        for step in steps:
            match step:
                case "multiply":
                    value = value * y
                case "divide":
                    value = value / (1 + y * y)
                case "square":
                    value = 0.5 * value**2
                case "where":
                    value = xp.where(value > 1, y * value, value - 1)
                case "log" | "sqrt":
                    value = getattr(xp, step)(1 + value * value)
                case "exp":
                    value = xp.exp(-value * value)
                case _:
                    value = getattr(xp, step)(value)
        return value

    return gradient(
        "chain", choice, " ".join(steps), [shape, shape], function, flops=4 * len(steps)
    )


def gradient_reduction(choice: Choice) -> Gradient:
    """Return the gradient of a function of a reduction over some axes."""
    rank = choice.between(1, 4)
    shape = choice.shape(rank, choice.size(1e4))
    axes = choice.axes(rank)
    kind = choice.one("mean", "max", "min", "var", "std", "norm", "prod", "sum of squares")
    after = choice.one("none", "square", "centred")

    def function(xp: Any, x: Any) -> Any:
        if kind == "norm":
            value = xp.sqrt(xp.sum(x * x, axis=axes, keepdims=True))
        elif kind == "sum of squares":
            value = xp.sum(x * x, axis=axes, keepdims=True)
        elif kind == "prod":
            value = xp.prod(x, axis=axes[0], keepdims=True)
        else:
            value = getattr(xp, kind)(x, axis=axes, keepdims=True)
        if after == "centred":
            return (x - value) ** 2 * x
        return value * value if after == "square" else value

    formula = f"{kind} over {axes[:1] if kind == 'prod' else axes}, then {after}"
    return gradient("reduction", choice, formula, [shape], function, flops=4)


def gradient_normalised(choice: Choice) -> Gradient:
    """Return the gradient of a softmax, layer norm or the like along any axis."""
    rank = choice.between(1, 3)
    shape = choice.shape(rank, choice.size(1e4))
    axis = choice.between(0, rank - 1)
    kind = choice.one("logsumexp", "cross entropy", "softmax", "standardise", "layer norm", "unit")

    def function(xp: Any, x: Any, w: Any) -> Any:
        if kind in ("standardise", "layer norm"):
            centred = x - xp.mean(x, axis=axis, keepdims=True)
            if kind == "standardise":
                return (centred / (x.std(axis, keepdims=True) + 0.1)) ** 3 * w
            variance = xp.mean(centred * centred, axis=axis, keepdims=True)
            return centred / xp.sqrt(variance + 1e-5) * w
        if kind == "unit":
            return x / xp.sqrt(xp.sum(x * x, axis=axis, keepdims=True)) * w
        top = xp.max(x, axis=axis, keepdims=True)
        raised = xp.exp(x - top)
        total = xp.sum(raised, axis=axis, keepdims=True)
        if kind == "softmax":
            return raised / total * w
        value = xp.log(total) + top
        return (value - x) * w if kind == "cross entropy" else value

    formula = f"{kind} along {axis}"
    return gradient("normalised", choice, formula, [shape, shape], function, over=1, flops=8)


def gradient_scan(choice: Choice) -> Gradient:
    """Return the gradient of a function of running sums, products or extrema."""
    rank = choice.between(1, 3)
    shape = choice.shape(rank, choice.size(1e4))
    axis = choice.between(0, rank - 1)
    kind = choice.one("cumsum", "cumsum", "cumsum", "cumprod")
    after = choice.one("square", "tanh", "weights")

    def function(xp: Any, x: Any, w: Any) -> Any:
        value = xp.cumsum(x, axis=axis) if kind == "cumsum" else xp.cumprod(0.9 + x / 10, axis=axis)
        if after == "square":
            return value * value
        return xp.tanh(value * 0.01) if after == "tanh" else value * w

    return gradient(
        "scan", choice, f"{after} of {kind} {axis}", [shape] * 2, function, over=1, flops=4
    )


def gradient_pairs(choice: Choice) -> Gradient:
    """Return the gradient of a function of the distances of all pairs."""
    dimension = choice.one(1, 2, 3, 5, 16)
    size = choice.size(1e4, 1e6)
    n = max(2, int(size**0.5))
    m = max(2, round(n * choice.real(0.5, 1.5)))
    kind = choice.one("gaussian", "inverse", "laplacian", "softened", "nearest")
    alone = choice.one(True, False)

    def function(xp: Any, x: Any, *others: Any) -> Any:
        y = others[0] if others else x
        difference = x[:, None, :] - y[None, :, :]
        if kind == "laplacian":
            return xp.exp(-xp.sum(xp.abs(difference), axis=-1))
        square = xp.sum(difference * difference, axis=-1)
        if kind == "gaussian":
            return xp.exp(-0.5 * square)
        if kind == "inverse":
            return 1 / xp.sqrt(square + 0.01)
        return xp.min(square, axis=1) if kind == "nearest" else xp.log(1 + square)

    shapes = [(n, dimension)] if alone and kind != "nearest" else [(n, dimension), (m, dimension)]
    dtype = choice.dtype()
    make = normal(*shapes, dtype=dtype)
    return gradient(
        "pairs", choice, f"{kind} of pairs", shapes, function, make=make, dtype=dtype, flops=m
    )


def gradient_polynomial(choice: Choice) -> Gradient:
    """Return the gradient of a polynomial with respect to coefficients and arguments."""
    degree = choice.between(2, 9)
    shape = choice.shape(choice.between(1, 2), choice.size(1e4))
    kind = choice.one("Horner", "powers")

    def function(xp: Any, x: Any, c: Any) -> Any:
        if kind == "powers":
            return sum((c[k] * x**k for k in range(1, degree + 1)), c[0]) ** 2
        value = c[degree] * x
        for k in range(degree - 1, 0, -1):
            value = (value + c[k]) * x
        return (value + c[0]) ** 2

    formula = f"polynomial of degree {degree} by {kind}"
    return gradient(
        "polynomial", choice, formula, [shape, (degree + 1,)], function, flops=2 * degree
    )


def gradient_stencil(choice: Choice) -> Gradient:
    """Return the gradient of a function of neighbours: slices, rolled and padded arrays."""
    rank = choice.between(1, 3)
    shape = tuple(max(n, 8) for n in choice.shape(rank, choice.size(1e4)))
    kind = choice.one("differences", "rolled", "padded", "total variation", "taps")
    taps = choice.between(3, 16)

    def moved(x: Any, axis: int, start: int, stop: int | None) -> Any:
        return x[(slice(None),) * axis + (slice(start, stop),)]

    def function(xp: Any, x: Any) -> Any:
        total: Any = 0.0
        if kind == "taps":
            line = x.reshape(-1)
            count = line.shape[0] - taps
            value: Any = 0.0
            for k in range(taps):
                value = value + (0.5 + 0.1 * k) * line[k : k + count]
            return value * value
        for axis in range(rank):
            if kind == "rolled":
                change = xp.roll(x, 1, axis) - 2 * x + xp.roll(x, -1, axis)
            elif kind == "padded":
                wide = xp.pad(x, [(1, 1) if k == axis else (0, 0) for k in range(rank)])
                change = moved(wide, axis, 2, None) - moved(wide, axis, 0, -2)
            else:
                change = moved(x, axis, 1, None) - moved(x, axis, 0, -1)
            value = xp.sqrt(change * change + 0.01) if kind == "total variation" else change**2
            total = total + xp.sum(value)
        return total

    return gradient("stencil", choice, kind, [shape], function, flops=4 * rank)


def gradient_joined(choice: Choice) -> Gradient:
    """Return the gradient of a function of stacked or joined arrays."""
    shape = choice.shape(2, choice.size(1e4) // 3 + 8)
    kind = choice.one("max of a stack", "sum of a stack", "logsumexp of a stack", "concatenation")
    axis = choice.one(0, -1)

    def function(xp: Any, x: Any, y: Any) -> Any:
        if kind == "concatenation":
            return xp.concatenate([x, 2 * y, x * y], axis=axis) ** 2
        stacked = xp.stack([x, y, x * y], axis=axis)
        if kind == "max of a stack":
            return xp.max(stacked, axis=axis)
        if kind == "sum of a stack":
            return xp.sum(stacked, axis=axis) ** 2
        return xp.log(xp.sum(xp.exp(stacked), axis=axis))

    return gradient("joined", choice, f"{kind} {axis}", [shape, shape], function, flops=6)


def gradient_gathered(choice: Choice) -> Gradient:
    """Return the gradient of a function of rows or elements at computed places."""
    count, width = choice.size(1e3, 3e5), choice.one(1, 1, 4, 16)
    rows = max(2, count // choice.one(1, 4, 30))
    places = np.random.default_rng(choice.seed).integers(0, rows, count)
    shape: Shape = (rows,) if width == 1 else (rows, width)

    def function(xp: Any, x: Any) -> Any:
        return xp.tanh(x[places])

    return gradient(
        "gathered", choice, f"tanh of {count} places", [shape], function, flops=2 * count / rows
    )


def gradient_product(choice: Choice) -> Gradient:
    """Return the gradient of a function of matrix products."""
    kind = choice.one("matmul", "batched", "layers", "gram", "vector", "quadratic", "einsum")
    n, m, k = (choice.between(2, 300) for _ in range(3))
    b = choice.between(2, 40)
    shapes: list[Shape]
    if kind == "batched":
        n, m, k = (max(2, x // 6) for x in (n, m, k))
        shapes = [(b, n, k), (b, k, m)]
    elif kind == "layers":
        shapes = [(k, m), (m, b), (4 * n, k)]
    else:
        shapes = {
            "matmul": [(n, k), (k, m)],
            "gram": [(n, k)],
            "vector": [(3 * n, 3 * k), (3 * k,)],
            "quadratic": [(n,), (n, n)],
            "einsum": [(b, n // 8 + 1, k // 4 + 1), (k // 4 + 1, m // 4 + 1)],
        }[kind]

    def function(xp: Any, *x: Any) -> Any:
        if kind == "layers":
            return xp.tanh(xp.tanh(x[2] @ x[0] * 0.1) @ x[1]) ** 2
        if kind == "gram":
            return (x[0].T @ x[0]) ** 2
        if kind == "quadratic":
            return x[0] @ x[1] @ x[0]
        product = xp.einsum("bij,jk->bik", *x) if kind == "einsum" else x[0] @ x[1]
        return product**2

    over = 2 if kind == "layers" else 0
    return gradient("product", choice, kind, shapes, function, over=over, flops=2.0 * max(n, m, k))


def gradient_linear_algebra(choice: Choice) -> Gradient:
    """Return the gradient of a function of solutions, factors or determinants."""
    kind = choice.one("solve", "solve", "cholesky", "cholesky", "logdet", "inv", "likelihood")
    n = choice.between(2, 300)
    stack: Shape = (choice.between(2, 30),) if choice.one(True, False, False) else ()
    n = max(2, n // 6) if stack else n
    k = choice.one(1, 3, n)

    def function(xp: Any, a: Any, b: Any) -> Any:
        eye = np.eye(n, dtype=dtype)
        if kind in ("solve", "logdet", "inv"):
            matrix = a + n * eye
            if kind == "solve":
                return xp.linalg.solve(matrix, b) ** 2
            return xp.linalg.slogdet(matrix)[1] if kind == "logdet" else xp.linalg.inv(matrix) ** 2
        matrix = a @ a.mT / n + eye
        factor = xp.linalg.cholesky(matrix)
        if kind == "cholesky":
            return factor**2
        diagonal = xp.diagonal(factor, axis1=-2, axis2=-1)
        return xp.sum(xp.log(diagonal)) + xp.sum(b * xp.linalg.solve(matrix, b))

    dtype = choice.dtype()
    shapes: list[Shape] = [(*stack, n, n), (*stack, n, k)]
    over = 2 if kind in ("solve", "likelihood") else 1
    make = normal(*shapes, dtype=dtype)
    return gradient(
        "linear_algebra",
        choice,
        kind,
        shapes,
        function,
        over=over,
        make=make,
        dtype=dtype,
        flops=2.0 * n,
    )


def gradient_fourier(choice: Choice) -> Gradient:
    """Return the gradient of a function of Fourier transforms."""
    kind = choice.one("power", "filter", "two axes")
    if kind == "two axes":
        shape = choice.shape(2, choice.size(1e3, 3e5))
    else:
        length = choice.one(64, 1000, 1024, 4097, 2**15, 10**5)
        shape = (max(1, choice.size(1e3, 5e5) // length), length)

    def function(xp: Any, x: Any, w: Any) -> Any:
        if kind == "two axes":
            return xp.abs(xp.fft.rfft2(x)) ** 2 * 1e-3
        spectrum = xp.fft.rfft(x)
        if kind == "power":
            return (spectrum.real**2 + spectrum.imag**2) * 1e-3
        return xp.fft.irfft(spectrum * xp.fft.rfft(w), n=x.shape[-1]) ** 2 * 1e-3

    return gradient("fourier", choice, kind, [shape, shape[-1:]], function, over=1, flops=30)


def gradient_ordered(choice: Choice) -> Gradient:
    """Return the gradient of a function of sorted, clipped or compared values."""
    shape = choice.shape(choice.between(1, 2), choice.size(1e4, 5e5))
    kind = choice.one("sort", "clip", "maximum", "where", "absolute")
    weights = np.linspace(0, 1, shape[-1]).astype("float32")

    def function(xp: Any, x: Any, y: Any) -> Any:
        if kind == "sort":
            return xp.sort(x, axis=-1) * weights + y
        if kind == "clip":
            return xp.clip(x, 0.7, 1.2) * x * y
        if kind == "maximum":
            return xp.maximum(x, y) * xp.minimum(x, 2 * y)
        return xp.where(x > y, x**2, xp.exp(y)) if kind == "where" else xp.abs(x - y) * x

    return gradient("ordered", choice, kind, [shape, shape], function, flops=5)


def gradient_moved(choice: Choice) -> Gradient:
    """Return the gradient of a function of transposed, reshaped, reversed and sliced arrays."""
    n, m = choice.between(4, 300) * 4, choice.between(4, 300) * 4
    kind = choice.one("transposed", "pooled maximum", "pooled mean", "strided", "outer", "triangle")

    def function(xp: Any, x: Any, y: Any) -> Any:
        if kind == "transposed":
            return x.T * y[:, None] + x.T**2
        if kind == "outer":
            return xp.sin(x[0][None, :] * y[:, None])
        if kind == "triangle":
            return xp.triu(x) ** 2
        if kind == "strided":
            return x[::2, ::-1] * x[1::2]
        windows = x.reshape(n // 4, 4, m // 2, 2)
        reduce = xp.max if kind == "pooled maximum" else xp.mean
        return reduce(windows, axis=(1, 3)) ** 2

    over = 2 if kind in ("transposed", "outer") else 1
    return gradient("moved", choice, kind, [(n, m), (m,)], function, over=over, flops=4)


def gradient_recurrent(choice: Choice) -> Gradient:
    """Return the gradient of a loop that uses its weights in each iteration."""
    steps, batch, width = choice.between(3, 12), choice.between(2, 64), choice.between(4, 96)
    kind = choice.one("cells", "rows", "logistic")

    def function(xp: Any, x: Any, w: Any) -> Any:
        if kind == "rows":
            return sum(((x[k] * x[k - 1]) @ w for k in range(1, steps)), xp.sum(x))
        state = x[0]
        for k in range(1, steps):
            if kind == "cells":
                state = xp.tanh(x[k] + state @ w * width**-0.5)
            else:
                state = state * (1 - state) * w[0] * 0.5
        return state * state

    shapes: list[Shape] = [(steps, batch, width), (width, width)]
    dtype = choice.dtype()
    make = normal(*shapes, dtype=dtype) if kind == "cells" else None
    return gradient(
        "recurrent", choice, f"{steps} {kind}", shapes, function, make=make, dtype=dtype,
        flops=2.0 * width,
    )  # fmt: skip


FAMILIES = (
    gradient_chain,
    gradient_reduction,
    gradient_normalised,
    gradient_scan,
    gradient_pairs,
    gradient_polynomial,
    gradient_stencil,
    gradient_joined,
    gradient_gathered,
    gradient_product,
    gradient_linear_algebra,
    gradient_fourier,
    gradient_ordered,
    gradient_moved,
    gradient_recurrent,
)
GRADIENTS = {generator.__name__: generator for generator in FAMILIES}
