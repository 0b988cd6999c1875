"""Calibrations on disk: whole, or measured again."""

import json
from pathlib import Path
from typing import Any

import pytest

import lazyarr as la
from lazyarr.placement import calibration
from lazyarr.placement.calibration import Calibration
from lazyarr.runtime import gpu_sight
from tests.support.calibrations import machine


@pytest.fixture(autouse=True)
def gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu_sight, "_in_sight", ["a GPU"])
    monkeypatch.setattr(calibration, "_known", {})


def _read(folder: Path, threads: int = 4) -> Calibration | None:
    """Return the calibration as another process reads it."""
    calibration._known.clear()
    return calibration.load(str(folder), threads)


def test_what_is_stored_is_read_again(tmp_path: Path) -> None:
    assert _read(tmp_path) is None
    value = machine()
    calibration.store(str(tmp_path), 4, value)
    assert calibration.load(str(tmp_path), 4) is value
    again = _read(tmp_path)
    assert again is not None and again.to_bytes() == value.to_bytes()
    assert again.gpu.memory == value.gpu.memory and again.upload == value.upload
    assert _read(tmp_path, threads=2) is None
    assert not list(tmp_path.rglob("*.part"))
    calibration.remove(str(tmp_path))
    gpu_sight._in_sight.append("a GPU")
    assert _read(tmp_path) is None


def test_another_gpu_is_another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calibration.store(str(tmp_path), 4, machine())
    monkeypatch.setattr(gpu_sight, "_in_sight", ["another GPU"])
    assert _read(tmp_path) is None
    monkeypatch.setattr(gpu_sight, "_in_sight", [""])
    assert _read(tmp_path) is None


def test_another_format_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calibration.store(str(tmp_path), 4, machine())
    monkeypatch.setattr(calibration, "_FORMAT", "lazyarr-calibration-0")
    assert _read(tmp_path) is None


@pytest.mark.parametrize("damage", ["empty", "cut", "flipped", "foreign"])
def test_a_damaged_file_is_none(tmp_path: Path, damage: str) -> None:
    calibration.store(str(tmp_path), 4, machine())
    (path,) = (tmp_path / "calibration").iterdir()
    content = bytearray(path.read_bytes())
    if damage == "empty":
        content.clear()
    elif damage == "cut":
        del content[len(content) // 2 :]
    elif damage == "flipped":
        content[len(content) // 2] ^= 1
    else:
        path.chmod(0o666)
    path.write_bytes(content)
    assert _read(tmp_path) is None
    calibration.store(str(tmp_path), 4, machine())  # measured again
    assert _read(tmp_path) is not None


def _fields() -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(machine().to_bytes())
    return fields


def _without(name: str) -> dict[str, Any]:
    fields = _fields()
    del fields[name]
    return fields


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"no json",
        b"[]",
        b"null",
        *[json.dumps(_without(name)).encode() for name in _fields()],
        json.dumps(_fields() | {"upload": []}).encode(),
        json.dumps(_fields() | {"upload": [[1, -1]]}).encode(),
        json.dumps(_fields() | {"upload": "text"}).encode(),
        json.dumps(_fields() | {"processor": {"run": float("nan")}}).encode(),
        json.dumps(_fields() | {"gpu_bytes": "many"}).encode(),
    ],
)
def test_what_is_no_calibration_is_none(content: bytes) -> None:
    assert Calibration.from_bytes(content) is None


def test_without_a_gpu_nothing_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_sight, "_in_sight", [])
    monkeypatch.setattr(gpu_sight, "_FILES", tmp_path)
    assert gpu_sight.gpu_in_sight() == ""
    assert calibration.load(str(tmp_path), 4) is None
    assert calibration._known == {} and list(tmp_path.iterdir()) == []


def test_a_gpu_is_known_without_opening_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, texts = tmp_path / "dev", tmp_path / "driver"
    information = texts / "gpus" / "0000:01:00.0" / "information"
    information.parent.mkdir(parents=True)
    files.mkdir()
    information.write_text("Model: NVIDIA H200")
    (files / "nvidia0").touch()
    monkeypatch.setattr(gpu_sight, "_FILES", files)
    monkeypatch.setattr(gpu_sight, "_DRIVER", texts)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name == "pycuda")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    text = gpu_sight.gpu_in_sight()
    assert "H200" in text and "nvidia0" in text
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "0")
    assert gpu_sight.gpu_in_sight() != text
    for hidden in ("", "-1"):
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", hidden)
        assert gpu_sight.gpu_in_sight() == ""


def test_a_gpu_that_was_opened_is_in_sight(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gpu_sight.see("opened")
    assert gpu_sight._in_sight == ["a GPU"]
    monkeypatch.setattr(gpu_sight, "_in_sight", [""])
    gpu_sight.see("opened")
    calibration.store(str(tmp_path), 4, machine())
    assert _read(tmp_path) is not None


def test_nothing_on_disk_is_kept_for_the_process() -> None:
    value = machine()
    with la.config(cache_dir="off"):
        calibration.store("off", 4, value)
        assert calibration.load("off", 4) is value


def test_the_summary_has_the_rates() -> None:
    rows = machine(bus=25.0).summary()
    assert rows["to the GPU"].startswith("25.0 GB/s") and "3000.0 GB/s" in rows["GPU: copies"]
