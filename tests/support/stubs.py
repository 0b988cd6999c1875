"""Type stubs of the modules whose names are put together when they are imported.

``python -m tests.support.stubs`` writes them anew; a test compares them with what this module says.
"""

from __future__ import annotations

import inspect
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import lazyarr as la
from lazyarr.numpy_api.names import FROM_NUMPY, MODULES, computed_names
from lazyarr.random import legacy
from tests.support.written_stubs import METHODS_OF_BINARY, OVERLOADS, RETURNS_OF_COMPUTED

__all__ = ["STUBS"]

PACKAGE = Path(la.__file__).parent

_HEAD = '''\
"""{title}. Made by tests/support/stubs.py: do not edit."""

import builtins
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

'''

_TYPES = """\
_Axis = int | Sequence[int] | None
_Shape = int | Sequence[int]
_Order = Literal["C", "F", "A", "K"] | None
_Out = TypeVar("_Out", bound=np.ndarray[Any, Any] | LazyArray)
"""

_UFUNCS = """\
class _Unary(ufunc):
    @overload
    def __call__(
        self, x: ArrayLike, /, out: None = ..., *, where: ArrayLike = ..., casting: str = ...,
        order: _Order = ..., dtype: DTypeLike | None = ..., subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> LazyArray: ...
    @overload
    def __call__(
        self, x: ArrayLike, /, out: _Out | tuple[_Out], *, where: ArrayLike = ...,
        casting: str = ..., order: _Order = ..., dtype: DTypeLike | None = ...,
        subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> _Out: ...

class _Binary(ufunc):
    @overload
    def __call__(
        self, x1: ArrayLike, x2: ArrayLike, /, out: None = ..., *, where: ArrayLike = ...,
        casting: str = ..., order: _Order = ..., dtype: DTypeLike | None = ...,
        subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> LazyArray: ...
    @overload
    def __call__(
        self, x1: ArrayLike, x2: ArrayLike, /, out: _Out | tuple[_Out], *,
        where: ArrayLike = ..., casting: str = ..., order: _Order = ...,
        dtype: DTypeLike | None = ..., subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> _Out: ...
{methods}
class _UnaryPair(ufunc):
    def __call__(
        self, x: ArrayLike, /, *out: Any, where: ArrayLike = ..., casting: str = ...,
        order: _Order = ..., dtype: DTypeLike | None = ..., subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> tuple[LazyArray, LazyArray]: ...

class _BinaryPair(ufunc):
    def __call__(
        self, x1: ArrayLike, x2: ArrayLike, /, *out: Any, where: ArrayLike = ...,
        casting: str = ..., order: _Order = ..., dtype: DTypeLike | None = ...,
        subok: builtins.bool = ...,
        signature: Any = ...,
    ) -> tuple[LazyArray, LazyArray]: ...
"""

_CLASSES = {(1, 1): "_Unary", (2, 1): "_Binary", (1, 2): "_UnaryPair", (2, 2): "_BinaryPair"}

_ARRAYS = (
    "a a1 a2 aweights arr array ary ar ar1 ar2 b bins condition default element f fill_value fp "
    "fweights m mask p prototype q test_elements v val values weights where x x1 x2 xp y z"
).split()
_ANNOTATIONS = {
    **dict.fromkeys(_ARRAYS, "ArrayLike"),
    "axis": "_Axis",
    "axes": "Any",
    "dtype": "DTypeLike | None",
    "keepdims": "builtins.bool",
    "shape": "_Shape",
    "newshape": "_Shape",
    "size": "_Shape | None",
    "order": "_Order",
    "device": 'Literal["cpu", "cuda"] | None',
    "arrays": "Sequence[ArrayLike] | LazyArray",
}
#: Functions in which a name means something else.
_OTHERWISE = {
    ("asarray", "a"): "Any",
    ("choice", "a"): "ArrayLike",
    ("pad", "mode"): "Any",
    ("sort", "order"): "Any",
    ("argsort", "order"): "Any",
    ("partition", "order"): "Any",
    ("argpartition", "order"): "Any",
    ("gamma", "shape"): "ArrayLike",
    ("standard_gamma", "shape"): "ArrayLike",
    ("full_like", "shape"): "_Shape | None",
    ("zeros_like", "shape"): "_Shape | None",
    ("ones_like", "shape"): "_Shape | None",
    ("empty_like", "shape"): "_Shape | None",
    ("randint", "dtype"): "DTypeLike",
    ("reshape", "shape"): "_Shape",
    ("fromfunction", "dtype"): "DTypeLike",
}
#: What functions whose own annotation says nothing give; the rest give arrays.
_RETURNS = {
    **dict.fromkeys(
        "fromfunction fromregex genfromtxt isnat load loadtxt "
        "unique_all unique_counts unique_inverse get_state choice permutation piecewise "
        "apply_along_axis apply_over_axes".split(),
        "Any",
    ),
    "histogram": "tuple[LazyArray, LazyArray]",
    "set_state": "None",
    "seed": "None",
    "shuffle": "None",
    "bytes": "builtins.bytes",
}
_METHOD_RETURNS = {
    "argpartition": "Self",
    "argsort": "Self",
    "nonzero": "tuple[Self, ...]",
}
_BY_HAND = {
    **OVERLOADS,
    "where": """\
@overload
def where(condition: ArrayLike, /) -> tuple[LazyArray, ...]: ...
@overload
def where(condition: ArrayLike, x: ArrayLike, y: ArrayLike, /) -> LazyArray: ...
""",
    "linspace": """\
@overload
def linspace(
    start: ArrayLike, stop: ArrayLike, num: int = ..., endpoint: bool = ...,
    retstep: Literal[False] = ..., dtype: DTypeLike | None = ..., axis: int = ..., *,
    device: Literal["cpu", "cuda"] | None = ...,
) -> LazyArray: ...
@overload
def linspace(
    start: ArrayLike, stop: ArrayLike, num: int = ..., endpoint: bool = ..., *,
    retstep: Literal[True], dtype: DTypeLike | None = ..., axis: int = ...,
    device: Literal["cpu", "cuda"] | None = ...,
) -> tuple[LazyArray, LazyArray]: ...
""",
}


