"""The table of NumPy's functions that are called immediately, and bounds of their results.

Every function of a namespace that NumPy has too, but for those named here with a reason. The bound
of a function that is not named is safe for most: pairs of elements, times the integers among the
arguments.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

import numpy as np

from lazyarr.arrays import tuning
from lazyarr.arrays.fields import COMPILED
from lazyarr.arrays.immediate import is_cheap
from lazyarr.arrays.native_calls import Row
from lazyarr.arrays.native_methods import named_method
from lazyarr.core.source_location import called_at, origin
from lazyarr.ops.elementwise import BY_UFUNC

__all__ = ["METHODS", "method_row", "places_of", "quicker", "row_of", "ufunc_row"]


def _names(text: str, value: str) -> dict[str, str]:
    return dict.fromkeys(text.split(), value)


#: Functions that stay as they are, and why.
_EXCLUDED: dict[str, str] = {
    **_names(
        "frombuffer fromfile fromfunction fromiter frompyfunc fromregex fromstring genfromtxt "
        "load loadtxt from_dlpack mask_indices piecewise apply_over_axes",
        "they take texts, files or functions",
    ),
    **_names("bmat nested_iters", "they return matrices and iterators of NumPy's"),
    **_names("asarray asanyarray empty", "they have forms of their own"),
    **_names(
        "common_type iscomplexobj isfortran isrealobj may_share_memory shares_memory isnat",
        "they tell of arrays, not values",
    ),
    **_names("unique_values", "the order of NumPy's results depends on its release"),
    **_names("imag", "that of a real array is locked"),
    **_names("broadcast_arrays", "its results warn when they are written to"),
    **_names("fix row_stack", "NumPy deprecates them"),
}
#: Bounds of functions, where it is not that of most.
_BOUNDS: dict[str, str] = {
    **_names(
        "all amax amin any append argmax argmin argpartition argsort around array average block "
        "column_stack compress concat concatenate count_nonzero cumprod cumsum delete diff "
        "digitize dstack extract gradient histogram hstack interp isin lexsort lstsq max mean "
        "median min nan_to_num nancumprod nancumsum nanmax nanmean nanmin nanprod nansum nanvar "
        "partition "
        "polyfit prod ptp real roll round searchsorted solve sort stack sum take_along_axis "
        "trace trapezoid vdot vstack",
        "total",
    ),
    **_names(
        "array_equal array_equiv where clip select choose cross vecdot linalg.vecdot linalg.cross",
        "spread",
    ),
    **_names("percentile quantile unravel_index ravel_multi_index", "paired"),
    "take": "taken",
    "tile": "counted",
    **_names("resize broadcast_to", "named"),
    **_names("fft.fft fft.ifft fft.rfft fft.irfft fft.hfft fft.ihfft", "named"),
    **_names("fft.fft2 fft.ifft2 fft.rfft2 fft.irfft2", "named"),
    "repeat": "repeated",
    **_names("isclose allclose", "close"),
    "pad": "padded",
    **_names("diagflat tril_indices triu_indices vander", "squared"),
    **_names("linalg.svd", "matrices"),
    "linalg.qr": "thin",
    "cov": "covariances",
    "einsum": "subscripts",
    "diag": "diagonal",
    **_names("tensordot linalg.tensordot", "contracted"),
    **_names("eye identity tri", "sided"),
    **_names("geomspace linspace logspace", "sampled"),
    "corrcoef": "fewer",
    **_names("var std", "freedom"),
    **_names("nanmedian nanstd nanargmax nanargmin", "known"),
    **_names("nanpercentile nanquantile", "known_quantiles"),
}
#: Bounds of results that are no larger than the arguments.
_LIKE_ARGUMENTS = frozenset(
    "total spread fewer freedom known known_quantiles close padded thin covariances".split()
)
#: Functions of a result that is no larger, whatever their bound is.
_CHEAP = frozenset("percentile quantile tensordot linalg.tensordot".split())
#: Functions that compute nothing of the elements that they copy, or whose kernel of a middle size
#: does so no sooner, when it has been planned.
_COPYING = frozenset(
    "append argmax argmin array array_equal array_split block broadcast_to column_stack concat "
    "concatenate copy count_nonzero delete diag dsplit dstack einsum empty_like extract full_like "
    "hsplit hstack insert linalg.norm linspace ones_like pad ptp repeat sort split stack take tile "
    "trace tril triu vsplit vstack zeros_like".split()
)
#: Functions for which an argument of one operation on memory is computed: to build the expression
#: of both in Python takes longer.
_EXTENDING = frozenset(
    "append around clip corrcoef cov delete diff gradient insert nan_to_num pad repeat roll round "
    "tile tril triu".split()
)
#: The same of an argument with a name, where elements are read at other places, or several times:
#: what reads the argument itself would compute it again.
_MOVING = frozenset("append corrcoef cov delete diff gradient insert pad roll".split())
#: Functions for which NumPy passes over the elements several times, and a kernel once.
_SEVERAL_PASSES = frozenset("nanmean nanprod nanstd nansum nanvar std var".split())
#: Functions that no kernel computes with their arguments: nothing is spared where these wait for
#: them. Those of the libraries below are among them, but for the ones that are made of others.
_BY_LIBRARY = frozenset(
    "argpartition argsort convolve correlate digitize histogram interp isin median nanmedian "
    "nanpercentile nanquantile partition percentile quantile searchsorted".split()
)
#: Those that look each value up in a table: kernels look several up side by side.
_LOOKUPS = frozenset("digitize interp searchsorted".split())
_COMPOSED = frozenset(
    "linalg.cross linalg.diagonal linalg.matmul linalg.matrix_norm linalg.matrix_transpose "
    "linalg.multi_dot linalg.norm linalg.outer linalg.tensordot linalg.trace linalg.vecdot "
    "linalg.vector_norm fft.fftshift fft.ifftshift fft.fftfreq fft.rfftfreq".split()
)


#: ``ndarray.nonzero``; the compiled form of it has no branch for each truth value.
places_of: Callable[[Any], Any] = np.ndarray.nonzero if COMPILED is None else COMPILED.nonzero


def _flat_places(a: Any) -> Any:
    """Return the places of the elements of an ndarray that are not zero, in its flattened form."""
    return places_of(a.ravel())[0]


#: Functions that look up the method of that name, and call it with the same arguments, and others
#: that come to methods.
METHODS: dict[str, Any] = {"flatnonzero": _flat_places, "nonzero": places_of} | {
    name: getattr(np.ndarray, name)
    for name in "argmax argmin cumprod cumsum diagonal repeat searchsorted take".split()
}
#: Functions in whose place others are called of large arrays.
_REPLACED = frozenset(
    "histogram intersect1d isin lexsort setdiff1d setxor1d union1d unique".split()
)
_LEAST_REPLACED = tuning.row().ordered_elements


def _argsort(a: Any, *args: Any, **keywords: Any) -> Any:
    """Return the positions that sort an ndarray, as of ``numpy.ndarray.argsort``."""
    if a.size < _LEAST_REPLACED:
        return np.ndarray.argsort(a, *args, **keywords)
    from lazyarr.arrays.packed_order import argsort  # most programs never need it

    return argsort(a, *args, **keywords)


METHODS["argsort"] = _argsort


def quicker(function: Callable[..., Any], args: Sequence[Any]) -> Callable[..., Any]:
    """Return the function that is called in the place of one of NumPy's, or that itself.

    Parameters
    ----------
    function : callable
        Any function.
    args : sequence
        Its arguments without a name.

    Returns
    -------
    callable
        It has the same results.
    """
    name = getattr(function, "__name__", "")
    if name in _REPLACED and _is_large(args):
        from lazyarr.arrays.replacements import REPLACEMENTS  # most programs never need them

        return REPLACEMENTS.get(function, function)
    return function


def _is_large(args: Sequence[Any]) -> bool:
    """Return whether the first argument is a large ndarray, or a list with one."""
    first = args[0] if args else None
    arrays: Any = first if type(first) in (tuple, list) else (first,)
    return any(type(x) is np.ndarray and x.size >= _LEAST_REPLACED for x in arrays)


def _quickly(function: Callable[..., Any], warns: bool) -> Callable[..., Any]:
    @functools.wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        chosen = quicker(function, args)
        if warns:  # of the line of its caller
            return called_at(origin(), chosen, args, keywords)
        return chosen(*args, **keywords)

    return call


#: Functions that give views of their first argument: an ndarray is wrapped for them.
_VIEWING = frozenset(
    "atleast_3d broadcast_to diag dsplit flip fliplr flipud linalg.diagonal "
    "linalg.matrix_transpose matrix_transpose permute_dims unstack".split()
)
#: Functions whose results are index maps of their first argument here, and copies in NumPy.
OWNING = frozenset("compress delete extract repeat resize take tile".split())
#: Functions that write to ``out=`` as ufuncs do.
_WRITING = frozenset(("clip",))
#: Functions that write to their first argument, and return nothing.
_FILLING = frozenset("copyto fill_diagonal place put put_along_axis putmask".split())
#: Namespaces whose functions no kernel computes.
_LIBRARIES = frozenset(("linalg", "fft"))
#: Functions that warn in NumPy's Python code, at the line of their caller.
_WARNING = frozenset("nanmin nanmax nanmean nanvar cov histogram polyfit linalg.qr cross".split())
#: Functions that make arrays of numbers alone.
_CREATING = frozenset(
    "bartlett blackman diag_indices eye fft.fftfreq fft.rfftfreq geomspace hamming hanning "
    "identity indices kaiser linspace logspace tri tril_indices triu_indices".split()
)
#: Functions that meet no floating-point exceptions, but where ``dtype=`` has them cast.
_QUIET = frozenset(
    "append argpartition argsort argwhere array_equal atleast_3d bincount broadcast_to "
    "column_stack compress concat concatenate count_nonzero delete diag digitize dsplit dstack "
    "empty_like expand_dims extract flatnonzero flip hstack isin lexsort moveaxis nonzero "
    "ones_like packbits partition permute_dims ravel repeat resize rollaxis searchsorted sort "
    "stack swapaxes take take_along_axis tile transpose tril triu union1d unique unique_counts "
    "unique_inverse unpackbits unravel_index vstack where zeros_like".split()
)
#: Functions that NumPy computes while the expression is built: numbers among their results stay
#: NumPy's.
_AS_IS = frozenset(
    "argwhere bincount flatnonzero intersect1d linalg.lstsq nonzero setdiff1d setxor1d trim_zeros "
    "union1d unique".split()
)

#: Keywords that write to an argument, or that NumPy's functions have in another sense.
_REFUSED = frozenset("out like device overwrite_input".split())
#: The same of single functions: with these, warnings may name a line of NumPy's.
_REFUSED_ALSO: dict[str, str] = {
    "nan_to_num": "copy",
    "meshgrid": "copy",
    "mean": "where",
    "var": "where mean correction",
    "std": "where mean correction",
    **_names("nanvar nanstd", "where mean correction ddof"),
    "nanmean": "where",
    "cov": "ddof fweights aweights",
    "array": "copy ndmax",
    **_names("fft.fftn fft.ifftn fft.rfftn fft.irfftn", "s"),
}


def _places(built: Callable[..., Any], refused: frozenset[str]) -> int:
    """Return the number of arguments without a name before the first refused one."""
    function: Any = built
    signature = None
    while signature is None:
        signature = getattr(function, "__dict__", {}).get("__signature__")
        if signature is None and not hasattr(function, "__wrapped__"):
            break
        function = getattr(function, "__wrapped__", function)
    if signature is not None:
        names = tuple(signature.parameters)
    else:
        code = getattr(function, "__code__", None)
        if code is None:
            return 1
        names = code.co_varnames[: code.co_argcount]
    places = [place for place, name in enumerate(names) if name in refused]
    return min(places, default=8)


def row_of(
    theirs: ModuleType, name: str, built: Callable[..., Any], computed: bool = False
) -> Row | None:
    """Return the row of a function; None if it is never NumPy's.

    Parameters
    ----------
    theirs : module
        NumPy's namespace.
    name : str
        Of the function in it.
    built : callable
        The function of lazyarr.
    computed : bool
        Whether it has no lazy form, but computes whenever it is called.
    """
    function = getattr(theirs, name, None)
    if name in _EXCLUDED or not callable(function) or isinstance(function, type):
        return None
    space = theirs.__name__.partition(".")[2]
    full = f"{space}.{name}" if space else name
    refused = _REFUSED.union(_REFUSED_ALSO.get(full, "").split())
    computed = computed or full in _AS_IS
    bound = "total" if computed else _BOUNDS.get(full, _BOUNDS.get(name, "bounded"))
    implementation = getattr(function, "_implementation", function)
    return Row(
        function=_quickly(function, full in _WARNING) if full in _REPLACED else implementation,
        rebuild=built,
        bound=bound,
        refused=refused,
        places=_places(built, refused),
        as_is=computed,
        creates=full in _CREATING,
        warns=full in _WARNING,
        cheap=bound in _LIKE_ARGUMENTS or full in _CHEAP or space in _LIBRARIES,
        copies=computed or full in _COPYING | _VIEWING,
        writes=full in _WRITING,
        views=full in _VIEWING,
        extends=full in _EXTENDING,
        moves=full in _MOVING,
        fills=full in _FILLING,
        by_library=full in _BY_LIBRARY or (space in _LIBRARIES and full not in _COMPOSED),
        at_any_size=full in _BY_LIBRARY - _LOOKUPS,
        looks_up=full in _LOOKUPS,
        slowly_built=full not in _SEVERAL_PASSES,
        quiet=full in _QUIET,
        owns=full in OWNING,
        copies_mask=full == "where",
        counts_truths=full == "count_nonzero",
        is_several=full in ("cov", "corrcoef"),
    )


def ufunc_row(theirs: Any, rebuild: Callable[..., Any], bound: str = "spread") -> Row:
    """Return the row of a ufunc, or of a method of one.

    Parameters
    ----------
    theirs : callable
        NumPy's.
    rebuild : callable
        Builds the expression of the same arguments.
    bound : str
        How large the result may get.
    """
    is_ufunc = isinstance(theirs, np.ufunc)
    places = theirs.nin if is_ufunc else 3  # an array, places, an axis
    refused = _REFUSED | {"where", "subok"}
    ufunc = theirs if is_ufunc else theirs.__self__
    return Row(
        theirs,
        rebuild,
        bound,
        refused,
        places,
        creates=True,
        writes=is_ufunc and theirs.nout == 1,
        fills=not is_ufunc and theirs.__name__ == "at",
        cheap=ufunc in BY_UFUNC and all(map(is_cheap, BY_UFUNC[ufunc])),
        by_library=theirs.__name__ == "reduceat",
        at_any_size=theirs.__name__ == "reduceat",
        slowly_built=not is_ufunc,
    )


#: Methods: the bound, and how many arguments without a name (the array included) are read.
_METHODS: dict[str, tuple[str, int]] = {
    "argpartition": ("total", 5),
    "argsort": ("total", 3),
    "choose": ("spread", 2),
    "clip": ("spread", 3),
    "put": ("total", 3),
    "compress": ("total", 3),
    "repeat": ("repeated", 3),
    "searchsorted": ("total", 4),
    "std": ("freedom", 3),
    "take": ("taken", 3),
    "var": ("freedom", 3),
}


def method_row(name: str) -> Row | None:
    """Return the row of a method; None if it is never NumPy's, or simpler.

    Parameters
    ----------
    name : str
        Of the method.
    """
    name = name.removeprefix("_").removesuffix("_method")
    if name not in _METHODS:
        return None
    bound, places = _METHODS[name]
    refused = _REFUSED.union(_REFUSED_ALSO.get(name, "").split())
    cheap = bound in _LIKE_ARGUMENTS
    return Row(
        METHODS.get(name, getattr(np.ndarray, name)),
        named_method(name),
        bound,
        refused,
        places,
        cheap=cheap,
        copies=name in _COPYING,
        by_library=name in _BY_LIBRARY,
        at_any_size=name in _BY_LIBRARY - _LOOKUPS,
        looks_up=name in _LOOKUPS,
        fills=name in _FILLING,
        slowly_built=True,
        quiet=name in _QUIET,
    )
