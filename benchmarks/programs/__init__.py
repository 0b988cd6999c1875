"""Whole programs in plain NumPy style: what ``python -m benchmarks --cases programs`` measures."""
