"""The command line: one module per verb, each of which parses, calls the library, and prints."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dialeval.lazy import lazily

if TYPE_CHECKING:
    from dialeval.cli.parsing.app import app_of
else:
    __getattr__ = lazily(__name__, __file__)

try:
    from dialeval.cli.main import main
except KeyboardInterrupt:  # Ctrl-C within the first milliseconds
    print("Interrupted. Nothing was kept.", file=sys.stderr)
    raise SystemExit(130) from None

__all__ = ["app_of", "main"]
