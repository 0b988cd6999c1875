"""The generator itself."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from lazyarr.random.arguments import integer
from lazyarr.random.counters import Stream, stream_of
from lazyarr.random.host_distributions import HostDistributions
from lazyarr.random.numpy_draws import NumpyStream, host_methods
from lazyarr.random.permutations import Orders

__all__ = ["Generator", "default_rng"]


def default_rng(seed: Any = None) -> Generator:
    """Return a generator of lazy random arrays.

    Parameters
    ----------
    seed : int, sequence of int, numpy.random.SeedSequence or Generator, optional
        Equal seeds give equal draws in equal order. None takes entropy from the system. A
        Generator of this module is returned as it is. A generator or bit generator of NumPy's, and
        that of a RandomState, makes the draws itself, see :class:`Generator`.

    Returns
    -------
    Generator
        With NumPy's names. Its numbers are not those of ``numpy.random.default_rng(seed)``.

    Raises
    ------
    ArgumentError
        If `seed` is of another kind, or negative.

    Examples
    --------
    >>> import lazyarr as la
    >>> rng = la.random.default_rng(7)
    >>> x = rng.random((2, 3))
    >>> bool((x == x.compute()).all())
    True
    >>> la.random.default_rng(7).random((2, 3)).compute().tolist() == x.compute().tolist()
    True
    """
    return seed if isinstance(seed, Generator) else Generator(seed)


class Generator(Orders, HostDistributions):
    """A source of lazy random arrays, each independent of those drawn before.

    Every call takes the next draw; making the generator again with the same seed takes the same
    draws. It may be used by many threads at once, which then share its draws among them; for a
    stream of each thread's own, :meth:`spawn` one for each.

    Arguments may be LazyArrays, and fuse with the draw. The results of a draw without `size` and
    of numbers alone are arrays without axes, where NumPy gives a number.

    Parameters
    ----------
    seed : int, sequence of int or numpy.random.SeedSequence, optional
        See :func:`default_rng`. With a ``numpy.random.Generator``, or a bit generator such as
        ``numpy.random.PCG64(0)``, draws have NumPy's numbers. They are made on the host when they
        are called for; in a jitted function they are lazyarr's, under keys of its bits.

    Examples
    --------
    >>> import lazyarr as la
    >>> rng = la.random.default_rng(1)
    >>> noise = rng.normal(la.asarray([0.0, 10.0]), 0.5, size=(4, 2))
    >>> noise.shape
    (4, 2)
    """

    def __init__(self, seed: Any = None) -> None:
        seed = getattr(seed, "_bit_generator", seed)  # of a RandomState
        if hasattr(seed, "capsule"):  # a bit generator, of NumPy or another library
            seed = np.random.Generator(seed)
        if isinstance(seed, np.random.Generator):
            self.stream: Stream = NumpyStream(seed)
            vars(self).update(host_methods(seed, Generator(self.stream)))
        else:
            self.stream = seed if isinstance(seed, Stream) else stream_of(seed)

    def __repr__(self) -> str:
        source = getattr(self.stream, "source", None)
        bits = "Philox4x32-10" if source is None else type(source.bit_generator).__name__
        return f"Generator({bits}) at 0x{id(self):X}"

    def __str__(self) -> str:
        return repr(self).partition(" ")[0]

    def __getstate__(self) -> dict[str, Any]:
        return {"stream": copy(self.stream)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        stream = state["stream"]
        self.__init__(getattr(stream, "source", stream))  # type: ignore[misc]

    @property
    def bit_generator(self) -> np.random.BitGenerator:
        """The bit generator of NumPy's that draws are made of, where there is one."""
        source = getattr(self.stream, "source", None)
        if not isinstance(source, np.random.Generator):
            raise AttributeError("bit_generator")
        return source.bit_generator

    def __getattr__(self, name: str) -> Any:
        if hasattr(np.random.Generator, name):
            raise AttributeError(
                f"lazyarr's Generator has no {name}: its streams are Philox4x32-10 of their own"
            )
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def spawn(self, n_children: int) -> list[Generator]:
        """Return generators that are independent of this one and of each other.

        Parameters
        ----------
        n_children : int
            How many.

        Examples
        --------
        >>> import lazyarr as la
        >>> one, other = la.random.default_rng(0).spawn(2)
        >>> bool((one.random(3) == other.random(3)).any())
        False
        """
        return [Generator(child) for child in self.stream.spawn(integer(n_children))]
