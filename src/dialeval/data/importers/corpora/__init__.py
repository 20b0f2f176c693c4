"""Readers of published corpora, one file each."""
