"""Measuring a machine, with the GPU emulated: what is measured decides afterwards."""

from __future__ import annotations

import re
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from lazyarr import __main__ as command_line
from lazyarr import calibration as measuring
from lazyarr.calibration import Sizes, calibrate
from lazyarr.core.config import get_config
from lazyarr.errors import DeviceError
from lazyarr.placement import calibration
from lazyarr.runtime.cpu_count import default_threads
from lazyarr.runtime.cuda import driver
from tests.support.calibrations import CLASSES, calibrated
from tests.support.cuda_emulator import EmulatedDevice

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++ for the emulator")

FUNCTIONS = ("matmul", "solve")
FEW = Sizes(16, 64, 64, 50, (4, 8), (16, 64), 0.0002, 0.01, 1, 2, FUNCTIONS)


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmulatedDevice]:
    emulated = EmulatedDevice()
    monkeypatch.setattr(driver, "_devices", [emulated])
    with calibrated(None, monkeypatch):
        yield emulated


def test_a_machine_is_measured_once(tmp_path: Path, device: EmulatedDevice) -> None:
    with la.config(cache_dir=str(tmp_path)):
        measured = calibrate(FEW)
        threads = get_config().threads or default_threads()
        calibration._known.clear()
        again = calibration.load(str(tmp_path), threads)
        assert again is not None and again.to_bytes() == measured.to_bytes()
        assert la.explain(la.asarray(np.ones(100_000)) + 1).placement
    assert (measured.gpu_name, measured.gpu_bytes) == ("emulated", device.total_bytes)
    for rates in (measured.processor, measured.gpu):
        assert rates.run > 0 and 0 <= rates.launch <= rates.run
        assert set(rates.arithmetic) == set(CLASSES)
        assert {"matmul float32", "linalg.solve float64"} <= set(rates.library)
        assert len(rates.library) == 2 * len(FUNCTIONS)
    assert measured.upload.at(1) > 0 < measured.download.at(1)


def test_determinants_that_overflow_warn_of_nothing(tmp_path: Path) -> None:
    large = replace(FEW, matrices=(256,), rounds=1, runs=1, functions=("det",))
    with la.config(cache_dir=str(tmp_path)), warnings.catch_warnings():
        warnings.simplefilter("error")
        measured = calibrate(large)
    assert "linalg.det float32" in measured.processor.library


def test_a_size_that_was_disturbed_in_one_round_has_the_time_of_another() -> None:
    rounds = iter([[1.0, 9.0, 4.0], [3.0, 2.0, 5.0]])
    times: dict[int, float] = {}

    def measure(size: int) -> float:
        if size == 0:
            times.update(enumerate(next(rounds)))
        return times[size]

    points = [(size + 1.0, partial(measure, size)) for size in range(3)]
    sizes = Sizes(longest=100.0, rounds=2)
    assert measuring._curve(points, 0.5, sizes).points == ((1.0, 0.5), (2.0, 1.5), (3.0, 3.5))


def test_the_command_prints_what_was_measured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(measuring, "Sizes", lambda: FEW)
    with la.config(cache_dir=str(tmp_path)):
        assert command_line.main(["calibrate"]) == 0
    text = capsys.readouterr().out
    assert "to the GPU" in text and "emulated" in text


def test_without_a_gpu_the_processor_is_the_only_choice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> None:
        raise DeviceError("there is no GPU", hint="install one")

    monkeypatch.setattr(driver, "device", missing)
    message = 'device="auto" is the CPU here (there is no GPU)'
    with pytest.raises(DeviceError, match=re.escape(message)):
        calibrate(FEW)
    assert command_line.main(["calibrate"]) == 1
    text = capsys.readouterr().err
    assert message in text and "install one" in text
