"""What other libraries get of an array has the strides that the array answers."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la

Array = np.ndarray[Any, Any]
SHAPES = ((5, 6), (3, 4, 5), (90, 100), (24,))


@pytest.fixture(autouse=True)
def at_once() -> Iterator[None]:
    with la.config(immediate=4096, implicit="allow"):
        yield


def _owners(values: Array, kind: str) -> tuple[Any, Array]:
    """Return an array as kept by lazyarr in one of several ways, and NumPy's."""
    if kind == "wrapped":
        return la.asarray(values), values
    if kind == "copied":
        return la.asarray(values.copy("K"), copy=True), values
    if kind == "written":
        lazy = la.asarray(values.copy("K"))
        lazy[0] = 7
        values[0] = 7
        return lazy, values
    return la.asarray(values) * 2 + 1, values * 2 + 1


@st.composite
def _steps(draw: st.DrawFn) -> list[Any]:
    """Draw slices with steps of either sign, for up to three axes, and permutations of the axes."""
    steps: list[Any] = []
    for _ in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            steps.append("T")
        else:
            bounds = st.one_of(st.none(), st.integers(-4, 4))
            sizes = st.sampled_from((None, 1, 2, 3, -1, -2))
            slices = st.builds(slice, bounds, bounds, sizes)
            steps.append(draw(st.lists(st.one_of(slices, st.just(0)), max_size=1)))
            steps[-1] = (*steps[-1], ..., draw(slices))
    return steps


def _taken(x: Any, steps: list[Any]) -> Any:
    for step in steps:
        if x.ndim < 2 and step != "T":
            step = step[-1]
        x = x.T if isinstance(step, str) else x[step]
        if not x.ndim or not x.size:
            break
    return x


@settings(max_examples=80, deadline=None)
@given(
    shape=st.sampled_from(SHAPES),
    kind=st.sampled_from(("wrapped", "copied", "written", "pending")),
    order=st.sampled_from("CF"),
    steps=_steps(),
    immediate=st.sampled_from((4096, 0)),
)
def test_exports_have_the_strides_that_arrays_answer(
    shape: tuple[int, ...], kind: str, order: str, steps: list[Any], immediate: int
) -> None:
    values = np.asarray(np.arange(np.prod(shape), dtype=float).reshape(shape), order=order)
    with la.config(immediate=immediate):
        owner, expected = _owners(values, kind)
        lazy, right = _taken(owner, steps), _taken(expected, steps)
        if not isinstance(right, np.ndarray) or not right.ndim or not right.size:
            return
        strides = lazy.strides
        imported = np.from_dlpack(lazy)
        for taken in (np.asarray(lazy), imported, lazy.__array__()):
            np.testing.assert_array_equal(taken, right)
            assert taken is imported or taken.strides == strides
            assert not taken.flags.writeable or kind in ("wrapped", "copied")
        # NumPy 2.0 takes contiguous memory without strides, so that axes of length one lose theirs.
        long = [axis for axis in range(right.ndim) if right.shape[axis] > 1]
        assert [imported.strides[axis] for axis in long] == [strides[axis] for axis in long]
        assert lazy.__array_interface__["strides"] == strides
        assert strides == lazy.strides
        np.testing.assert_array_equal(np.asarray(lazy), right)


