"""Side-by-side measurements of lazyarr and its peers: ``python -m benchmarks --help``."""
