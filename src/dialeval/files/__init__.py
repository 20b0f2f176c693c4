"""Atomic writes, JSON documents, locks, digests of files, and folders to write into."""
