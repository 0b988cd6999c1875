"""Mini-batches, made in a thread while the batch before is worked on."""

import queue
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
Array = np.ndarray[Any, Any]


def ahead(make: Callable[[], Iterator[T]], depth: int = 2) -> Iterator[T]:
    """Yield the items of an iterator that runs in a thread, up to `depth` of them ahead.

    An exception in the thread is raised here; the thread ends when this iterator is closed.
    """
    items: queue.Queue[tuple[str, Any]] = queue.Queue(depth)
    stopped = threading.Event()

    def put(item: tuple[str, Any]) -> None:
        while not stopped.is_set():
            try:
                items.put(item, timeout=0.1)
                return
            except queue.Full:
                continue

    def work() -> None:
        try:
            for item in make():
                put(("item", item))
                if stopped.is_set():
                    return
        except BaseException as error:  # noqa: BLE001 - it is raised where items are taken
            put(("error", error))
        else:
            put(("end", None))

    thread = threading.Thread(target=work, name="mini-batches", daemon=True)
    thread.start()
    try:
        while True:
            kind, value = items.get()
            if kind == "end":
                return
            if kind == "error":
                raise value
            yield value
    finally:
        stopped.set()
        thread.join()


def batches(
    images: Array, labels: Array, size: int, scale: float, seed: tuple[int, int] | None
) -> Iterator[tuple[Array, Array]]:
    """Yield float32 images and int64 labels, `size` at a time.

    Parameters
    ----------
    images, labels : ndarray
        All of them.
    size : int
        Of a batch; the last one of an epoch is left out if it is smaller, unless `seed` is None.
    scale : float
        What images are divided by.
    seed : pair of int, optional
        Run and epoch, which decide the order; None keeps the order.
    """
    count = len(labels)
    size = min(size, count)
    order = np.arange(count) if seed is None else np.random.default_rng(seed).permutation(count)
    end = count if seed is None else count - count % size
    factor = np.float32(1 / scale)
    for start in range(0, end, size):
        chosen = order[start : start + size]
        yield images[chosen] * factor, labels[chosen].astype(np.int64)
