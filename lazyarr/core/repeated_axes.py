"""Axes along which elements are repeated, in front of a reshape and behind it."""

from __future__ import annotations

from lazyarr.core.shapes import Shape, View, identity_view

__all__ = ["repeat_view", "repeats"]


def repeat_view(
    source: Shape, shape: Shape, view: View, new_shape: Shape
) -> tuple[View, Shape] | None:
    """Return a view that repeats elements before a reshape as another one does behind it.

    Parameters
    ----------
    source, shape : tuple of int
        Before and behind the reshape.
    view : View
        Of the reshaped array.
    new_shape : tuple of int
        Of that view.

    Returns
    -------
    (View, tuple of int) or None
        A view of the source, and its shape: reshaped, it is the other view. None if that does more
        than to add axes, or adds some inside of an axis of the source.

    Examples
    --------
    >>> from lazyarr.core.shapes import View
    >>> repeat_view((2, 3), (6,), View((0,), ((1, 0),)), (6, 2))
    (View(offsets=(0, 0), coefficients=((1, 0, 0), (0, 1, 0))), (2, 3, 2))
    """
    rows = identity_view(len(shape)).coefficients
    sizes: list[int] = []
    places: list[int] = []
    before, passed, known = 1, 1, 0
    for axis, size in enumerate(new_shape):
        column = tuple([row[axis] for row in view.coefficients])
        if known < len(shape) and column == rows[known] and size == shape[known]:
            before *= size
            known += 1
            continue
        while passed != before and len(places) < len(source):
            passed *= source[len(places)]
            sizes.append(source[len(places)])
            places.append(len(sizes) - 1)
        if any(column) or passed != before:
            return None
        sizes.append(size)
    if known != len(shape) or any(view.offsets) or 0 in new_shape:
        return None
    for size in source[len(places) :]:
        sizes.append(size)
        places.append(len(sizes) - 1)
    units = identity_view(len(sizes)).coefficients
    return View((0,) * len(source), tuple(units[place] for place in places)), tuple(sizes)


def repeats(view: View, shape: Shape) -> bool:
    """Return whether a view has some elements several times.

    Parameters
    ----------
    view : View
        Of any array.
    shape : tuple of int
        Of the view.

    Examples
    --------
    >>> from lazyarr.core.shapes import View
    >>> repeats(View((0,), ((1, 0),)), (6, 2)), repeats(View((0,), ((1, 0),)), (6, 1))
    (True, False)
    """
    steps = zip(shape, *view.coefficients, strict=True)
    return any(size != 1 and not any(column) for size, *column in steps)
