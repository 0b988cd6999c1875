"""CUDA C++ of lazyarr's own for steps without a library of NVIDIA's."""
