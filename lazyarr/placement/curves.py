"""Measured seconds over sizes, and what lies between them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from math import exp, isfinite, log

from lazyarr.core.frozen import dataclass

__all__ = ["Curve"]


@dataclass(frozen=True, slots=True)
class Curve:
    """Seconds over sizes: a power law between two measurements.

    Below the smallest size the time is its time, as latency is all that is left. Beyond the largest
    it goes on as between the last two, and at least in proportion to the size.

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

    def at(self, size: float) -> float:
        """Return the seconds that a size takes.

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
            (before, seconds_before), (last, seconds) = (
                points[-2:]
                if len(points) > 1
                else (
                    (1.0, points[0][1]),
                    points[0],
                )
            )
            slope = 1.0
            if last > before:
                slope = max(1.0, log(seconds / seconds_before) / log(last / before))
            return float(seconds * (size / last) ** slope)
        k = bisect_left(points, (size, 0.0))
        (left, before), (right, after) = points[k - 1], points[k]
        share = log(size / left) / log(right / left)
        return exp(log(before) + share * log(after / before))
