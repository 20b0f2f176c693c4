"""Weights, vectors and lexicons: where they are, and the check that they are the right ones.

``CATALOGUE`` lists them with licence, hashes and install line. ``obtain(name)`` gives a path whose bytes were
verified, or says how to get them. Nothing is downloaded unless the user allows the hub.
"""

from dialeval.resources.catalogue import (
    CATALOGUE as CATALOGUE,
    PinnedFile as PinnedFile,
    Resource as Resource,
    Status as Status,
    check as check,
    fingerprint as fingerprint,
    installed_version as installed_version,
    locate as locate,
    obtain as obtain,
    require_library as require_library,
)
