"""The tasks: images with labels, or sequences with their results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

import lazyarr as la
from lazyarr import nn
from training import sequences
from training.batches import batches
from training.datasets import Dataset
from training.models import MODELS, Model

TEST_BATCH = 1000
Random = np.random.Generator


@dataclass(frozen=True)
class Task:
    """A thing to learn.

    Attributes
    ----------
    init : callable
        ``init(random)`` returns parameters and running statistics.
    loss : callable
        ``loss(parameters, statistics, *batch)`` returns the loss and the next statistics.
    feed : callable
        ``feed(epoch)`` yields the batches of an epoch.
    steps, size : int
        Batches in an epoch, and what a batch holds of them.
    score : callable
        ``score(parameters, statistics)`` returns the share that is right of what is not learnt
        from.
    identity : dict
        The name of the data.
    """

    init: Callable[[Random], tuple[Any, Any]]
    loss: Callable[..., tuple[Any, Any]]
    feed: Callable[[int], Iterator[tuple[Any, ...]]]
    steps: int
    size: int
    score: Callable[[Any, Any], float]
    identity: dict[str, Any]


def classification(name: str, data: Dataset, batch: int, seed: int) -> Task:
    """Return the task of a classifier of images."""
    model = MODELS[name]
    images, labels = data.train
    size = min(batch, len(labels))

    def loss(parameters: Any, statistics: Any, x: Any, y: Any) -> tuple[Any, Any]:
        logits, after = model.apply(parameters, statistics, x, True)
        return nn.cross_entropy(logits, y), after

    return Task(
        init=lambda random: model.init(random, data.shape, data.classes),
        loss=loss,
        feed=lambda epoch: batches(images, labels, batch, data.scale, (seed, epoch)),
        steps=len(labels) // size,
        size=size,
        score=_scorer(model, data),
        identity={"data": data.name, "images": len(labels)},
    )


def _scorer(model: Model, data: Dataset) -> Callable[[Any, Any], float]:
    @la.jit
    def right(parameters: Any, statistics: Any, images: Any, labels: Any) -> Any:
        logits, _ = model.apply(parameters, statistics, images, False)
        return (logits.argmax(axis=-1) == labels).sum()

    def score(parameters: Any, statistics: Any) -> float:
        count = sum(
            int(right(parameters, statistics, x, y))
            for x, y in batches(*data.test, TEST_BATCH, data.scale, None)
        )
        return count / len(data.test[1])

    return score


def rearrangement(batch: int, seed: int) -> Task:
    """Return the task of sorting and reversing digits."""
    return Task(
        init=lambda random: (sequences.init(random), {}),
        loss=sequences.loss,
        feed=lambda epoch: sequences.batches(batch, (seed, epoch)),
        steps=sequences.STEPS,
        size=batch,
        score=lambda parameters, statistics: sequences.share_right(parameters),
        identity={"data": "sequences"},
    )
