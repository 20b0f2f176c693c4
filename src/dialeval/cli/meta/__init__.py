"""``dialeval meta``."""
