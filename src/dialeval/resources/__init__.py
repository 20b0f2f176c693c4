"""Weights, vectors and lexicons: where they are, and the check that they are the right ones.

``CATALOGUE`` lists them with licence, hashes and install line. ``obtain(name)`` gives a path whose bytes were
verified, or says how to get them. Nothing is downloaded unless the user allows the hub.
"""

from dialeval.resources.catalogue import CATALOGUE, PinnedFile, Resource
from dialeval.resources.finding import (
    State,
    Status,
    check,
    fingerprint,
    installed_version,
    locate,
    obtain,
    require_library,
)

__all__ = [
    "CATALOGUE",
    "PinnedFile",
    "Resource",
    "State",
    "Status",
    "check",
    "fingerprint",
    "installed_version",
    "locate",
    "obtain",
    "require_library",
]
