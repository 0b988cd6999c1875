"""CUDA C++ of our own for what no library of NVIDIA's does."""
