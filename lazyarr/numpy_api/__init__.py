"""NumPy's functions on LazyArrays, by kind."""
