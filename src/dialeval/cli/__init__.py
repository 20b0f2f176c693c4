"""The command line: one module per verb, each of which parses, calls the library, and prints."""

from dialeval.cli.main import app_of, main

__all__ = ["app_of", "main"]
