"""Hugging Face models: the libraries they need, their settings, and the hub for users who allow it."""

from __future__ import annotations

import importlib
import importlib.util
import json
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, cast

from dialeval.errors import BadInput, ResourceUnavailable, first_line, install_command
from dialeval.files.digests import combine, hash_file
from dialeval.files.folders import is_plain_name

if TYPE_CHECKING:
    from dialeval.resources.catalogue import Resource


class _Hub(Protocol):
    """Part that we use of huggingface_hub, which is often not installed."""

    def snapshot_download(
        self, repo_id: str, *, revision: str | None, allow_patterns: Sequence[str], local_files_only: bool
    ) -> str: ...


class HubFailed(ResourceUnavailable):
    """The hub, or its local cache, did not give what was asked for; prints as the reason, without a full stop."""


def snapshot(
    repository: str, revision: str | None, patterns: Sequence[str], *, download: bool = True
) -> Path:
    """The folder of the hub's local cache with those files, fetched if need be and allowed.

    ImportError if huggingface_hub is not installed, HubFailed if it cannot give them.
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
        reason = first_line(error)
        raise HubFailed(reason) from error


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
            f"{resource.name} could not be downloaded from the hub ({repository}): {error}. "
            f"Check the connection, or install it without the hub: {resource.install}"
        ) from error


_MOST_LAYERS: Final = 1000
"""Each takes memory before any weights are read."""


def require_torch(what: str, *others: str) -> None:
    """Refuse to continue if torch, or another library of the extra, is not installed."""
    missing = [name for name in ("torch", *others) if importlib.util.find_spec(name) is None]
    if missing:
        raise ResourceUnavailable(
            f"{what}: required and not installed: {' and '.join(missing)}. Run: {install_command('neural')}"
        )


def read_settings(path: Path) -> dict[str, object]:
    """The JSON object in a file of settings; empty if there is no file or no object."""
    if not path.is_file():
        return {}
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise BadInput(
            str(path), f"invalid JSON ({error})", "the settings of a model", "Download it again."
        ) from None
    return settings if isinstance(settings, dict) else {}


def hash_model(folder: Path, patterns: Iterable[str]) -> str:
    """One sha256 for the files of a model that match; ResourceUnavailable if the folder holds no model to read."""
    files = {
        path.relative_to(folder).as_posix(): path for pattern in patterns for path in folder.glob(pattern)
    }
    if "config.json" not in files:
        raise ResourceUnavailable(
            f"{folder} holds no config.json, so it is not the folder of a Hugging Face model. Give another folder."
        )
    if not any(file.endswith(".safetensors") for file in files):
        others = sorted(path.name for path in folder.iterdir() if path.suffix in (".bin", ".pt", ".gguf"))
        seen = f"only {', '.join(others)}" if others else "none"
        raise ResourceUnavailable(
            f"{folder} holds no weights that we read: expected .safetensors, found {seen}, and we unpickle nothing. "
            "Save the model again with model.save_pretrained(folder), or give another folder."
        )
    _check_index(folder / "model.safetensors.index.json")
    _check_settings(folder / "config.json")
    return combine({file: hash_file(path) for file, path in files.items()})


def _check_index(path: Path) -> None:
    """Refuse a list of weights that names a pickle, or a file elsewhere, which no hash would cover."""
    listed = read_settings(path).get("weight_map", {})
    names = set(listed.values()) if isinstance(listed, dict) else {None}
    for name in names:
        if not (isinstance(name, str) and is_plain_name(name) and name.endswith(".safetensors")):
            expected = "names of .safetensors files beside it"
            raise BadInput(str(path), repr(name), expected, "Download it again.", field="weight_map")


def _check_settings(path: Path) -> None:
    """Refuse settings that name code on the hub, or more layers than any model has."""
    for key, value in _settings_in(read_settings(path)):
        if key.endswith("attn_implementation") and isinstance(value, str) and not value.isidentifier():
            expected = "no code for attention, which could be anybody's"
            raise BadInput(str(path), repr(value), expected, "Remove the key.", field=key)
        if key.endswith(("layer", "layers")) and isinstance(value, int) and value > _MOST_LAYERS:
            expected = f"at most {_MOST_LAYERS:,} layers"
            raise BadInput(str(path), f"{value:,}", expected, "Download it again.", field=key)


def _settings_in(settings: Mapping[str, object]) -> Iterator[tuple[str, object]]:
    """All keys with their values, also of settings within settings."""
    left = [settings]
    while left:
        for key, value in left.pop().items():
            yield key, value
            left += [value] if isinstance(value, dict) else []


def plain_name(name: str) -> str:
    """The model's name as a signature can hold it: no bars, no equals signs, and no slashes, which are hard to read."""
    return "".join(char if char.isalnum() or char in "._-@" else "_" for char in name)


@contextmanager
def quiet_transformers() -> Iterator[Any]:
    """The library, silent; its settings are then as before."""
    logging: Any = importlib.import_module("transformers.utils.logging")
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            # Some of its models are compiled in a way that new versions of torch advise against.
            warnings.simplefilter("ignore", DeprecationWarning)
            yield importlib.import_module("transformers")
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
