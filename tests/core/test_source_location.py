"""Where in the user's code we are."""

from __future__ import annotations

import _thread
import inspect
import threading

import numpy as np
import pytest

from lazyarr.core.source_location import Origin, attributed, called_at, origin, warn_user


def test_a_function_of_numpy_is_called_at_a_line() -> None:
    with pytest.raises(TypeError, match="Cannot cast"):
        called_at(("program.py", 3), np.bincount, (np.ones(1),), {})  # which imports in C
    with pytest.warns(RuntimeWarning, match="All-NaN") as seen:
        called_at(("program.py", 3), np.nanmedian, ([np.nan],), {})
    assert [(warning.filename, warning.lineno) for warning in seen] == [("program.py", 3)]


def test_frames_that_are_known_to_be_ours_are_not_looked_at() -> None:
    def ours() -> Origin | None:
        return origin(1)

    line = inspect.currentframe().f_lineno + 1  # type: ignore[union-attr]
    assert ours() == (__file__, line)


def test_what_a_thread_begins_with_has_nothing_around() -> None:
    results: list[Origin | None] = []
    done = threading.Event()

    def begin() -> None:
        results.append(origin(1))
        done.set()

    _thread.start_new_thread(begin, ())
    assert done.wait(300)
    assert results == [None]


def test_a_warning_is_of_the_users_line() -> None:
    line = inspect.currentframe().f_lineno + 2  # type: ignore[union-attr]
    with pytest.warns(DeprecationWarning, match="old") as seen:
        warn_user("old", DeprecationWarning)
    assert (seen[0].filename, seen[0].lineno) == (__file__, line)
    with attributed(("elsewhere.py", 7)), pytest.warns(RuntimeWarning) as seen:
        warn_user("odd")
    assert (seen[0].filename, seen[0].lineno) == ("elsewhere.py", 7)
    with attributed(None), pytest.warns(RuntimeWarning) as seen:
        warn_user("odd")
    assert seen[0].filename == "<unknown>"
