"""Tokenisers by the names that signatures give them."""
