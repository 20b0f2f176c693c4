"""Overlap of words and characters with references: BLEU, ROUGE-L, chrF and CIDEr."""
