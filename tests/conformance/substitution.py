"""NumPy's namespaces with lazyarr's names in their place, and modules that import them."""

from __future__ import annotations

import ast
import functools
import importlib
import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

import lazyarr as la

#: Namespaces of NumPy's whose names lazyarr may have.
OWN: dict[str, Any] = {
    "numpy": la,
    "numpy.linalg": la.linalg,
    "numpy.fft": la.fft,
    "numpy.random": la.random,
    "numpy.polynomial": la.polynomial,
    **{f"numpy.polynomial.{name}": getattr(la.polynomial, name) for name in la.polynomial.__all__},
    "numpy.lib": la,
    "numpy.lib.stride_tricks": la,
    "numpy._core": la,
    "numpy._core.umath": la,
    "numpy._core.numeric": la,
    "numpy._core._multiarray_umath": la,
}

#: Namespaces of assertions.
TESTING = ("numpy.testing", "numpy.ma.testutils")


class Namespace(types.ModuleType):
    """A namespace of NumPy's in which lazyarr's public names come first.

    They do while a test runs. Before that the names are NumPy's: what a module makes when it is
    loaded are parameters of tests.

    Parameters
    ----------
    name
        The name of NumPy's module.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._name = name
        self._own_names = frozenset(dir(OWN[name]))

    def __getattr__(self, name: str) -> Any:
        return self.own(name) if _running else self.theirs(name)

    def theirs(self, name: str) -> Any:
        """Return NumPy's value of a name, which may be a module that is not imported yet."""
        module = importlib.import_module(self._name)
        with suppress(AttributeError):  # asked once, since a name may warn
            return getattr(module, name)
        with suppress(ModuleNotFoundError):  # the error of the attribute says more
            importlib.import_module(f"{self._name}.{name}")
        return getattr(module, name)

    def own(self, name: str) -> Any:
        """Return lazyarr's value of a name, or NumPy's where lazyarr has none."""
        if f"{self._name}.{name}" in (*OWN, *TESTING):
            return namespace(f"{self._name}.{name}")
        if name in self._own_names and not isinstance(getattr(np, name, None), types.ModuleType):
            return getattr(OWN[self._name], name)
        return self.theirs(name)


_namespaces: dict[str, Namespace] = {}
_running: list[str] = []


@contextmanager
def substituted(test: str) -> Iterator[None]:
    """Names of NumPy's are lazyarr's while a test runs."""
    _running.append(test)
    try:
        yield
    finally:
        _running.pop()


def namespace(name: str) -> types.ModuleType:
    """Return the namespace that stands for a module of NumPy's."""
    if name in TESTING:
        return _Testing(name)
    if name not in _namespaces:
        _namespaces[name] = Namespace(name)
    return _namespaces[name]


class _Testing(types.ModuleType):
    """The assertions of numpy.testing, for values of LazyArrays.

    The functions there ask whether something is an instance of `numpy.ndarray`, and compare what is
    none by truth.
    """

    def own(self, name: str) -> Any:
        """Return a function of numpy.testing that takes LazyArrays for their values."""
        function = getattr(importlib.import_module(self.__name__), name)
        calls = ("raises", "warn")
        if not name.startswith("assert_") or any(word in name for word in calls):
            return function

        @functools.wraps(function)
        def checked(*arguments: Any, **keywords: Any) -> Any:
            options = {key: _value(argument) for key, argument in keywords.items()}
            return function(*map(_value, arguments), **options)

        return checked

    __getattr__ = own


def _value(argument: Any) -> Any:
    if isinstance(argument, la.LazyArray):
        return np.asarray(argument)[()]
    if isinstance(argument, tuple):  # a named one, too
        return tuple(map(_value, argument))
    if type(argument) is list:
        return list(map(_value, argument))
    if type(argument) is dict:
        return {key: _value(item) for key, item in argument.items()}
    return argument


