"""Floating-point exceptions: reports, origins, and the errstate policy."""
