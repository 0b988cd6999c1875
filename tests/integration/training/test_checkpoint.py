"""Checkpoints are written whole or not at all, and read whole or not at all."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training import checkpoint
from training.errors import CheckpointError

pytestmark = pytest.mark.host

TREE = {
    "w": [np.arange(6.0).reshape(2, 3), np.float32([np.nan, -0.0])],
    "step": np.array(7),
    "empty": {},
}


def same(a: Any, b: Any) -> bool:
    one, other = checkpoint.flat(a), checkpoint.flat(b)
    return one.keys() == other.keys() and all(
        one[k].tobytes() == other[k].tobytes() and one[k].dtype == other[k].dtype for k in one
    )


def test_bfloat16_is_read_as_it_was_written(tmp_path: Path) -> None:
    bfloat16 = np.dtype(pytest.importorskip("ml_dtypes").bfloat16)
    tree = {"w": np.array([1.5, np.nan, -0.0], bfloat16), "v": np.float16([1.5])}
    path = tmp_path / "run.npz"
    checkpoint.save(path, tree, {})
    assert same(checkpoint.load(path, tree)[0], tree)
    with pytest.raises(CheckpointError, match="float16"):
        checkpoint.load(path, {"w": tree["w"], "v": np.ones(1, bfloat16)})


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "run.npz"
    checkpoint.save(path, TREE, {"epoch": 3})
    tree, notes = checkpoint.load(path, TREE)
    assert same(tree, TREE)
    assert tree["empty"] == {}
    assert notes["epoch"] == 3
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.npz"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checkpoints") / "run.npz"
    checkpoint.save(path, TREE, {})
    return path


@settings(deadline=None)
@given(part=st.floats(0, 0.9999))
def test_a_file_cut_short_anywhere_is_an_error(whole: Path, part: float) -> None:
    data = whole.read_bytes()
    short = whole.with_name("short.npz")
    short.write_bytes(data[: int(part * len(data))])
    with pytest.raises(CheckpointError, match="cut short"):
        checkpoint.load(short, TREE)


@settings(deadline=None)
@given(place=st.integers(0), bit=st.integers(0, 7))
def test_a_flipped_bit_is_an_error_or_changes_nothing(whole: Path, place: int, bit: int) -> None:
    data = bytearray(whole.read_bytes())
    data[place % len(data)] ^= 1 << bit
    other = whole.with_name("flipped.npz")
    other.write_bytes(data)
    try:
        tree, _ = checkpoint.load(other, TREE)
    except CheckpointError:
        return
    assert same(tree, TREE)


def test_files_that_do_not_fit(tmp_path: Path, whole: Path) -> None:
    with pytest.raises(CheckpointError, match="no such file"):
        checkpoint.load(tmp_path / "missing", TREE)
    with pytest.raises(CheckpointError, match="another model"):
        checkpoint.load(whole, {**TREE, "more": np.zeros(1)})
    with pytest.raises(CheckpointError, match=r"/step is int64 of shape \(\)"):
        checkpoint.load(whole, {**TREE, "step": np.zeros(1)})
    other = tmp_path / "other.npz"
    np.savez(other, x=np.zeros(3))
    with pytest.raises(CheckpointError, match="no checkpoint"):
        checkpoint.load(other, TREE)
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(CheckpointError, match="no checkpoint"):
        checkpoint.load(tmp_path / "one.npy", TREE)
    for notes in (b"[]", b"3", b"null", b'"x"'):
        np.savez(other, notes=np.frombuffer(notes, np.uint8))
        with pytest.raises(CheckpointError, match="format None"):
            checkpoint.load(other, TREE)


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="cannot be written: No such file"):
        checkpoint.save(tmp_path / "no" / "run.npz", TREE, {})


def test_a_full_disk_leaves_the_checkpoint_before(tmp_path: Path) -> None:
    """Files of this process may not grow beyond 20 kB, as on a disk with no more room."""
    path = tmp_path / "run.npz"
    checkpoint.save(path, TREE, {})
    before = path.read_bytes()
    code = (
        "import resource, sys, numpy as np; from pathlib import Path\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "from training import checkpoint\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "checkpoint.save(Path(sys.argv[2]), {'w': np.zeros(100_000)}, {})\n"
    )
    examples = str(Path(checkpoint.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code, examples, str(path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "CheckpointError" in last
    assert "cannot be written: File too large; the one before is as it was" in last
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["run.npz"]


def test_a_device_is_not_replaced(tmp_path: Path) -> None:
    if not hasattr(os, "mkfifo"):
        pytest.skip("needs special files")
    place = tmp_path / "pipe"
    os.mkfifo(place)
    with pytest.raises(CheckpointError, match="no file"):
        checkpoint.save(place, TREE, {})
    assert place.is_fifo()
    assert list(tmp_path.iterdir()) == [place]


def test_an_interrupted_write_leaves_no_file_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(descriptor: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "run.npz"
    checkpoint.save(path, {"w": np.zeros(2)}, {})
    before = path.read_bytes()
    monkeypatch.setattr(checkpoint.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.save(path, {"w": np.ones(2)}, {})
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
