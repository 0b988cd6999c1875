"""Random members of families of array programs, timed against other libraries."""
