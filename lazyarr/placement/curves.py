"""Measured seconds over sizes, and interpolation between them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from math import isfinite, log

from lazyarr.core.frozen import dataclass

__all__ = ["Curve"]

#: The power between those of sizes and of cubes.
_BETWEEN = 2.0


@dataclass(frozen=True, slots=True)
class Curve:
    """Seconds over sizes: a power law between two measurements.

    Below the smallest size the time is its time, as latency is all that is left. Beyond the largest
    it goes on in proportion to the size.

    Attributes
    ----------
    points : tuple of (float, float)
        Sizes and seconds, both positive, neither decreasing.
    """

    points: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, points: Iterable[tuple[float, float]]) -> Curve:
        """Return the curve of measurements, in any order.

        What takes longer than a larger size was disturbed: it is given the time of that one.

        Raises
        ------
        ValueError
            If there is none, or a size or a time is no positive number.
        """
        measured = sorted((float(size), float(seconds)) for size, seconds in points)
        if not measured or not all(isfinite(a * b) and a > 0 < b for a, b in measured):
            raise ValueError(f"sizes and seconds must be positive numbers, got {measured}")
        least = measured[-1][1]
        kept: dict[float, float] = {}
        for size, seconds in reversed(measured):
            least = min(least, seconds)
            kept[size] = least
        return cls(tuple(sorted(kept.items())))

    def at(self, size: float, *, may_be_cube: bool = False) -> float:
        """Return the seconds that a size takes.

        Parameters
        ----------
        size : float
            Of the work.
        may_be_cube : bool, optional
            Whether the time beyond the largest size may go on with the cube, as that of matrices
            does: if the last two measurements are nearer to that.

        Examples
        --------
        >>> curve = Curve.of([(10, 1.0), (1000, 100.0)])
        >>> curve.at(1), round(curve.at(100), 6), round(curve.at(10_000), 6)
        (1.0, 10.0, 1000.0)
        """
        points = self.points
        if size <= points[0][0]:
            return points[0][1]
        if size > points[-1][0]:
            last, seconds = points[-1]
            is_cube = may_be_cube and len(points) > 1 and _slope(*points[-2:]) > _BETWEEN
            return float(seconds * (size / last) ** (3.0 if is_cube else 1.0))
        k = bisect_left(points, (size, 0.0))
        (left, before), (right, after) = points[k - 1], points[k]
        return float(before * (size / left) ** _slope((left, before), (right, after)))


def _slope(first: tuple[float, float], second: tuple[float, float]) -> float:
    """Return the power of the size with which the time grows between two measurements."""
    return log(second[1] / first[1]) / log(second[0] / first[0])
