"""The quick dataclass decorator means what the standard library's means."""

import contextlib
import copy
import dataclasses
import math
import pickle
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar

import pytest

from lazyarr.core.frozen import dataclass, replace


@dataclass(frozen=True, slots=True)
class Quick:
    """Some fields."""

    kind: ClassVar[str] = "shared"
    sort: "ClassVar[str]" = "also"
    first: int
    second: float = 0.5
    third: tuple[Any, ...] = ()

    @property
    def double(self) -> int:
        return 2 * self.first


@dataclasses.dataclass(frozen=True, slots=True)
class Standard:
    """The same fields."""

    kind: ClassVar[str] = "shared"
    sort: "ClassVar[str]" = "also"
    first: int
    second: float = 0.5
    third: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class One:
    value: object


@dataclass(frozen=True, slots=True)
class Nothing:
    pass


@dataclass(frozen=True, eq=False, slots=True, weakref_slot=True)
class Apart:
    value: object

    def __repr__(self) -> str:
        return "<apart>"


@dataclass(frozen=True, slots=True)
class Checked:
    value: int

    def __post_init__(self) -> None:
        if self.value < 0:
            raise ValueError("negative")
        object.__setattr__(self, "value", self.value + 1)


@pytest.mark.parametrize("args", [(1,), (1, 2.0), (1, 2.0, (3,))])
def test_values_read_compare_and_hash_alike(args: tuple[Any, ...]) -> None:
    ours, theirs = Quick(*args), Standard(*args)
    assert repr(ours) == repr(theirs).replace("Standard", "Quick")
    assert dataclasses.asdict(ours) == dataclasses.asdict(theirs)
    assert hash(ours) == hash(theirs)
    assert ours == Quick(*args) != theirs
    assert ours != Quick(7)
    assert ours.double == 2 * ours.first
    assert Quick.kind == "shared"


def test_fields_are_described_alike() -> None:
    for ours, theirs in zip(dataclasses.fields(Quick), dataclasses.fields(Standard), strict=True):
        assert (ours.name, ours.default, ours.init) == (theirs.name, theirs.default, theirs.init)
    assert dataclasses.is_dataclass(Quick)
    assert Quick.__match_args__ == Standard.__match_args__
    assert Quick.__slots__ == Standard.__slots__
    assert (Quick.__name__, Quick.__module__, Quick.__doc__) == ("Quick", __name__, "Some fields.")


def test_nothing_can_be_changed_or_added() -> None:
    value = Quick(1)
    for change in (
        lambda: setattr(value, "first", 2),
        lambda: delattr(value, "first"),
        lambda: setattr(value, "fourth", 2),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            change()
    assert not hasattr(value, "__dict__")
    assert value == Quick(1)


def test_wrong_arguments_are_errors_that_name_the_class() -> None:
    with pytest.raises(TypeError, match=r"Quick.__init__\(\) missing 1 required .* 'first'"):
        Quick()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'fourth'"):
        Quick(1, fourth=2)  # type: ignore[call-arg]


def test_replace_copy_and_pickle() -> None:
    value = Quick(1, third=([],))
    assert dataclasses.replace(value, second=2.0) == Quick(1, 2.0, ([],))
    with pytest.raises(TypeError):
        dataclasses.replace(value, fourth=1)
    assert copy.copy(value).third is value.third
    assert copy.deepcopy(value) == value
    assert copy.deepcopy(value).third[0] is not value.third[0]
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(value, protocol)) == value


def test_replace_keeps_fields_that_are_keywords_alone() -> None:
    @dataclass(frozen=True, slots=True)
    class Keyword:
        first: int
        second: int = dataclasses.field(default=0, kw_only=True)

    assert replace(Keyword(1, second=2), first=3) == Keyword(3, second=2)
    assert replace(Keyword(1, second=2), second=4) == Keyword(1, second=4)


def test_matching_by_position() -> None:
    match Quick(1, 2.0):
        case Quick(first, second):
            assert (first, second) == (1, 2.0)
        case _:
            pytest.fail("it does not match")


