"""Models learn the bundled digits; interrupted runs go on with the same bits; bad runs say why."""

import dataclasses
import io
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from training import checkpoint, datasets, loop
from training.curve import draw
from training.errors import CheckpointError, TrainingError

from lazyarr.compiler.plan_cache import forget_plans
from lazyarr.runtime.cuda import driver
from tests.support.cuda_emulator import EmulatedDevice

EXAMPLES = Path(loop.__file__).parents[1]
DATA = datasets.digits()
FEW = dataclasses.replace(
    DATA,
    train=(DATA.train[0][:200], DATA.train[1][:200]),
    test=(DATA.test[0][:50], DATA.test[1][:50]),
)


def settings_of(model: str, **arguments: Any) -> loop.Settings:
    return loop.prepare({"model": model, "threads": 1, **arguments})[0]


def trained(settings: loop.Settings, data: datasets.Dataset = FEW, **options: Any) -> loop.Run:
    return loop.train(settings, data, console=Console(file=io.StringIO()), **options)


@pytest.mark.parametrize(("model", "accuracy"), [("logreg", 0.92), ("mlp", 0.96), ("cnn", 0.98)])
def test_the_digits_are_learnt(model: str, accuracy: float) -> None:
    run = trained(settings_of(model), DATA)
    assert run.accuracies[-1] >= accuracy
    assert run.losses[-1] < run.losses[0]


@pytest.mark.slow
def test_resnet_learns_the_digits() -> None:
    run = trained(settings_of("resnet", epochs=6), DATA)
    assert run.accuracies[-1] >= 0.98


@pytest.mark.parametrize(
    "model", ["logreg", "mlp", "cnn", pytest.param("resnet", marks=pytest.mark.slow)]
)
def test_an_interrupted_run_goes_on_with_the_same_bits(model: str, tmp_path: Path) -> None:
    settings = settings_of(model, epochs=3, batch=100, momentum=0.5, schedule="cosine")
    whole, part = tmp_path / "whole.npz", tmp_path / "part.npz"
    run = trained(settings, path=whole)
    trained(settings, path=part, stop_after=1)
    again = trained(settings, path=part, again=part)
    assert again.losses == run.losses
    assert again.accuracies == run.accuracies
    for tree in ("parameters", "statistics", "state"):
        one, other = (checkpoint.flat(getattr(x, tree)) for x in (run, again))
        assert one.keys() == other.keys()
        assert all(one[name].tobytes() == other[name].tobytes() for name in one)


def test_a_run_goes_on_for_more_epochs(tmp_path: Path) -> None:
    """Unless the rate depends on their number: then it would be another run."""
    path = tmp_path / "run.npz"
    whole = trained(settings_of("logreg", epochs=3))
    trained(settings_of("logreg", epochs=2), path=path)
    again = trained(settings_of("logreg", epochs=3), again=path)
    assert again.losses == whole.losses
    trained(settings_of("logreg", epochs=2, schedule="cosine"), path=path)
    with pytest.raises(CheckpointError, match="epochs was 2 and is 3"):
        trained(settings_of("logreg", epochs=3, schedule="cosine"), again=path)


