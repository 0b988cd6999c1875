"""Readers of data files, and mini-batches made in a thread."""

import gzip
import struct
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from training import datasets, readers
from training.batches import ahead, batches
from training.errors import DataError

pytestmark = pytest.mark.host

CODES = {"u1": 8, "i1": 9, "i2": 11, "i4": 12, "f4": 13, "f8": 14}


def idx_bytes(array: np.ndarray) -> bytes:
    code = CODES[array.dtype.str[1:]]
    head = struct.pack(f">HBB{array.ndim}I", 0, code, array.ndim, *array.shape)
    return head + array.astype(array.dtype.newbyteorder(">")).tobytes()


arrays = st.sampled_from([*CODES]).flatmap(
    lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, max_dims=3, max_side=4))
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("idx")


@settings(deadline=None)
@given(array=arrays, packed=st.booleans())
def test_idx(folder: Path, array: np.ndarray, packed: bool) -> None:
    path = folder / "array"
    data = idx_bytes(array)
    path.write_bytes(gzip.compress(data) if packed else data)
    dataset = readers.read_idx(path)
    assert dataset.dtype == array.dtype
    np.testing.assert_array_equal(dataset, array)


@settings(deadline=None)
@given(array=arrays.filter(lambda a: a.size > 0), packed=st.booleans(), part=st.floats(0, 0.999))
def test_an_idx_file_cut_short_anywhere_is_an_error(
    folder: Path, array: np.ndarray, packed: bool, part: float
) -> None:
    path = folder / "short"
    data = gzip.compress(idx_bytes(array)) if packed else idx_bytes(array)
    path.write_bytes(data[: int(part * len(data))])
    with pytest.raises(DataError, match="short"):
        readers.read_idx(path)


def test_files_that_are_something_else(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"PNG and so forth")
    with pytest.raises(DataError, match="no IDX file"):
        readers.read_idx(path)
    path.write_bytes(idx_bytes(np.zeros(3, "u1")) + b"!")
    with pytest.raises(DataError, match="too long"):
        readers.read_idx(path)
    with pytest.raises(DataError, match="cannot be read"):
        readers.read_idx(tmp_path / "missing")
    path.write_bytes(struct.pack(">HBB70I", 0, 8, 70, *[1] * 70) + b"!")
    with pytest.raises(DataError, match="70 axes"):
        readers.read_idx(path)


def write_mnist(folder: Path, train: np.ndarray, labels: np.ndarray) -> None:
    for stem, array in (("train-images-idx3", train), ("train-labels-idx1", labels)):
        (folder / f"{stem}-ubyte").write_bytes(idx_bytes(array))
    for stem, array in (("t10k-images-idx3", train[:2]), ("t10k-labels-idx1", labels[:2])):
        (folder / f"{stem}-ubyte.gz").write_bytes(gzip.compress(idx_bytes(array)))


