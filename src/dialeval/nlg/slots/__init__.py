"""Slot errors: what a sentence left out, got wrong, added or said twice, with the words that show it."""