def test_one_field_and_none() -> None:
    assert One(math.nan) == One(math.nan)  # the same object, as in a tuple
    assert One(1) != One(2) and hash(One(1)) == hash(One(1)) and repr(One(1)) == "One(value=1)"
    assert Nothing() == Nothing() and repr(Nothing()) == "Nothing()"


def test_identity_where_values_do_not_compare() -> None:
    one, other = Apart(1), Apart(1)
    assert one != other and len({one, other}) == 2 and repr(one) == "<apart>"
    assert weakref.ref(one)() is one
    with pytest.raises(TypeError, match="weak reference"):
        weakref.ref(Quick(1))


def test_what_checks_itself_does_so_always() -> None:
    assert Checked(1).value == 2
    with pytest.raises(ValueError, match="negative"):
        Checked(-1)
    with pytest.raises(ValueError, match="negative"):
        dataclasses.replace(Checked(1), value=-1)


def test_inherited_and_described_fields_are_the_standard_librarys() -> None:
    @dataclass(frozen=True, slots=True)
    class Longer(Quick):
        fourth: int = 4

    @dataclass(frozen=True, slots=True)
    class Described:
        items: list[int] = dataclasses.field(default_factory=list)

    assert Longer(1, fourth=2) == Longer(1, 0.5, (), 2)
    assert Described().items is not Described().items


def _of(count: int, defaults: int, decorate: Any, checked: bool) -> Any:
    """Return a class of `count` fields, the last of which have defaults."""
    annotations = {f"field{k}": int for k in range(count)}
    namespace: dict[str, Any] = {"__annotations__": annotations}
    namespace |= {f"field{k}": 100 + k for k in range(count - defaults, count)}
    if checked:
        namespace["__post_init__"] = lambda self: self.check()
        namespace["check"] = lambda self: object.__setattr__(self, "field0", -self.field0)
    return decorate(frozen=True, slots=True)(type(f"Of{count}", (), namespace))


@pytest.mark.parametrize("checked", [False, True])
@pytest.mark.parametrize("count", range(1, 18))
def test_any_number_of_fields_is_filled_alike(count: int, checked: bool) -> None:
    """By position and by name, with and without defaults, or an error."""
    defaults = count // 3
    ours = _of(count, defaults, dataclass, checked)
    theirs = _of(count, defaults, dataclasses.dataclass, checked)
    values, names = list(range(1, count + 1)), [f"field{k}" for k in range(count)]
    for positional in range(count + 1):
        for left_out in range(count - positional + 1):
            named = dict(zip(names, values, strict=True))
            named = {k: named[k] for k in names[positional : count - left_out]}
            if left_out > defaults:
                for kind in (ours, theirs):
                    with pytest.raises(TypeError, match=rf"Of{count}.*missing.*'field"):
                        kind(*values[:positional], **named)
                continue
            results = [kind(*values[:positional], **named) for kind in (ours, theirs)]
            assert dataclasses.astuple(results[0]) == dataclasses.astuple(results[1])
    for kind in (ours, theirs):
        with pytest.raises(TypeError, match="arguments"):
            kind(*values, 0)
        with pytest.raises(TypeError, match=r"multiple values for argument 'field0'"):
            kind(*values, field0=1)
        with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
            kind(*values[: count - defaults], other=1)


def test_threads_ask_for_one_description(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True, slots=True)
    class Fresh:
        first: int = 0

    barrier, original = threading.Barrier(2), dataclasses.dataclass

    def met(**options: Any) -> Any:
        with contextlib.suppress(threading.BrokenBarrierError):
            barrier.wait(0.02)
        return original(**options)

    monkeypatch.setattr(dataclasses, "dataclass", met)
    with ThreadPoolExecutor(2) as pool:
        futures = [pool.submit(dataclasses.fields, Fresh) for _ in range(2)]
        assert [len(future.result()) for future in futures] == [1, 1]
