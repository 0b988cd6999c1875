"""NumPy's namespaces with lazyarr's names in their place, and modules that import them."""

from __future__ import annotations

import ast
import functools
import importlib
import types
from collections.abc import Iterator
from contextlib import contextmanager
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
    "numpy.lib": la,
    "numpy.lib.stride_tricks": la,
    "numpy._core": la,
    "numpy._core.umath": la,
    "numpy._core.numeric": la,
    "numpy._core._multiarray_umath": la,
}


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
        if not hasattr(module, name):
            importlib.import_module(f"{self._name}.{name}")
        return getattr(module, name)

    def own(self, name: str) -> Any:
        """Return lazyarr's value of a name, or NumPy's where lazyarr has none."""
        if f"{self._name}.{name}" in (*OWN, "numpy.testing"):
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
    if name == "numpy.testing":
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
        function = getattr(np.testing, name)
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
    if type(argument) in (list, tuple):
        return type(argument)(map(_value, argument))
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
        if node.module not in (*OWN, "numpy.testing"):
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
    module = types.ModuleType(name)
    module.__file__ = str(path)
    module.__package__ = name.rpartition(".")[0]
    module.__dict__["__namespace__"] = namespace
    exec(compile(tree, str(path), "exec"), module.__dict__)
    return module
