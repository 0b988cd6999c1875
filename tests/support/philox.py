"""Philox4x32-10 with Python's integers, written from the paper, and what draws make of it."""

from __future__ import annotations

import numpy as np

__all__ = ["KNOWN", "bits", "philox", "uniforms32", "uniforms64"]

Array = np.ndarray[tuple[int, ...], np.dtype[np.uint64]]

#: Counter, key and result, of Random123's file kat_vectors.
KNOWN = [
    ("00000000 00000000 00000000 00000000", "00000000 00000000",
     "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
    ("ffffffff ffffffff ffffffff ffffffff", "ffffffff ffffffff",
     "408f276d 41c83b0e a20bc7c6 6d5451fd"),
    ("243f6a88 85a308d3 13198a2e 03707344", "a4093822 299f31d0",
     "d16cfe09 94fdcceb 5001e420 24126ea1"),
]  # fmt: skip


def philox(counter: tuple[int, int, int, int], key: tuple[int, int]) -> tuple[int, int, int, int]:
    """Return four words of 32 bits for four words of counter and two of key."""
    x0, x1, x2, x3 = counter
    k0, k1 = key
    for _ in range(10):
        high0, low0 = divmod(0xD2511F53 * x0, 1 << 32)
        high1, low1 = divmod(0xCD9E8D57 * x2, 1 << 32)
        x0, x1, x2, x3 = high1 ^ x1 ^ k0, low1, high0 ^ x3 ^ k1, low0
        k0 = (k0 + 0x9E3779B9) % (1 << 32)
        k1 = (k1 + 0xBB67AE85) % (1 << 32)
    return x0, x1, x2, x3


def bits(count: int, draw: int, key: int) -> Array:
    """Return the first 64-bit words of a draw."""
    results = []
    for block in range(-(-count // 2)):
        counter = (block % 2**32, block >> 32, draw % 2**32, draw >> 32)
        w0, w1, w2, w3 = philox(counter, (key % 2**32, key >> 32))
        results += [w0 | w1 << 32, w2 | w3 << 32]
    return np.array(results[:count], np.uint64)


def uniforms64(count: int, draw: int, key: int) -> np.ndarray:
    """Return the first numbers of a draw of float64."""
    words = bits(count, draw, key)
    return np.array([(int(w) >> 11) / 2**53 for w in words], np.float64)


def uniforms32(count: int, draw: int, key: int) -> np.ndarray:
    """Return the first numbers of a draw of float32."""
    words = bits(-(-count // 2), draw, key)
    halves = [part for w in words for part in (int(w) % 2**32, int(w) >> 32)]
    return np.array([(half >> 8) / 2**24 for half in halves[:count]], np.float32)
