"""Scorers of turns and whole dialogues that need no reference: SelF-Eval (Ma et al., 2022) and its rivals.

Each is a metric over examples and over dialogues alike; `subjects` says what a scorer of single responses makes of a
dialogue.
"""
