"""Analysis of labelled answers: features that provoke contradictions, and misses of the detector."""
