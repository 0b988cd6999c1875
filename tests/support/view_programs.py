"""Random programs of views, writes, reads, aliases and deletions, run on NumPy and on lazyarr."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

import numpy as np

import lazyarr as la

__all__ = ["run_program"]

Array = np.ndarray[Any, Any]
#: An array of NumPy's and the lazy array that has to stay equal to it.
Pair = tuple[Any, Any]

_MOST = 6
_WINDOWS = np.lib.stride_tricks.sliding_window_view


def run_program(
    seed: int,
    steps: int,
    value_of: Callable[[list[Any]], list[Array]],
    *,
    small: bool = False,
    watched: bool = False,
) -> None:
    """Run a random program on both sides and compare every array after every step.

    Parameters
    ----------
    seed : int
        Chooses the program.
    steps : int
        How many statements it has.
    value_of : callable
        Returns the values of lazy arrays.
    small : bool
        Whether to start from one array of two axes, so that few kernels are needed.
    watched : bool
        Whether pending expressions, copies and results that were handed out are kept, which no
        later write may change.
    """
    draw = random.Random(seed)
    pairs = [_start(draw, small)]
    log: list[str] = []
    kept: list[Pair] = []
    for _ in range(steps):
        if watched:
            log.append(_watch(draw, pairs, kept))
        kind = draw.choices((_take_view, _write, _compute, _drop), (5, 6, 2, 1))[0]
        log.append(kind(draw, pairs))
        values = value_of([lazy for _, lazy in pairs])
        for (array, lazy), value in zip(pairs, values, strict=True):
            text = "; ".join(log)
            assert lazy.dtype == array.dtype, text
            assert lazy.shape == array.shape, text
            np.testing.assert_array_equal(value, array, err_msg=text)
            assert lazy.flags.writeable == array.flags.writeable, text
        _check_kept(kept, value_of, "; ".join(log))
    for (a, x), (b, y) in itertools.combinations(pairs, 2):
        assert la.shares_memory(x, y) == np.shares_memory(a, b), "; ".join(log)


def _watch(draw: random.Random, pairs: list[Pair], kept: list[Pair]) -> str:
    """Keep something that is made of one of the arrays as it is now."""
    if draw.random() < 0.3:
        kept.clear()
    place = draw.randrange(len(pairs))
    array, lazy = pairs[place]
    ways: list[tuple[str, Any, Any]] = [
        ("handed out", array.copy(), np.asarray),
        ("evaluated", array.copy(), la.evaluate),
        ("expression", array * 2, lambda x: x * 2),
        ("copy", array.copy(), lambda x: x.copy()),
        ("nothing", None, None),
    ]
    text, expected, take = draw.choice(ways)
    if take is not None:
        kept.append((expected, take(lazy)))
    return f"kept = #{place} {text}"


def _check_kept(kept: list[Pair], value_of: Callable[[list[Any]], list[Array]], text: str) -> None:
    arrays = [(expected, value) for expected, value in kept if isinstance(value, np.ndarray)]
    lazy = [(expected, value) for expected, value in kept if not isinstance(value, np.ndarray)]
    values = value_of([value for _, value in lazy]) if lazy else []
    arrays += zip([expected for expected, _ in lazy], values, strict=True)
    for expected, value in arrays:
        np.testing.assert_array_equal(value, expected, err_msg=text)


def _start(draw: random.Random, small: bool) -> Pair:
    shapes = [(4, 6)] if small else [(12,), (4, 6), (2, 3, 4), (3, 1, 4), (6, 6), (0, 3), (1,)]
    shape = draw.choice(shapes)
    dtype = "f8" if small else draw.choice(["f8", "f8", "i8", "c16", "f4"])
    array = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape).astype(dtype)
    if not small and draw.random() < 0.2:
        array = np.asfortranarray(array)
    # The memory that is wrapped never changes.
    if not small and draw.random() < 0.3:
        steps = [draw.choice([1, 1, 2, 3, -1, -2]) for _ in shape]
        return _in_steps(array, steps), la.asarray(_in_steps(array, steps))
    return array.copy("K"), la.asarray(array)


def _in_steps(array: Any, steps: list[int]) -> Any:
    """Return an array of the same elements, which is a part of a larger one."""
    order = "C" if array.flags.c_contiguous else "F"
    gaps = [abs(step) for step in steps]
    shape = [size * gap + gap // 2 for size, gap in zip(array.shape, gaps, strict=True)]
    larger = np.zeros(shape, array.dtype, order)
    spans = zip(array.shape, gaps, strict=True)
    part = larger[tuple(slice(gap // 2, gap // 2 + size * gap, gap) for size, gap in spans)]
    part = part[tuple(slice(None, None, 1 if step > 0 else -1) for step in steps)]
    part[...] = array
    return part


def _key(draw: random.Random, shape: tuple[int, ...]) -> Any:
    items: list[Any] = []
    for size in shape:
        choice = draw.randrange(6)
        if choice == 0 and size:
            items.append(draw.randrange(-size, size))
        elif choice <= 2:
            start, stop = draw.randrange(size + 1), draw.randrange(size + 1)
            items.append(slice(min(start, stop), max(start, stop) + 1))
        elif choice == 3:
            items.append(slice(None, None, draw.choice([-1, 2, -2, 3])))
        else:
            items.append(slice(None))
    cut = draw.randrange(len(items) + 1)
    if draw.random() < 0.3:
        items = [*items[:cut], ...]
    elif draw.random() < 0.15:
        items.insert(cut, None)
    elif not all(isinstance(item, int) for item in items[:cut]) or cut < len(items):
        items = items[:cut]
    if len(items) == len(shape) and items and all(isinstance(item, int) for item in items):
        items.append(...)
    return tuple(items)


def _factors(draw: random.Random, size: int) -> tuple[int, ...]:
    shapes: list[tuple[int, ...]] = [(size,), (1, size), (size, 1)]
    shapes += [(n, size // n) for n in (2, 3, 4) if size % n == 0]
    if size % 6 == 0:
        shapes.append((2, 3, size // 6))
    return draw.choice(shapes)


def _view_of(draw: random.Random, shape: tuple[int, ...], dtype: Any) -> tuple[str, Any]:
    ndim = len(shape)
    key, factors = _key(draw, shape), _factors(draw, int(np.prod(shape)))
    order = tuple(draw.sample(range(ndim), ndim))
    axis = draw.randrange(ndim) if ndim else 0
    ways: list[tuple[str, Any]] = [
        (f"[{key}]", lambda x: x[key]),
        (f"[{key}]", lambda x: x[key]),
        (".T", lambda x: x.T),
        (f".transpose({order})", lambda x: x.transpose(order)),
        (f".reshape({factors})", lambda x: x.reshape(factors)),
        (f".reshape({factors}, 'F')", lambda x: x.reshape(factors, order="F")),
        (".ravel()", lambda x: x.ravel()),
        (".squeeze()", lambda x: x.squeeze()),
        (".view()", lambda x: x.view()),
        (".real", lambda x: x.real),
        ("itself", lambda x: x),
    ]
    if ndim:
        size = shape[axis]
        ways.append((f" flip {axis}", lambda x: np.flip(x, axis)))
        ways.append((f" split {axis}", lambda x: np.array_split(x, 2, axis)[-1]))
        ways.append((f" expand {axis}", lambda x: np.expand_dims(x, axis)))
        ways.append((f" move {axis}", lambda x: np.moveaxis(x, axis, 0)))
        if size > 1:
            ways.append((f" windows {axis}", lambda x: _WINDOWS(x, 2, axis)))
    if ndim > 1:
        ways.append((" diagonal", lambda x: x.diagonal()))
        ways.append((" swap", lambda x: x.swapaxes(0, -1)))
        if shape[0]:
            ways.append((" last row", lambda x: list(x)[-1]))
    if np.dtype(dtype).kind == "c":
        ways.append((".imag", lambda x: x.imag))
        ways.append((".imag", lambda x: x.imag))
    ways.append((" broadcast", lambda x: np.broadcast_to(x, (2, *shape))))
    return draw.choice(ways)


def _take_view(draw: random.Random, pairs: list[Pair]) -> str:
    if len(pairs) >= _MOST:
        del pairs[draw.randrange(len(pairs))]
    place = draw.randrange(len(pairs))
    array, lazy = pairs[place]
    text, view = _view_of(draw, array.shape, array.dtype)
    _keep(pairs, view(array), view(lazy))
    return f"new = #{place}{text}"


def _keep(pairs: list[Pair], array: Any, lazy: Any) -> None:
    # NumPy's numbers are no arrays, and nothing can be written to them.
    if isinstance(array, np.ndarray):
        pairs.append((array, lazy))


def _value_for(draw: random.Random, pairs: list[Pair], shape: tuple[int, ...]) -> Pair:
    fitting = [(a, x) for a, x in pairs if a.shape == shape and a.dtype.kind != "c"]
    if fitting and draw.random() < 0.5:
        return draw.choice(fitting)
    number = draw.randrange(100)
    return number, number


def _depends_on_the_order_of_copying(target: Any, value: Any) -> bool:
    """Whether NumPy may read elements of a vector that it has written to before.

    It copies a vector to another without a buffer, though both may show the same elements at
    other places; lazyarr's expressions read the old values.
    """
    return (
        isinstance(target, np.ndarray)
        and isinstance(value, np.ndarray)
        and target.ndim == 1
        and target.strides != value.strides
        and np.shares_memory(target, value)
    )


def _write(draw: random.Random, pairs: list[Pair]) -> str:
    place = draw.randrange(len(pairs))
    array, lazy = pairs[place]
    if not array.flags.writeable or (not array.shape and array.base is None):
        return "nothing"
    key = _key(draw, array.shape)
    mine, theirs = _value_for(draw, pairs, array.shape)
    part, their_part = _value_for(draw, pairs, array[key].shape)
    number = draw.randrange(100)
    if _depends_on_the_order_of_copying(array, mine):
        mine = theirs = number
    if _depends_on_the_order_of_copying(array[key], part):
        part = their_part = number
    ways: list[tuple[str, Any]] = [
        (f"[{key}] = part", lambda x, v, p: x.__setitem__(key, p)),
        (f"[{key}] = part", lambda x, v, p: x.__setitem__(key, p)),
        (f"[{key}] += {number}", lambda x, v, p: _add(x, key, number)),
        (" += v", lambda x, v, p: x.__iadd__(v)),
        (" *= 2", lambda x, v, p: x.__imul__(2)),
        ("[...] = v", lambda x, v, p: x.__setitem__(..., v)),
        (f".fill({number})", lambda x, v, p: x.fill(number)),
        (" add out", lambda x, v, p: np.add(x, v, out=x)),
        (" copyto", lambda x, v, p: np.copyto(x, v)),
        (f"[x > {number}] = 1", lambda x, v, p: x.__setitem__(x > number, 1)),
    ]
    if array.size:
        at = draw.randrange(array.size)
        ways.append((f".flat[{at}] = {number}", lambda x, v, p: _set_flat(x, at, number)))
        ways.append((".flat[::2] = 5", lambda x, v, p: _set_flat(x, slice(None, None, 2), 5)))
        ways.append((f" put {at}", lambda x, v, p: np.put(x, [at, 0], [number, 7])))
    if array.shape and array.shape[0]:
        ways.append(("[[0, -1]] = 8", lambda x, v, p: x.__setitem__([0, -1], 8)))
        ways.append((" rows", lambda x, v, p: _set_rows(x, number)))
        if array.dtype.kind != "c":
            ways.append((".sort()", lambda x, v, p: x.sort(axis=0)))
    if array.dtype.kind == "c":
        ways.append((f".imag = {number}", lambda x, v, p: setattr(x, "imag", number)))
        ways.append((f".real = {number}", lambda x, v, p: setattr(x, "real", number)))
    text, write = draw.choice(ways)
    with np.errstate(all="ignore"):
        write(array, mine, part)
        write(lazy, theirs, their_part)
    return f"#{place}{text}"


def _add(x: Any, key: Any, number: int) -> None:
    x[key] += number


def _set_flat(x: Any, key: Any, value: Any) -> None:
    x.flat[key] = value


def _set_rows(x: Any, value: Any) -> None:
    if x.ndim > 1:
        for row in x:
            row[:1] = value


def _compute(draw: random.Random, pairs: list[Pair]) -> str:
    if len(pairs) >= _MOST:
        del pairs[draw.randrange(len(pairs))]
    place = draw.randrange(len(pairs))
    array, lazy = pairs[place]
    ways: list[tuple[str, Any]] = [(".flatten()", lambda x: x.flatten())]
    if array.shape:
        ways.append((".copy()", lambda x: x.copy()))
        ways.append((".copy('K')", lambda x: x.copy("K")))
        ways.append((" + 1", lambda x: x + 1))
        # In which order a gather of another order lies, is not what programs go by.
        if array.shape[0] and array.flags.c_contiguous:
            ways.append(("[[0]]", lambda x: x[[0]]))
    text, function = draw.choice(ways)
    _keep(pairs, function(array), function(lazy))
    return f"new = #{place}{text}"


def _drop(draw: random.Random, pairs: list[Pair]) -> str:
    if len(pairs) < 2:
        return "nothing"
    place = draw.randrange(len(pairs))
    del pairs[place]
    return f"del #{place}"
