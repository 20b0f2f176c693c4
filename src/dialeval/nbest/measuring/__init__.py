"""Measuring n-best lists: which responses contradict, Certainty and Variety, and shares of contradictions."""
