"""A sequence-to-sequence model with attention, which learns to sort and to reverse digits.

The encoder reads in both directions, the decoder asks it by attention: Bahdanau, Cho, Bengio:
Neural machine translation by jointly learning to align and translate, 2015, with the query taken
after the decoder's step as in Luong, Pham, Manning: Effective approaches to attention, 2015.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

import lazyarr as la
from lazyarr import nn

Array = np.ndarray[Any, Any]
Random = np.random.Generator

#: Digits are themselves; then the start, the end, what fills up, and the two things to do.
START, END, FILL, SORT, REVERSE = range(10, 15)
WORDS = 15
FEATURES = 64
#: Lengths are filled up to the next of these, so that there are two compiled steps.
BUCKETS = (3, 6)
DEFAULTS = {
    "batch": 128,
    "rate": 0.004,
    "epochs": 5,
    "optimizer": "adam",
    "schedule": "cosine",
    "warmup": 50,
    "clip": 1.0,
}
STEPS = 150
TESTED = 500


def _dense(random: Random, inputs: int, outputs: int) -> Array:
    return (random.standard_normal((inputs, outputs)) / inputs**0.5).astype(np.float32)


def _cell(random: Random, inputs: int, features: int) -> dict[str, Array]:
    return {
        "x": _dense(random, inputs, 3 * features),
        "h": _dense(random, features, 3 * features),
        "bx": np.zeros(3 * features, np.float32),
        "bh": np.zeros(3 * features, np.float32),
    }


def init(random: Random) -> dict[str, Any]:
    """Return the parameters."""
    return {
        "words": _dense(random, WORDS, FEATURES) * np.float32(WORDS**0.5),
        "forward": _cell(random, FEATURES, FEATURES),
        "backward": _cell(random, FEATURES, FEATURES),
        "start": _dense(random, 2 * FEATURES, FEATURES),
        "keys": _dense(random, 2 * FEATURES, FEATURES),
        "decoder": _cell(random, FEATURES, FEATURES),
        "mix": _dense(random, 3 * FEATURES, FEATURES),
        "out": _dense(random, FEATURES, WORDS),
    }


def _step(p: Any, x: Any, h: Any) -> Any:
    return nn.gru_cell(x, h, p["x"], p["h"], p["bx"], p["bh"])


def encode(p: Any, source: Any) -> tuple[Any, Any]:
    """Return the encoder's memory, (batch, length, 2 * features), and the first decoder state."""
    read = nn.embedding(source, p["words"])
    length = source.shape[1]
    ends, rows = [], []
    for direction, order in (("forward", range(length)), ("backward", range(length)[::-1])):
        h: Any = la.zeros_like(read[:, 0])
        states = [h] * length
        for t in order:
            # What fills up leaves the state as it is.
            h = la.where((source[:, t] != FILL)[:, None], _step(p[direction], read[:, t], h), h)
            states[t] = h
        ends.append(h)
        rows.append(la.stack(states, axis=1))
    memory = la.concatenate(rows, axis=-1)
    return memory, la.tanh(nn.linear(la.concatenate(ends, axis=-1), p["start"]))


def _scores(p: Any, states: Any, memory: Any, seen: Any) -> Any:
    """Return logits of the next words for states of the decoder, (batch, steps, features)."""
    result = nn.attention(states, nn.linear(memory, p["keys"]), memory, mask=seen)
    mixed = la.tanh(nn.linear(la.concatenate([states, result], axis=-1), p["mix"]))
    return nn.linear(mixed, p["out"])


def loss(p: Any, statistics: Any, source: Any, target: Any) -> tuple[Any, Any]:
    """Return the cross-entropy of each next word of the targets.

    Several devices divide by the words that each has on average, so that the mean of their losses
    is the mean over all words.
    """
    memory, h = encode(p, source)
    operand = nn.embedding(target[:, :-1], p["words"])
    states = []
    for t in range(operand.shape[1]):
        h = _step(p["decoder"], operand[:, t], h)
        states.append(h)
    logits = _scores(p, la.stack(states, axis=1), memory, (source != FILL)[:, None, :])
    expected = target[:, 1:]
    counted = expected != FILL
    total = nn.cross_entropy(logits, expected, where=counted, reduction="sum")
    return total / la.parallel.mean(counted.sum(dtype=logits.dtype)), statistics


