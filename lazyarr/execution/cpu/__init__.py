"""Running plans on processors."""
