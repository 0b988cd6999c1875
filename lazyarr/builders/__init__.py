"""Constructors of nodes, which check shapes and dtypes."""