def test_a_folder_of_mnist(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    images = random.integers(256, size=(5, 28, 28), dtype=np.uint8)
    write_mnist(tmp_path, images, np.arange(5, dtype=np.uint8))
    dataset = datasets.load(str(tmp_path))
    assert (dataset.name, dataset.classes, dataset.shape) == ("MNIST", 5, (1, 28, 28))
    np.testing.assert_array_equal(dataset.train[0][:, 0], images)
    np.testing.assert_array_equal(dataset.test[1], [0, 1])
    write_mnist(tmp_path, images, np.arange(4, dtype=np.uint8))
    with pytest.raises(DataError, match="expected"):
        datasets.load(str(tmp_path))
    for label in (10, 200):
        write_mnist(tmp_path, images, np.array([0, 1, 2, label, 4], np.uint8))
        with pytest.raises(DataError, match=rf"train-labels.*sample 3 has the label {label}"):
            datasets.load(str(tmp_path))
    (tmp_path / "train-labels-idx1-ubyte").unlink()
    with pytest.raises(DataError, match=r"train-labels.* is missing"):
        datasets.load(str(tmp_path))


@pytest.mark.parametrize(
    ("train", "test", "text"),
    [
        ((0, 4, 4), (2, 4, 4), r"train-images.*\(0, 4, 4\) has no pixels"),
        ((3, 4, 4), (0, 4, 4), r"t10k-images.*has no pixels"),
        ((3, 0, 4), (2, 0, 4), "has no pixels"),
        ((3, 4, 4), (2, 4, 5), r"\(4, 4\) pixels, those to test with \(4, 5\)"),
    ],
)
def test_images_that_nothing_is_learnt_of(
    tmp_path: Path, train: tuple[int, ...], test: tuple[int, ...], text: str
) -> None:
    for name, shape in (("train", train), ("t10k", test)):
        images, labels = np.zeros(shape, np.uint8), np.zeros(shape[0], np.uint8)
        (tmp_path / f"{name}-images-idx3-ubyte").write_bytes(idx_bytes(images))
        (tmp_path / f"{name}-labels-idx1-ubyte").write_bytes(idx_bytes(labels))
    with pytest.raises(DataError, match=text):
        datasets.load(str(tmp_path))


def test_a_folder_of_cifar10(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    images = random.integers(256, size=(6, 3, 32, 32), dtype=np.uint8)
    labels = np.array([3, 9, 0, 1, 2, 5], np.uint8)
    records = np.concatenate([labels[:, None], images.reshape(6, -1)], axis=1)
    for k in range(2):
        (tmp_path / f"data_batch_{k + 1}.bin").write_bytes(records[3 * k : 3 * k + 3].tobytes())
    with pytest.raises(DataError, match=r"test_batch\.bin: missing"):
        datasets.load(str(tmp_path))
    (tmp_path / "test_batch.bin").write_bytes(records[:1].tobytes())
    dataset = datasets.load(str(tmp_path))
    np.testing.assert_array_equal(dataset.train[0], images)
    np.testing.assert_array_equal(dataset.train[1], labels)
    (tmp_path / "data_batch_2.bin").write_bytes(records[3:].tobytes()[:-1])
    with pytest.raises(DataError, match=r"data_batch_2\.bin: cut short"):
        datasets.load(str(tmp_path))
    records[4, 0] = 10
    (tmp_path / "data_batch_2.bin").write_bytes(records[3:].tobytes())
    with pytest.raises(DataError, match="record 4 has the label 10"):
        datasets.load(str(tmp_path))


def test_folders_without_data(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds neither"):
        datasets.load(str(tmp_path))
    with pytest.raises(DataError, match="no such folder"):
        datasets.load(str(tmp_path / "missing"))


def test_the_digits() -> None:
    dataset = datasets.load(None)
    assert len(dataset.train[1]) + len(dataset.test[1]) == 1797
    assert len(dataset.test[1]) == 1797 // 5
    assert dataset.train[0].max() == 16
    assert np.bincount(dataset.test[1]).min() > 20


def test_batches() -> None:
    images, labels = np.arange(10, dtype=np.uint8).reshape(10, 1, 1, 1), np.arange(10)
    result = list(batches(images, labels, 4, 2.0, (0, 0)))
    assert [len(y) for _, y in result] == [4, 4]
    for x, y in result:
        assert (x.dtype, y.dtype) == (np.float32, np.int64)
        np.testing.assert_array_equal(x.ravel() * 2, y)
    seen = [tuple(y) for _, y in result]
    assert seen == [tuple(y) for _, y in batches(images, labels, 4, 2.0, (0, 0))]
    assert seen != [tuple(y) for _, y in batches(images, labels, 4, 2.0, (0, 1))]
    in_order = np.concatenate([y for _, y in batches(images, labels, 4, 2.0, None)])
    np.testing.assert_array_equal(in_order, labels)


def test_a_thread_works_ahead() -> None:
    assert list(ahead(lambda: iter(range(100)))) == list(range(100))

    def broken() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    feed = ahead(broken)
    assert next(feed) == 1
    with pytest.raises(ValueError, match="broken"):
        next(feed)
    before = threading.active_count()
    endless = ahead(lambda: iter(int, 1))
    assert next(endless) == 0
    endless.close()
    assert threading.active_count() == before
