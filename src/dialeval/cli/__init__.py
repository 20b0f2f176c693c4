"""The command line: one module per verb, each of which parses, calls the library, and prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.cli.parsing.app import app_of
else:
    __getattr__ = lazily(__name__, __file__)

from dialeval.cli.main import main

__all__ = ["app_of", "main"]
