"""Libraries of the extras, asked for by name before they are needed."""

from __future__ import annotations

import importlib.util

from dialeval.errors import ResourceUnavailable


def require(library: str, what: str, *, install: str = "") -> None:
    """Refuse to go on where ``library`` is not installed, saying what needs it."""
    if importlib.util.find_spec(library) is None:
        raise ResourceUnavailable(
            f"{what} needs {library}, not installed. Run: pip install {install or library}"
        )
