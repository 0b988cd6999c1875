"""The loop: epochs of mini-batches, each a compiled step of gradients and updates."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

import lazyarr as la
from lazyarr import optim
from training import checkpoint, sequences
from training.batches import ahead
from training.datasets import Dataset, load
from training.errors import CheckpointError, TrainingError
from training.models import MODELS
from training.tasks import Task, classification, rearrangement

NAMES = [*MODELS, "seq2seq"]
#: What a checkpoint notes of each epoch.
_HISTORY = ("losses", "accuracies", "speeds")
_SCHEDULES = ("constant", "cosine", "steps")


@dataclass(frozen=True)
class Settings:
    """The settings of a run."""

    model: str
    epochs: int
    batch: int
    rate: float
    optimizer: str = "sgd"
    momentum: float = 0.0
    decay: float = 0.0
    schedule: str = "constant"
    warmup: int = 0
    clip: float = 0.0
    seed: int = 0
    device: str = "cpu"
    threads: int = 0
    devices: int = 1

    def identity(self, task: Task) -> dict[str, Any]:
        """Return the settings that have to be equal for a run to be resumed."""
        known = {name: getattr(self, name) for name in self.__dataclass_fields__}
        if self.schedule == "constant":
            known["epochs"] = None  # the rate does not depend on when the run ends
        if self.devices == 1:
            known["devices"] = None  # else sums of gradients are added in another order
        return {**known, "device": None, "threads": None, **task.identity}


@dataclass
class Run:
    """A run so far.

    Attributes
    ----------
    parameters : optim.Packed
        Of the model.
    statistics, state : container of ndarray
        Running statistics of the model, and the state of the optimiser.
    losses, accuracies, speeds : list of float
        Of each epoch: mean training loss, share of the test set that is right, images a second.
    """

    parameters: Any
    statistics: Any
    state: Any
    losses: list[float] = field(default_factory=list)
    accuracies: list[float] = field(default_factory=list)
    speeds: list[float] = field(default_factory=list)


def optimizer_of(settings: Settings, steps: int) -> optim.Optimizer:
    """Return the optimiser of a run of `steps` updates.

    Raises
    ------
    TrainingError
        If one of its numbers makes no sense.
    """
    try:
        return _optimizer_of(settings, steps)
    except la.errors.ArgumentError as error:
        raise TrainingError(f"--optimizer {settings.optimizer}: {error.message}") from error


def _optimizer_of(settings: Settings, steps: int) -> optim.Optimizer:
    rate: Any = settings.rate
    if settings.schedule == "cosine":
        rate = optim.cosine(settings.rate, max(steps - settings.warmup, 1))
    elif settings.schedule == "steps":
        bounds = sorted({max(steps // 2, 1), max(3 * steps // 4, 2)})
        rates = [settings.rate * 0.1**k for k in range(len(bounds) + 1)]
        rate = optim.piecewise(rates, bounds)
    if settings.warmup:
        rate = optim.warmup(settings.warmup, rate)
    if settings.optimizer == "sgd":
        momentum = {"momentum": settings.momentum, "nesterov": settings.momentum > 0}
        return optim.sgd(rate, weight_decay=settings.decay, **momentum)
    if settings.optimizer == "rmsprop":
        return optim.rmsprop(rate, momentum=settings.momentum)
    return {"adam": optim.adam, "adamw": optim.adamw}[settings.optimizer](
        rate, weight_decay=settings.decay
    )


def step_of(
    task: Task,
    optimizer: optim.Optimizer,
    clip: float,
    devices: int = 1,
    device: str = "cpu",
) -> Any:
    """Return the compiled step: from parameters, statistics, state and a batch to the next ones.

    Parameters
    ----------
    task : Task
        What is learnt.
    optimizer : optim.Optimizer
        What updates.
    clip : float
        Largest norm of the gradients; 0 for any.
    devices : int
        How many take the step together, each with an equal part of the batch.
    device : str
        Of which kind: "cpu" or "cuda".
    """

    def step(parameters: Any, statistics: Any, state: Any, *batch: Any) -> Any:
        (loss, after), gradients = la.value_and_grad(task.loss, has_aux=True)(
            parameters.unpack(), statistics, *batch
        )
        if devices > 1:
            loss, after, gradients = la.parallel.mean((loss, after, gradients))
        if clip:
            gradients = optim.clip_by_norm(gradients, clip)
        following, later = optimizer.update(gradients, state, parameters)
        return loss, following, after, later

    if devices > 1 and device == "cpu":
        return la.parallel.data_parallel(step, devices=devices, batch=(3, 4))
    # The next parameters lie where the last ones did; one kernel updates all of a dtype.
    compiled = la.jit(step, donate=("parameters", "state"))
    if devices > 1:
        gpus = [f"cuda:{k}" for k in range(devices)]
        return la.parallel.data_parallel(compiled, devices=gpus, batch=(3, 4))
    # On a GPU what a step returns stays there for the next one.
    return compiled.persist if device == "cuda" else compiled


def task_of(settings: Settings, data: Dataset | None) -> Task:
    """Return the task of a run: its model and data."""
    if data is None:
        return rearrangement(settings.batch, settings.seed)
    return classification(settings.model, data, settings.batch, settings.seed)


def begin(settings: Settings, task: Task) -> Run:
    """Return a run before its first step."""
    parameters, statistics = task.init(np.random.default_rng(settings.seed))
    packed = optim.pack(parameters)
    state = optimizer_of(settings, task.steps * settings.epochs).init(packed)
    return Run(packed, statistics, state)


def resume(path: Path, settings: Settings, task: Task, fresh: Run) -> Run:
    """Return a run as a checkpoint has it."""
    tree = {"p": fresh.parameters, "s": fresh.statistics, "o": fresh.state}
    notes = checkpoint.notes_of(path)
    known, expected = notes.get("run"), settings.identity(task)
    if not isinstance(known, dict) or not all(name in notes for name in _HISTORY):
        raise CheckpointError(f"{path}: not of a run of training")
    differing = sorted(name for name in expected if known.get(name) != expected[name])
    if differing:
        name = differing[0]
        raise CheckpointError(
            f"{path}: of another run: {name} was {known.get(name)!r} and is {expected[name]!r}"
        )
    arrays, _ = checkpoint.load(path, tree)
    return Run(
        arrays["p"],
        arrays["s"],
        arrays["o"],
        *[notes[name] for name in _HISTORY],
    )


def save(path: Path, run: Run, settings: Settings, task: Task) -> None:
    """Write a run to a checkpoint."""
    tree = {"p": run.parameters, "s": run.statistics, "o": run.state}
    notes = {
        "run": settings.identity(task),
        "losses": run.losses,
        "accuracies": run.accuracies,
        "speeds": run.speeds,
    }
    checkpoint.save(path, tree, notes)


def train(
    settings: Settings,
    data: Dataset | None,
    path: Path | None = None,
    again: Path | None = None,
    stop_after: int | None = None,
    console: Console | None = None,
) -> Run:
    """Train a model.

    Parameters
    ----------
    settings : Settings
        Of the run.
    data : Dataset, optional
        Images to learn and to test with; None for sequences, which are made.
    path : Path, optional
        Checkpoint, written after each epoch.
    again : Path, optional
        Checkpoint to go on from: the bits are those of a run that was not interrupted.
    stop_after : int, optional
        Epochs until the run is interrupted.
    console : rich.console.Console, optional
        Where progress is shown.

    Returns
    -------
    Run
        At its end.

    Raises
    ------
    TrainingError
        If a loss is not finite, or a checkpoint cannot be written or read.
    """
    task = task_of(settings, data)
    run = begin(settings, task)
    if again is not None:
        run = resume(again, settings, task, run)
    optimizer = optimizer_of(settings, task.steps * settings.epochs)
    step = step_of(task, optimizer, settings.clip, settings.devices, settings.device)
    console = console or Console()
    unit = "sequences" if data is None else "images"
    columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[note]}")
    options = {"threads": settings.threads} if settings.threads else {}
    with (
        la.config(device=settings.device, **options),
        Progress(*columns, console=console) as progress,
    ):
        bar = progress.add_task(settings.model, total=settings.epochs, note="")
        last = settings.epochs if stop_after is None else min(stop_after, settings.epochs)
        for epoch in range(len(run.losses), last):
            begun = time.perf_counter()
            total = _epoch(run, step, task, epoch)
            seconds = time.perf_counter() - begun
            run.parameters = _on_host(run.parameters)
            run.statistics, run.state = _on_host(run.statistics), _on_host(run.state)
            run.losses.append(total / task.steps)
            run.accuracies.append(task.score(run.parameters.unpack(), run.statistics))
            run.speeds.append(task.steps * task.size / seconds)
            note = (
                f"epoch {epoch + 1:3d}  loss {run.losses[-1]:.4f}  "
                f"accuracy {run.accuracies[-1]:.2%}  {run.speeds[-1]:,.0f} {unit}/s"
            )
            progress.update(bar, completed=epoch + 1, note=note)
            if path is not None:
                save(path, run, settings, task)
    return run


def _on_host(tree: Any) -> Any:
    """Return a tree with its arrays in the host's memory."""
    if not any(isinstance(array, la.LazyArray) for array in _arrays(tree)):
        return tree
    return checkpoint.filled(tree, checkpoint.flat(tree))


