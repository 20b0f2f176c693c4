"""Significance tests, corrections for multiple tests, and power."""
