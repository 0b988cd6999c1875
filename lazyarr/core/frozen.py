"""Frozen dataclasses that are quick to define and quick to make.

The standard library's decorator compiles six methods for each class, which takes 0.3 ms; for all
the classes of a compiler that is as long as importing NumPy takes. This one compiles nothing: an
``__init__`` has the code of all that have as many fields, under the names of its own, and the rest
is shared. It means the same: `dataclasses.fields`, `replace`, `asdict`, `match`, `copy` and
`pickle` work.
"""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from types import FunctionType, MethodType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, dataclass_transform

__all__ = ["dataclass", "replace"]

T = TypeVar("T")
Initialize = Callable[..., None]
#: Stores into a slot of a value.
Setter = Callable[[Any, Any], None]

_DESCRIPTIONS = ("__dataclass_fields__", "__dataclass_params__")


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


if not TYPE_CHECKING:
    # All classes of the same kind have one decorator.
    dataclass = cache(dataclass)


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
    names = self.__match_args__
    values = [changes.pop(name) if name in changes else getattr(self, name) for name in names]
    return type(self)(*values, **changes)  # a name that is none of them is refused


def replace(value: T, /, **changes: Any) -> T:
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
            with _describing:  # another thread may have been first
                if self._name not in standard:
                    # It decorates the class as it was written.
                    dataclasses.dataclass(frozen=True, eq=self._eq)(self._cls)
        return standard[self._name]


#: Descriptions are made one at a time.
_describing = threading.RLock()


# -- initializers, by the number of fields ---------------------------------------------------------


class _Initializer:
    """``__init__`` of a class until it is first asked for, which then has a function in its place.

    Most classes of a compiler have no value in most programs.
    """

    __slots__ = ("of",)
    #: The class, the names of its fields and the defaults of the last ones.
    of: tuple[type[Any], tuple[str, ...], tuple[Any, ...]]

    def __get__(self, instance: object, owner: type[Any] | None = None) -> Initialize:
        cls, names, defaults = self.of
        function = _initializer(cls, names, defaults)
        function.__qualname__ = f"{cls.__qualname__}.__init__"
        function.__module__ = cls.__module__
        type.__setattr__(cls, "__init__", function)
        return function if instance is None else MethodType(function, instance)


def _initializer(cls: type[Any], names: tuple[str, ...], defaults: tuple[Any, ...]) -> Initialize:
    """Return ``__init__``. It fills the slots themselves, as ``__setattr__`` refuses to."""
    setters = [vars(cls)[name].__set__ for name in names]
    check = getattr(cls, "__post_init__", None)
    if check is not None or len(names) >= len(_MAKERS):
        return _of_many(cls, names, setters, defaults, check)
    model = _MAKERS[len(names)](*setters)
    assert isinstance(model, FunctionType)
    code = model.__code__.replace(co_varnames=("self", *names))
    return FunctionType(code, {}, "__init__", defaults, model.__closure__)