def _arrays(tree: Any) -> Iterator[Any]:
    """Yield the arrays of a tree."""
    if isinstance(tree, optim.Packed):
        yield from tree.buffers
    elif isinstance(tree, dict):
        for value in tree.values():
            yield from _arrays(value)
    elif isinstance(tree, (list, tuple)):
        for value in tree:
            yield from _arrays(value)
    else:
        yield tree


def _epoch(run: Run, step: Callable[..., Any], task: Task, epoch: int) -> float:
    """Take the steps of an epoch; return the sum of the losses."""
    total = 0.0
    # Several GPUs get the parts of the next batch while they take a step.
    divide = getattr(step, "divide", None)
    feed = ahead(
        lambda: (batch if divide is None else divide(*batch) for batch in task.feed(epoch))
    )
    last: Any = None
    try:
        for number, batch in enumerate(feed, 1):
            loss, run.parameters, run.statistics, run.state = step(
                run.parameters, run.statistics, run.state, *batch
            )
            # A GPU takes this step while the loss of the last one is looked at.
            if last is not None:
                total += _checked(last, number - 1, epoch)
            last = loss
        if last is not None:
            total += _checked(last, number, epoch)
    finally:
        feed.close()
    return total


def _checked(loss: Any, number: int, epoch: int) -> float:
    """Return the loss of a step as a number, which has to be finite."""
    value = float(loss)
    if not np.isfinite(value):
        raise TrainingError(
            f"the loss is {value} in step {number} of epoch {epoch + 1}; the last checkpoint is "
            f"that of epoch {epoch}\n  hint: a smaller --rate, --clip 1, or --warmup 100"
        )
    return value


