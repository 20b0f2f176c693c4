"""Rosters: many generators to train, by name and size, in one YAML file; two that were published come with us."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from dialeval.errors import BadInput, DialevalError, ResourceUnavailable, close_names
from dialeval.files.folders import is_plain_name
from dialeval.files.foreign import check_yaml_size, load_yaml
from dialeval.systems.trained.config import LAYOUT, Architecture, Scale, Shape, TrainConfig, scaled
from dialeval.systems.trained.lessons import Split

if TYPE_CHECKING:
    from dialeval.systems.trained.trainer import Outcome

PUBLISHED: Final = ("paper", "thesis")
"""Sato et al. (2020), tables 5 and 6; Sato's thesis, table 3.4."""

Train: TypeAlias = "Callable[[Split, TrainConfig, Path, Path | None], Outcome]"
"""Trains on the data, by the config, into the folder, from the folder of another generator if there is one."""

Tune: TypeAlias = "Callable[[Split, Path, str], Outcome]"
"""Trains the model of Hugging Face of that name or folder further on the data, into the folder."""

_TODO: Final = f"See 'dialeval docs generators' for its shape; {' and '.join(PUBLISHED)} come with dialeval."


class Entry(BaseModel):
    """A generator of a roster: one to train from scratch, to train further from another, or to be had elsewhere."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[\w.-]+$")
    architecture: Architecture | None = None
    layers: int | None = None
    embedding: int | None = None
    hidden: int | None = None
    heads: int | None = None
    kernel: int | None = None
    dropout: float | None = None
    turns: int | None = None
    start_from: str | None = None
    """An earlier entry's name."""
    corpus: str | None = None
    """Another corpus than the roster's, by the name that the command line gives it."""
    huggingface: str | None = None
    """A model of Hugging Face, by folder or name: trained further if ``corpus`` is given, else listed as it is."""

    def config(self, scale: Scale) -> TrainConfig:
        """Return how it is trained from scratch at this scale."""
        given = {key: value for key, value in self.model_dump().items() if value is not None}
        config = scaled(Shape(**{key: given[key] for key in asdict(Shape()) if key in given}), scale)
        turns = {"turns": self.turns} if self.turns is not None else {}
        return TrainConfig(**{**_shallow(config), **turns})


class Roster(BaseModel):
    """Generators to train, in order."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    source: str = ""
    systems: list[Entry] = Field(min_length=1)

    @property
    def corpora(self) -> list[str]:
        """The names of the corpora that entries want beside the roster's own."""
        return list(dict.fromkeys(entry.corpus for entry in self.systems if entry.corpus))


def load_roster(name: str) -> Roster:
    """The roster in a file, or a published one by name."""
    if name in PUBLISHED:
        text = files("dialeval.systems.trained").joinpath("rosters", f"{name}.yaml").read_text("utf-8")
    else:
        text = _read(Path(name))
    try:
        content = load_yaml(name, text)
        check_yaml_size(name, content, "a roster")
        roster = Roster.model_validate(content)
        _check(roster)
    except yaml.YAMLError as error:
        raise BadInput(name, f"invalid YAML ({error})", "a roster", _TODO) from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or None
        close = close_names(str(first["loc"][-1]), Entry.model_fields) if first["loc"] else []
        hint = f"Did you mean {close[0]!r}? " if close and first["type"] == "extra_forbidden" else ""
        raise BadInput(
            name, f"{first['msg'].lower()}", "a roster's keys", hint + _TODO, field=where
        ) from None
    except RecursionError:
        raise BadInput(name, "values nested too deeply", "a roster", _TODO) from None
    except ValueError as error:
        raise BadInput(name, str(error), "entries that can be trained in order", _TODO) from None
    return roster


def study_lines(entries: Sequence[Entry], folder: Path) -> str:
    """The trained entries, and those to be had elsewhere, as the systems of a study."""
    rows: list[Mapping[str, object]] = [
        {"name": entry.name, "kind": "huggingface", "model": _model(entry, folder)}
        if entry.huggingface
        else {"name": entry.name, "kind": "trained", "path": str(folder / entry.name)}
        for entry in entries
    ]
    lines = [
        yaml.safe_dump(dict(row), default_flow_style=True, sort_keys=False, width=1000).strip()
        for row in rows
    ]
    return "systems:\n" + "".join(f"  - {line}\n" for line in lines)


