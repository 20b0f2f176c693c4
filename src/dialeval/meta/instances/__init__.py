"""Whether a measure is right about single answers."""
