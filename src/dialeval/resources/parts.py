"""Resources whose publisher spread one file over several packages; joined once into the user's cache."""

from __future__ import annotations

import hashlib
import importlib.util
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dialeval.errors import ResourceUnavailable

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
