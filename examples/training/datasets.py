"""Images with labels: of a folder, or the bundled digits."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from training.errors import DataError
from training.readers import check_labels, read_cifar10, read_idx

Array = np.ndarray[Any, Any]

DIGITS = Path(__file__).parents[1] / "data" / "digits.npz"
_MNIST = {
    "train": ("train-images", "train-labels"),
    "test": ("t10k-images", "t10k-labels"),
}


@dataclass(frozen=True)
class Dataset:
    """Images and labels to learn from, and others to test with.

    Attributes
    ----------
    name : str
        Of the data set.
    train, test : pair of ndarray
        Images of shape (n, channels, height, width), in integers, and labels.
    classes : int
        How many labels there are.
    scale : float
        What images are divided by.
    """

    name: str
    train: tuple[Array, Array]
    test: tuple[Array, Array]
    classes: int
    scale: float

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, height and width."""
        return self.train[0].shape[1:]


def load(folder: str | None) -> Dataset:
    """Return the data set in a folder, or the bundled digits."""
    if folder is None:
        return digits()
    path = Path(folder)
    if not path.is_dir():
        raise DataError(f"{path}: no such folder")
    for place in (path, path / "cifar-10-batches-bin"):
        batches = sorted(place.glob("data_batch_*.bin"))
        if batches:
            test = place / "test_batch.bin"
            if not test.is_file():
                raise DataError(f"{test}: missing")
            return Dataset("CIFAR-10", read_cifar10(batches), read_cifar10([test]), 10, 255.0)
    if any(path.glob("train-images*")):
        return _mnist(path)
    raise DataError(
        f"{path}: holds neither IDX files (train-images-idx3-ubyte and its kin, with .gz or "
        "without) nor CIFAR-10's data_batch_1.bin to data_batch_5.bin"
    )


def _mnist(folder: Path) -> Dataset:
    parts = {}
    for part, stems in _MNIST.items():
        files = []
        for stem in stems:
            names = sorted(folder.glob(f"{stem}*"))
            if not names:
                raise DataError(f"{folder}: {stem}-idx*-ubyte is missing")
            files.append(names[0])
        images, labels = map(read_idx, files)
        if images.ndim != 3 or labels.shape != images.shape[:1]:
            raise DataError(
                f"{files[0]} has shape {images.shape} and {files[1]} {labels.shape}: expected "
                "(n, height, width) and (n,)"
            )
        if images.dtype != np.uint8 or labels.dtype.kind not in "iu":
            raise DataError(f"{files[0]}: expected bytes, got {images.dtype} and {labels.dtype}")
        if not images.size:
            raise DataError(f"{files[0]}: shape {images.shape} has no pixels")
        check_labels(labels, f"{files[1]}: sample")
        parts[part] = images[:, None], labels
    sizes = {part: images.shape[2:] for part, (images, _) in parts.items()}
    if sizes["train"] != sizes["test"]:
        raise DataError(
            f"{folder}: images to learn from have {sizes['train']} pixels, those to test with "
            f"{sizes['test']}"
        )
    classes = int(max(labels.max() for _, labels in parts.values())) + 1
    return Dataset("MNIST", parts["train"], parts["test"], classes, 255.0)


def digits() -> Dataset:
    """Return the bundled digits; a fifth of them, chosen once and for all, is for testing."""
    with np.load(DIGITS) as data:
        images, labels = data["images"][:, None], data["labels"]
    order = np.random.default_rng(0).permutation(len(labels))
    held_out, rest = np.split(order, [len(labels) // 5])
    return Dataset(
        "digits", (images[rest], labels[rest]), (images[held_out], labels[held_out]), 10, 16.0
    )
