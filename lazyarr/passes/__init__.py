"""Graph to graph: canonical form, exact rules, products and library epilogues."""
