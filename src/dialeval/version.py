"""The package's version, which is part of every provenance and cache key."""

__version__ = "0.1.0"
