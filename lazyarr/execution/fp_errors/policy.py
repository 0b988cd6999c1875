"""NumPy's warnings of exceptions in kernels, issued as ``np.errstate`` specifies."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from lazyarr.core.frozen import dataclass
from lazyarr.core.source_location import Origin, depth, module_at, origin
from lazyarr.errors import FunctionError
from lazyarr.graph.node import Node, Op

__all__ = [
    "FAULTS",
    "Fault",
    "FaultLog",
    "collecting_faults",
    "element_error",
    "report",
    "reported_kinds",
    "reporting_faults",
]

#: By their names in ``np.errstate``: what NumPy calls a fault, and its bit for ``np.seterrcall``.
FAULTS = {
    "divide": ("divide by zero", 1),
    "over": ("overflow", 2),
    "under": ("underflow", 4),
    "invalid": ("invalid value", 8),
}


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that NumPy warns of.

    Attributes
    ----------
    kind : str
        Its name in ``np.errstate``.
    name : str
        Of the operation, as NumPy gives it.
    origin : tuple of (str, int), optional
        The user's file and line that built the operation.
    text : str, optional
        What NumPy says instead, whatever ``np.errstate`` says.
    """

    kind: str
    name: str
    origin: Origin | None
    text: str | None = None


def reported_kinds() -> frozenset[str]:
    """Return the kinds of faults that ``np.errstate`` does not ignore now."""
    modes = np.geterr()
    return frozenset(kind for kind in FAULTS if modes[kind] != "ignore")  # type: ignore[literal-required]


def element_error(op: Op) -> Exception:
    """Return the error of an element: by default that a Python function raised an exception."""
    if op.error is not None:
        return op.error()
    return FunctionError(
        f"{op.name} raised an exception for some element",
        origin=origin(),
        hint="call the Python function on the elements one by one to see which",
    )


class FaultLog:
    """The log of floating-point faults that NumPy meets.

    Attributes
    ----------
    faults : list of (str, str, Node or None)
        Kind, NumPy's operation, and what was computed.
    node : Node, optional
        What is being computed.
    """

    def __init__(self) -> None:
        self.faults: list[tuple[str, str, Node | None]] = []
        self.node: Node | None = None

    def write(self, message: str) -> None:
        """Record a message of NumPy's."""
        what, _, name = message.removeprefix("Warning: ").strip().partition(" encountered in ")
        kinds = [kind for kind, (text, _) in FAULTS.items() if text == what]
        self.faults += [(kind, name, self.node) for kind in kinds]

    def report(self, line: Callable[[Node], Origin | None]) -> None:
        """Report the faults as `np.errstate` says.

        Parameters
        ----------
        line : callable
            Returns the user's line that built a node.
        """
        report(
            Fault(kind, name, None if node is None else line(node))
            for kind, name, node in self.faults
        )


class collecting_faults:  # noqa: N801 - called as a function is
    """Let NumPy's faults in a block go to a log; None if `np.errstate` ignores all."""

    __slots__ = ("_state",)

    def __init__(self) -> None:
        self._state: np.errstate | None = None

    def __enter__(self) -> FaultLog | None:
        modes = tuple(np.geterr().values())
        logged = _logged.get(modes)
        if logged is None:
            kinds = zip(np.geterr(), modes, strict=True)
            logged = _logged[modes] = {kind: "log" for kind, mode in kinds if mode != "ignore"}
        if not logged:
            return None
        log = FaultLog()
        self._state = np.errstate(call=log, **logged)
        self._state.__enter__()
        return log

    def __exit__(self, *error: Any) -> None:
        if self._state is not None:
            self._state.__exit__(*error)


#: The kinds of faults to log, by the modes of ``np.errstate``.
_logged: dict[tuple[Any, ...], dict[str, Any]] = {}


@contextmanager
def reporting_faults(line: Callable[[], Origin | None]) -> Iterator[None]:
    """Report NumPy's faults in a block as `np.errstate` says, but of the user's line."""
    with collecting_faults() as log:
        yield
    if log is not None and log.faults:
        where = line()
        report(Fault(kind, name, where) for kind, name, _ in log.faults)


def report(faults: Iterable[Fault]) -> None:
    """Warn, raise, call, print, log or stay silent.

    Parameters
    ----------
    faults : iterable of Fault
        What happened, in order.

    Raises
    ------
    FloatingPointError
        Where ``np.errstate`` says "raise".
    NameError
        If it says "call" or "log" and there is nothing to call, as in NumPy.
    """
    modes: dict[str, str] = dict(np.geterr())  # type: ignore[arg-type]
    for fault in faults:
        if fault.text is not None:
            _warn(fault.text, fault.origin)
            continue
        what, bit = FAULTS[fault.kind]
        text = f"{what} encountered in {fault.name}"
        match modes[fault.kind]:
            case "warn":
                _warn(text, fault.origin)
            case "raise":
                raise _error(text, fault.origin)
            case "call":
                _handler("python callback specified", "function found", what, fault)(what, bit)
            case "log":
                log = _handler("log specified", "object with write method found", what, fault)
                log.write(f"Warning: {text}\n")
            case "print":
                sys.stderr.write(f"Warning: {text}\n")


def _error(text: str, origin: Origin | None) -> FloatingPointError:
    error = FloatingPointError(text)
    if origin is not None:
        error.add_note(f"built at {origin[0]}:{origin[1]}")
    return error


def _handler(asked: str, missing: str, what: str, fault: Fault) -> Any:
    handler: Any = np.geterrcall()
    if handler is None:
        raise NameError(f"{asked} for {what} (in  {fault.name}) but no {missing}.")
    return handler


def _warn(text: str, origin: Origin | None) -> None:
    """Warn of the line that built the operation, or else of the one that asked for its value."""
    if origin is None:
        warnings.warn(text, RuntimeWarning, stacklevel=depth())
        return
    filename, line = origin
    name, registry = module_at(filename)
    warnings.warn_explicit(text, RuntimeWarning, filename, line, name, registry)
