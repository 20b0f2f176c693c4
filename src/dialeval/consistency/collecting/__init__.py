"""Answers of systems to probes."""
