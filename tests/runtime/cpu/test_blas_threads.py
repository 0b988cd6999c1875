"""The number of BLAS threads is bounded while a library step runs, and put back afterwards."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading

import numpy as np
import pytest

import lazyarr as la
from lazyarr.runtime.cpu import blas_threads
from lazyarr.runtime.cpu.blas_threads import limited


class Library:
    """A BLAS that records the calls."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.history: list[int] = []

    def get_num_threads(self) -> int:
        return self.number

    def set_num_threads(self, number: int) -> None:
        self.history.append(number)
        self.number = number


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    library = Library(8)
    monkeypatch.setattr(blas_threads, "_libraries", lambda with_scipy: [library])
    return library


def test_bounded_inside_and_put_back(library: Library) -> None:
    with limited(3):
        assert library.number == 3
    assert library.number == 8
    with pytest.raises(ZeroDivisionError), limited(1):
        raise ZeroDivisionError
    assert library.number == 8
    assert library.history == [3, 8, 1, 8]


def test_never_raised(library: Library) -> None:
    with limited(16):
        assert library.number == 8
    assert library.history == []


def test_blocks_that_overlap_get_the_least(library: Library) -> None:
    with limited(4):
        with limited(2):
            assert library.number == 2
        assert library.number == 4
        with limited(6):
            assert library.number == 4
    first, second = limited(2), limited(5)
    first.__enter__()
    second.__enter__()
    assert library.number == 2
    first.__exit__(None, None, None)
    assert library.number == 5
    second.__exit__(None, None, None)
    assert library.number == 8


def test_many_threads_leave_it_as_it_was(library: Library) -> None:
    wrong: list[int] = []

    def work(seed: int) -> None:
        chooser = random.Random(seed)
        for _ in range(300):
            expected = chooser.randint(1, 8)
            with limited(expected):
                if library.number > expected:
                    wrong.append(library.number)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert library.number == 8


def test_the_real_libraries_are_found() -> None:
    numbers = [library.get_num_threads() for library in blas_threads._libraries(False)]
    assert numbers, "NumPy's BLAS is not known to threadpoolctl"
    with limited(1):
        assert {library.get_num_threads() for library in blas_threads._libraries(False)} == {1}
    assert [library.get_num_threads() for library in blas_threads._libraries(False)] == numbers


def test_a_matrix_product_on_one_thread_takes_one_processor() -> None:
    code = """
import time
import numpy as np, lazyarr as la
a = np.random.default_rng(0).random((1500, 1500))
x = la.asarray(a)
with la.config(threads=1):
    la.evaluate(x @ x)
    time.sleep(0.3)  # BLAS's threads may spin after their start
    wall, processor = time.perf_counter(), time.process_time()
    for _ in range(3):
        la.evaluate(x @ x + 1)
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
print(processor / wall)
"""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "4"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    assert float(done.stdout) < 1.1


def test_products_between_kernels_are_right_with_any_number_of_threads() -> None:
    a = np.random.default_rng(0).random((300, 300))
    x = la.asarray(a)
    expected = np.exp(a @ a / 100) @ a
    for threads in (1, 2, 5):
        with la.config(threads=threads):
            np.testing.assert_allclose(la.evaluate(np.exp(x @ x / 100) @ x), expected, rtol=1e-12)


class Named:
    """A BLAS library that reports its name."""

    def __init__(self, filepath: str, api: str, architecture: str | None = None) -> None:
        self.filepath, self.internal_api = filepath, api
        if architecture is not None:
            self.architecture = architecture


@pytest.mark.parametrize(
    "libraries, expected",
    [
        ([], 64),
        ([Named("/x/numpy.libs/a.so", "openblas", "Haswell")], 32),
        ([Named("/x/numpy.libs/a.so", "openblas", "SkylakeX")], 64),
        ([Named("/x/numpy.libs/a.so", "openblas", "Nehalem")], 16),
        ([Named("/x/lib/libmkl.so", "mkl")], 64),
        ([Named("/x/lib/a.so", "openblas", "Zen")], 32),
        (
            [
                Named("/x/scipy.libs/b.so", "openblas", "SkylakeX"),
                Named("/x/numpy.libs/a.so", "openblas", "Haswell"),
            ],
            32,
        ),
    ],
)
def test_width_of_its_vectors(
    libraries: list[Named], expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blas_threads, "_libraries", lambda with_scipy: libraries)
    blas_threads.vector_bytes.cache_clear()
    try:
        assert blas_threads.vector_bytes() == expected
    finally:
        blas_threads.vector_bytes.cache_clear()
