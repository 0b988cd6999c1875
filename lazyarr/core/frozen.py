"""Frozen dataclasses that are quick to define and quick to make.

The standard library's decorator compiles six methods for each class, which takes 0.3 ms; for all
the classes of a compiler that is as long as importing NumPy takes. This one compiles an
``__init__`` for each number of fields, when a class with so many is first called, and the rest is
shared. It means the same: `dataclasses.fields`, `replace`, `asdict`, `match`, `copy` and `pickle`
work.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import CodeType, FunctionType, MethodType
from typing import Any, Literal, TypeVar, cast, dataclass_transform

__all__ = ["dataclass", "replace"]

T = TypeVar("T")

_DESCRIPTIONS = ("__dataclass_fields__", "__dataclass_params__")
#: Fields up to which an ``__init__`` has a statement for each.
_FEW = 12


@dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def dataclass(
    *, frozen: Literal[True], slots: Literal[True], eq: bool = True, weakref_slot: bool = False
) -> Callable[[type[T]], type[T]]:
    """Make a class a frozen dataclass with slots, as `dataclasses.dataclass` does.

    Parameters
    ----------
    frozen, slots : True
        Nothing else is offered; written out, because a reader of the class wants to know.
    eq : bool, optional
        Whether values with equal fields are equal, and hash alike.
    weakref_slot : bool, optional
        Whether weak references to its values can be made.

    Notes
    -----
    A class that inherits fields, or describes one by `dataclasses.field`, is left to the standard
    library. `__repr__` does not expect values that contain themselves.

    Examples
    --------
    >>> @dataclass(frozen=True, slots=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(3), Point(1) == Point(1, 0), dataclasses.replace(Point(1), y=2)
    (Point(x=3, y=0), True, Point(x=1, y=2))
    """

    def decorate(cls: type[T]) -> type[T]:
        inherits = any(hasattr(base, "__dataclass_fields__") for base in cls.__bases__)
        if inherits or any(isinstance(v, dataclasses.Field) for v in vars(cls).values()):
            standard = dataclasses.dataclass(
                frozen=True, slots=True, eq=eq, weakref_slot=weakref_slot
            )
            return standard(cls)
        return _define(cls, eq, weakref_slot)

    return decorate


def _define(cls: type[T], eq: bool, weakref_slot: bool) -> type[T]:
    """Return the class once more, with slots and methods; its own methods stay."""
    names = tuple(name for name, kind in cls.__annotations__.items() if not _is_of_class(str(kind)))
    defaults = {name: vars(cls)[name] for name in names if name in vars(cls)}
    namespace = {
        name: value
        for name, value in vars(cls).items()
        if name not in defaults and name not in ("__dict__", "__weakref__")
    }
    methods: dict[str, Any] = {
        "__setattr__": _refuse_set,
        "__delattr__": _refuse_delete,
        "__repr__": _repr,
        "__reduce__": _reduce,
        "__replace__": _replace,
        **{name: _Described(cls, eq, name) for name in _DESCRIPTIONS},
        "__match_args__": names,
    }
    if eq:
        methods["__eq__"], methods["__hash__"] = _comparison(names)
        if namespace.get("__hash__", False) is None:
            del namespace["__hash__"]  # Python's mark of a class that defines __eq__ alone
    namespace = methods | namespace
    namespace["__slots__"] = (*names, "__weakref__") if weakref_slot else names
    if tuple(defaults) != names[len(names) - len(defaults) :]:
        raise TypeError(f"{cls.__name__}: a field without default follows one that has a default")
    namespace["__init__"] = initializer = _Initializer()
    frozen_class: Any = type(cls.__name__, cls.__bases__, namespace)
    frozen_class.__qualname__ = cls.__qualname__
    initializer.of = frozen_class, names, tuple(defaults.values())
    return cast("type[T]", frozen_class)


def _is_of_class(kind: str) -> bool:
    """Return whether an annotation is that of an attribute of the class."""
    return "ClassVar" in kind and kind.removeprefix("typing.").startswith("ClassVar")


class _Initializer:
    """``__init__`` of a class until it is first asked for, which then has a function in its place.

    Most classes of a compiler have no value in most programs.
    """

    __slots__ = ("of",)
    #: The class, the names of its fields and the defaults of the last ones.
    of: tuple[type[Any], tuple[str, ...], tuple[Any, ...]]

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Callable[..., None]:
        cls, names, defaults = self.of
        function = _initializer(cls, names, defaults)
        type.__setattr__(cls, "__init__", function)
        return function if instance is None else MethodType(function, instance)


def _initializer(
    cls: type[Any], names: tuple[str, ...], defaults: tuple[Any, ...]
) -> Callable[..., None]:
    """Return ``__init__``. It fills the slots themselves, as ``__setattr__`` refuses to."""
    code = _filling(len(names), hasattr(cls, "__post_init__"))
    setters = [vars(cls)[name].__set__ for name in names]
    fill: dict[str, Any] = {"fill": functools.partial(_fill, setters)}
    if len(names) <= _FEW:
        fill = {f"fill{k}": setter for k, setter in enumerate(setters)}
    function = FunctionType(code.replace(co_varnames=("self", *names)), fill, "__init__", defaults)
    function.__qualname__ = f"{cls.__qualname__}.__init__"
    function.__module__ = cls.__module__
    return function


def _fill(
    setters: list[Callable[[Any, Any], None]], instance: Any, values: tuple[Any, ...]
) -> None:
    for setter, value in zip(setters, values, strict=True):
        setter(instance, value)


@cache
def _filling(count: int, checked: bool) -> CodeType:
    """Return the code of an ``__init__`` of `count` fields, whose names are set afterwards."""
    parameters = "".join(f", value{k}" for k in range(count))
    body = [f"fill{k}(self, value{k})" for k in range(count)]
    if count > _FEW:
        # A statement for each takes twice as long to compile, and such values are few.
        values = ", ".join(f"value{k}" for k in range(count))
        body = [f"fill(self, ({values}))"]
    if checked:
        body.append("self.__post_init__()")
    namespace: dict[str, Any] = {}
    exec(f"def __init__(self{parameters}): {'; '.join(body) or 'pass'}", namespace)
    code: CodeType = namespace["__init__"].__code__
    return code


def _all_of(names: tuple[str, ...]) -> Callable[[Any], Any]:
    """Return a function from a value to the tuple of its fields."""
    if len(names) > 1:
        return attrgetter(*names)
    if not names:
        return lambda value: ()
    field = attrgetter(names[0])
    return lambda value: (field(value),)


def _comparison(names: tuple[str, ...]) -> tuple[Callable[..., Any], Callable[[Any], int]]:
    """Return ``__eq__`` and ``__hash__`` by all fields."""
    fields = _all_of(names)

    def equal(self: Any, other: object) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return fields(self) == fields(other)

    def digest(self: Any) -> int:
        return hash(fields(self))

    return equal, digest


def _refuse_set(self: Any, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _repr(self: Any) -> str:
    fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
    return f"{type(self).__qualname__}({fields})"


def _reduce(self: Any) -> tuple[type[Any], tuple[Any, ...]]:
    return type(self), tuple(getattr(self, name) for name in self.__match_args__)


def _replace(self: Any, /, **changes: Any) -> Any:
    unchanged = {name: getattr(self, name) for name in self.__match_args__ if name not in changes}
    return type(self)(**unchanged, **changes)


def replace(value: T, **changes: Any) -> T:
    """Return a copy of a frozen value with other contents in some fields, as `dataclasses.replace`.

    The standard library's function first builds its description of the class, which takes long.

    Parameters
    ----------
    value : dataclass instance
        An instance of a class that :func:`dataclass` has decorated.
    **changes
        New contents, by the names of fields.

    Returns
    -------
    dataclass instance
        Of the same class; ``__post_init__`` has checked it.

    Examples
    --------
    >>> @dataclass(frozen=True, slots=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> replace(Point(3), y=1)
    Point(x=3, y=1)
    """
    if vars(type(value)).get("__replace__") is not _replace:
        # The standard library made the class, and its fields may be keywords alone.
        return dataclasses.replace(value, **changes)  # type: ignore[type-var]
    copy: T = _replace(value, **changes)
    return copy


class _Described:
    """The standard library's description of a class, computed when it is first asked for."""

    def __init__(self, cls: type[Any], eq: bool, name: str) -> None:
        self._cls = cls
        self._eq = eq
        self._name = name

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        standard = vars(self._cls)
        if self._name not in standard:
            # It decorates the class as it was written.
            dataclasses.dataclass(frozen=True, eq=self._eq)(self._cls)
        return standard[self._name]
