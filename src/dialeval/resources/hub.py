"""Resources from the Hugging Face hub, for users who allow it."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

from dialeval.errors import ResourceUnavailable
from dialeval.resources.catalogue import Resource


class _Hub(Protocol):
    """What we use of huggingface_hub, which is often not installed."""

    def snapshot_download(
        self, repo_id: str, *, revision: str | None, allow_patterns: Sequence[str], local_files_only: bool
    ) -> str: ...


class HubFailed(ResourceUnavailable):
    """The hub, or its local cache, did not give what was asked for; prints as the reason, without a full stop."""


def snapshot(
    repository: str, revision: str | None, patterns: Sequence[str], *, download: bool = True
) -> Path:
    """The folder of the hub's local cache with those files, fetched if need be and allowed.

    ImportError where huggingface_hub is not installed, HubFailed where it cannot give them.
    """
    library = cast(_Hub, importlib.import_module("huggingface_hub"))
    try:
        return Path(
            library.snapshot_download(
                repository, revision=revision, allow_patterns=patterns, local_files_only=not download
            )
        )
    # The library raises whatever its transport raises, and that changes with its versions.
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise HubFailed(reason.rstrip(".")) from error


def fetch(resource: Resource) -> Path:
    """The folder of the hub's local cache that holds the resource's files, downloaded if need be."""
    if resource.hub is None:
        raise ResourceUnavailable(f"{resource.name} is not on the hub. Install it: {resource.install}")
    repository, _, revision = resource.hub.partition("@")
    try:
        # Only the files we know by hash, so never a pickle.
        return snapshot(repository, revision or None, [file.name for file in resource.files])
    except ImportError:
        raise ResourceUnavailable(
            f"{resource.name} was to come from the hub, but huggingface_hub is not installed. "
            f"Run: pip install huggingface_hub, or without the hub: {resource.install}"
        ) from None
    except HubFailed as error:
        raise ResourceUnavailable(
            f"{resource.name} could not be had from the hub ({repository}): {error}. "
            f"Check the connection, or install it without the hub: {resource.install}"
        ) from error
