"""The compiler: from expressions to executables, the plan cache, and reuse across evaluations."""
