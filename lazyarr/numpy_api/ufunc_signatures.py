"""Loops of ufuncs that ``signature=`` and ``casting=`` ask for."""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.arrays.coercion import WEAK
from lazyarr.arrays.lazy_array import as_node
from lazyarr.core.source_location import origin
from lazyarr.errors import ArgumentError, DTypeError

__all__ = ["check_casting", "check_loop", "output_dtype", "signed_dtype"]


def output_dtype(signature: Any, ufunc: np.ufunc) -> Any:
    """Return the dtype of the result that a ufunc's ``signature=`` asks for.

    Parameters
    ----------
    signature : str, tuple, or dtype
        The user's argument: a type-string such as "dd->d", a tuple of dtypes, or the dtype of the
        result.
    ufunc : numpy.ufunc
        The function.

    Returns
    -------
    dtype or None
        None where a tuple leaves it open.

    Raises
    ------
    ArgumentError
        If a type-string has other numbers of codes than the ufunc of operands and outputs.
    """
    if isinstance(signature, str):
        inputs, arrow, outputs = signature.partition("->")
        if not arrow:
            return np.dtype(signature)
        if len(inputs) != ufunc.nin or len(outputs) != ufunc.nout:
            raise ArgumentError(
                f"a type-string for {ufunc.__name__} requires {ufunc.nin} typecode(s) before and "
                f"{ufunc.nout} after the -> sign",
                origin=origin(),
            )
        return np.dtype(outputs[0])
    return signature[-1] if isinstance(signature, tuple) else signature


def signed_dtype(signature: Any, ufunc: np.ufunc, operands: tuple[Any, ...], casting: Any) -> Any:
    """Return the dtype of :func:`output_dtype`, if NumPy has the loop of a signature for operands.

    Parameters
    ----------
    signature, ufunc : object
        As for :func:`output_dtype`.
    operands : tuple of array_like
        As many as the function takes.
    casting : object
        The user's rule.

    Raises
    ------
    DTypeError
        If there is no loop of the signature, or an operand may not be cast to its types.
    ArgumentError
        If the signature is none.
    """
    tried = _try_on_samples(ufunc, operands, {"casting": casting, "signature": signature})
    named = output_dtype(signature, ufunc)
    return tried.dtype if named is None and isinstance(tried, (np.ndarray, np.generic)) else named


def check_casting(ufunc: np.ufunc, operands: tuple[Any, ...], dtype: Any, casting: Any) -> None:
    """Raise NumPy's error unless operands may be cast to the types of a ufunc's loop.

    Parameters
    ----------
    ufunc : numpy.ufunc
        The function.
    operands : tuple of array_like
        As many as it takes.
    dtype : dtype, optional
        The user's, to compute in.
    casting : object
        The user's rule.

    Raises
    ------
    DTypeError
        If an operand may not be cast.
    ArgumentError
        If there is no such rule.
    """
    if casting == "same_kind":
        return
    options = {"casting": casting} if dtype is None else {"casting": casting, "dtype": dtype}
    _try_on_samples(ufunc, operands, options)


def check_loop(ufunc: np.ufunc, operands: tuple[Any, ...]) -> None:
    """Raise NumPy's error unless a ufunc has a loop for the dtypes of operands.

    Parameters
    ----------
    ufunc : numpy.ufunc
        The function.
    operands : tuple of array_like
        As many as it takes.

    Raises
    ------
    DTypeError
        If it has none.
    """
    _try_on_samples(ufunc, operands, {})


def _try_on_samples(ufunc: np.ufunc, operands: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Return NumPy's result of a call with these options, for operands without elements."""
    # No elements: NumPy checks the types, and computes nothing.
    samples = [x if type(x) in WEAK else np.empty(0, as_node(x).dtype) for x in operands]
    try:
        with np.errstate(all="ignore"):
            return ufunc(*samples, **options)
    except UnicodeDecodeError:
        raise
    except ValueError as error:
        raise ArgumentError(str(error), origin=origin()) from None
    except TypeError as error:
        raise DTypeError(str(error), origin=origin()) from None
