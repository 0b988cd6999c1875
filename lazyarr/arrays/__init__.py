"""Lazy arrays: their expressions, their indexing, their values."""
