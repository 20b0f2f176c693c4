"""The folder of a rating study: its settings, blind items, key, secret and store; the only writer and reader of them.

``study.json`` says what is asked and may be edited before the first answer; ``items.jsonl`` is all that raters see;
``key.jsonl`` says where each item came from; ``secret`` signs links and sessions, and is readable by its owner alone;
``answers.sqlite`` is the store, unless ``study.json`` names a database.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final, Literal, TypeVar

from dialeval.annotation.blinding import Blind
from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Ask
from dialeval.errors import BadInput, UnknownName, Unsuitable
from dialeval.files.documents import Origin, read_document, require_file, write_document, write_json_lines
from dialeval.files.folders import check_links, check_target
from dialeval.files.foreign import as_bad_input

T = TypeVar("T")

STUDY: Final = "study.json"
ITEMS: Final = "items.jsonl"
KEY: Final = "key.jsonl"
SECRET: Final = "secret"
STORE: Final = "answers.sqlite"
ORIGIN: Final = Origin(
    "a folder as written by 'dialeval annotate init'", "Make it again with 'dialeval annotate init'."
)


@dataclass(frozen=True, slots=True)
class Crowd:
    """How workers of a crowd platform come and go."""

    platform: Literal["prolific", "mturk"]
    completed: str = ""
    """Prolific's code of those who finished."""
    screened_out: str = ""
    """Prolific's code of those who did not qualify."""
    failed: str = ""
    """Prolific's code of those who failed attention checks."""


