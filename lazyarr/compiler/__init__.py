"""From expressions to executables, once; what is found again, and what is reused."""
