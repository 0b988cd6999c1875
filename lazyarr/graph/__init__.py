"""The expression graph: nodes, interning, the walker. No op is named here."""
