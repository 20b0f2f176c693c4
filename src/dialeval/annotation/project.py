"""The folder of a rating study: its settings, blind items, key, secret and store; the only writer and reader of them.

``study.json`` says what is asked and may be edited before the first answer; ``items.jsonl`` is all that raters see;
``key.jsonl`` says where each item came from, so filled-in tables can be read with it alone; ``secret`` signs links and
sessions, and is readable by its owner alone;
``answers.sqlite`` is the store, unless ``study.json`` names a database.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Annotated, Final, Literal, TypeVar

from dialeval.annotation.blind_items import Blind
from dialeval.annotation.items import Item, Source
from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Ask
from dialeval.errors import BadInput, UnknownName, Unsuitable
from dialeval.files.atomic import make_private_folder
from dialeval.files.documents import Origin, read_document, require_file, write_document, write_json_lines
from dialeval.files.folders import check_links, check_target, is_plain_name
from dialeval.files.foreign import as_bad_input
from dialeval.options import Option

T = TypeVar("T")

STUDY: Final = "study.json"
ITEMS: Final = "items.jsonl"
KEY: Final = "key.jsonl"
SECRET: Final = "secret"
FOR_RATERS: Final = "for_raters"
"""Folder of the items as tables, if there are any."""
STORE: Final = "answers.sqlite"
ORIGIN: Final = Origin(
    "a folder as written by 'dialeval annotate init'", "Make it again with 'dialeval annotate init'."
)


@dataclass(frozen=True, slots=True)
class Crowd:
    """Settings of a crowd platform: how its workers come and go."""

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
    """Number of turns that the rater has."""
    systems: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Source of each system, by name: ``STUDY.yaml:NAME`` or as ``dialeval chat`` takes it."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings of a study, the content of ``study.json``."""

    title: str
    asks: tuple[Ask, ...]
    overlap: Annotated[int, Option(min=1, metavar="K")]
    """Judgements per item."""
    order: Annotated[Literal["depth", "breadth"], Option()] = "depth"
    """Fill items to K before opening new ones, or open all items first."""
    raters: tuple[str, ...] = ()
    """Those who are invited."""
    seed: Annotated[int, Option(min=0, metavar="N")] = 0
    """Seed of everything random."""
    instructions: str = ""
    block: Annotated[int | None, Option(min=1)] = None
    """Most items that one rater gets."""
    lease_seconds: float = 1800.0
    """Time for which an item is kept for a rater who does nothing."""
    least_seconds: Annotated[float, Option(min=0)] = 0.0
    """Least seconds between showing an item and its answer."""
    check_rate: Annotated[float, Option(min=0, max=0.5)] = 0.0
    """Share of items that check attention."""
    check_failures: Annotated[int | None, Option(min=0)] = None
    """Stop raters who fail more than this many checks."""
    qualification: Annotated[float, Option("--pass", min=0, max=1)] = 1.0
    """Share of right answers needed to pass the test."""
    attempts: int = 2
    """Number of times that a rater may try to qualify."""
    gold_within: Annotated[float, Option("--within", min=0)] = 0.0
    """Distance from a known value that still counts as right."""
    chat: ChatSettings | None = None
    crowd: Crowd | None = None
    frame_ancestors: tuple[str, ...] = ()
    """Sites that may show the pages in a frame, as a crowd platform does; none by default."""
    language: Annotated[str, Option()] = "en"
    """Language of the pages: en or ja."""
    store: Annotated[str, Option(metavar="URL", show_default="SQLite, in the folder")] = STORE
    """A database instead: postgresql://...

    Without one, a file in the folder.
    """
    provenance: Mapping[str, str] = field(default_factory=dict, hash=False)
    """Origin of the items: file, digest, version of dialeval."""
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
        """Questions by criterion."""
        return {ask.criterion: ask for ask in self.settings.asks}