def prepare(arguments: dict[str, Any]) -> tuple[Settings, Dataset | None]:
    """Return settings and data of a run: what is given, else what suits the model and the data."""
    data = None
    defaults = dict(sequences.DEFAULTS)
    if arguments["model"] == "seq2seq":
        if arguments.get("data") is not None:
            raise TrainingError("seq2seq makes its own sequences: leave out --data")
    else:
        data = load(arguments.get("data"))
        defaults = dict(MODELS[arguments["model"]].defaults)
        large = defaults.pop("large")
        if data.shape[1] >= 24:
            defaults |= large
    fields = Settings.__dataclass_fields__
    chosen = {
        name: value for name, value in arguments.items() if name in fields and value is not None
    }
    settings = Settings(**{**defaults, **chosen})
    choices = {"optimizer": ("sgd", "adam", "adamw", "rmsprop"), "schedule": _SCHEDULES}
    for name, known in choices.items():
        if getattr(settings, name) not in known:
            raise TrainingError(f"--{name} is one of {', '.join(known)}")
    for name in ("batch", "epochs", "devices"):
        if getattr(settings, name) < 1:
            raise TrainingError(f"--{name} must be at least 1")
    for name in ("rate", "warmup", "decay", "clip", "threads", "seed"):
        if not getattr(settings, name) >= 0:  # NaN is neither
            raise TrainingError(f"--{name} must not be negative, got {getattr(settings, name)}")
    if settings.devices > 1:
        _check_devices(settings, data)
    for name in ("save", "curve"):
        _check_folder(name, arguments.get(name))
    return settings, data


def _check_folder(name: str, path: Path | None) -> None:
    """Raise TrainingError, before hours of training, if a file cannot be written afterwards."""
    if path is not None and not path.parent.is_dir():
        raise TrainingError(f"--{name} {path}: there is no folder {path.parent}")
    if path is not None and path.is_dir():
        raise TrainingError(f"--{name} {path}: a folder, where a file is to be written")


def _check_devices(settings: Settings, data: Dataset | None) -> None:
    """Raise TrainingError if several devices cannot take the steps of a run together."""
    size = settings.batch if data is None else min(settings.batch, len(data.train[1]))
    if size % settings.devices:
        raise TrainingError(
            f"--devices: a batch of {size} has no {settings.devices} equal parts; choose --batch"
        )
