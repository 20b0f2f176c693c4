"""Plain assertions about responses: what they contain, match or equal, their length, form and language."""
