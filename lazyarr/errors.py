"""The exceptions and warnings that lazyarr raises.

::

    LazyarrError
    ├── ShapeError            (ValueError)        shapes that do not fit together
    │   └── MatrixError       (LinAlgError)       no matrices, or not square ones
    ├── AxisError             (ValueError, IndexError)  an axis that the array does not have
    ├── DTypeError            (TypeError)         a dtype that is refused or cannot be cast
    │   └── UnsupportedDTypeError (TypeError)     a dtype of NumPy's that lazyarr does not compute
    ├── IndexingError         (IndexError)        an index that the array does not have
    ├── ArgumentError         (TypeError, ValueError)   any other bad argument
    ├── ImplicitEvaluationError (RuntimeError)    a hidden evaluation under implicit="raise"
    ├── TracingError          (RuntimeError)      a value that a traced function cannot know
    ├── DifferentiationError  (TypeError)         a derivative that is not known or does not exist
    ├── MemoryLimitError      (MemoryError)       a plan that needs more than max_memory
    ├── DeviceError           (RuntimeError)      a device that is missing or failed
    │   └── DeviceMemoryError (MemoryError)       a device that has no memory left
    ├── CompileError          (RuntimeError)      generated code that a compiler refused
    ├── ConfigError           (ValueError)        a setting that does not exist or has a bad value
    ├── NonFiniteError        (FloatingPointError)  a NaN or an infinity under debug="nan"
    ├── FunctionError         (RuntimeError)      a vectorized function raised an exception
    └── ContractError         (AssertionError)    a stage that broke its contract: a bug in lazyarr

    LazyarrWarning (UserWarning)
    ├── CacheWarning                   the on-disk cache cannot be used
    ├── ImplicitEvaluationWarning      a hidden evaluation under implicit="warn"
    ├── RepetitionWarning              an expression that one line builds again and again
    └── RetraceWarning                 a traced function that runs again and again for one line
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = [
    "ArgumentError",
    "AxisError",
    "CacheWarning",
    "CompileError",
    "ConfigError",
    "ContractError",
    "DTypeError",
    "DeviceError",
    "DeviceMemoryError",
    "DifferentiationError",
    "FunctionError",
    "ImplicitEvaluationError",
    "ImplicitEvaluationWarning",
    "IndexingError",
    "LazyarrError",
    "LazyarrWarning",
    "MatrixError",
    "MemoryLimitError",
    "NonFiniteError",
    "RepetitionWarning",
    "RetraceWarning",
    "ShapeError",
    "TracingError",
    "UnsupportedDTypeError",
]


class LazyarrError(Exception):
    """Base class of every exception that lazyarr raises itself.

    Parameters
    ----------
    message : str
        What went wrong and what was given.
    origin : tuple of (str, int), optional
        File and line of the user's code that built the offending expression.
    hint : str, optional
        What to do about it.
    """

    def __init__(
        self, message: str, *, origin: tuple[str, int] | None = None, hint: str | None = None
    ) -> None:
        self.message = message
        self.origin = origin
        self.hint = hint
        super().__init__(message)

    def __str__(self) -> str:
        lines = [self.message]
        if self.origin is not None:
            lines.append(f"  built at {self.origin[0]}:{self.origin[1]}")
        if self.hint is not None:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class ShapeError(LazyarrError, ValueError):
    """Shapes do not fit together."""


class MatrixError(ShapeError, np.linalg.LinAlgError):
    """Linear algebra is asked for arrays that are no matrices, or not square ones."""


class AxisError(LazyarrError, np.exceptions.AxisError):
    """An axis is out of range or named twice.

    Parameters
    ----------
    message, origin, hint
        As those of :class:`LazyarrError`.
    axis, ndim : int, optional
        The axis that is out of range, and the number of axes of the array.
    """

    def __init__(
        self,
        message: str,
        *,
        origin: tuple[str, int] | None = None,
        hint: str | None = None,
        axis: int | None = None,
        ndim: int | None = None,
    ) -> None:
        super().__init__(message, origin=origin, hint=hint)
        self.axis = axis
        self.ndim = ndim


class DTypeError(LazyarrError, TypeError):
    """A dtype is not supported, or a cast is not allowed."""


class UnsupportedDTypeError(DTypeError):
    """A dtype is one of NumPy's with which lazyarr does not compute, such as texts and times.

    Attributes
    ----------
    dtype : numpy.dtype, optional
        The dtype; None where a subclass of ndarray is refused.
    """

    dtype: np.dtype[Any] | None = None


class IndexingError(LazyarrError, IndexError):
    """An index is out of range or of a kind that arrays do not take."""


class ArgumentError(LazyarrError, TypeError, ValueError):
    """An argument is of the wrong kind or has a value that makes no sense."""


class ImplicitEvaluationError(LazyarrError, RuntimeError):
    """A hidden evaluation happened although ``implicit="raise"`` forbids it."""


class TracingError(LazyarrError, RuntimeError):
    """A function traced by ``lazyarr.jit`` needs a value that is not known during tracing."""


class DifferentiationError(LazyarrError, TypeError):
    """A derivative is asked for that does not exist or that lazyarr does not know."""


class MemoryLimitError(LazyarrError, MemoryError):
    """A plan needs more memory than ``max_memory`` allows."""


class DeviceError(LazyarrError, RuntimeError):
    """A device is not there, or an operation on it failed."""


class DeviceMemoryError(DeviceError, MemoryError):
    """A device has no memory left, or its pool would grow beyond ``memory_limit``."""


class CompileError(LazyarrError, RuntimeError):
    """A compiler refused generated code; the message holds the numbered source and the log."""


class NonFiniteError(LazyarrError, FloatingPointError):
    """A NaN or an infinity among results, under ``config(debug="nan")``."""


class FunctionError(LazyarrError, RuntimeError):
    """A function given to ``lazyarr.vectorize`` raised an exception for some element."""


class ConfigError(LazyarrError, ValueError):
    """A setting has an unknown name or a value it cannot take."""


class ContractError(LazyarrError, AssertionError):
    """A compiler stage broke its contract. This is a bug in lazyarr; please report it."""


class LazyarrWarning(UserWarning):
    """Base class of lazyarr's warnings."""


class CacheWarning(LazyarrWarning):
    """The on-disk kernel cache cannot be read or written; work goes on without it."""


class ImplicitEvaluationWarning(LazyarrWarning):
    """An expression was evaluated without being asked to (``implicit="warn"``)."""


class RepetitionWarning(LazyarrWarning):
    """One line builds and evaluates an expression so often that ``lazyarr.jit`` would gain."""


class RetraceWarning(LazyarrWarning):
    """A function given to ``lazyarr.jit`` is traced again and again because of one line."""


def __dir__() -> list[str]:
    return sorted(__all__)
