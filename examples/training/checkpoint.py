"""Checkpoints: arrays in containers as one npz file, written whole or not at all."""

import json
import os
import struct
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from lazyarr import optim
from training.errors import CheckpointError

_FORMAT = "lazyarr-training-1"
#: What reading a damaged file raises; RuntimeError if a flag says that it is encrypted.
_DAMAGE = (
    OSError,
    EOFError,
    KeyError,
    RuntimeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)


def flat(tree: Any, name: str = "") -> dict[str, np.ndarray[Any, Any]]:
    """Return the arrays of nested dictionaries, lists and tuples, by their places."""
    if isinstance(tree, optim.Packed):
        tree = tree.unpack()
    if isinstance(tree, dict):
        pairs = [(f"{name}/{key}", value) for key, value in tree.items()]
    elif isinstance(tree, (list, tuple)):
        pairs = [(f"{name}/{key}", value) for key, value in enumerate(tree)]
    else:
        return {name: np.asarray(tree)}
    return {place: array for key, value in pairs for place, array in flat(value, key).items()}


def filled(tree: Any, arrays: dict[str, np.ndarray[Any, Any]], name: str = "") -> Any:
    """Return the arrays that :func:`flat` has by their places in containers like a tree's."""
    if isinstance(tree, optim.Packed):
        return optim.pack(filled(tree.unpack(), arrays, name))
    if isinstance(tree, dict):
        return {key: filled(value, arrays, f"{name}/{key}") for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(filled(value, arrays, f"{name}/{k}") for k, value in enumerate(tree))
    return arrays[name]


def save(path: Path, tree: Any, notes: dict[str, Any]) -> None:
    """Write arrays and notes to a file.

    They are written to a file beside it, which takes its place once all is on the disk. Whatever
    fails before that leaves the file as it was.

    Raises
    ------
    CheckpointError
        If it cannot be written: a full disk, a missing folder, no permission, a device.
    """
    if path.exists() and not path.is_file():
        raise CheckpointError(f"{path}: cannot be written: no file, and nothing to put one over")
    text = json.dumps({"format": _FORMAT, **notes})
    temporary = None
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "wb") as file:
            np.savez(file, notes=np.frombuffer(text.encode(), np.uint8), **flat(tree))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except OSError as error:
        kept = "; the one before is as it was" if path.exists() else ""
        raise CheckpointError(f"{path}: cannot be written: {error.strerror}{kept}") from error
    finally:  # of Ctrl-C, too; once it has taken the place of the other there is none
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def load(path: Path, like: Any) -> tuple[Any, dict[str, Any]]:
    """Return arrays and notes of a file, in containers like `like`.

    Raises
    ------
    CheckpointError
        If the file is missing, cut short, no checkpoint, or one of arrays of other names, shapes
        or dtypes.
    """
    arrays, notes = _read(path)
    expected = flat(like)
    if arrays.keys() != expected.keys():
        strange = sorted(arrays.keys() ^ expected.keys())[:3]
        raise CheckpointError(
            f"{path}: of another model or optimiser: they differ in {', '.join(strange)}"
        )
    for name, array in expected.items():
        if arrays[name].dtype == np.dtype(array.dtype.str):
            arrays[name] = arrays[name].view(array.dtype)  # the file has no name for bfloat16
        if (arrays[name].shape, arrays[name].dtype) != (array.shape, array.dtype):
            raise CheckpointError(
                f"{path}: {name} is {arrays[name].dtype} of shape {arrays[name].shape}, the model "
                f"has {array.dtype} of shape {array.shape}"
            )
    return filled(like, arrays), notes


def notes_of(path: Path) -> dict[str, Any]:
    """Return the notes of a checkpoint."""
    return _read(path)[1]


def _read(path: Path) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, Any]]:
    try:
        with path.open("rb") as file:
            data = np.load(file, allow_pickle=False)
            if not isinstance(data, np.lib.npyio.NpzFile):
                raise CheckpointError(f"{path}: no checkpoint: one array, and no npz file")
            arrays = {name: data[name] for name in data.files}
        notes = json.loads(arrays.pop("notes").tobytes())
    except FileNotFoundError as error:
        raise CheckpointError(f"{path}: no such file") from error
    except _DAMAGE as error:
        raise CheckpointError(f"{path}: cut short, or no checkpoint: {error}") from error
    written = notes.get("format") if isinstance(notes, dict) else None
    if written != _FORMAT:
        raise CheckpointError(f"{path}: a checkpoint of format {written!r}")
    return arrays, notes
