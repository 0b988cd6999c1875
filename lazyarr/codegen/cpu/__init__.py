"""Loops for the CPU: the implementation of each template of a group."""