@pytest.mark.parametrize("model", ["logreg", "mlp", "cnn"])
def test_workers_together_have_the_losses_of_one(model: str, tmp_path: Path) -> None:
    arguments: dict[str, Any] = {"epochs": 3, "batch": 40, "momentum": 0.5, "clip": 1.0}
    alone = trained(settings_of(model, **arguments))
    settings = settings_of(model, devices=2, **arguments)
    path = tmp_path / "run.npz"
    together = trained(settings)
    np.testing.assert_allclose(together.losses, alone.losses, rtol=1e-5)
    assert together.accuracies == pytest.approx(alone.accuracies, abs=0.021)  # one image of 50
    trained(settings, path=path, stop_after=1)
    again = trained(settings, path=path, again=path)
    assert again.losses == together.losses
    with pytest.raises(CheckpointError, match="devices was 2 and is None"):
        trained(settings_of(model, **arguments), again=path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": "logreg", "devices": 3, "batch": 100}, "no 3 equal parts"),
        ({"model": "logreg", "devices": 0}, "at least 1"),
        ({"model": "logreg", "devices": 3, "batch": 100, "device": "cuda"}, "no 3 equal parts"),
        ({"model": "seq2seq", "devices": 3, "batch": 128}, "no 3 equal parts"),
    ],
)
def test_workers_that_cannot_share_a_batch_are_refused(
    arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(TrainingError, match=message):
        loop.prepare(arguments)


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")
@pytest.mark.parametrize("model", ["logreg", "mlp"])
def test_a_gpu_has_the_losses_of_the_processor(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Parameters stay on the (emulated) GPU while an epoch lasts: losses and batches are copied."""
    settings = settings_of(model, epochs=2, batch=10, momentum=0.5)
    expected = trained(settings)
    device = EmulatedDevice()
    monkeypatch.setattr(driver, "_devices", [device])
    forget_plans()
    path = tmp_path / "run.npz"
    run = trained(dataclasses.replace(settings, device="cuda"), path=path)
    forget_plans()
    np.testing.assert_allclose(run.losses, expected.losses, rtol=1e-4)
    assert run.accuracies == pytest.approx(expected.accuracies, abs=0.05)
    assert device.replays > 20  # of 40 steps
    saved = checkpoint.flat(
        checkpoint.load(path, {"p": run.parameters, "s": {}, "o": run.state})[0]
    )
    assert saved.keys() == checkpoint.flat({"p": run.parameters, "o": run.state}).keys()


def test_no_step_but_the_first_makes_a_plan() -> None:
    settings = settings_of("mlp", epochs=1)
    task = loop.task_of(settings, FEW)
    run = loop.begin(settings, task)
    step = loop.step_of(task, loop.optimizer_of(settings, 10), 1.0)
    x = FEW.train[0][:50] * np.float32(1 / 16)
    y = FEW.train[1][:50].astype(np.int64)
    state = run.parameters, run.statistics, run.state
    for _ in range(5):
        loss, *state = step(*state, x, y)
        assert np.isfinite(loss)
    info = step.cache_info()
    assert (info.traced, info.planned) == (1, 1)


@pytest.mark.parametrize(
    "arguments",
    [
        {"optimizer": "adam", "rate": 0.01},
        {"optimizer": "adamw", "rate": 0.01, "decay": 0.1},
        {"optimizer": "rmsprop", "rate": 0.003, "momentum": 0.5},
        {"momentum": 0.9, "decay": 1e-3, "schedule": "steps", "clip": 1.0},
        {"schedule": "cosine", "warmup": 5},
    ],
)
def test_optimisers_and_schedules(arguments: dict[str, Any]) -> None:
    run = trained(settings_of("logreg", epochs=6, **arguments))
    assert run.losses[-1] < 0.7 * run.losses[0]


def test_a_loss_that_is_not_finite_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    settings = settings_of("mlp", epochs=3, rate=1e30)
    with np.errstate(all="ignore"), pytest.raises(TrainingError, match=r"the loss is (nan|inf)"):
        trained(settings, path=path)
    assert not path.exists()


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    settings = settings_of("logreg", epochs=2)
    trained(settings, path=path, stop_after=1)
    before = path.read_bytes()
    for other, match in (
        (settings_of("mlp", epochs=2), "batch|model|rate"),
        (settings_of("logreg", epochs=2, seed=1), "seed was 0 and is 1"),
    ):
        with pytest.raises(CheckpointError, match=match):
            trained(other, path=path, again=path)
    assert path.read_bytes() == before


def test_the_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    path = draw(tmp_path / "curve.png", [2.0, 1.0, 0.5], [0.5, 0.8, 0.9], "mlp")
    text = path.read_text(encoding="utf-8")
    assert path.suffix == ".svg"
    assert text.count("<polyline") == 2
    assert text.startswith("<svg")


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(EXAMPLES / "train.py"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.mark.parametrize("notes", [{}, {"run": None}, {"run": {}, "losses": [], "speeds": []}])
def test_a_checkpoint_of_no_run(tmp_path: Path, notes: dict[str, Any]) -> None:
    path = tmp_path / "other.npz"
    checkpoint.save(path, {"w": np.zeros(2)}, notes)
    done = script("--resume", str(path))
    assert done.returncode == 1
    assert "not of a run of training" in " ".join(done.stderr.split())


def test_the_script(tmp_path: Path) -> None:
    saved, curve = tmp_path / "run.npz", tmp_path / "curve.svg"
    done = script("-e", "2", "--threads", "1", "--save", str(saved), "--curve", str(curve))
    assert done.returncode == 0, done.stderr
    assert "of the test set correct" in done.stdout
    assert saved.exists()
    assert list(tmp_path.glob("curve.*"))


def test_the_script_says_what_is_wrong(tmp_path: Path) -> None:
    for arguments, text in (
        (("--data", str(tmp_path)), "holds neither"),
        (("--resume", str(tmp_path / "x.npz")), "no such file"),
        (("--optimizer", "newton"), "one of sgd, adam"),
        (("-e", "0"), "at least 1"),
        (("--rate", "-1", "--schedule", "cosine"), "--rate must not be negative"),
        (("--momentum", "2"), "momentum must lie in [0, 1)"),
        (("-e", "1", "--curve", str(tmp_path / "none" / "x.svg")), "there is no folder"),
        (("-e", "1", "--save", str(tmp_path / "none" / "x.npz")), "there is no folder"),
        (("-e", "1", "--save", str(tmp_path)), "a folder, where a file is to be written"),
        (("-e", "1", "--curve", str(tmp_path / "x.none")), "curve cannot be written"),
        (("--seed", "-1"), "--seed must not be negative"),
        (("-e", "1", "--threads", "100000"), "threads must be at most"),
    ):
        done = script(*arguments)
        assert done.returncode == 1
        assert done.stderr.startswith("error: ")
        assert text in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr


#: Runs a script that heeds Ctrl-C, which processes of a shell's background do not.
_HEEDS_CTRL_C = """
import runpy, signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = sys.argv[1:]
sys.path.insert(0, str(Path(sys.argv[0]).parent))
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def test_the_script_is_interrupted(tmp_path: Path) -> None:
    """Ctrl-C at any time leaves the last whole epoch, with which a run goes on."""
    path = tmp_path / "run.npz"
    options = ["-m", "logreg", "--threads", "1", "--save", str(path)]
    command = [sys.executable, "-c", _HEEDS_CTRL_C, str(EXAMPLES / "train.py"), *options]
    with subprocess.Popen(
        [*command, "-e", "100000"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        try:
            while not path.exists() and process.poll() is None:
                time.sleep(0.05)
            process.send_signal(signal.SIGINT)
            _, text = process.communicate(timeout=100)
        finally:
            process.kill()
    assert process.returncode == 130
    message = " ".join(text.decode().split())
    assert message.startswith("interrupted; --resume") and "Traceback" not in message
    assert list(tmp_path.iterdir()) == [path]
    epochs = len(checkpoint.notes_of(path)["losses"]) + 1
    done = script(*options, "--resume", str(path), "-e", str(epochs))
    assert done.returncode == 0, done.stderr
    whole = trained(settings_of("logreg", epochs=epochs), DATA)
    assert checkpoint.notes_of(path)["losses"] == whole.losses
