"""Linear algebra, statistics, particles, masks and learning."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, side_of


def _attractors(random: np.random.Generator, elements: int) -> Arrays:
    return (random.standard_normal((3, max(2, elements // 3))),)


def _labelled(random: np.random.Generator, elements: int) -> Arrays:
    rows = max(20, elements // 8)
    return random.standard_normal((rows, 8)), (random.random(rows) < 0.5).astype(float)


def _matrix(random: np.random.Generator, elements: int) -> Arrays:
    n = side_of(elements, 2)
    a = random.random((n, n))
    return a + a.T + n * np.eye(n), random.random(n)


def _table(random: np.random.Generator, elements: int) -> Arrays:
    columns = 12
    return (random.random((max(8, elements // columns), columns)),)


def _bodies(random: np.random.Generator, elements: int) -> Arrays:
    n = side_of(elements, 2)
    return random.random((n, 3)), random.random((n, 3)) * 0.1, random.random(n)


def _points(random: np.random.Generator, elements: int) -> Arrays:
    return (random.random((max(16, elements // 2), 2)),)


def _line(random: np.random.Generator, elements: int) -> Arrays:
    return (random.random(elements),)


def _plane(random: np.random.Generator, elements: int) -> Arrays:
    n = side_of(elements, 2)
    x, y = np.meshgrid(np.linspace(-2, 0.5, n), np.linspace(-1.2, 1.2, n))
    return (x + 1j * y,)


def _images(random: np.random.Generator, elements: int) -> Arrays:
    count = max(1, elements // (28 * 28))
    return (
        random.random((count, 28, 28)).astype("f4"),
        (random.random((6, 5, 5)) - 0.5).astype("f4"),
        (random.random((6 * 12 * 12, 10)) - 0.5).astype("f4"),
    )


def _signal(random: np.random.Generator, elements: int) -> Arrays:
    return (random.random(side_of(elements, 2)),)


def power_iteration(xp: Any, a: Any, x: Any) -> Any:
    """Compute the largest eigenvalue."""
    for _ in range(20):
        y = a @ x
        x = y / xp.sqrt((y * y).sum())
    return (x * (a @ x)).sum(), x


def conjugate_gradient(xp: Any, a: Any, b: Any) -> Any:
    """Compute a linear system, until the residual is small."""
    x = xp.zeros_like(b)
    r = b - a @ x
    p = xp.array(r)
    rr = r @ r
    for _ in range(25):
        ap = a @ p
        alpha = rr / (p @ ap)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if new < 1e-20:
            break
        p = r + (new / rr) * p
        rr = new
    return x


def gram_schmidt(xp: Any, table: Any) -> Any:
    """Compute columns made orthonormal one after the other."""
    q = xp.array(table)
    for j in range(q.shape[1]):
        for i in range(j):
            q[:, j] -= (q[:, i] @ q[:, j]) * q[:, i]
        q[:, j] /= xp.sqrt(q[:, j] @ q[:, j])
    return q


def covariance(xp: Any, table: Any) -> Any:
    """Compute covariance by loops over columns."""
    table = table - table.mean(axis=0)
    m = table.shape[1]
    cov = xp.zeros((m, m))
    for i in range(m):
        for j in range(i, m):
            cov[i, j] = cov[j, i] = (table[:, i] * table[:, j]).sum() / (table.shape[0] - 1)
    return cov


def correlation(xp: Any, table: Any) -> Any:
    """Compute correlation by loops over columns."""
    spread = table.std(axis=0)
    table = (table - table.mean(axis=0)) / xp.where(spread <= 0.1, 1.0, spread)
    m = table.shape[1]
    corr = xp.eye(m)
    for i in range(m - 1):
        corr[i, i + 1 :] = table[:, i] @ table[:, i + 1 :] / table.shape[0]
        corr[i + 1 :, i] = corr[i, i + 1 :]
    return corr


def nbody(xp: Any, position: Any, velocity: Any, mass: Any) -> Any:
    """Compute bodies that attract each other, updated in place."""
    position, velocity = xp.array(position), xp.array(velocity)
    for _ in range(5):
        apart = position[None, :, :] - position[:, None, :]
        distance = (apart**2).sum(-1) + 0.01
        force = (apart * (mass[None, :] / distance**1.5)[:, :, None]).sum(axis=1)
        velocity += 0.01 * force
        position += 0.01 * velocity
    return position


def kmeans(xp: Any, points: Any) -> Any:
    """Compute lloyd's algorithm, by boolean selection."""
    centres = xp.array(points[:5])
    for _ in range(6):
        distance = ((points[:, None, :] - centres[None, :, :]) ** 2).sum(-1)
        nearest = distance.argmin(axis=1)
        for k in range(5):
            chosen = points[nearest == k]
            if len(chosen):
                centres[k] = chosen.mean(axis=0)
    return centres