@pytest.mark.parametrize("kind", ["wrapped", "copied", "written", "pending"])
@pytest.mark.parametrize("size", [9, 20001])
@pytest.mark.parametrize("step", [1, 2])
@pytest.mark.parametrize("immediate", [4096, 0])
def test_windows_reach_beyond_a_view_in_the_memory_of_its_owner(
    kind: str, size: int, step: int, immediate: int
) -> None:
    with la.config(immediate=immediate):
        owner, expected = _owners(np.arange(float(size)), kind)
        start = size // 2
        lazy, right = owner[start::step], expected[start::step]
        (stride,) = lazy.strides
        assert stride == right.strides[0]
        shape, strides = (4, 2), (-stride // step, stride)
        windows = np.lib.stride_tricks.as_strided(lazy, shape, strides)
    np.testing.assert_array_equal(windows, np.lib.stride_tricks.as_strided(right, shape, strides))


@pytest.mark.parametrize("size", [30, 90000])
def test_exported_views_do_not_change_and_are_no_burden_once_they_are_gone(size: int) -> None:
    x = la.asarray(np.arange(float(size)), copy=True)
    shown = np.asarray(x[1::2])[1:]
    before = shown.copy()
    x[3] = -1
    np.testing.assert_array_equal(shown, before)
    assert x[3] == -1
    np.asarray(x[1::2])
    gc.collect()
    memory = x._array
    x[5] = -2
    assert x._array is memory
    assert x[5] == -2


_FORMS: list[Callable[[Any], Any]] = [
    lambda x: x,
    lambda x: x[1:, ::-2],
    lambda x: x.T[2],
    lambda x: x[1:1],
    lambda x: x[:, None, 3:4],
    lambda x: x.reshape(-1)[5:9],
    lambda x: x[0, 1],
    lambda x: x.sum(),
]


@pytest.mark.host
@pytest.mark.parametrize("form", _FORMS)
@pytest.mark.parametrize("code", "?bhilqBHILQefdFD")
def test_small_arrays_are_exported_as_copies_that_do_not_change(
    form: Callable[[Any], Any], code: str
) -> None:
    values = (np.arange(42).reshape(6, 7) % 5).astype(code)
    with la.config(immediate=4096):
        x = la.asarray(values).copy()
        x[2, 3] = 1
        values[2, 3] = 1
        shown = form(x)
        interface = shown.__array_interface__
        taken, expected = np.asarray(shown), np.asarray(form(values))
        x[...] = 0
        del shown, x
    gc.collect(1)  # the youngest, which these were: all objects take a tenth of a second
    np.testing.assert_array_equal(taken, expected)
    assert (taken.dtype, taken.strides) == (expected.dtype, expected.strides)
    assert not taken.flags.writeable
    assert interface["typestr"] == expected.dtype.str
    assert interface["descr"] == expected.dtype.descr
    assert (interface["shape"], interface["version"]) == (expected.shape, 3)


@pytest.mark.parametrize("size", [12, 3000, 60_000, 300_000])
@pytest.mark.parametrize("most", [8, 4096])
def test_views_of_a_copied_array_never_change(size: int, most: int) -> None:
    with la.config(immediate=most, implicit="allow"):
        for view in (lambda x: x.T, lambda x: x[1:], lambda x: x.reshape(2, -1), lambda x: x):
            target, source = la.asarray(np.zeros(size)), la.asarray(np.ones(size)).copy()
            shown = view(target)
            np.copyto(target, source)
            handed = np.asarray(shown)
            target += 62
            source += 62
            assert (handed == 1).all()
            assert (np.asarray(shown) == 63).all()
            assert (np.asarray(source) == 63).all()


@pytest.mark.parametrize("size", [12, 30000])
def test_lists_of_views_are_taken_in(size: int) -> None:
    values = np.arange(float(size)).reshape(-1, 3)
    x = la.array(values)
    for rows in (
        lambda a: [a[0], a[2]],
        lambda a: [a[1, ::-1], a[3, ::-1]],
        lambda a: [a[:4, 1], a[:4, 2]],
        lambda a: [a[:2].T, a[1:3].T],
        lambda a: [a[2:2], a[3:3]],
    ):
        np.testing.assert_array_equal(np.array(rows(x)), np.array(rows(values)), strict=True)
    y = np.zeros((2, 3))
    y[0] = x[1]
    x[1] = -1.0
    assert y[0].tolist() == [3.0, 4.0, 5.0]


@pytest.mark.parametrize("immediate", [0, 4096])
@pytest.mark.parametrize("seed", range(12))
def test_views_at_numbers_that_are_not_computed_show_these_places(
    seed: int, immediate: int
) -> None:
    rng = np.random.default_rng(seed)
    values = np.arange(60.0).reshape(3, 4, 5)
    number = int(rng.integers(-3, 3))
    pending: dict[str, Callable[[], Any]] = {
        "sum": lambda: la.array(number - 1) + 1,
        "remainder": lambda: la.array(number + 6) % 3,
        "element": lambda: la.array([9, number])[1],
        "extremum": lambda: la.array([number, number + 1]).min(),
    }
    integers = {"remainder": (number + 6) % 3}
    shapes: list[Callable[[Any, Any], Any]] = [
        lambda x, i: x[i],
        lambda x, i: x[:, i],
        lambda x, i: x[..., i, None],
        lambda x, i: x[1:, i, ::-2],
        lambda x, i: x[::-1][i].T,
        lambda x, i: x[i][1:],
        lambda x, i: x[i].reshape(-1)[::3],
        lambda x, i: x[i, i],
    ]
    for name in rng.permutation(list(pending)):
        for k in rng.permutation(len(shapes))[:4]:
            with la.config(immediate=immediate):
                shown = shapes[k](la.asarray(values), pending[name]())
                expected = shapes[k](values, integers.get(name, number))
                np.testing.assert_array_equal(np.asarray(shown), expected)
                assert np.asarray(shown).tolist() == shown.tolist() == expected.tolist()


@pytest.mark.parametrize("immediate", [0, 4096])
def test_the_data_of_an_interface_have_an_address(immediate: int) -> None:
    """As those of NumPy's arrays; they were elements, to which ``byte_bounds`` adds."""
    with la.config(immediate=immediate):
        for memory in (np.arange(6.0).reshape(2, 3), np.arange(8, dtype="i2"), np.ones(())):
            before = memory.copy()
            shown = [la.asarray(memory), la.asarray(memory) + 1, la.array(memory)]
            shown += [x[::-1] for x in shown if x.ndim] + [x[1:] for x in shown if x.ndim]
            for x in shown:
                address, is_read_only = x.__array_interface__["data"]
                assert type(address) is int and is_read_only
                low, high = np.lib.array_utils.byte_bounds(x)
                assert high - low == x.nbytes
                interface = x.__array_interface__
                holder = type("Holder", (), {"__array_interface__": interface})()
                taken = np.asarray(holder)
                assert taken.__array_interface__["data"] == tuple(interface["data"])
                np.testing.assert_array_equal(taken, np.asarray(x), strict=True)
            assert memory.tobytes() == before.tobytes()
