"""The command line: one module per verb, each of which parses, calls the library, and prints."""

from __future__ import annotations

import sys

try:
    from dialeval.cli.main import main
except KeyboardInterrupt:  # Ctrl-C within the first milliseconds
    print("Interrupted. Nothing was kept.", file=sys.stderr)
    raise SystemExit(130) from None

__all__ = ["main"]
