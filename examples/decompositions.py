"""Transforms and decompositions: fft, singular values and eigenvalues, checked against NumPy.

They are library steps, and what surrounds them is fused: here a window before the transform and
the power after it. With LAZYARR_DEVICE=cuda they run on the GPU, by cuFFT and cuSOLVER.
Usage: python examples/decompositions.py [samples n]      (default: 65536 128)
"""

import sys

import numpy as np

import lazyarr as la


def spectrum(signal):
    """Return the power of a windowed signal at each frequency, and its kernels."""
    n = signal.size
    window = 0.5 - 0.5 * la.cos(2 * np.pi * la.arange(n) / n)
    power = la.abs(la.fft.rfft(signal * window)) ** 2
    return power, [kernel.name for kernel in la.explain(power).kernels]


def main() -> None:
    samples, n = map(int, sys.argv[1:] or ("65536", "128"))
    random = np.random.default_rng(0)

    time = np.arange(samples) / samples
    signal = np.sin(2 * np.pi * 50 * time) + 0.5 * random.standard_normal(samples)
    power, kernels = spectrum(la.asarray(signal))
    result = la.evaluate(power)
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(samples) / samples)
    expected = np.abs(np.fft.rfft(signal * window)) ** 2
    np.testing.assert_allclose(result, expected, rtol=1e-9, atol=1e-9 * expected.max())
    assert int(result.argmax()) == 50
    print(f"fft of {samples:,}: the tone is at {result.argmax()}, kernels {', '.join(kernels)}")

    a = random.standard_normal((n, n))
    singular = la.evaluate(la.linalg.svd(la.asarray(a), compute_uv=False))
    np.testing.assert_allclose(singular, np.linalg.svd(a, compute_uv=False), rtol=1e-9, atol=1e-12)
    print(f"svd of {n}×{n}: condition {singular[0] / singular[-1]:.3g}")

    covariance = la.asarray(a) @ la.asarray(a).T / n
    values, vectors = la.linalg.eigh(covariance)
    residual = la.abs(covariance @ vectors - vectors * values).max()
    largest, error = la.evaluate(values.max(), residual)
    np.testing.assert_allclose(largest, singular[0] ** 2 / n, rtol=1e-9)
    assert error < 1e-10 * largest
    print(f"eigh of {n}×{n}: largest {largest:.3f}, residual {error:.1e}")


if __name__ == "__main__":
    main()
