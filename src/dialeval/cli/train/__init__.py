"""``dialeval train``."""
