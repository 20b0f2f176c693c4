"""Relevance of a response to its context, by a bi-encoder that learnt to find what was said next (Henderson 2020)."""
