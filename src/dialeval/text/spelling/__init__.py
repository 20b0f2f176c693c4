"""Words of sentences in one spelling: numbers, times and prices as people write and say them, and denials."""
