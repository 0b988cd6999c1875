"""The table of library functions that a GPU computes, by the NumPy function they stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lazyarr.core.frozen import dataclass

__all__ = ["Implementation", "find", "on_device"]

Refuse = Callable[..., str | None]
#: The bindings of those libraries that have a handle.
_BINDINGS = {"cuBLAS": "cublas", "cuBLASLt": "cublasLt", "cuSOLVER": "cusolverDn"}


@dataclass(frozen=True, slots=True)
class Implementation:
    """The implementation of a library function on a GPU.

    Attributes
    ----------
    library : str
        Who does the work: "cuBLAS", "cuFFT", "cuSOLVER", or "own kernels".
    run : callable
        ``run(work, out, *args, **keywords)`` with the arguments of the NumPy function, arrays as
        :class:`Strided`. `out` is one contiguous array, or a tuple of them for a function of
        several results.
    refuse : callable
        ``refuse(out, *args, **keywords)``: why these arguments are left to the host, or None.
        It sees shapes and dtypes only.
    captured : bool
        Whether it only queues work, so that a graph can repeat it.
    bounded : bool
        Whether it reports places beyond the axes of its first operand, of the first axis first.
    """

    library: str
    run: Callable[..., None]
    refuse: Refuse
    captured: bool
    bounded: bool

    @property
    def binding(self) -> str | None:
        """The name of the bindings whose handle the work needs first; None: of none."""
        return _BINDINGS.get(self.library.partition(",")[0])


_TABLE: dict[Callable[..., Any], Implementation] = {}


def on_device(
    function: Callable[..., Any],
    library: str,
    refuse: Refuse,
    *,
    captured: bool = False,
    bounded: bool = False,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that enters an implementation of a NumPy function into the table.

    Parameters
    ----------
    function : callable
        The NumPy function.
    library : str
        See :class:`Implementation`.
    refuse : callable
        See :class:`Implementation`.
    captured, bounded : bool, optional
        See :class:`Implementation`.
    """

    def enter(run: Callable[..., None]) -> Callable[..., None]:
        _TABLE[function] = Implementation(library, run, refuse, captured, bounded)
        return run

    return enter


def find(function: Callable[..., Any]) -> Implementation | None:
    """Return the implementation of a function on a GPU, or None if there is none."""
    try:
        return _TABLE.get(function)
    except TypeError:  # not hashable: no function of NumPy's
        return None
