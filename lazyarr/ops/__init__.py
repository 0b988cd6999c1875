"""The op table: one row an op."""
