"""The sequence-to-sequence model: its problems, its search, what it learns."""

import io
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from training import loop, sequences
from training.errors import TrainingError
from training.sequences import BUCKETS, END, FILL, REVERSE, SORT, START, WORDS


@pytest.mark.parametrize("bucket", BUCKETS)
def test_problems(bucket: int) -> None:
    source, target = sequences.problems(np.random.default_rng(0), 200, bucket)
    seen = set()
    for operand, result in zip(source.tolist(), target.tolist(), strict=True):
        what, *digits = operand
        digits = [word for word in digits if word != FILL]
        seen.add((what, len(digits)))
        assert what in (SORT, REVERSE)
        assert operand[1:] == digits + [FILL] * (bucket - len(digits))
        expected = sorted(digits) if what == SORT else digits[::-1]
        assert result == [START, *expected, END] + [FILL] * (bucket - len(digits))
    shortest = 1 if bucket == BUCKETS[0] else BUCKETS[0] + 1
    assert {length for _, length in seen} == set(range(shortest, bucket + 1))


def test_what_fills_up_changes_nothing() -> None:
    p = sequences.init(np.random.default_rng(0))
    source, target = sequences.problems(np.random.default_rng(1), 8, 3)
    more = np.full((8, 2), FILL)
    wide = np.concatenate([source, more], 1), np.concatenate([target, more], 1)
    loss, _ = sequences.loss(p, {}, source, target)
    other, _ = sequences.loss(p, {}, *wide)
    np.testing.assert_allclose(other.compute(), loss.compute(), 1e-6)


def test_the_search_finds_what_is_likelier_than_the_greedy_choice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of two first words, the likelier one is followed by many unlikely ones."""
    chances = {START: {0: 0.6, 1: 0.4}, 0: dict.fromkeys(range(2, 7), 0.2), 1: {END: 1.0}}
    chances |= {k: {END: 1.0} for k in range(2, 7)}

    def following(p: Any, word: Any, h: Any, memory: Any, source: Any) -> tuple[Any, Any]:
        scores = np.full((len(word), WORDS), -1e9)
        for row, last in enumerate(word):
            for k, chance in chances.get(int(last), {}).items():
                scores[row, k] = np.log(chance)
        return scores, h

    monkeypatch.setattr(sequences, "_next", following)
    p = sequences.init(np.random.default_rng(0))
    source, _ = sequences.problems(np.random.default_rng(1), 2, 3)
    assert sequences.beam_search(p, source, width=1)[:, 0].tolist() == [0, 0]
    result = sequences.beam_search(p, source, width=2)
    assert result[:, :2].tolist() == [[1, END]] * 2
    assert (result[:, 2:] == FILL).all()


def test_it_takes_no_images() -> None:
    with pytest.raises(TrainingError, match="leave out --data"):
        loop.prepare({"model": "seq2seq", "data": "folder"})


def _losses_of_one_and_two(monkeypatch: pytest.MonkeyPatch, **options: Any) -> list[float]:
    """Return the losses of an epoch by one device, and by two together."""
    monkeypatch.setattr(sequences, "TESTED", 4)
    losses = []
    for devices in (1, 2):
        settings, data = loop.prepare({"model": "seq2seq", "devices": devices, **options})
        losses += loop.train(settings, data, console=Console(file=io.StringIO())).losses
    return losses


@pytest.mark.cuda
def test_two_gpus_have_the_losses_of_one(
    two_gpus: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequences, "STEPS", 60)
    one, two = _losses_of_one_and_two(monkeypatch, device="cuda", epochs=1)
    np.testing.assert_allclose(two, one, rtol=1e-5)


def test_workers_together_have_the_losses_of_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parts of a batch have different numbers of words, and each word counts the same."""
    monkeypatch.setattr(sequences, "STEPS", 6)
    one, two = _losses_of_one_and_two(monkeypatch, batch=12, epochs=1, threads=1)
    np.testing.assert_allclose(two, one, rtol=1e-6)
    random = np.random.default_rng(0)
    _, target = sequences.problems(random, 12, 6)
    words = (target[:, 1:] != FILL).sum(axis=1)
    assert words[:6].sum() != words[6:].sum()


@pytest.mark.slow
def test_sorting_and_reversing_are_learnt() -> None:
    settings, data = loop.prepare({"model": "seq2seq", "threads": 1})
    run = loop.train(settings, data, console=Console(file=io.StringIO()))
    assert run.accuracies[-1] >= 0.99
