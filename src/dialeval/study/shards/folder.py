"""The folder of a shard: ``shard.json``, and the results of its batches (docs/files.md)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from dialeval.core import Metric, System, resources_of
from dialeval.errors import BadInput
from dialeval.evaluation.shards import Shard
from dialeval.files.digests import FileDigest
from dialeval.files.documents import Origin, read_document, require_file, write_document
from dialeval.files.folders import check_target
from dialeval.study.document import Failure

FILE: Final = "shard.json"
KEPT: Final = "kept"
"""The cache of the shard's batches."""
SHARD: Final = Origin(
    "the folder of a shard as written by 'dialeval run --shard' and other verbs with --shard",
    "Run the shard again; what was computed is kept, so it is quick.",
)
Verb: TypeAlias = Literal["run", "score"]


@dataclass(frozen=True, slots=True)
class Task:
    """What all shards of one command have in common; merging refuses shards of different tasks."""

    verb: Verb
    arguments: dict[str, Any]
    """The options that can move a result, by the names of the command's parameters."""
    dialeval: str
    """The version."""
    files: tuple[FileDigest, ...]
    """Every file that is read."""
    signatures: dict[str, str]
    """Of every system and measure, with its resources."""


@dataclass(frozen=True, slots=True)
class ShardDocument:
    """What ``shard.json`` holds."""

    format: Literal[1]
    shard: int
    shards: int
    task: Task
    folder: str
    """The working folder, which paths are relative to."""
    command: str
    finished: bool
    failures: tuple[Failure, ...] = ()
    """What went wrong, where it was not interrupted."""

    @property
    def name(self) -> Shard:
        """Which of the shards it is."""
        return Shard(self.shard, self.shards)


def check_shard_target(folder: Path) -> None:
    """Refuse a folder that holds something else than a shard."""
    check_target(folder, FILE, kind="shard", parts=(KEPT,))


def write_shard(folder: Path, document: ShardDocument) -> None:
    """Write ``shard.json``: before the work, and again once it is finished."""
    folder.mkdir(parents=True, exist_ok=True)
    write_document(folder / FILE, document)


def read_shard(folder: Path) -> ShardDocument:
    """The shard in the folder; BadInput where there is none, or a whole run."""
    if (folder / "manifest.json").is_file():
        raise BadInput(str(folder), "a whole run", SHARD.expected, "Leave it out.")
    return read_document(ShardDocument, require_file(folder, FILE, SHARD), SHARD)


def shard_in(folder: Path) -> ShardDocument | None:
    """The shard in the folder; None where there is none that can be read."""
    try:
        return read_shard(folder)
    except BadInput:
        return None


def signature_of(part: System | Metric[Any]) -> str:
    """All that could move the results of a system or measure, its resources included."""
    resources = resources_of(part)
    held = "".join(f" {name}={digest}" for name, digest in sorted(resources.items()))
    return f"{part.signature}{held}"


def digests_by_path(files: Iterable[FileDigest]) -> dict[str, str]:
    """The content of each file by its path."""
    return {file.path: file.sha256 for file in files}
