"""A whole roster trained, entry by entry; what was done in an earlier sitting is not done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from dialeval.systems.trained.config import Scale, TrainConfig
from dialeval.systems.trained.layout import LAYOUT
from dialeval.systems.trained.lessons import Split
from dialeval.systems.trained.roster import Entry, Roster
from dialeval.systems.trained.training import Outcome, further

Train: TypeAlias = Callable[[Split, TrainConfig, Path, Path | None], Outcome]
"""Trains on the data, by the config, into the folder, from the folder of another generator where there is one."""


class Trial(NamedTuple):
    """What became of an entry."""

    entry: Entry
    outcome: Outcome | None
    reason: str = ""
    """Why it was not trained."""


def train_roster(
    roster: Roster, data: Split, extras: Mapping[str, Split], scale: Scale, folder: Path, train: Train
) -> Iterator[Trial]:
    """Train each entry into a folder of its name; those that cannot be trained come with the reason."""
    for entry in roster.systems:
        reason = _obstacle(entry, extras, folder)
        if reason:
            yield Trial(entry, None, reason)
            continue
        start = folder / entry.start_from if entry.start_from else None
        config = further(start) if start else entry.config(scale)
        lessons = extras[entry.corpus] if entry.corpus else data
        yield Trial(entry, train(lessons, config, folder / entry.name, start))


def _obstacle(entry: Entry, extras: Mapping[str, Split], folder: Path) -> str:
    if entry.huggingface:
        more = f", tuned on {entry.corpus}" if entry.corpus else ""
        return f"not trained here: it is {entry.huggingface} from Hugging Face{more}"
    if entry.corpus and entry.corpus not in extras:
        return f"needs the corpus {entry.corpus!r}; give it with --extra {entry.corpus}=FILE"
    if entry.start_from and not (folder / entry.start_from / LAYOUT.marker).is_file():
        return f"starts from {entry.start_from!r}, which is not trained"
    return ""
