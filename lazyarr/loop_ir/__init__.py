"""The loop IR and generated source, common to code generation and the runtime."""
