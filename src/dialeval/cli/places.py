"""Where on this machine things are kept, as the environment says."""

from __future__ import annotations

import os
from pathlib import Path


def default_cache_folder() -> Path:
    """The user's cache: ``$XDG_CACHE_HOME/dialeval``, else ``~/.cache/dialeval``."""
    # The XDG specification tells programs to ignore a relative path here.
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (named if named.is_absolute() else Path.home() / ".cache") / "dialeval"
