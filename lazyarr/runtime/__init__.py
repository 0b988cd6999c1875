"""Compiling, caching and launching generated source; memory and threads."""
