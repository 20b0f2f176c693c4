"""Training of ``quality``: heads from rated responses and dialogues, and the folder that keeps them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.data import digest
from dialeval.errors import Unsuitable
from dialeval.files.atomic import write_atomically
from dialeval.selfeval.quality.fitting import FEWEST, RIDGE, RatedRows, fit_head
from dialeval.selfeval.quality.head import FILE, Head, write_heads
from dialeval.selfeval.quality.rows import DIRECTIONS, RECIPES, Kind, feature_rows, kind_of, recipe_name
from dialeval.selfeval.subjects import Judged
from dialeval.stats.correlation.coefficients import spearman
from dialeval.training.folder import CARD, Card

FOLDS: Final = 5
KINDS: Final[tuple[Kind, ...]] = ("turn", "dialogue")

Rows = Callable[[Sequence[Judged], Sequence[str]], Floats]
"""From subjects and names of features to the features, one row per subject."""


@dataclass(frozen=True, slots=True, eq=False)
class Rated:
    """One set of rated subjects, all on one scale."""

    name: str
    subjects: tuple[Judged, ...]
    ratings: Floats
    without: tuple[str, ...] = ()
    """Features that mean nothing here, such as the reactions of a partner that is a bot itself."""

    def of_kind(self, kind: Kind) -> Rated:
        """The responses, or the dialogues, among them."""
        chosen = [place for place, subject in enumerate(self.subjects) if kind_of(subject) == kind]
        subjects = tuple(self.subjects[place] for place in chosen)
        return Rated(self.name, subjects, self.ratings[chosen], self.without)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How a recipe agrees with ratings that its weights were not fitted to."""

    recipe: str
    name: str
    """Of the set."""
    count: int
    spearman: float
    how: str
    """What was left out in fitting: the set as a whole, or a fifth of it at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """The heads by recipe, and what they were measured to do."""

    heads: Mapping[str, Head]
    agreement: tuple[Agreement, ...]


def train(
    sets: Sequence[Rated], *, lm: bool = False, ridge: float = RIDGE, rows: Rows = feature_rows
) -> Trained:
    """A head for every kind of subject with enough ratings; with ``lm`` also one that asks the language model.

    Dialogues that people rated as a whole teach the head of responses too, by the means over their judged turns;
    all sets of responses together weigh as much as all sets of dialogues together. The head of dialogues is fitted to
    dialogues alone.
    """
    kinds = [kind for kind in KINDS if _enough(sets, kind)]
    if not kinds:
        raise Unsuitable(
            f"quality is fitted to ratings of responses or of dialogues that differ, at least {FEWEST} of one set; "
            f"found {sum(len(rated.subjects) for rated in sets)} in {len(sets)} set(s). Add ratings."
        )
    heads: dict[str, Head] = {}
    agreement: list[Agreement] = []
    for kind in kinds:
        for asked in (False, True) if lm else (False,):
            recipe = Recipe(kind, asked, ridge)
            lessons = [lesson for rated in sets for lesson in recipe.lessons(rated, rows)]
            heads[recipe.name] = recipe.fit(lessons)
            agreement += recipe.agreement(lessons)
    return Trained(heads, tuple(agreement))


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """The rows of one set that a recipe learns from."""

    name: str
    kind: Kind
    rated: RatedRows


@dataclass(frozen=True, slots=True)
class Recipe:
    """What is judged, by which features, and how strongly weights are held back."""

    kind: Kind
    lm: bool
    ridge: float

    @property
    def name(self) -> str:
        """As the file of heads calls it."""
        return recipe_name(self.kind, self.lm)

    def lessons(self, rated: Rated, rows: Rows) -> Iterator[Lesson]:
        """What the set teaches: its own kind, and dialogues also the head of responses."""
        names = RECIPES[self.kind, self.lm]
        for kind in dict.fromkeys((self.kind, "dialogue")):
            own = rated.of_kind(kind)
            if len(own.subjects) >= FEWEST and np.ptp(own.ratings) > 0:
                systems = tuple(subject.system for subject in own.subjects)
                known = rows(own.subjects, names)
                known[:, [name in own.without for name in names]] = np.nan
                yield Lesson(rated.name, kind, RatedRows(known, own.ratings, systems))

    def fit(self, lessons: Sequence[Lesson]) -> Head:
        """The head fitted to all of these."""
        names = RECIPES[self.kind, self.lm]
        counts = {kind: sum(lesson.kind == kind for lesson in lessons) for kind in KINDS}
        weights = [1 / counts[lesson.kind] for lesson in lessons]
        directions = [DIRECTIONS[name] for name in names]
        return fit_head(names, directions, [each.rated for each in lessons], weights, ridge=self.ridge)

    def agreement(self, lessons: Sequence[Lesson]) -> Iterator[Agreement]:
        """Spearman with ratings that were left out: each set in turn, or a fifth at a time where there is one set."""
        for lesson in lessons:
            if lesson.kind != self.kind:
                continue
            others = [other for other in lessons if other is not lesson]
            scores = self.fit(others).scores(lesson.rated.rows) if others else self._folded(lesson)
            value = spearman(scores, lesson.rated.ratings).value
            how = "set left out" if others else "fifths left out"
            yield Agreement(self.name, lesson.name, len(scores), value, how)

    def _folded(self, lesson: Lesson) -> Floats:
        count = len(lesson.rated.ratings)
        fold = np.arange(count) % FOLDS
        scores = np.empty(count)
        for number in range(FOLDS):
            rest = lesson.rated.sample(np.flatnonzero(fold != number))
            head = self.fit([Lesson(lesson.name, lesson.kind, rest)])
            scores[fold == number] = head.scores(lesson.rated.rows[fold == number])
        return scores


def write_quality(folder: Path, trained: Trained, sets: Sequence[Rated], command: str) -> None:
    """Write the heads and their model card into the folder."""
    write_heads(folder / FILE, trained.heads)
    write_atomically(folder / CARD, str(_card(trained, sets, command)).encode())


def _enough(sets: Sequence[Rated], kind: Kind) -> bool:
    own = [rated.of_kind(kind) for rated in sets]
    return any(len(rated.subjects) >= FEWEST and np.ptp(rated.ratings) > 0 for rated in own)


def _card(trained: Trained, sets: Sequence[Rated], command: str) -> Card:
    data = [
        f"- {rated.name}: {len(rated.subjects)} ratings, sha256 {digest(rated.subjects)[:12]}"
        for rated in sets
    ]
    weights = {
        f"{recipe}: {name}": f"{weight:+.3f}"
        for recipe, head in trained.heads.items()
        for name, weight in zip(head.names, head.weight, strict=True)
    }
    return Card(
        title="quality",
        about="Weights of the features of `quality`, for responses and dialogues; see docs/which-scorer.md.",
        data="\n".join(["Fitted to people's ratings of:", "", *data, "", f"Command: `{command}`", ""]),
        settings=weights,
        columns=("recipe", "set", "ratings", "Spearman", "left out in fitting"),
        measured=[
            (row.recipe, row.name, str(row.count), f"{row.spearman:.3f}", row.how)
            for row in trained.agreement
        ],
    )
