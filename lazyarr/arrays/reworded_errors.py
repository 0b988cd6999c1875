"""Errors of refused calls, in the words of NumPy, which is called with the same arguments.

Which of several bad arguments NumPy names, and how, depends on the order in which its C functions
look at them. An error is rare, and its words need not be kept in step by hand: the call is made
again with NumPy's function, on the values of arrays in memory and on zeros for others.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import EllipsisType, FrameType, NoneType
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.aliasing import is_writeable, memory_of
from lazyarr.arrays.base import ArrayBase
from lazyarr.arrays.immediate import HOSTED
from lazyarr.arrays.masked_selection import MaskedSelection
from lazyarr.arrays.storing import known_node
from lazyarr.core.dtypes import is_bfloat16
from lazyarr.core.source_location import origin
from lazyarr.errors import (
    ArgumentError,
    AxisError,
    DTypeError,
    IndexingError,
    LazyarrError,
    MatrixError,
    ShapeError,
    UnsupportedDTypeError,
)
from lazyarr.graph.leaf import Leaf
from lazyarr.tracing import REFUSING, is_traced

__all__ = ["is_within_a_call", "reworded"]


_ROW = tuning.row()
#: Those of lazyarr's errors that are about arguments.
_OURS = (
    ShapeError,
    MatrixError,
    AxisError,
    DTypeError,
    UnsupportedDTypeError,
    IndexingError,
    ArgumentError,
)
#: What programs catch, and the class that stands for it where the call raised another one.
_KINDS: dict[type[Exception], type[LazyarrError] | None] = {
    np.exceptions.AxisError: AxisError,
    np.linalg.LinAlgError: MatrixError,
    IndexError: IndexingError,
    np.exceptions.DTypePromotionError: None,
    TypeError: DTypeError,
    ValueError: ShapeError,
    OverflowError: None,
    AttributeError: None,
    ZeroDivisionError: None,
    RuntimeError: None,
}
#: Functions that take few operations an element.
_FAST = frozenset(
    "sum prod min max amin amax mean std var any all ptp argmin argmax count_nonzero average round "
    "clip reduce nansum nanprod nanmin nanmax nanmean nanstd nanvar nanargmin nanargmax "
    "ravel reshape transpose permute_dims squeeze swapaxes moveaxis rollaxis expand_dims view "
    "broadcast_to broadcast_arrays astype flip fliplr flipud rot90 roll diagonal trace "
    "concatenate concat stack hstack vstack dstack column_stack append split array_split hsplit "
    "vsplit dsplit unstack take compress choose where copyto put putmask place diff "
    "__getitem__ __setitem__".split()
)
#: Arguments that are passed on as they are.
_PLAIN = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    slice,
    type,
    np.dtype,
    np.generic,
    NoneType,
    EllipsisType,
)
#: NumPy reads and writes beside arrays where an output of these has too many or too few axes.
_UNSAFE = frozenset(
    "accumulate reduceat cumsum cumprod cumulative_sum cumulative_prod nancumsum nancumprod".split()
)


class _UnknownArgument(Exception):
    """An argument that NumPy is not to be called with."""


def reworded(
    error: Exception, theirs: Callable[..., Any], args: tuple[Any, ...], keywords: dict[str, Any]
) -> Exception:
    """Return the error of a call of a public function as NumPy's function raises it.

    Parameters
    ----------
    error : Exception
        Of lazyarr's function, which is being handled.
    theirs : callable
        NumPy's function of the same arguments.
    args, keywords : tuple and dict
        The arguments.

    Returns
    -------
    Exception
        The error itself if NumPy says the same or accepts the arguments, or within another call.
    """
    if is_traced() or not _is_of_arguments(error) or is_within_a_call():
        return error
    if keywords.get("device") is not None:  # NumPy knows of none but the processor
        return error
    name = getattr(theirs, "__name__", "")
    if name in _UNSAFE and (keywords.get("out") is not None or len(args) > 3):
        return error
    if theirs in (np.equal, np.not_equal) and isinstance(error, ShapeError):
        return error  # of a == b, for which NumPy asks no more whether there is a loop
    reference = _reference(theirs, args, keywords, getattr(error, "axis", None))
    if reference is None:
        return error
    text = str(reference).replace("numpy.ndarray", "LazyArray")
    kinds = [kind for kind in _KINDS if isinstance(reference, kind)]
    if not text or "unexpected keyword argument" in text:  # NumPy does not have all of ours
        return error
    same = all(isinstance(error, kind) for kind in kinds)
    if same and str(error).startswith(text.partition("\n")[0].rstrip()):
        return error
    worded = _error_of(error, kinds[0] if not same else None, text)
    if isinstance(worded, AxisError) and isinstance(reference, np.exceptions.AxisError):
        worded.axis, worded.ndim = reference.axis, reference.ndim
    return worded


def _is_of_arguments(error: Exception) -> bool:
    if isinstance(error, LazyarrError):
        return type(error) in _OURS
    return any(isinstance(error, kind) for kind in _KINDS) and not isinstance(error, Warning)


def _is_ours(frame: FrameType) -> bool:
    name: str = frame.f_globals.get("__name__", "")
    return name == "lazyarr" or name.startswith("lazyarr.")


def is_within_a_call() -> bool:
    """Return whether the function that raised was called by another public one.

    That one asks for itself.
    """
    functions = 0
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        functions += frame.f_code in REFUSING
        frame = frame.f_back
    return functions > 1


def _reference(
    theirs: Callable[..., Any],
    args: tuple[Any, ...],
    keywords: dict[str, Any],
    axis: int | None,
) -> Exception | None:
    """Return NumPy's error; None if it accepts the arguments, or may complain of values alone.

    Parameters
    ----------
    theirs : callable
        NumPy's function.
    args, keywords : tuple and dict
        The arguments.
    axis : int, optional
        The axis that was out of range.
    """
    name = getattr(theirs, "__name__", "")
    is_fast = (isinstance(theirs, np.ufunc) and theirs.signature is None) or name in _FAST
    most = _ROW.refused_fast_elements if is_fast else _ROW.refused_elements
    raised: list[Exception | None] = []
    for filler in (0, 1):
        copies = _Copies(filler, most, name == "view", axis)
        try:
            values = [copies.of(value) for value in args]
            options = {key: copies.of(value) for key, value in keywords.items()}
        except (_UnknownArgument, RecursionError):  # the latter of a list in itself
            return None
        raised.append(_raised(theirs, values, options))
        if not copies.are_filled:
            break
    first, last = raised[0], raised[-1]
    return first if type(first) is type(last) and str(first) == str(last) else None


class _Copies:
    """Arguments for NumPy: the values of arrays in memory, and one number in the place of others.

    Parameters
    ----------
    filler : int
        The number.
    most : int
        Elements of all arrays together.
    in_place : bool
        Whether arrays in memory are passed on themselves, as they lie: nothing is written to them.
    axis : int, optional
        An axis that was refused: however large, it asks for no memory.

    Attributes
    ----------
    are_filled : bool
        Whether there are such arrays.
    """

    def __init__(self, filler: int, most: int, in_place: bool, axis: int | None) -> None:
        self._filler = filler
        self._in_place = in_place
        self._axis = axis
        self._left = most
        self.are_filled = False

    def of(self, value: Any) -> Any:
        """Return an argument for NumPy.

        Raises
        ------
        _UnknownArgument
            If the argument is of no known type, or large.
        """
        if isinstance(value, (ArrayBase, np.ndarray)):
            return self._array(value)
        if type(value) in (tuple, list):
            return type(value)([self.of(item) for item in value])
        if type(value) is dict:
            return {self.of(key): self.of(item) for key, item in value.items()}
        if not isinstance(value, _PLAIN) or (_is_large(value) and value != self._axis):
            raise _UnknownArgument
        return value

    def _array(self, value: Any) -> Any:
        if isinstance(value, MaskedSelection) or is_bfloat16(value.dtype):
            raise _UnknownArgument
        if type(value) not in (np.ndarray, ArrayBase._new):
            raise _UnknownArgument
        self._left -= value.size
        if self._left < 0:
            raise _UnknownArgument
        memory = value if isinstance(value, np.ndarray) else _memory_of(value)
        if isinstance(memory, np.generic):
            memory = np.asarray(memory)  # as NumPy's arrays of shape (), which are no scalars
        if self._in_place and memory is not None:
            return memory
        if memory is None or memory.size > _ROW.refused_elements:
            self.are_filled = True
            if self._filler:
                copy = np.full(value.shape, self._filler, value.dtype)
            else:
                copy = np.zeros(value.shape, value.dtype)  # pages that nobody touches cost nothing
        else:
            copy = memory.copy("K")
        copy.flags.writeable = (
            value.flags.writeable if isinstance(value, np.ndarray) else is_writeable(value)
        )
        return copy


def _is_large(value: Any) -> bool:
    """Whether an argument is a number that may ask for a large array."""
    return isinstance(value, int) and abs(value) > _ROW.refused_elements


def _memory_of(array: Any) -> Any:
    """Return the memory in which the value of an array lies; None for an expression."""
    memory = memory_of(array)
    if memory is None:
        value = known_node(array)
        if value is not None and isinstance(value.attr, Leaf) and type(value.attr) in HOSTED:
            return value.attr.array
    return memory


def _raised(
    theirs: Callable[..., Any], values: list[Any], options: dict[str, Any]
) -> Exception | None:
    """Return the exception of NumPy's function; None if it returns, or warns."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            theirs(*values, **options)
        except tuple(_KINDS) as reference:
            # A traceback would keep frames, and with them arrays.
            return reference.with_traceback(None)
    return None


def _error_of(error: Exception, kind: type[Exception] | None, text: str) -> Exception:
    """Return an error with a text of NumPy's, one of lazyarr's classes if there is one.

    Parameters
    ----------
    error : Exception
        Of the call; its words are the hint, if it has none.
    kind : type, optional
        Of NumPy's error, if it differs from that of the call.
    text : str
        NumPy's.
    """
    if isinstance(error, LazyarrError):
        where, hint = error.origin, error.hint or error.message
    else:
        where, hint = origin(), str(error)
    if kind is None and isinstance(error, LazyarrError):
        return type(error)(text, origin=where, hint=hint)
    kind = kind or next(each for each in _KINDS if isinstance(error, each))
    cls = _KINDS[kind]
    if cls is not None:
        return cls(text, origin=where, hint=hint)
    return kind(str(LazyarrError(text, origin=where, hint=hint)))
