"""Rated sets: what people judged, and their mean rating of each.

Target sets report how good a scorer is, and choose nothing; development sets may choose between recipes.
"""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Literal, TypeAlias

import numpy as np

from bench.scorers.dialogues import read_convai2, read_ji2022, read_spot_the_bot
from dialeval.core import Floats
from dialeval.data import Dialogue, Example, Judgement, read

DATA: Final = Path(os.environ.get("DIALEVAL_DATA", Path(__file__).parents[3] / "shared" / "data"))
Judged: TypeAlias = Example | Dialogue
Role: TypeAlias = Literal["target", "development"]
Key: TypeAlias = tuple[str, str]
"""Item and system."""


@dataclass(frozen=True, slots=True)
class RatedSet:
    """Subjects in the order in which limits take them, and the mean rating of each."""

    name: str
    role: Role
    subjects: tuple[Judged, ...]
    ratings: Floats
    clusters: tuple[str, ...]
    """What is resampled together: the context that several systems answered, or the talk that has two sides."""

    def first(self, limit: int | None) -> RatedSet:
        """The first ``limit`` subjects; all without a limit."""
        return RatedSet(
            self.name, self.role, self.subjects[:limit], self.ratings[:limit], self.clusters[:limit]
        )

    @property
    def keys(self) -> list[Key]:
        """Item and system of each subject."""
        return [(subject.item, subject.system) for subject in self.subjects]


def read_set(name: str, data: Path = DATA) -> RatedSet:
    """The rated set of that name, its subjects shuffled by the hash of their names, the same each time."""
    role, reader = SETS[name]
    rated = [(subject, value) for subject, value in reader(data=data) if not np.isnan(value)]
    rated.sort(key=lambda pair: hashlib.sha256(f"{pair[0].item}\n{pair[0].system}".encode()).digest())
    subjects = tuple(subject for subject, _ in rated)
    clusters = tuple(subject.item.partition("#")[0] for subject in subjects)
    return RatedSet(name, role, subjects, np.array([value for _, value in rated]), clusters)


def _fed(*, dialogues: bool, data: Path) -> Iterator[tuple[Judged, float]]:
    path = data / "fed" / "fed_data.json"
    subjects: Iterable[Judged] = (
        read(path, "dialogue", format="fed") if dialogues else read(path, "example", format="fed")
    )
    return _rated(subjects, read(path, "judgement", format="fed"), "Overall")


def _grade(dataset: str, data: Path) -> Iterator[tuple[Judged, float]]:
    subjects = [
        row for row in read(data / "grade", "example", format="grade") if row.item.startswith(dataset)
    ]
    return _rated(subjects, read(data / "grade", "judgement", format="grade"), "coherence")


def _table(file: str, format: str, criterion: str, data: Path) -> Iterator[tuple[Judged, float]]:
    path = data / file
    return _rated(read(path, "example", format=format), read(path, "judgement", format=format), criterion)


def _rated(
    subjects: Iterable[Judged], judgements: Iterable[Judgement], criterion: str
) -> Iterator[tuple[Judged, float]]:
    """Each subject with the mean of what people said who could say something."""
    values: dict[Key, list[float]] = defaultdict(list)
    for judgement in judgements:
        if judgement.criterion == criterion and judgement.value is not None:
            values[judgement.item, judgement.system].append(judgement.value)
    for subject in subjects:
        given: Sequence[float] = values[subject.item, subject.system]
        yield subject, float(np.mean(given)) if given else float("nan")


SETS: Final[Mapping[str, tuple[Role, Callable[..., Iterable[tuple[Judged, float]]]]]] = {
    "fed-turn": ("target", partial(_fed, dialogues=False)),
    "fed-dialogue": ("target", partial(_fed, dialogues=True)),
    "grade-convai2": ("target", partial(_grade, "convai2")),
    "grade-dailydialog": ("target", partial(_grade, "dailydialog")),
    "usr-topicalchat": (
        "target",
        partial(_table, "usr-topicalchat/topical_chat_result.json", "usr", "overall"),
    ),
    "multirefeval": (
        "development",
        partial(_table, "multirefeval/mturk_rating_processed_output.csv", "multirefeval", "rating"),
    ),
    "predictive-engagement": (
        "development",
        partial(
            _table,
            "predictive-engagement/Eng_Scores_queries_gen_gtruth_replies.csv",
            "predictive-engagement",
            "engagement",
        ),
    ),
    "ji2022": ("development", read_ji2022),
    "spot-the-bot-convai2": ("development", partial(read_spot_the_bot, "convai2")),
    "spot-the-bot-dailydialog": ("development", partial(read_spot_the_bot, "dailydialog")),
    "spot-the-bot-empathetic": ("development", partial(read_spot_the_bot, "empathetic")),
    "convai2-human-eval": ("development", partial(read_convai2, named=True)),
    "convai2-unnamed": ("development", partial(read_convai2, named=False)),
}
"""By name; the target sets first."""
