"""Floating-point errors: what is reported, where it arose, what it does."""
