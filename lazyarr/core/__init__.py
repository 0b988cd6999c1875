"""Settings, shapes, frozen dataclasses, places in the source: no expression is known."""
