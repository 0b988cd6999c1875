"""Loops for the CPU: how each template of a group is computed there."""