class _Imports(ast.NodeTransformer):
    """Replaces imports of NumPy's namespaces by assignments."""

    def visit_Import(self, node: ast.Import) -> list[ast.stmt]:
        statements: list[ast.stmt] = []
        for alias in node.names:
            root = alias.name.partition(".")[0]
            if alias.name in OWN and (alias.asname or root == alias.name):
                text = f"{alias.asname or root} = __namespace__({alias.name!r})"
                statements += ast.parse(text).body
            elif root == "numpy" and not alias.asname:
                text = f"import {alias.name}\nnumpy = __namespace__('numpy')"
                statements += ast.parse(text).body
            else:
                statements.append(ast.Import([alias]))
        return [_at(statement, node) for statement in statements]

    def visit_ImportFrom(self, node: ast.ImportFrom) -> ast.stmt | list[ast.stmt]:
        if node.module not in (*OWN, *TESTING):
            return node
        statements: list[ast.stmt] = []
        for alias in node.names:
            value = f"__namespace__({node.module!r}).own({alias.name!r})"
            text = f"{alias.asname or alias.name} = {value}"
            statements += ast.parse(text).body
        return [_at(statement, node) for statement in statements]


def _at(statement: ast.stmt, node: ast.stmt) -> ast.stmt:
    for part in ast.walk(statement):
        ast.copy_location(part, node)
    return statement


def load(path: Path, name: str) -> types.ModuleType:
    """Return the module of a test file, in which NumPy's names are lazyarr's.

    Parameters
    ----------
    path
        The file.
    name
        The module's name.
    """
    from _pytest.assertion.rewrite import rewrite_asserts

    text = path.read_bytes()
    tree = _Imports().visit(ast.parse(text, str(path)))
    ast.fix_missing_locations(tree)
    rewrite_asserts(tree, text, str(path))
    module = types.ModuleType(f"substituted.{name}")
    module.__file__ = str(path)
    module.__package__ = name.rpartition(".")[0]
    module.__dict__["__namespace__"] = namespace
    # Dataclasses and pickles look for it there.
    sys.modules[module.__name__] = module
    exec(compile(tree, str(path), "exec"), module.__dict__)
    for value in list(vars(module).values()):
        if getattr(value, "__module__", None) == module.__name__:
            _replace_functions(value)
    return module


@functools.cache
def _counterparts() -> dict[int, Any]:
    """Return lazyarr's functions by the identities of NumPy's."""
    pairs = {}
    for name, own in OWN.items():
        module = importlib.import_module(name)
        for attribute in dir(own):
            theirs, ours = getattr(module, attribute, None), getattr(own, attribute)
            if callable(theirs) and not isinstance(theirs, type) and ours is not theirs:
                pairs[id(theirs)] = ours
    return pairs


def _with_own(value: Any) -> Any:
    """Return a value, or what a list, tuple or dict holds, with lazyarr's functions for NumPy's."""
    kind = type(value)
    if kind in (list, tuple):
        return kind(map(_with_own, value))
    if kind is dict:
        return {_with_own(key): _with_own(item) for key, item in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_replace"):  # a set of parameters
        fields = {name: _with_own(item) for name, item in value._asdict().items()}
        return value._replace(**fields)
    return _counterparts().get(id(value), value)


def _replace_functions(value: Any) -> None:
    """Put lazyarr's functions for those of NumPy's that a class or the marks of a test hold.

    Tests compare them with what NumPy's names are while the test runs.
    """
    for mark in vars(value).get("pytestmark", ()) if hasattr(value, "__dict__") else ():
        if mark.name == "parametrize":
            object.__setattr__(mark, "args", _with_own(mark.args))
    if not isinstance(value, type):
        return
    for name, item in list(vars(value).items()):
        if isinstance(item, types.FunctionType):
            _replace_functions(item)
        elif not name.startswith("__") and name != "pytestmark":
            replaced = _with_own(item)
            if isinstance(replaced, types.FunctionType):
                replaced = staticmethod(replaced)
            if replaced is not item:
                setattr(value, name, replaced)
