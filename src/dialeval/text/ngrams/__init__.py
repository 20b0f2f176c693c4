"""N-grams, overlaps and longest common subsequences of tokenised texts."""
