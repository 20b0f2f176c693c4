"""Consistency of dialogue systems: contradictions provoked, found, quoted and counted (Sato, 2024, chapter 4)."""
