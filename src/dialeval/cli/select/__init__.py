"""``dialeval select``."""
