"""The runner over items or a corpus, and paired comparisons of its results."""
