"""Preferences between two systems' answers, and the strengths of systems that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from dialeval.core import DEFAULT_RESAMPLING, Integers, Resampling
from dialeval.data.codec.bad import Where, refuse
from dialeval.data.codec.jsonl import rows_of
from dialeval.data.codec.sources import Source, shown
from dialeval.errors import BadInput
from dialeval.files.documents import FINITE, finite
from dialeval.ratings.agreement import Raters
from dialeval.stats.estimate import Estimate
from dialeval.stats.strengths import BradleyTerry, Preferences, bradley_terry

Choice: TypeAlias = Literal["a", "b", "tie"]

OUTCOMES: Final[Mapping[Choice, float]] = {"a": 1.0, "tie": 0.5, "b": 0.0}
TIES: Final = frozenset({"tie", "both", "neither", "equal", "same"})
"""Words that may be written for a tie."""
ABSENT: Final[Mapping[str, str]] = {
    "one-system": "there are fewer than two systems",
    "ties-alone": "there are only ties",
    "separated": "some systems won every comparison with the others, or were never compared with them",
    "one-unit": "all judgements belong to one item or rater, so there are no intervals",
}
"""Why there are no strengths, or no intervals of them."""


class Preference(NamedTuple):
    """One rater's choice between two systems' answers to one item."""

    item: str
    rater: str
    a: str
    b: str
    choice: Choice


@dataclass(frozen=True, slots=True)
class Strength:
    """One system's strength on the scale of log odds, all of which add up to 0, and how often it was preferred."""

    __pydantic_config__: ClassVar = FINITE

    system: str
    strength: Estimate
    """Its ``n`` is the number of judgements of the system."""
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True, slots=True)
class PreferenceStrengths:
    """Systems by their strength, the strongest first (Bradley & Terry, 1952; with ties, Davidson, 1970)."""

    __pydantic_config__: ClassVar = FINITE

    systems: tuple[Strength, ...]
    tie: float | None
    """Davidson's v: two equal systems tie with probability v / (2 + v); 0 without ties."""
    judgements: int
    items: int
    raters: int
    interval_raters: Raters
    """Whether intervals are about these raters, or about others like them, too."""
    level: float
    """The confidence of intervals."""
    reason: str | None
    """Why there are no strengths, or no intervals."""


def read_preferences(source: Source) -> tuple[Preference, ...]:
    """The preferences in a file with the fields ``a``, ``b`` and ``choice``, and ``item`` and ``rater`` if it has them.

    ``choice`` is ``a``, ``b`` or ``tie``, or the name of the preferred system. Without an item, each line is one
    of its own; without a rater, all are by one.
    """
    preferences = tuple(
        _preference(row.fields, row.where, row.number) for row in rows_of(source)(source, refuse)
    )
    if not preferences:
        raise BadInput(
            shown(source), "an empty file", "preferences, one a line", "Check that this is the right file."
        )
    return preferences


def strengths(
    preferences: Sequence[Preference],
    *,
    resampling: Resampling = DEFAULT_RESAMPLING,
    raters: Raters = "fixed",
) -> PreferenceStrengths:
    """Strengths of all systems, with intervals for other items, or dialogues if ids show these.

    For other raters, too, the variance by raters is added to that by items. Of ``resampling`` confidence and clusters
    count: nothing is resampled.
    """
    names = list(dict.fromkeys(name for preference in preferences for name in (preference.a, preference.b)))
    codes = {name: code for code, name in enumerate(names)}
    given = Preferences(
        np.array([codes[preference.a] for preference in preferences], dtype=np.int64),
        np.array([codes[preference.b] for preference in preferences], dtype=np.int64),
        np.array([OUTCOMES[preference.choice] for preference in preferences]),
    )
    items = [preference.item for preference in preferences]
    models = [_fitted(given, len(names), _together(items, resampling), resampling)]
    if raters == "sampled":
        models.append(
            _fitted(given, len(names), _codes(preference.rater for preference in preferences), resampling)
        )
    model = models[0]
    reach = np.sqrt(sum(each.reach**2 for each in models))
    absence = next((each.absence for each in models if each.absence), None)
    reason = None if absence is None else ABSENT[absence]
    systems = [
        Strength(name, Estimate.of(at, at - wide, at + wide, sum(counts), reason), *counts)
        for name, at, wide, counts in zip(
            names, model.strength.tolist(), reach.tolist(), _counts(given, len(names)), strict=True
        )
    ]
    return PreferenceStrengths(
        systems=tuple(sorted(systems, key=lambda system: -(system.strength.value or 0.0))),
        tie=finite(model.tie),
        judgements=len(preferences),
        items=len(set(items)),
        raters=len({preference.rater for preference in preferences}),
        interval_raters=raters,
        level=resampling.confidence,
        reason=reason,
    )


def _fitted(given: Preferences, systems: int, clusters: Integers, resampling: Resampling) -> BradleyTerry:
    return bradley_terry(given, systems, confidence=resampling.confidence, clusters=clusters)


def _together(items: Sequence[str], resampling: Resampling) -> Integers:
    """The unit of each judgement: its dialogue if ids show several turns, else its item."""
    different = list(dict.fromkeys(items))
    clusters = resampling.clusters(different)
    units = range(len(different)) if clusters is None else clusters.tolist()
    of_item = dict(zip(different, units, strict=True))
    return np.array([of_item[item] for item in items], dtype=np.int64)


def _codes(names: Iterable[str]) -> Integers:
    return np.unique(list(names), return_inverse=True)[1].astype(np.int64)


def _counts(given: Preferences, systems: int) -> list[tuple[int, int, int]]:
    """Wins, ties and losses of each system."""
    sides = np.concatenate([given.first, given.second])
    outcome = np.concatenate([given.outcome, 1 - given.outcome])
    table = [np.bincount(sides[outcome == value], minlength=systems).tolist() for value in (1.0, 0.5, 0.0)]
    return list(zip(*table, strict=True))


def _preference(fields: object, where: Where, number: int) -> Preference:
    if not isinstance(fields, dict):
        raise BadInput(
            where.path, "a line that is not an object", "a, b and choice", "Check the file.", where.line
        )
    texts = {str(key): "" if value is None else str(value).strip() for key, value in fields.items()}
    for name in ("a", "b", "choice"):
        if not texts.get(name):
            todo = "Give each line the systems a and b, and the choice: a, b or tie."
            raise BadInput(where.path, "no value", "a text", todo, where.line, field=name)
    a, b = texts["a"], texts["b"]
    if a == b:
        todo = "A preference is between two systems."
        raise BadInput(where.path, f"{a!r} on both sides", "two systems", todo, where.line, field="b")
    item = texts.get("item") or f"#{number}"
    return Preference(item, texts.get("rater") or "", a, b, _choice(texts["choice"], a, b, where))


def _choice(written: str, a: str, b: str, where: Where) -> Choice:
    word = written.casefold()
    if written in (a, b):
        return "a" if written == a else "b"
    if word in ("a", "b"):
        return cast(Choice, word)
    if word in TIES:
        return "tie"
    todo = "Write a, b or tie, or the name of the system that is preferred."
    raise BadInput(where.path, f"{written!r}", "a, b or tie", todo, where.line, field="choice")
