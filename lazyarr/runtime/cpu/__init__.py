"""Compiling and running source on the CPU."""