def _returns(name: str, signature: inspect.Signature) -> str:
    written = signature.return_annotation
    text = written if isinstance(written, str) else "Any"
    if name in _RETURNS:
        return _RETURNS[name]
    text = {"bool": "builtins.bool", "Shape": "tuple[int, ...]"}.get(text, text)
    return "LazyArray" if text == "Any" else text


def _parameter(name: str, parameter: inspect.Parameter, *, required: bool = False) -> str:
    key = parameter.name
    annotation = _OTHERWISE.get((name, key)) or _ANNOTATIONS.get(key, "Any")
    if parameter.kind is parameter.VAR_POSITIONAL:
        return f"*{key}: Any"
    if parameter.kind is parameter.VAR_KEYWORD:
        return f"**{key}: Any"
    if parameter.default is None and annotation in ("ArrayLike", "_Shape"):
        annotation += " | None"
    optional = parameter.default is not parameter.empty and not required
    return f"{key}: {annotation}" + (" = ..." if optional else "")


def _listed(name: str, parameters: list[inspect.Parameter]) -> str:
    parts: list[str] = []
    kinds = [p.kind for p in parameters]
    for at, parameter in enumerate(parameters):
        kind = parameter.kind
        if kind is parameter.KEYWORD_ONLY and not {
            parameter.VAR_POSITIONAL,
            parameter.KEYWORD_ONLY,
        } & {*kinds[:at]}:
            parts.append("*")
        parts.append(_parameter(name, parameter))
        last = at + 1 == len(parameters) or kinds[at + 1] is not kind
        if kind is parameter.POSITIONAL_ONLY and last:
            parts.append("/")
    return ", ".join(parts)


def _function(name: str, function: Callable[..., Any]) -> str:
    """Return the stub of a function; one with ``out=`` gives its output back."""
    try:
        signature = inspect.signature(function)
    except ValueError:  # a builtin of NumPy's that has none of its own
        return f"def {name}(*args: Any, **keywords: Any) -> LazyArray: ...\n"
    parameters = [p for p in signature.parameters.values() if p.name != "self"]
    result = _returns(name, signature)
    out = signature.parameters.get("out")
    if out is None or result != "LazyArray":
        return f"def {name}({_listed(name, parameters)}) -> {result}: ...\n"
    plain: list[str] = []
    arguments: list[str] = []
    seen = False
    starred = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    for parameter in parameters:
        if parameter.name == "out":
            seen = True
            plain.append("out: None = ...")
            if not starred and "*" not in arguments:
                arguments.append("*")
            arguments.append("out: _Out")
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            for listed in (plain, arguments):
                if "*" not in listed:
                    listed.append("*")
        plain.append(_parameter(name, parameter))
        arguments.append(_parameter(name, parameter))
        is_last_by_place = parameter.kind is parameter.POSITIONAL_ONLY and (
            parameter is [p for p in parameters if p.kind is p.POSITIONAL_ONLY][-1]
        )
        if is_last_by_place:
            plain.append("/")
            arguments.append("/")
    assert seen
    return (
        f"@overload\ndef {name}({', '.join(plain)}) -> LazyArray: ...\n"
        f"@overload\ndef {name}({', '.join(arguments)}) -> _Out: ...\n"
    )


