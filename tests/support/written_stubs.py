"""Stubs of functions whose results depend on their options, as they are written by hand."""

from __future__ import annotations

__all__ = ["METHODS_OF_BINARY", "OVERLOADS", "RETURNS_OF_COMPUTED"]


def _several(name: str) -> str:
    """Return the stub of a function that gives an array for one argument, else a tuple."""
    return f"""\
@overload
def {name}(ary: ArrayLike, /) -> LazyArray: ...
@overload
def {name}(first: ArrayLike, second: ArrayLike, /, *arys: ArrayLike) -> tuple[LazyArray, ...]: ...
"""


def _unique() -> str:
    """Return the stubs of ``unique``: one more array for each of three options."""
    options = ("return_index", "return_inverse", "return_counts")
    stubs = []
    for chosen in range(8):
        keywords = []
        count = 1
        for at, option in enumerate(options):
            asked = chosen >> at & 1
            count += asked
            literal = "Literal[True]" if asked else "Literal[False] = ..."
            keywords.append(f"{option}: {literal}")
        result = "LazyArray" if count == 1 else f"tuple[{', '.join(['LazyArray'] * count)}]"
        stubs.append(
            f"@overload\ndef unique(ar: ArrayLike, *, {', '.join(keywords)}, axis: _Axis = ...,"
            f" equal_nan: builtins.bool = ..., sorted: builtins.bool = ...) -> {result}: ...\n"
        )
    stubs.append(
        "@overload\ndef unique(ar: ArrayLike, return_index: builtins.bool = ..., "
        "return_inverse: builtins.bool = ..., return_counts: builtins.bool = ..., "
        "axis: _Axis = ..., *, equal_nan: builtins.bool = ..., sorted: builtins.bool = ...)"
        " -> Any: ...\n"
    )
    return "".join(stubs)


def _method(name: str, arguments: str, options: str = "") -> str:
    """Return the stubs of a ufunc's method, whose ``out=`` it gives back."""
    return f"""
    @overload
    def {name}(self, {arguments}, out: None = ...{options}) -> LazyArray: ...
    @overload
    def {name}(
        self, {arguments}{"" if "*" in arguments else ", *"}, out: _Out{options}
    ) -> _Out: ...
"""


METHODS_OF_BINARY = (
    _method(
        "reduce",
        "array: ArrayLike, /, axis: _Axis = ..., dtype: DTypeLike | None = ...",
        ", keepdims: builtins.bool = ..., initial: Any = ..., where: ArrayLike = ...",
    )
    + _method("accumulate", "array: ArrayLike, /, axis: int = ..., dtype: DTypeLike | None = ...")
    + _method(
        "reduceat",
        "array: ArrayLike, /, indices: ArrayLike, axis: int = ..., dtype: DTypeLike | None = ...",
    )
    + """
    def outer(self, A: ArrayLike, B: ArrayLike, /, **keywords: Any) -> LazyArray: ...
"""
)
"""Methods of functions of two arrays."""

OVERLOADS = {
    **{name: _several(name) for name in ("atleast_1d", "atleast_2d", "atleast_3d")},
    "average": """\
@overload
def average(
    a: ArrayLike, axis: _Axis = ..., weights: ArrayLike | None = ...,
    returned: Literal[False] = ..., *, keepdims: builtins.bool = ...,
) -> LazyArray: ...
@overload
def average(
    a: ArrayLike, axis: _Axis = ..., weights: ArrayLike | None = ..., *,
    returned: Literal[True], keepdims: builtins.bool = ...,
) -> tuple[LazyArray, LazyArray]: ...
""",
    "gradient": """\
@overload
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: int, edge_order: Literal[1, 2] = ...
) -> LazyArray: ...
@overload
def gradient(
    f: ArrayLike, *varargs: ArrayLike, axis: _Axis = ..., edge_order: Literal[1, 2] = ...
) -> Any: ...
""",
    "indices": """\
@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike = ..., sparse: Literal[False] = ...
) -> LazyArray: ...
@overload
def indices(
    dimensions: Sequence[int], dtype: DTypeLike = ..., *, sparse: Literal[True]
) -> tuple[LazyArray, ...]: ...
""",
    "intersect1d": """\
@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: builtins.bool = ...,
    return_indices: Literal[False] = ...,
) -> LazyArray: ...
@overload
def intersect1d(
    ar1: ArrayLike, ar2: ArrayLike, assume_unique: builtins.bool = ..., *,
    return_indices: Literal[True],
) -> tuple[LazyArray, LazyArray, LazyArray]: ...
""",
    "unique": _unique(),
}
"""Functions of lazyarr's own with several stubs each, by name."""

_OF_POLYNOMIALS = "poly polyadd polyder polyint polymul polysub roots vander"
RETURNS_OF_COMPUTED = {
    **dict.fromkeys(_OF_POLYNOMIALS.split(), "LazyArray"),
    "polydiv": "tuple[LazyArray, LazyArray]",
    "array2string": "str",
    "array_repr": "str",
    "array_str": "str",
    "einsum_path": "tuple[list[Any], str]",
    "histogram2d": "tuple[LazyArray, LazyArray, LazyArray]",
    "histogram_bin_edges": "LazyArray",
    "histogramdd": "tuple[LazyArray, list[LazyArray]]",
    "ix_": "tuple[LazyArray, ...]",
    "lexsort": "LazyArray",
    "packbits": "LazyArray",
    "unpackbits": "LazyArray",
    "save": "None",
    "savetxt": "None",
    "savez": "None",
    "savez_compressed": "None",
}
"""What functions that NumPy computes give, by name; the others give any value."""
