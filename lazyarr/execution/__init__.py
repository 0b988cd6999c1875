"""Running a plan with its code."""
