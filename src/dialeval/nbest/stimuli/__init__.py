"""Stimuli: pairs of natural language inference turned into a history and a polar question about it."""
