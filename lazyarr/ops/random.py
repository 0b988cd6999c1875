"""Rows of the random generators: Philox4x32-10, a function of a counter and a key.

A draw is a sequence of 64-bit words, word ``j`` for position ``j``. Philox turns a counter of 128
bits into 128 random ones, which are two words: the block of words ``2 b`` and ``2 b + 1`` comes
from the counter whose low half is ``b`` and whose high half is the number of the draw. So every
element is computed from its position alone, on any device, by any thread, in any order.

J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw, "Parallel random numbers: as easy as 1, 2,
3", SC11, 2011, doi:10.1145/2063384.2063405; their library Random123 has the test vectors.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.graph.node import Kind, Node, Op
from lazyarr.ops.table import Argument, Array, Resolved, elementwise

if TYPE_CHECKING:
    from lazyarr.loop_ir.builder import Builder
    from lazyarr.loop_ir.kernel import Operand, Value

__all__ = ["BITS", "MULTIPLY_HIGH", "NORMAL", "UNIFORM", "philox"]

UINT32 = np.dtype(np.uint32)
UINT64 = np.dtype(np.uint64)
INT32 = np.dtype(np.int32)
INT64 = np.dtype(np.int64)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)

ROUNDS = 10
#: Multipliers of a round, and what the key's halves grow by from round to round.
FACTORS = (0xD2511F53, 0xCD9E8D57)
STEPS = (0x9E3779B9, 0xBB67AE85)


# ---------------------------------------------------------------- in NumPy


def philox(block: Array, draw: Array, key: Array) -> tuple[Array, Array]:
    """Return the two uint64 words of each block.

    Parameters
    ----------
    block, draw : numpy.ndarray
        Low and high half of the counter, uint64.
    key : numpy.ndarray
        The key, uint64.
    """
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    c0, c1, c2, c3 = block & low, block >> half, draw & low, draw >> half
    k0, k1 = key & low, key >> half
    for _ in range(ROUNDS):
        p0, p1 = c0 * np.uint64(FACTORS[0]), c2 * np.uint64(FACTORS[1])
        c0, c1 = (p1 >> half) ^ c1 ^ k0, p1 & low
        c2, c3 = (p0 >> half) ^ c3 ^ k1, p0 & low
        k0 = (k0 + np.uint64(STEPS[0])) & low
        k1 = (k1 + np.uint64(STEPS[1])) & low
    return c0 | c1 << half, c2 | c3 << half


def _words(count: int, draw: Array, key: Array) -> Array:
    """Return the first words of a draw."""
    blocks = np.arange(-(-count // 2), dtype=np.uint64)
    return np.stack(philox(blocks, draw, key), axis=-1).reshape(-1)[:count]


def _bits(node: Node, *arrays: Array) -> Array:
    return _words(node.size, *arrays).reshape(node.shape)


def _uniforms(count: int, draw: Array, key: Array, dtype: np.dtype[Any]) -> Array:
    if dtype == FLOAT64:
        return np.asarray((_words(count, draw, key) >> np.uint64(11)) * 2.0**-53)
    halves = _halves(_words(-(-count // 2), draw, key)).reshape(-1)[:count]
    return np.asarray((halves >> np.uint32(8)).astype(FLOAT32) * np.float32(2.0**-24))


def _halves(words: Array) -> Array:
    """Return the low and the high half of each word, along a new last axis."""
    low = words & np.uint64(0xFFFFFFFF)
    return np.stack([low, words >> np.uint64(32)], axis=-1).astype(UINT32)


def _uniform(node: Node, *arrays: Array) -> Array:
    draw, key = arrays
    return _uniforms(node.size, draw, key, node.dtype).reshape(node.shape)


def _normal(node: Node, *arrays: Array) -> Array:
    draw, key = arrays
    pairs = -(-node.size // 2)
    number = node.dtype.type
    if node.dtype == FLOAT64:
        uniforms = _uniforms(2 * pairs, draw, key, FLOAT64)
        rest, turn = 1 - uniforms[::2], uniforms[1::2]
    else:
        low, high = _halves(_words(pairs, draw, key)).T
        rest = (low.astype(FLOAT32) + number(0.5)) * number(2.0**-32)
        turn = (high >> np.uint32(8)).astype(FLOAT32) * number(2.0**-24)
    radius = np.sqrt(number(-2) * np.log(rest))
    angles = np.stack([turn, turn - number(0.25)], axis=-1) * number(2 * np.pi)
    return np.asarray((radius[:, None] * np.cos(angles)).reshape(-1)[: node.size]).reshape(
        node.shape
    )


def _multiply_high(node: Node, *arrays: Array) -> Array:
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    a, b = arrays
    a0, a1, b0, b1 = a & low, a >> half, b & low, b >> half
    first = a1 * b0 + (a0 * b0 >> half)
    second = a0 * b1 + (first & low)
    return np.asarray(a1 * b1 + (first >> half) + (second >> half))


# ---------------------------------------------------------------- in kernels


class _Writer:
    """Short names for the primitives of the expansions below."""

    def __init__(self, builder: Builder) -> None:
        self.call = builder.call
        self.cosine_of_turn = builder.cosine_of_turn
        self.comment = builder.comment
        self.literal = builder.literal
        self.random_words = builder.random_words

    def wide(self, position: Operand) -> Value:
        return self.call("convert", position, dtype=UINT64)

    def low(self, x: Operand) -> Value:
        return self.call("and", x, self.literal(0xFFFFFFFF, UINT64))

    def high(self, x: Operand) -> Value:
        return self.call("shift_right", x, self.literal(32, UINT64))

    def is_odd(self, x: Operand) -> Value:
        last = self.call("and", x, self.literal(1, UINT64))
        return self.call("not_equal", last, self.literal(0, UINT64))

    def half_of(self, x: Operand) -> Value:
        return self.call("shift_right", x, self.literal(1, UINT64))

    def unit(self, bits: Operand, unused: int, dtype: np.dtype[Any]) -> Value:
        """Return a number in [0, 1), computed from all bits but the lowest ones.

        Parameters
        ----------
        bits : Value or Literal
            Random bits: a uint32 or a uint64.
        unused : int
            How many of the lowest bits are left out: 8 for float32, 11 for float64.
        dtype : numpy.dtype
            Of the number.
        """
        count = self.call("shift_right", bits, self.literal(unused, bits.dtype))
        # It has no sign bit, and processors convert signed integers faster.
        signed = INT64 if bits.dtype == UINT64 else INT32
        number = self.call("convert", self.call("convert", count, dtype=signed), dtype=dtype)
        scale = 2.0 ** (unused - 8 * bits.dtype.itemsize)
        return self.call("multiply", number, self.literal(scale, dtype))

    def philox(self, block: Operand, draw: Operand, key: Operand) -> tuple[Value, Value]:
        """Return the two words of a block."""
        return self.random_words(block, draw, key) or self._rounds(block, draw, key)

    def _rounds(self, block: Operand, draw: Operand, key: Operand) -> tuple[Value, Value]:
        """Return the two words of a block, written out.

        Its 32-bit numbers are the lower halves of 64-bit ones, whose upper halves mean nothing:
        processors multiply those fastest.
        """
        self.comment("Philox4x32-10")
        c0, c1, c2, c3 = block, self.high(block), draw, self.high(draw)
        k0, k1 = key, self.high(key)
        for _ in range(ROUNDS):
            p0 = self.call("multiply", self.low(c0), self.literal(FACTORS[0], UINT64))
            p1 = self.call("multiply", self.low(c2), self.literal(FACTORS[1], UINT64))
            c0, c1 = self.call("xor", self.high(p1), self.call("xor", c1, k0)), p1
            c2, c3 = self.call("xor", self.high(p0), self.call("xor", c3, k1)), p0
            k0 = self.call("add", k0, self.literal(STEPS[0], UINT64))
            k1 = self.call("add", k1, self.literal(STEPS[1], UINT64))
        return self.join(c0, c1), self.join(c2, c3)

    def join(self, low: Operand, high: Operand) -> Value:
        """Return a 64-bit word whose halves are the lower halves of two others.

        Parameters
        ----------
        low, high : Value or Literal
            Two uint64.
        """
        upper = self.call("shift_left", high, self.literal(32, UINT64))
        return self.call("or", self.low(low), upper)

    def word(self, position: Operand, draw: Operand, key: Operand) -> Value:
        """Return the word of a position, a uint64.

        Parameters
        ----------
        position : Value or Literal
            Of the word in its draw, a uint64.
        draw : Value or Literal
            The number of the draw, a uint64.
        key : Value or Literal
            The key, a uint64.
        """
        first, second = self.philox(self.half_of(position), draw, key)
        return self.call("select", self.is_odd(position), second, first)


def _expand_bits(builder: Builder, position: Operand, draw: Operand, key: Operand) -> Value:
    write = _Writer(builder)
    return write.word(write.wide(position), draw, key)


def _expand_uniform64(builder: Builder, position: Operand, draw: Operand, key: Operand) -> Value:
    write = _Writer(builder)
    return write.unit(write.word(write.wide(position), draw, key), 11, FLOAT64)


def _expand_uniform32(builder: Builder, position: Operand, draw: Operand, key: Operand) -> Value:
    write = _Writer(builder)
    place = write.wide(position)
    word = write.word(write.half_of(place), draw, key)
    half = write.call("select", write.is_odd(place), write.high(word), word)
    return write.unit(write.call("convert", half, dtype=UINT32), 8, FLOAT32)


def _expand_normal64(builder: Builder, position: Operand, draw: Operand, key: Operand) -> Value:
    write = _Writer(builder)
    place = write.wide(position)
    first, second = write.philox(write.half_of(place), draw, key)
    one = write.literal(1.0, FLOAT64)
    rest = write.call("subtract", one, write.unit(first, 11, FLOAT64))
    return _box_muller(write, rest, write.unit(second, 11, FLOAT64), write.is_odd(place))


def _expand_normal32(builder: Builder, position: Operand, draw: Operand, key: Operand) -> Value:
    write = _Writer(builder)
    place = write.wide(position)
    word = write.word(write.half_of(place), draw, key)
    # All 32 bits, in (0, 1]: 24 would cut the tails at 5.8.
    low, high = (write.call("convert", half, dtype=UINT32) for half in (word, write.high(word)))
    number = write.call("convert", low, dtype=FLOAT32)
    number = write.call("add", number, write.literal(0.5, FLOAT32))
    rest = write.call("multiply", number, write.literal(2.0**-32, FLOAT32))
    return _box_muller(write, rest, write.unit(high, 8, FLOAT32), write.is_odd(place))


def _box_muller(write: _Writer, rest: Value, turn: Value, is_odd: Value) -> Value:
    """``sqrt(-2 log(rest)) cos(2 pi turn)``; of odd positions the sine, a quarter turn behind."""
    dtype = rest.dtype
    log = write.call("log", rest)
    radius = write.call("sqrt", write.call("multiply", write.literal(-2.0, dtype), log))
    quarter, zero = write.literal(0.25, dtype), write.literal(0.0, dtype)
    turn = write.call("subtract", turn, write.call("select", is_odd, quarter, zero))
    return write.call("multiply", radius, write.cosine_of_turn(turn))


def _expand_multiply_high(builder: Builder, a: Operand, b: Operand) -> Value:
    """Multiply by halves, so that no product is wider than 64 bits."""
    write = _Writer(builder)
    low = write.literal(0xFFFFFFFF, UINT64)
    half = write.literal(32, UINT64)
    parts = [(write.call("and", x, low), write.call("shift_right", x, half)) for x in (a, b)]
    (a0, a1), (b0, b1) = parts
    carry = write.call("shift_right", write.call("multiply", a0, b0), half)
    first = write.call("add", write.call("multiply", a1, b0), carry)
    second = write.call("multiply", a0, b1)
    second = write.call("add", second, write.call("and", first, low))
    top = write.call("add", write.call("multiply", a1, b1), write.call("shift_right", first, half))
    return write.call("add", top, write.call("shift_right", second, half))


# ---------------------------------------------------------------- rows


def _words_rule(operands: tuple[Argument, ...]) -> Resolved:
    """Take and give uint64 alone."""
    if any(operand != UINT64 for operand in operands):
        raise TypeError("uint64 alone")
    return (UINT64,) * len(operands), UINT64


#: Sources: the number of the draw and the key, both uint64. Attribute: none.
BITS = Op("random_bits", Kind.GENERATE, _bits, expand=_expand_bits, cost=60)
"""Words of 64 random bits."""

UNIFORM: dict[np.dtype[Any], Op] = {
    FLOAT64: Op("random", Kind.GENERATE, _uniform, expand=_expand_uniform64, cost=64),
    FLOAT32: Op("random", Kind.GENERATE, _uniform, expand=_expand_uniform32, cost=68),
}
"""Numbers in [0, 1): the upper 53 bits of each word; the upper 24 of each half of a word."""

NORMAL: dict[np.dtype[Any], Op] = {
    FLOAT64: Op("standard_normal", Kind.GENERATE, _normal, expand=_expand_normal64, cost=110),
    FLOAT32: Op("standard_normal", Kind.GENERATE, _normal, expand=_expand_normal32, cost=110),
}
"""Standard normal numbers by Box and Muller: two of two words; two of the halves of a word."""

MULTIPLY_HIGH = elementwise(
    "multiply_high",
    expand=_expand_multiply_high,
    evaluate=_multiply_high,
    rule=_words_rule,
    cost=12,
    commutative=True,
)
"""The upper half of the product of two uint64."""