@la.jit
def _begin(p: Any, source: Any) -> tuple[Any, Any]:
    return encode(p, source)


@la.jit
def _next(p: Any, word: Any, h: Any, memory: Any, source: Any) -> tuple[Any, Any]:
    h = _step(p["decoder"], nn.embedding(word, p["words"]), h)
    logits = _scores(p, h[:, None], memory, (source != FILL)[:, None, :])
    return nn.log_softmax(logits[:, 0]), h


def beam_search(p: Any, source: Array, width: int = 4) -> Array:
    """Return the most likely words for each source, of shape (batch, longest), by beam search.

    Parameters
    ----------
    p : dict
        Parameters.
    source : ndarray
        Of shape (batch, length).
    width : int
        How many beginnings of each result are kept.
    """
    count, length = source.shape
    memory, h = _begin(p, source)
    # Beams are rows: `width` neighbours belong to one source.
    memory, h, source = (np.repeat(x, width, axis=0) for x in (memory, h, source))
    words = np.full((count * width, 1), START)
    total = np.where(np.arange(width) == 0, 0.0, -np.inf) + np.zeros((count, 1))
    done = np.zeros((count, width), bool)
    for _ in range(length):
        scores, h = _next(p, words[:, -1].copy(), h, memory, source)
        scores = scores.reshape(count, width, WORDS).astype(float)
        # What is done is followed by nothing, at no cost.
        scores[done] = -np.inf
        scores[..., FILL] = np.where(done, 0.0, -np.inf)
        joint = (total[..., None] + scores).reshape(count, -1)
        best = np.argsort(-joint, axis=1, kind="stable")[:, :width]
        total = np.take_along_axis(joint, best, 1)
        rows = (np.arange(count)[:, None] * width + best // WORDS).ravel()
        chosen = best % WORDS
        words = np.concatenate([words[rows], chosen.reshape(-1, 1)], axis=1)
        h = h[rows]
        done = done.reshape(-1)[rows].reshape(count, width) | (chosen == END)
        if done.all():
            break
    return words.reshape(count, width, -1)[:, 0, 1:]


def problems(random: Random, count: int, bucket: int) -> tuple[Array, Array]:
    """Return things to do, (count, bucket + 1), and their results with start and end."""
    shortest = max([0, *[size for size in BUCKETS if size < bucket]]) + 1
    lengths = random.integers(shortest, bucket + 1, size=count)
    digits = random.integers(10, size=(count, bucket))
    sort = random.random(count) < 0.5
    places = np.arange(bucket)
    inside = places < lengths[:, None]
    source = np.where(inside, digits, FILL)
    ordered = np.sort(source, axis=1)  # digits are below what fills up
    turned = np.take_along_axis(digits, np.abs(lengths[:, None] - 1 - places) % bucket, 1)
    result = np.where(sort[:, None], ordered, np.where(inside, turned, FILL))
    result = np.concatenate([np.full((count, 1), START), result, np.full((count, 1), FILL)], 1)
    result[np.arange(count), lengths + 1] = END
    what = np.where(sort, SORT, REVERSE)[:, None]
    return np.concatenate([what, source], axis=1), result


def batches(size: int, seed: tuple[int, int]) -> Iterator[tuple[Array, Array]]:
    """Yield the batches of an epoch, each of one bucket."""
    random = np.random.default_rng(seed)
    for number in range(STEPS):
        yield problems(random, size, BUCKETS[-1 if number % 4 else 0])


def share_right(p: Any) -> float:
    """Return the share of unseen problems whose results are right to the last word."""
    random = np.random.default_rng(2**31)
    right = 0
    for bucket in BUCKETS:
        source, target = problems(random, TESTED, bucket)
        result = beam_search(p, source)
        expected = target[:, 1:]
        padded = np.full_like(expected, FILL)
        padded[:, : result.shape[1]] = result[:, : expected.shape[1]]
        right += int((padded == expected).all(axis=1).sum())
    return right / (TESTED * len(BUCKETS))
