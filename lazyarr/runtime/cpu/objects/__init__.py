"""Object code: read, linked and loaded."""
