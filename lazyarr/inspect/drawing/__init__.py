"""Pictures of graphs: positions, colours and formats."""
