"""Statistics, sparse matrices, texts and pictures: outputs, grids, ranks, indices and buffers."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.programs.program import Arrays, Program, side_of


def _edges(random: np.random.Generator, elements: int) -> Arrays:
    places = max(4, elements // 8)
    return random.integers(0, places, (2, elements)), random.random(elements)


def _pairs(random: np.random.Generator, elements: int) -> Arrays:
    return random.random(elements), random.random(elements)


def _square(random: np.random.Generator, elements: int) -> Arrays:
    n = side_of(elements, 2)
    return (random.random((n, n)),)


def _points(random: np.random.Generator, elements: int) -> Arrays:
    return (random.random((max(4, elements // 3), 3)),)


def sparse(xp: Any, edges: Any, weights: Any) -> Any:
    """Compute powers of a sparse matrix in rows: sorted edges, and sums up to the ends of rows."""
    n = int(edges.max()) + 1
    order = xp.lexsort((edges[1], edges[0]))
    rows, columns, data = edges[0][order], edges[1][order], weights[order]
    ends = xp.zeros(n + 1, dtype=np.int64)
    xp.cumsum(xp.bincount(rows, minlength=n), out=ends[1:])
    x = xp.ones(n)
    for _ in range(4):
        sums = xp.append(0.0, xp.cumsum(data * x[columns]))
        y = sums[ends[1:]] - sums[ends[:-1]]
        x = y / xp.linalg.norm(y)
    return x


def spearman(xp: Any, x: Any, y: Any) -> Any:
    """Compute the correlation of the ranks of two samples."""
    ranks = []
    for sample in (x, y):
        order = sample.argsort()
        rank = xp.empty(len(sample))
        rank[order] = xp.arange(len(sample))
        ranks.append(rank)
    apart = ranks[0] - ranks[1]
    return 1 - 6 * (apart * apart).sum() / (len(x) * (len(x) ** 2 - 1.0))


def rotation(xp: Any, image: Any) -> Any:
    """Compute a picture turned by an angle, each element from the nearest one."""
    h, w = image.shape
    y, x = xp.mgrid[0:h, 0:w]
    c, s = np.cos(0.3), np.sin(0.3)
    from_y = (c * (y - h / 2) - s * (x - w / 2) + h / 2).round().astype(int)
    from_x = (s * (y - h / 2) + c * (x - w / 2) + w / 2).round().astype(int)
    inside = (from_y >= 0) & (from_y < h) & (from_x >= 0) & (from_x < w)
    turned = xp.zeros_like(image)
    turned[inside] = image[from_y[inside], from_x[inside]]
    return turned


def alignment(xp: Any, points: Any) -> Any:
    """Compute the rotation that puts points upon others: a Procrustes problem."""
    rotated = xp.linalg.qr(xp.arange(9.0).reshape(3, 3) + xp.eye(3))[0]
    moved = points @ rotated + 0.1
    a, b = points - points.mean(0), moved - moved.mean(0)
    u, _, vt = xp.linalg.svd(a.T @ b)
    sign = xp.sign(xp.linalg.det(u @ vt))
    return u @ xp.diag([1, 1, sign]) @ vt


def base64(xp: Any, image: Any) -> Any:
    """Compute bytes as letters, six bits each."""
    raw = (image * 255).astype(np.uint8).tobytes()
    raw = raw[: len(raw) // 3 * 3]
    triples = xp.frombuffer(raw, dtype=np.uint8).reshape(-1, 3).astype(np.uint32)
    words = (triples[:, 0] << 16) | (triples[:, 1] << 8) | triples[:, 2]
    sixes = xp.stack([(words >> shift) & 63 for shift in (18, 12, 6, 0)], axis=1)
    letters = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    return xp.frombuffer(letters, dtype=np.uint8)[sixes].ravel()


PROGRAMS = (
    Program("sparse", "powers of a sparse matrix", _edges, sparse),
    Program("spearman", "correlation of ranks", _pairs, spearman),
    Program("rotation", "turning a picture", _square, rotation),
    Program("alignment", "aligning points", _points, alignment),
    Program("base64", "bytes as letters", _square, base64),
)
