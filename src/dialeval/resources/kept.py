"""Folders of what is made once from verified resources, such as files joined from parts; safe to delete at any time."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import logging
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dialeval.errors import ResourceUnavailable
from dialeval.files.atomic import write_atomically
from dialeval.files.digests import hash_tree, stamp
from dialeval.files.folders import one_at_a_time

_RECORD: Final = ".verified.json"
"""Size and time of change of every file when its hash was compared."""


def kept_folder(what: str) -> Path:
    """The folder for compiled tables of one sort, such as ``meteor`` or ``vectors``; safe to delete at any time.

    It does not follow XDG_CACHE_HOME, because nothing below the command line reads the environment, and worker
    processes must find the very tables that their parent compiled.
    """
    return Path.home() / ".cache" / "dialeval" / what


def keep(folder: Path, sha256: str, make: Callable[[Path], None], *, megabytes: int) -> Path:
    """Return the folder, filled by ``make`` unless it holds what has this sha256 already.

    Files are hashed when they were written; later, those whose size and time of change are as they were then are not
    read again. ``make`` is given an empty folder beside it, so that an interruption leaves no half of a model.
    """
    if _is_verified(folder):
        return folder
    try:
        with one_at_a_time(folder):
            if not _is_verified(folder):
                _make(folder, sha256, make)
    except OSError as error:
        raise ResourceUnavailable(
            f"{folder.name} could not be kept in {folder.parent} ({error}). Make that folder writable and see that "
            f"the disk has {megabytes} MB free."
        ) from None
    return folder


def _make(folder: Path, sha256: str, make: Callable[[Path], None]) -> None:
    logging.getLogger(__name__).warning("Writing %s. This happens once.", folder)
    shutil.rmtree(folder, ignore_errors=True)
    import tempfile  # not for those who keep nothing

    scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        make(scratch)
        found = hash_tree(scratch)
        if found != sha256:
            raise ResourceUnavailable(
                f"{folder.name} was made with sha256 {found}, expected {sha256}, and is not used. Install what it is "
                "made of again ('dialeval resources ls')."
            )
        write_atomically(scratch / _RECORD, json.dumps(_stamps(scratch)).encode())
        scratch.chmod(0o755)
        scratch.replace(folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _is_verified(folder: Path) -> bool:
    record = folder / _RECORD
    return record.is_file() and json.loads(record.read_text(encoding="utf-8")) == _stamps(folder)


def _stamps(folder: Path) -> dict[str, list[int]]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _RECORD)
    return {path.relative_to(folder).as_posix(): list(stamp(path)[1:]) for path in files}


_WHOLE: Final = ".whole"
_AT_ONCE: Final = 2**20


@dataclass(frozen=True, slots=True)
class Parts:
    """The packages, in order, and the file in each; joined they are a zip archive, or the resource's only file."""

    packages: tuple[str, ...]
    """The pip distributions."""
    files: tuple[str, ...]
    """A file of each installed package, beginning with the package's import name."""
    size: int
    """Bytes of the whole."""
    sha256: str
    """Of the whole."""
    top: str | None = None
    """The folder in the zip archive that is the resource; None if the whole is no archive."""

    def paths(self) -> list[Path]:
        """The parts that are installed, all or only some; no package is imported."""
        found = (_installed(file) for file in self.files)
        return [path for path in found if path is not None]

    def hash_whole(self) -> str:
        """The sha256 of the parts in a row."""
        content = hashlib.sha256()
        for path in self.paths():
            with path.open("rb") as file:
                while piece := file.read(_AT_ONCE):
                    content.update(piece)
        return content.hexdigest()

    def join(self, names: Sequence[str], folder: Path) -> None:
        """Write the files of these names; ResourceUnavailable unless the whole has its sha256."""
        whole = folder / (_WHOLE if self.top is not None else names[0])
        content = hashlib.sha256()
        with whole.open("wb") as out:
            for path in self.paths():
                with path.open("rb") as file:
                    while piece := file.read(_AT_ONCE):
                        content.update(piece)
                        out.write(piece)
        if content.hexdigest() != self.sha256:
            raise ResourceUnavailable(
                f"The parts in {' and '.join(dict.fromkeys((self.packages[0], self.packages[-1])))} have together "
                f"sha256 {content.hexdigest()}, expected {self.sha256}, and are not used. Install them again with "
                "--force-reinstall."
            )
        if self.top is None:
            return
        import zipfile  # not for those whose weights are in one piece

        with zipfile.ZipFile(whole) as archive:
            for name in names:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                with archive.open(f"{self.top}/{name}") as packed, (folder / name).open("wb") as out:
                    shutil.copyfileobj(packed, out)
        whole.unlink()


def numbered(name: str, count: int, digits: int = 1) -> tuple[str, ...]:
    """The name with 1, 2, ... up to the count in place of #, each with at least so many digits."""
    return tuple(name.replace("#", f"{number:0{digits}}") for number in range(1, count + 1))


def _installed(file: str) -> Path | None:
    package, *inside = file.split("/")
    try:
        # For a top-level name this looks the package up without running any of its code.
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return None
    places = [Path(place, *inside) for place in (spec.submodule_search_locations if spec else None) or ()]
    return next((place for place in places if place.is_file()), None)