def mandelbrot(xp: Any, c: Any) -> Any:
    """Compute iterations until escape, by masks."""
    z = xp.zeros_like(c)
    count = xp.zeros(c.shape, dtype="int64")
    for iteration in range(20):
        inside = xp.abs(z) < 2
        z[inside] = z[inside] ** 2 + c[inside]
        count[inside] = iteration
    return count


def rejection(xp: Any, x: Any) -> Any:
    """Compute numbers of a density by rejection, and their mean."""
    half = x.shape[0] // 2
    candidate, level = x[:half] * 4 - 2, x[half : 2 * half]
    accepted = candidate[level < xp.exp(-candidate * candidate)]
    return accepted.mean(), accepted.std(), float(len(accepted))


def histogram(xp: Any, x: Any) -> Any:
    """Compute counts of sixteen bins, one after the other."""
    counts = xp.zeros(16)
    for k in range(16):
        counts[k] = ((x >= k / 16) & (x < (k + 1) / 16)).sum()
    return counts


def dft(xp: Any, signal: Any) -> Any:
    """Compute the discrete Fourier transform by its definition."""
    n = signal.shape[0]
    k = xp.arange(n)
    angle = -2 * np.pi * k[:, None] * k[None, :] / n
    return (signal * xp.cos(angle)).sum(axis=1), (signal * xp.sin(angle)).sum(axis=1)


def floyd_warshall(xp: Any, a: Any, b: Any) -> Any:
    """Compute shortest paths between all pairs."""
    path = xp.array(a)
    for k in range(path.shape[0]):
        path = xp.minimum(path, path[:, k, None] + path[None, k, :])
    return path


def lenet(xp: Any, images: Any, filters: Any, weights: Any) -> Any:
    """Compute convolution by loops, pooling, a dense layer and softmax."""
    count = images.shape[0]
    maps = xp.zeros((count, 6, 24, 24), dtype="f4")
    for f in range(6):
        for i in range(5):
            for j in range(5):
                maps[:, f] += filters[f, i, j] * images[:, i : i + 24, j : j + 24]
    maps = xp.maximum(maps, 0)
    pooled = maps.reshape(count, 6, 12, 2, 12, 2).max(axis=(3, 5))
    scores = pooled.reshape(count, -1) @ weights
    scores = xp.exp(scores - scores.max(axis=1, keepdims=True))
    return scores / scores.sum(axis=1, keepdims=True)


def lorenz(xp: Any, state: Any) -> Any:
    """Compute ten steps of Runge and Kutta of many attractors, whose axes are rows."""

    def slope(state: Any) -> Any:
        x, y, z = state
        return xp.array([10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z])

    step = 0.005
    for _ in range(10):
        first = slope(state)
        second = slope(state + step / 2 * first)
        third = slope(state + step / 2 * second)
        fourth = slope(state + step * third)
        state = state + step / 6 * (first + 2 * second + 2 * third + fourth)
    return state


def logistic(xp: Any, x: Any, y: Any) -> Any:
    """Compute a logistic regression by weighted least squares."""
    b = xp.zeros(x.shape[1])
    for _ in range(5):
        p = 1 / (1 + xp.exp(-(x @ b)))
        w = p * (1 - p)
        slope, curvature = x.T @ (y - p), (x * w[:, None]).T @ x
        b = b + xp.linalg.solve(curvature + 1e-6 * xp.eye(x.shape[1]), slope)
    return b


PROGRAMS = (
    Program("power", "power iteration", _matrix, power_iteration, functional=power_iteration),
    Program("cg", "conjugate gradient", _matrix, conjugate_gradient),
    Program("gram_schmidt", "Gram-Schmidt", _table, gram_schmidt),
    Program("covariance", "covariance by columns", _table, covariance),
    Program("correlation", "correlation by columns", _table, correlation),
    Program("nbody", "bodies updated in place", _bodies, nbody),
    Program("kmeans", "k-means by masks", _points, kmeans),
    Program("mandelbrot", "Mandelbrot by masks", _plane, mandelbrot),
    Program("rejection", "Monte Carlo with rejection", _line, rejection),
    Program("histogram", "histogram by a loop", _line, histogram),
    Program("dft", "discrete Fourier transform", _signal, dft, functional=dft),
    Program(
        "floyd_warshall",
        "shortest paths",
        _matrix,
        floyd_warshall,
        functional=floyd_warshall,
        most=65_536,
    ),
    Program("lorenz", "Runge and Kutta's steps of three rows", _attractors, lorenz),
    Program("logistic", "logistic regression", _labelled, logistic, tolerance=1e-8),
    Program("lenet", "forward pass of a small net", _images, lenet, tolerance=1e-4),
)