@dataclass(frozen=True, slots=True)
class ChatSettings:
    """The talk that comes before the ratings."""

    turns: int
    """How many turns the rater has."""
    systems: Mapping[str, str] = field(default_factory=dict, hash=False)
    """How each system is made, by name: ``STUDY.yaml:NAME`` or as ``dialeval chat`` takes it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What a study asks of whom; the content of ``study.json``."""

    title: str
    asks: tuple[Ask, ...]
    overlap: int
    """How many judgements each item gets."""
    order: Literal["depth", "breadth"] = "depth"
    """Items are filled to their overlap before new ones are opened (depth), or all are opened first (breadth)."""
    raters: tuple[str, ...] = ()
    """Those who are invited."""
    seed: int = 0
    instructions: str = ""
    block: int | None = None
    """The most items a rater is asked; None for all there are."""
    lease_seconds: float = 1800.0
    """How long an item is kept for a rater who does nothing."""
    least_seconds: float = 0.0
    """The shortest reading time."""
    check_rate: float = 0.0
    """The share of items that check attention."""
    check_failures: int | None = None
    """After how many failed checks a rater is stopped; None for never."""
    qualification: float = 1.0
    """The least share of right answers to the items that qualify."""
    attempts: int = 2
    """How often a rater may try to qualify."""
    gold_within: float = 0.0
    """How far an answer may be from the known value and still be right."""
    chat: ChatSettings | None = None
    crowd: Crowd | None = None
    frame_ancestors: tuple[str, ...] = ()
    """Sites that may show the pages in a frame, as a crowd platform does; none by default."""
    language: str = "en"
    store: str = STORE
    """A file in the folder, or ``postgresql://...``."""
    provenance: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Where the items came from: file, digest, version of dialeval."""
    format: Literal[1] = 1


@dataclass(frozen=True)
class Project:
    """A rating study: what is asked about which items, and where its answers are kept."""

    folder: Path
    settings: Settings
    items: Mapping[str, Item]
    sources: Mapping[str, Source]
    secret: bytes = field(repr=False)

    @property
    def store(self) -> str | Path:
        """The address of its store."""
        place = self.settings.store
        return place if "://" in place else self.folder / place

    @cached_property
    def asks(self) -> Mapping[str, Ask]:
        """What is asked, by criterion."""
        return {ask.criterion: ask for ask in self.settings.asks}


def write_project(folder: Path, settings: Settings, blinded: Sequence[Blind]) -> Project:
    """Write a new study; refuse a folder that holds answers or other files."""
    if (folder / STUDY).exists():
        todo = "Give another -o, or export the answers and delete the folder."
        raise BadInput(str(folder), "a rating study", "a new or empty folder", todo)
    check_target(folder, kind="rating study", parts=(ITEMS, KEY, SECRET))
    _check(settings, blinded)
    folder.mkdir(parents=True, exist_ok=True)
    write_json_lines(folder / ITEMS, (one.item for one in blinded))
    write_json_lines(folder / KEY, (one.source for one in blinded), private=True)
    _write_secret(folder / SECRET)
    write_document(folder / STUDY, settings)  # last: a folder that has it is complete
    return read_project(folder)


def read_project(folder: Path) -> Project:
    """The study in a folder; BadInput names the file and field that is missing or damaged."""
    check_links(folder)
    settings = read_document(Settings, require_file(folder, STUDY, ORIGIN), ORIGIN)
    items = {item.id: item for item in read_records(Item, require_file(folder, ITEMS, ORIGIN))}
    sources = {source.id: source for source in read_records(Source, require_file(folder, KEY, ORIGIN))}
    if items.keys() != sources.keys():
        found = f"{len(items):,} items and a key to {len(sources):,}"
        raise BadInput(str(folder), found, f"{KEY} and {ITEMS} of the same items", ORIGIN.again)
    _check(settings, [Blind(item, sources[name]) for name, item in items.items()])
    return Project(folder, settings, items, sources, _read_secret(require_file(folder, SECRET, ORIGIN)))


def _read_secret(path: Path) -> bytes:
    with as_bad_input((ValueError,), str(path), "secret", "64 hexadecimal digits", ORIGIN.again):
        return bytes.fromhex(path.read_text(encoding="ascii").strip())


def copy_project(project: Project, folder: Path) -> Project:
    """The same study in a new folder, with a secret and a store of its own and no answers."""
    blinded = [Blind(item, project.sources[name]) for name, item in project.items.items()]
    return write_project(folder, replace(project.settings, store=STORE), blinded)


def _check(settings: Settings, blinded: Sequence[Blind]) -> None:
    """Raise where kinds are unknown, criteria are named twice, or numbers make no sense."""
    for ask in settings.asks:
        if ask.kind not in KINDS:
            raise UnknownName("kind of task", ask.kind, KINDS, todo=f"There are {', '.join(KINDS)}.")
    criteria = [ask.criterion for ask in settings.asks]
    if not criteria or len(set(criteria)) < len(criteria) or not all(criteria):
        raise Unsuitable("A study asks one or more questions, each with a criterion of its own.")
    if settings.overlap < 1:
        raise Unsuitable(f"Found an overlap of {settings.overlap}; each item needs one judgement or more.")
    invited = len(settings.raters)
    if invited and invited < settings.overlap and settings.crowd is None:
        raise Unsuitable(
            f"Found {invited} raters and an overlap of {settings.overlap}: nobody rates an item twice, so no item "
            f"could be finished. Invite {settings.overlap} raters or more, or lower the overlap."
        )
    if not any(one.source.role == "rating" for one in blinded):
        raise Unsuitable("No items to rate are left beside those with known answers. Give more items.")


def read_records(shape: type[T], path: Path) -> Iterator[T]:
    """Lines of a file that this package has written, as values of a type; BadInput names the line and field."""
    from pydantic import TypeAdapter, ValidationError

    lines = TypeAdapter(shape)
    with as_bad_input((UnicodeDecodeError,), str(path), "text", f"{path.name} in UTF-8", ORIGIN.again):
        text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        try:
            yield lines.validate_json(line, strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or None
            raise BadInput(
                str(path), first["msg"], f"a line of {path.name}", ORIGIN.again, number, where
            ) from None


def _write_secret(path: Path) -> None:
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