def _public(module: ModuleType) -> Iterator[tuple[str, Any]]:
    for name in sorted(module.__all__):
        yield name, getattr(module, name)


def _main() -> str:
    imports: list[str] = []
    bodies: list[str] = []
    for name, value in _public(la):
        if name == "ndarray":
            bodies.append("ndarray = LazyArray\n")
        elif name in la._lazy:
            imports.append(f"from {la._lazy[name]} import {name} as {name}")
        elif isinstance(value, ModuleType) and value.__name__.startswith("lazyarr"):
            imports.append(f"from lazyarr import {name} as {name}")
        elif name in FROM_NUMPY:
            imports.append(f"from numpy import {name} as {name}")
        elif isinstance(value, la.ufunc):
            bodies.append(f"{name}: {_CLASSES[value.nin, value.nout]}\n")
        elif isinstance(value, type):
            imports.append(f"from {value.__module__} import {name} as {name}")
        elif name in ("config", "evaluate", "get_config", "persist", "set_config"):
            imports.append(f"from {value.__module__} import {name} as {name}")
        else:
            bodies.append(_BY_HAND.get(name) or _function(name, value))
    imports += [f"from numpy import {name} as {name}" for name in MODULES]
    bodies += [
        f"def {name}(*args: Any, **keywords: Any) -> {RETURNS_OF_COMPUTED.get(name, 'Any')}: ...\n"
        for name in computed_names()
        if name not in la.__all__
    ]
    bodies.append(
        "bfloat16: type[np.generic]\n__version__: str\n__array_api_version__: str\n"
        "def __array_namespace_info__() -> Info: ...\n"
    )
    imports.append("from lazyarr.interop.array_api import Info as Info")
    head = _HEAD.format(title="The public names of lazyarr, with their types")
    return (
        head
        + "\n".join(sorted(imports))
        + "\n\n"
        + _TYPES
        + "\n"
        + _UFUNCS.format(methods=METHODS_OF_BINARY)
        + "\n"
        + "".join(bodies)
    )


def _random() -> str:
    head = _HEAD.format(title="Random numbers, with their types")
    bodies = []
    for name in sorted(legacy.FUNCTIONS):
        own = {"ranf": "random_sample", "sample": "random_sample"}.get(name, name)
        source = (
            getattr(legacy.RandomState, own, None)
            or getattr(la.random.Generator, own, None)
            or getattr(legacy, own)
        )
        bodies.append(_function(name, source))
    imports = (
        "from numpy.random import MT19937 as MT19937\n"
        "from numpy.random import PCG64 as PCG64\n"
        "from numpy.random import PCG64DXSM as PCG64DXSM\n"
        "from numpy.random import SFC64 as SFC64\n"
        "from numpy.random import BitGenerator as BitGenerator\n"
        "from numpy.random import Philox as Philox\n"
        "from numpy.random import SeedSequence as SeedSequence\n\n"
        "from lazyarr.arrays.lazy_array import LazyArray\n"
        "from lazyarr.random.generator import Generator as Generator\n"
        "from lazyarr.random.generator import default_rng as default_rng\n"
        "from lazyarr.random.legacy import RandomState as RandomState\n"
    )
    return head + imports + "\n" + _TYPES + "\n" + "".join(bodies)


def _special() -> str:
    head = _HEAD.format(title="Functions beyond NumPy, with their types")
    bodies = []
    for name, function in _public(la.special):
        parameters = inspect.signature(function).parameters.values()
        if any(p.kind is p.VAR_POSITIONAL for p in parameters):
            bodies.append(
                f"@overload\ndef {name}(*operands: ArrayLike, out: None = ...) -> LazyArray: ...\n"
                f"@overload\ndef {name}(*operands: ArrayLike, out: _Out) -> _Out: ...\n"
            )
        else:
            bodies.append(_function(name, function))
    imports = "from lazyarr.arrays.lazy_array import LazyArray\n"
    return head + imports + "\n" + _TYPES + "\n" + "".join(bodies)


STUBS: dict[Path, Callable[[], str]] = {
    PACKAGE / "__init__.pyi": _main,
    PACKAGE / "random" / "__init__.pyi": _random,
    PACKAGE / "special.pyi": _special,
}
"""The stub files, and what makes the text of each before it is formatted."""

if __name__ == "__main__":
    for path, text in STUBS.items():
        path.write_text(text())
        for action in (["check", "--fix-only", "--quiet"], ["format", "--quiet"]):
            subprocess.run(["ruff", *action, str(path)], check=True)
