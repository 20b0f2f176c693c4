"""Training of `quality`: heads fitted to rated responses and dialogues by a ridge regression, and their folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from scipy.optimize import nnls

from dialeval.core import Floats
from dialeval.data import digest
from dialeval.errors import Unsuitable
from dialeval.files.atomic import write_atomically
from dialeval.selfeval.quality.features import DIRECTIONS, RECIPES, Kind, feature_rows, kind_of, recipe_name
from dialeval.selfeval.quality.metric import FILE, Head, write_heads
from dialeval.selfeval.subjects import Subject
from dialeval.stats.correlation.coefficients import spearman
from dialeval.training.folder import CARD, Card

RIDGE: Final = 1.0
"""Weight of the squared weights, if a set's mean squared error weighs 1."""
FEWEST: Final = 20
"""Ratings that a set needs to be learnt from."""


@dataclass(frozen=True, slots=True, eq=False)
class RatedRows:
    """The features of one set's subjects, their ratings and their systems."""

    rows: Floats
    ratings: Floats
    systems: tuple[str, ...]

    def sample(self, chosen: np.ndarray) -> RatedRows:
        """These of its subjects, in that order."""
        return RatedRows(self.rows[chosen], self.ratings[chosen], tuple(self.systems[i] for i in chosen))


def fit_head(
    names: Sequence[str],
    directions: Sequence[int],
    sets: Sequence[RatedRows],
    importance: Sequence[float],
    *,
    ridge: float = RIDGE,
) -> Head:
    """The head that best predicts the ratings, each set weighing as much as its importance.

    Scales of rating differ between sets, and systems differ in much that the features do not see, so every set counts
    twice: centred as a whole, and centred within each of its systems. Ratings are scaled to a variance of 1. A feature
    that is undefined for a subject counts as the set's mean. A weight against its feature's direction becomes 0.
    """
    views = [view for rated in sets for view in _views(rated)]
    shares = np.repeat(np.asarray(importance, np.float64) / np.sum(importance) / 2, 2)
    centre = np.average([_filled(rated.rows).mean(axis=0) for rated in sets], axis=0, weights=importance)
    scale = np.sqrt(np.average([rows.var(axis=0) for rows, _ in views], axis=0, weights=shares))
    scale = np.where(scale > 1e-9, scale, 1.0)
    products = np.average([_product(rows / scale, rows / scale) for rows, _ in views], axis=0, weights=shares)
    targets = np.average([_product(rows / scale, ratings) for rows, ratings in views], axis=0, weights=shares)
    weight = _signed_ridge(products, targets, np.asarray(directions, np.float64), ridge)
    return Head(tuple(names), centre, scale, weight)


def _signed_ridge(products: Floats, targets: Floats, directions: Floats, ridge: float) -> Floats:
    """Weights with the signs of ``directions``: non-negative least squares on the factor of the normal equations."""
    turned = products * np.outer(directions, directions) + ridge * np.eye(len(targets))
    factor = np.linalg.cholesky(turned)
    weights, _ = nnls(factor.T, np.linalg.solve(factor, targets * directions))
    signed: Floats = weights * directions
    return signed


def _views(rated: RatedRows) -> list[tuple[Floats, Floats]]:
    """Features and ratings centred over the set, and within each system; of one system both are the same."""
    rows, ratings = _filled(rated.rows), rated.ratings.astype(np.float64)
    whole = (rows - rows.mean(axis=0), _unit(ratings - ratings.mean()))
    within_rows, within_ratings = rows.copy(), ratings.copy()
    for system in sorted(set(rated.systems)):
        members = np.array([name == system for name in rated.systems])
        within_rows[members] -= rows[members].mean(axis=0)
        within_ratings[members] -= ratings[members].mean()
    return [whole, (within_rows, _unit(within_ratings))]


def _filled(rows: Floats) -> Floats:
    """The set's mean if a feature is undefined; 0 if it always is."""
    known = ~np.isnan(rows)
    sums, counts = np.where(known, rows, 0).sum(axis=0), known.sum(axis=0)
    return np.where(known, rows, sums / np.maximum(counts, 1))


def _unit(ratings: Floats) -> Floats:
    spread = ratings.std()
    return ratings / spread if spread > 0 else ratings


def _product(rows: Floats, columns: Floats) -> Floats:
    product: Floats = rows.T @ columns / len(rows)
    return product


FOLDS: Final = 5
KINDS: Final[tuple[Kind, ...]] = ("turn", "dialogue")

