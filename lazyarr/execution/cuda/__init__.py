"""Running a plan on a GPU."""
