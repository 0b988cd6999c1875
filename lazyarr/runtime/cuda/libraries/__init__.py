"""Library functions on a GPU: NVIDIA's libraries and kernels of our own, by NumPy function."""