Rows = Callable[[Sequence[Subject], Sequence[str]], Floats]
"""From subjects and names of features to the features, one row per subject."""


@dataclass(frozen=True, slots=True, eq=False)
class RatedSet:
    """One set of rated subjects, all on one scale."""

    name: str
    subjects: tuple[Subject, ...]
    ratings: Floats
    without: tuple[str, ...] = ()
    """Features that mean nothing here, such as the reactions of a partner that is a bot itself."""

    def of_kind(self, kind: Kind) -> RatedSet:
        """The responses, or the dialogues, among them."""
        chosen = [place for place, subject in enumerate(self.subjects) if kind_of(subject) == kind]
        subjects = tuple(self.subjects[place] for place in chosen)
        return RatedSet(self.name, subjects, self.ratings[chosen], self.without)


@dataclass(frozen=True, slots=True)
class Agreement:
    """Agreement of a recipe with ratings that its weights were not fitted to."""

    recipe: str
    name: str
    """Of the set."""
    count: int
    spearman: float
    how: str
    """Part that was left out in fitting: the set as a whole, or a fifth of it at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class TrainedHeads:
    """The heads by recipe, and what they were measured to do."""

    heads: Mapping[str, Head]
    agreement: tuple[Agreement, ...]


def train(
    sets: Sequence[RatedSet],
    *,
    lm: bool = False,
    fits: bool = False,
    ridge: float = RIDGE,
    rows: Rows = feature_rows,
) -> TrainedHeads:
    """A head for every kind of subject with enough ratings.

    With ``fits`` also one that asks the cross-encoder, with ``lm`` ones that ask the language model too.

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
        for name in _recipes(kind, lm=lm, fits=fits):
            recipe = Recipe(name, kind, ridge)
            lessons = [lesson for rated in sets for lesson in recipe.lessons(rated, rows)]
            heads[recipe.name] = recipe.fit(lessons)
            agreement += recipe.agreement(lessons)
    return TrainedHeads(heads, tuple(agreement))


def _recipes(kind: Kind, *, lm: bool, fits: bool) -> list[str]:
    return [
        recipe_name(kind, lm=asked, fits=read)
        for asked in ((False, True) if lm else (False,))
        for read in ((False, True) if fits else (False,))
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Lesson:
    """The rows of one set that a recipe learns from."""

    name: str
    kind: Kind
    rated: RatedRows


@dataclass(frozen=True, slots=True)
class Recipe:
    """Name, as the file of heads has it, kind of subject, and the strength of the ridge."""

    name: str
    kind: Kind
    ridge: float

    def lessons(self, rated: RatedSet, rows: Rows) -> Iterator[Lesson]:
        """Lessons of the set: its own kind, and dialogues also for the head of responses."""
        names = RECIPES[self.name]
        for kind in dict.fromkeys((self.kind, "dialogue")):
            own = rated.of_kind(kind)
            if len(own.subjects) >= FEWEST and np.ptp(own.ratings) > 0:
                systems = tuple(subject.system for subject in own.subjects)
                known = rows(own.subjects, names)
                known[:, [name in own.without for name in names]] = np.nan
                yield Lesson(rated.name, kind, RatedRows(known, own.ratings, systems))

    def fit(self, lessons: Sequence[Lesson]) -> Head:
        """The head fitted to all of these."""
        names = RECIPES[self.name]
        counts = {kind: sum(lesson.kind == kind for lesson in lessons) for kind in KINDS}
        weights = [1 / counts[lesson.kind] for lesson in lessons]
        directions = [DIRECTIONS[name] for name in names]
        return fit_head(names, directions, [each.rated for each in lessons], weights, ridge=self.ridge)

    def agreement(self, lessons: Sequence[Lesson]) -> Iterator[Agreement]:
        """Spearman with ratings that were left out: each set in turn, or a fifth at a time if there is one set."""
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


def write_quality(folder: Path, trained: TrainedHeads, sets: Sequence[RatedSet], command: str) -> None:
    """Write the heads and their model card into the folder."""
    write_heads(folder / FILE, trained.heads)
    write_atomically(folder / CARD, str(_card(trained, sets, command)).encode())


def _enough(sets: Sequence[RatedSet], kind: Kind) -> bool:
    own = [rated.of_kind(kind) for rated in sets]
    return any(len(rated.subjects) >= FEWEST and np.ptp(rated.ratings) > 0 for rated in own)


def _card(trained: TrainedHeads, sets: Sequence[RatedSet], command: str) -> Card:
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
