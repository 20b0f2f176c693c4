"""N-best systems behind a detector of contradictions, and how far they are from an ideal filter."""
