"""Windows that slide over images."""

from __future__ import annotations

from lazyarr.core.frozen import dataclass

__all__ = ["Pair", "Sliding", "transposed"]

Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Sliding:
    """The placement of windows on images: strides, padding and dilation, down and across.

    Element k of window i is element ``(i * stride + k * gap - low) / spread`` of the image, if
    there is one, and zero if not.

    Attributes
    ----------
    windows : pair of int
        Windows down and across.
    taps : pair of int
        Elements of a window.
    stride, gap : pair of int
        Steps from window to window, and from element to element of a window.
    low : pair of int
        Zeros before the image; as many elements are left out where negative.
    spread : pair of int
        Steps between neighbours of the image, with zeros between them.
    apart : bool
        Whether each channel is convolved by itself, with one filter of its own.
    """

    windows: Pair
    taps: Pair
    stride: Pair = (1, 1)
    gap: Pair = (1, 1)
    low: Pair = (0, 0)
    spread: Pair = (1, 1)
    apart: bool = False

    @property
    def reach(self) -> Pair:
        """Positions that the windows cover together."""
        down, across = (
            (windows - 1) * stride + (taps - 1) * gap + 1
            for windows, taps, stride, gap in zip(
                self.windows, self.taps, self.stride, self.gap, strict=True
            )
        )
        return down, across


def transposed(how: Sliding, size: Pair) -> Sliding:
    """Return the windows of a convolution's transpose on its cotangent.

    Parameters
    ----------
    how : Sliding
        Of the convolution.
    size : pair of int
        Of its images, down and across.
    """
    down, across = (
        (taps - 1) * gap - low for taps, gap, low in zip(how.taps, how.gap, how.low, strict=True)
    )
    sides = (down, across)
    return Sliding(size, how.taps, how.spread, how.gap, sides, how.stride, how.apart)