def _of_many(
    owner: type[Any],
    names: tuple[str, ...],
    setters: list[Setter],
    defaults: tuple[Any, ...],
    check: Callable[[Any], None] | None,
) -> Initialize:
    """Return a function of any number of fields, which takes longer and of which there are few."""
    required = len(names) - len(defaults)
    missing = dict(zip(names[required:], defaults, strict=True))
    called = f"{owner.__qualname__}.__init__()"

    def arranged(values: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
        placed = names[: len(values)]
        contents = {**missing, **dict(zip(placed, values, strict=True)), **named}
        if len(contents) == len(names) and named.keys().isdisjoint(placed):
            return tuple([contents[name] for name in names])
        for name in named:
            if name in placed or name not in names:
                problem = "multiple values for" if name in placed else "an unexpected keyword"
                raise TypeError(f"{called} got {problem} argument {name!r}")
        absent = ", ".join([repr(name) for name in names if name not in contents])
        raise TypeError(f"{called} missing required arguments: {absent}")

    def initialize(self: Any, /, *values: Any, **named: Any) -> None:
        if len(values) > len(names):
            raise TypeError(f"{called} takes {len(names)} arguments but {len(values)} were passed")
        if named or len(values) < required:
            values = arranged(values, named)
        elif len(values) < len(names):
            values += defaults[len(values) - len(names) :]
        for fill, value in zip(setters, values, strict=True):
            fill(self, value)
        if check is not None:
            check(self)

    return FunctionType(initialize.__code__, {}, "__init__", None, initialize.__closure__)


def _of_nothing(*setters: Setter) -> Initialize:
    def initialize(self: Any) -> None:
        pass

    return initialize


def _of_one(*setters: Setter) -> Initialize:
    (set_a,) = setters

    def initialize(self: Any, a: Any) -> None:
        set_a(self, a)

    return initialize


def _of_two(*setters: Setter) -> Initialize:
    set_a, set_b = setters

    def initialize(self: Any, a: Any, b: Any) -> None:
        set_a(self, a)
        set_b(self, b)

    return initialize


def _of_three(*setters: Setter) -> Initialize:
    set_a, set_b, set_c = setters

    def initialize(self: Any, a: Any, b: Any, c: Any) -> None:
        set_a(self, a)
        set_b(self, b)
        set_c(self, c)

    return initialize


def _of_four(*setters: Setter) -> Initialize:
    set_a, set_b, set_c, set_d = setters

    def initialize(self: Any, a: Any, b: Any, c: Any, d: Any) -> None:
        set_a(self, a)
        set_b(self, b)
        set_c(self, c)
        set_d(self, d)

    return initialize


def _of_five(*setters: Setter) -> Initialize:
    set_a, set_b, set_c, set_d, set_e = setters

    def initialize(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any) -> None:
        set_a(self, a)
        set_b(self, b)
        set_c(self, c)
        set_d(self, d)
        set_e(self, e)

    return initialize


def _of_six(*setters: Setter) -> Initialize:
    set_a, set_b, set_c, set_d, set_e, set_f = setters

    def initialize(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any) -> None:
        set_a(self, a)
        set_b(self, b)
        set_c(self, c)
        set_d(self, d)
        set_e(self, e)
        set_f(self, f)

    return initialize


def _of_seven(*setters: Setter) -> Initialize:
    set_a, set_b, set_c, set_d, set_e, set_f, set_g = setters

    def initialize(self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any) -> None:
        set_a(self, a)
        set_b(self, b)
        set_c(self, c)
        set_d(self, d)
        set_e(self, e)
        set_f(self, f)
        set_g(self, g)

    return initialize


def _of_eight(*setters: Setter) -> Initialize:
    set_a, set_b, set_c, set_d, set_e, set_f, set_g, set_h = setters

    def initialize(
        self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any
    ) -> None:
        set_a(self, a)
        set_b(self, b)
        set_c(self, c)
        set_d(self, d)
        set_e(self, e)
        set_f(self, f)
        set_g(self, g)
        set_h(self, h)

    return initialize


def _of_nine(*setters: Setter) -> Initialize:
    set_a, set_b, set_c, set_d, set_e, set_f, set_g, set_h, set_i = setters

    def initialize(
        self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any
    ) -> None:
        set_a(self, a)
        set_b(self, b)
        set_c(self, c)
        set_d(self, d)
        set_e(self, e)
        set_f(self, f)
        set_g(self, g)
        set_h(self, h)
        set_i(self, i)

    return initialize


def _of_ten(*setters: Setter) -> Initialize:
    set_a, set_b, set_c, set_d, set_e, set_f, set_g, set_h, set_i, set_j = setters

    def initialize(
        self: Any, a: Any, b: Any, c: Any, d: Any, e: Any, f: Any, g: Any, h: Any, i: Any, j: Any
    ) -> None:
        set_a(self, a)
        set_b(self, b)
        set_c(self, c)
        set_d(self, d)
        set_e(self, e)
        set_f(self, f)
        set_g(self, g)
        set_h(self, h)
        set_i(self, i)
        set_j(self, j)

    return initialize


#: Functions of setters that return an ``__init__`` of as many fields.
_MAKERS: tuple[Callable[..., Initialize], ...] = (
    _of_nothing,
    _of_one,
    _of_two,
    _of_three,
    _of_four,
    _of_five,
    _of_six,
    _of_seven,
    _of_eight,
    _of_nine,
    _of_ten,
)
