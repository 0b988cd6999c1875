"""NumPy's own test files, run with lazyarr in NumPy's place: ``python -m tests.conformance``."""
