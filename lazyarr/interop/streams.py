"""Streams of a GPU, for concurrent work."""

from __future__ import annotations

from contextvars import ContextVar
from typing import Any

from lazyarr.core.config import CUDA, get_config, is_gpu
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError
from lazyarr.runtime.cuda import driver
from lazyarr.runtime.cuda.streams import DeviceStream, chosen

__all__ = ["Stream", "stream"]

#: The stream that is another one in each thread: no name for what a pool could belong to.
_OF_THE_THREAD = 2
#: What was chosen before, for each ``with`` that this thread or task is in.
_stack: ContextVar[tuple[DeviceStream | None, ...]] = ContextVar("lazyarr_streams", default=())


class Stream:
    """A queue of work on the GPU, with memory of its own; made by :func:`stream`.

    What is evaluated inside ``with`` goes into it, in this thread or task only. A stream may serve
    several threads, and a ``with`` may stand inside another.
    """

    __slots__ = ("__weakref__", "_device", "_external", "_queue")

    def __init__(self, device: Any, queue: DeviceStream, external: object = None) -> None:
        self._device = device
        self._queue = queue
        self._external = external  # another library's stream lives as long as this one

    @classmethod
    def beside(cls, device: Any) -> Stream:
        """Return an unused stream of a device."""
        return cls(device, device.take_stream())

    @property
    def handle(self) -> int:
        """The driver's handle of the stream that others should name, as an integer."""
        partner = self._queue.partner
        return self._queue.handle if partner is None else partner

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the version of this protocol and the handle."""
        return 0, self.handle

    def synchronize(self) -> None:
        """Wait for all that was queued here by now.

        Raises
        ------
        IndexError
            An index was out of bounds in it. Arrays that may have come of that are refused.
        """
        self._queue.wait_for_reports()
        self._queue.synchronize()

    def __enter__(self) -> Stream:
        _stack.set((*_stack.get(), chosen.get()))
        chosen.set(self._queue)
        return self

    def __exit__(self, *exception: object) -> None:
        *outer, before = _stack.get()
        _stack.set(tuple(outer))
        chosen.set(before)

    def __del__(self) -> None:
        # Another stream of the same kind takes it over, with its memory and what is queued.
        self._queue.partner = None
        self._device.give_stream(self._queue)

    def __repr__(self) -> str:
        return f"<lazyarr stream {self.handle:#x}>"


def stream(external: object = None, /) -> Stream:
    """Return a stream of the GPU for use in ``with``: evaluations there run beside those of others.

    It belongs to the GPU that the settings name, or to the first. Without one, all threads share
    one stream of each GPU, in which everything runs in order. Each stream has a
    pool of memory of its own; arrays may be used in any stream, and what uses them waits for what
    computes them.

    Parameters
    ----------
    external : object, optional
        A stream of another library, by ``__cuda_stream__`` or as the integer handle: the work is
        ordered as if it were queued there. Default: a stream of lazyarr's own, that nobody else
        works in.

    Returns
    -------
    Stream
        With ``handle``, ``__cuda_stream__`` and ``synchronize()``.

    Raises
    ------
    ArgumentError
        If `external` is no stream.
    DeviceError
        If there is no GPU.

    Examples
    --------
    >>> import lazyarr as la
    >>> def work(x):                                   # in each of several threads
    ...     with la.config(device="cuda"), la.stream():
    ...         return la.evaluate(x.sum())
    """
    partner = None if external is None else _handle(external)
    name = get_config().device
    device = driver.device(name if is_gpu(name) else CUDA)
    queue = device.take_stream()
    queue.partner = partner
    return Stream(device, queue, external)


def _handle(other: object) -> int:
    protocol = getattr(other, "__cuda_stream__", None)
    if protocol is not None:
        # Some libraries have it as an attribute, which the protocol's first drafts allowed.
        answer = protocol() if callable(protocol) else protocol
        if not (isinstance(answer, tuple) and len(answer) == 2 and answer[0] == 0):
            raise ArgumentError(
                f"{type(other).__name__} has an unsupported version of __cuda_stream__: {answer!r}",
                origin=origin(),
            )
        handle = answer[1]
    else:
        handle = other
    if not isinstance(handle, int) or isinstance(handle, bool) or handle < 0:
        raise ArgumentError(
            f"stream takes a stream of another library, got {type(other).__name__}",
            origin=origin(),
            hint="pass an object with __cuda_stream__, or its handle as an integer",
        )
    if handle == _OF_THE_THREAD:
        raise ArgumentError(
            "the per-thread default stream cannot be used: it differs between threads",
            origin=origin(),
            hint="create a stream and pass it",
        )
    return handle
