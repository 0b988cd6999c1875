"""Support code that is compiled in a thread, while its user plans what calls it.

The kernels of convolutions take LLVM a tenth of a second each and do not depend on the plan. The
thread holds Python's lock only before and after it calls LLVM.
"""

from __future__ import annotations

import atexit
from collections import deque
from collections.abc import Callable

from lazyarr.core.forks import at_fork
from lazyarr.errors import CompileError, ContractError
from lazyarr.loop_ir.source import Source
from lazyarr.runtime.cpu.threads.helpers import Helpers
from lazyarr.runtime.disk_cache import Entry

__all__ = ["AHEAD", "Ahead"]


class _Compilation:
    """One compilation in a thread.

    Parameters
    ----------
    compiled : callable
        Compiles.
    """

    def __init__(self, compiled: Callable[[], Entry]) -> None:
        self._entry: Entry | None = None
        self._queue = iter((compiled,))
        self._helpers = Helpers(self._work)
        self._helpers.start(1)

    def _work(self) -> None:
        for compiled in self._queue:
            try:
                self._entry = compiled()
            except (CompileError, ContractError, MemoryError, RecursionError):
                return  # its user compiles it again, which raises at the user's line

    def entry(self) -> Entry | None:
        """Return the code once it is there, None of a thread that has not begun or has failed."""
        deque(self._queue, maxlen=0)  # a thread that begins later finds nothing
        self._helpers.join()
        return self._entry


class Ahead:
    """Compilations that have begun before somebody needs the code, each once in a process.

    A fork waits for them, since a child would find the compiler's locks held; so does the end of
    the process, as LLVM's library may not be unloaded before.
    """

    def __init__(self) -> None:
        self._compilations: dict[Source, _Compilation] = {}

    def begin(self, source: Source, compiled: Callable[[], Entry]) -> None:
        """Start the compilation of a source, unless it was started before.

        Parameters
        ----------
        source : Source
            Of the code.
        compiled : callable
            Compiles it.
        """
        if source not in self._compilations:
            self._compilations[source] = _Compilation(compiled)

    def entry(self, source: Source) -> Entry | None:
        """Return the code of a source, None if it was not begun, or in vain."""
        compilation = self._compilations.get(source)
        return None if compilation is None else compilation.entry()

    def wait(self) -> None:
        """Wait until no compilation is in progress."""
        for compilation in list(self._compilations.values()):
            compilation.entry()


AHEAD = Ahead()
atexit.register(AHEAD.wait)
at_fork(AHEAD.wait, lambda: None, lambda: None)
