"""CuPy's own test files, run with lazyarr in CuPy's place: ``python -m tests.conformance.cupy``."""
