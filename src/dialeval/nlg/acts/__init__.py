"""Dialogue acts: their type, and one reader and printer for each published notation."""
