"""Labelled pairs of utterances: their types, readers of published sets, rules that make more, and splits."""
