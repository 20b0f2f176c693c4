"""Where what we compile from resources is kept, once and for all processes of a user."""

from __future__ import annotations

from pathlib import Path


def kept_folder(what: str) -> Path:
    """The folder for compiled tables of one sort, such as ``meteor`` or ``vectors``; safe to delete at any time.

    It does not follow XDG_CACHE_HOME, because nothing below the command line reads the environment, and worker
    processes must find the very tables that their parent compiled.
    """
    return Path.home() / ".cache" / "dialeval" / what