def _model(entry: Entry, folder: Path) -> str | None:
    """The model of Hugging Face as it is, or the folder with the one that was trained further."""
    return str(folder / entry.name) if entry.corpus else entry.huggingface


class Trial(NamedTuple):
    """The result of one entry."""

    entry: Entry
    outcome: Outcome | None
    reason: str = ""
    """Reason why it was not trained."""

    @property
    def ready(self) -> bool:
        """Whether a study can use it: it was trained, or it is meant to be used untrained."""
        return self.outcome is not None or (self.entry.huggingface is not None and not self.entry.corpus)


def train_roster(
    roster: Roster,
    data: Split,
    extras: Mapping[str, Split],
    scale: Scale,
    folder: Path,
    train: Train,
    tune: Tune,
) -> Iterator[Trial]:
    """Train each entry into a folder of its name; those that cannot be trained come with the reason.

    A model of Hugging Face with a corpus is tuned on it, and never stands for the tuned one where it cannot be.
    """
    from dialeval.systems.trained.trainer import further

    for entry in roster.systems:
        reason = _obstacle(entry, extras, folder)
        if reason:
            yield Trial(entry, None, reason)
            continue
        if entry.huggingface and entry.corpus:
            yield Trial(entry, tune(extras[entry.corpus], folder / entry.name, entry.huggingface))
            continue
        start = folder / entry.start_from if entry.start_from else None
        config = further(start) if start else entry.config(scale)
        lessons = extras[entry.corpus] if entry.corpus else data
        yield Trial(entry, train(lessons, config, folder / entry.name, start))


def _obstacle(entry: Entry, extras: Mapping[str, Split], folder: Path) -> str:
    if entry.huggingface and not entry.corpus:
        return f"not trained here: it is {entry.huggingface} from Hugging Face"
    if entry.corpus and entry.corpus not in extras:
        what = f"{entry.huggingface} is not tuned without" if entry.huggingface else "needs"
        return f"{what} the corpus {entry.corpus!r}; give it with --extra {entry.corpus}=FILE"
    if entry.huggingface and not _is_here(entry.huggingface):
        return f"{entry.huggingface} is not tuned, since it is not here; download it, or name its folder in a roster"
    if entry.start_from and not (folder / entry.start_from / LAYOUT.marker).is_file():
        return f"starts from {entry.start_from!r}, which is not trained"
    return ""


def _is_here(model: str) -> bool:
    """Whether a model of Hugging Face is a folder, or was downloaded before."""
    from dialeval.systems.huggingface.files import find_model

    try:
        find_model(model, None, hub=False)
    except ResourceUnavailable:
        return False
    return True


def _check(roster: Roster) -> None:
    known: set[str] = set()
    for entry in roster.systems:
        if not is_plain_name(entry.name):
            raise ValueError(f"the name {entry.name!r}, which cannot name a folder")
        if entry.name in known:
            raise ValueError(f"the name {entry.name!r} twice")
        if entry.start_from is not None and entry.start_from not in known:
            raise ValueError(
                f"{entry.name!r} starting from {entry.start_from!r}, which is not an earlier entry"
            )
        ways = [entry.architecture, entry.start_from, entry.huggingface]
        if sum(way is not None for way in ways) != 1:
            raise ValueError(
                f"{entry.name!r} with {ways.count(None)} of architecture, start_from and huggingface left out, "
                "expected 2"
            )
        if entry.architecture is not None:
            try:
                entry.config("paper")
            except DialevalError as error:
                raise ValueError(f"{entry.name!r}: {error}") from None
        known.add(entry.name)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(str(path), f"an unreadable file ({error})", "a roster in YAML", _TODO) from None


def _shallow(config: TrainConfig) -> dict[str, Any]:
    return {name: getattr(config, name) for name in TrainConfig.__dataclass_fields__}
