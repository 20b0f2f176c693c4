"""Atomic writes, JSON, locks and digests of files."""
