"""Handing the work items of a kernel out to threads."""
