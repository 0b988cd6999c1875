"""An image pipeline: gamma, blur, edges, threshold, normalise.

Slices of the image are views: the stencils read their neighbours in place.
Usage: python examples/image_pipeline.py [height width]
"""

import sys

import numpy as np

import lazyarr as la


def blur(image):
    """Return the binomial 3 × 3 blur, one pixel less at each side."""
    rows = 0.25 * (image[:-2] + 2.0 * image[1:-1] + image[2:])
    return 0.25 * (rows[:, :-2] + 2.0 * rows[:, 1:-1] + rows[:, 2:])


def edges(image):
    """Return the magnitude of the Sobel gradient."""
    down = image[2:] - image[:-2]
    right = image[:, 2:] - image[:, :-2]
    vertical = down[:, :-2] + 2.0 * down[:, 1:-1] + down[:, 2:]
    horizontal = right[:-2] + 2.0 * right[1:-1] + right[2:]
    return np.hypot(vertical, horizontal)


def pipeline(pixels):
    light = (pixels / 255.0) ** 2.2
    strength = edges(blur(light))
    strong = np.where(strength > 0.1, strength, 0.0)
    return (strong - strong.mean()) / (strong.std() + 1e-9)


def photograph(height: int, width: int) -> np.ndarray:
    """Return a synthetic grey image: discs on a slope, with noise, uint8."""
    y, x = np.mgrid[0:height, 0:width]
    discs = np.hypot((y % 64) - 32, (x % 96) - 48) < 20
    noise = np.random.default_rng(0).normal(0.0, 4.0, (height, width))
    return np.clip(120 * discs + 100 * x / width + 10 + noise, 0, 255).astype(np.uint8)


def main() -> None:
    height, width = map(int, sys.argv[1:3]) if len(sys.argv) > 2 else (480, 640)
    pixels = photograph(height, width)
    expected = pipeline(pixels)
    expression = pipeline(la.asarray(pixels))
    result = la.evaluate(expression)
    np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9)
    report = la.explain(expression)
    print(
        f"{height} × {width}: {len(report.kernels)} kernels, peak {report.peak_bytes / 1e6:.1f} MB "
        f"(operation by operation: {report.eager_bytes / 1e6:.1f} MB)"
    )


if __name__ == "__main__":
    main()
