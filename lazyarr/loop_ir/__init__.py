"""The loop IR and generated source: what code generation and the runtime share."""
