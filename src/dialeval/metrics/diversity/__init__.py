"""Variety of all of a system's responses together: distinct n-grams, vocabulary, self-BLEU."""