def write_project(folder: Path, settings: Settings, blinded: Sequence[Blind]) -> Project:
    """Write a new study; refuse a folder that holds answers or other files."""
    check_new(folder)
    _check_store(folder, settings)
    _check(settings, blinded)
    make_private_folder(folder)
    criteria = tuple(ask.criterion for ask in settings.asks)
    key = (replace(one.source, criteria=criteria) for one in blinded)
    write_json_lines(folder / ITEMS, (one.item for one in blinded))
    write_json_lines(folder / KEY, key, private=True)
    _write_secret(folder / SECRET)
    write_document(folder / STUDY, settings, private=True)  # last: a folder that has it is complete
    return read_project(folder)


def check_new(folder: Path) -> None:
    """Refuse a folder that holds a study or files of another origin."""
    if (folder / STUDY).exists():
        todo = "Give another -o, or export the answers and delete the folder."
        raise BadInput(str(folder), "a rating study", "a new or empty folder", todo)
    check_target(folder, kind="rating study", parts=(ITEMS, KEY, SECRET, FOR_RATERS))


def read_key(path: Path) -> dict[str, Source]:
    """The key that was written with tasks, by the id of the task."""
    todo = f"Name the {KEY} that was written beside the tasks."
    if not path.is_file():
        raise BadInput(str(path), "no such file", "the key to the tasks", todo)
    found = {source.id: source for source in read_records(Source, path, todo)}
    if not found:
        again = "or export them again with the same seed."
        raise BadInput(str(path), "no line", "the key to the tasks", f"{todo[:-1]}, {again}")
    return found


def read_project(folder: Path) -> Project:
    """The study in a folder; BadInput names the file and field that is missing or damaged."""
    check_links(folder)
    settings = read_document(Settings, require_file(folder, STUDY, ORIGIN), ORIGIN)
    _check_store(folder, settings)
    items = {item.id: item for item in read_records(Item, require_file(folder, ITEMS, ORIGIN))}
    sources = read_key(require_file(folder, KEY, ORIGIN))
    if items.keys() != sources.keys():
        found = f"{len(items):,} items and a key to {len(sources):,}"
        raise BadInput(str(folder), found, f"{KEY} and {ITEMS} of the same items", ORIGIN.again)
    _check(settings, [Blind(item, sources[name]) for name, item in items.items()])
    return Project(folder, settings, items, sources, _read_secret(require_file(folder, SECRET, ORIGIN)))


def _check_store(folder: Path, settings: Settings) -> None:
    """Refuse a store in a file elsewhere: whoever sent the folder would choose which database is opened and changed."""
    place = settings.store
    if not (
        is_plain_name(place) or place.startswith(("postgresql://", "postgresql+psycopg://", "postgres://"))
    ):
        expected, todo = "a file in the folder, or postgresql://...", "Write answers.sqlite there."
        raise BadInput(str(folder / STUDY), repr(place), expected, todo, field="store")


def _read_secret(path: Path) -> bytes:
    with as_bad_input((ValueError,), str(path), "secret", "64 hexadecimal digits", ORIGIN.again):
        return bytes.fromhex(path.read_text(encoding="ascii").strip())


def copy_project(project: Project, folder: Path) -> Project:
    """Copy the study to a new folder, with a secret and a store of its own and no answers."""
    blinded = [Blind(item, project.sources[name]) for name, item in project.items.items()]
    return write_project(folder, replace(project.settings, store=STORE), blinded)


def _check(settings: Settings, blinded: Sequence[Blind]) -> None:
    """Raise if kinds are unknown, criteria are named twice, or numbers make no sense."""
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


def read_records(shape: type[T], path: Path, todo: str = ORIGIN.again) -> Iterator[T]:
    """Lines of a file that this package has written, as values of a type; BadInput names the line and field."""
    from pydantic import TypeAdapter, ValidationError

    lines = TypeAdapter(shape)
    with as_bad_input((UnicodeDecodeError,), str(path), "text", f"{path.name} in UTF-8", todo):
        text = path.read_text(encoding="utf-8")
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        try:
            yield lines.validate_json(line, strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(map(str, first["loc"])) or None
            raise BadInput(str(path), first["msg"], f"a line of {path.name}", todo, number, where) from None


def _write_secret(path: Path) -> None:
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="ascii") as file:
        file.write(secrets.token_hex(32) + "\n")
        file.flush()
        os.fsync(file.fileno())
