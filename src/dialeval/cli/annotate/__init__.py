"""``dialeval annotate``."""
