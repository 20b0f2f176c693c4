"""Builders, fixtures and small servers that tests of several folders share."""
