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
from dialeval.stats.ranks import Jackknifed, Ranks, rank_jackknifed
from dialeval.stats.strengths import BradleyTerry, Preferences, bradley_terry

Choice: TypeAlias = Literal["a", "b", "tie"]

OUTCOMES: Final[Mapping[Choice, float]] = {"a": 1.0, "tie": 0.5, "b": 0.0}
TIES: Final = frozenset({"tie", "both", "neither", "equal", "same"})
"""Words that may be written for a tie."""
ABSENT: Final[Mapping[str, str]] = {
    "one-system": "there are fewer than two systems",
    "ties-alone": "there are only ties",
    "separated": "some systems never lost to the others, or were never compared with them",
    "one-unit": "all judgements belong to one item or rater, so there are no intervals",
}
"""Why there are no strengths, or no intervals of them."""


Side: TypeAlias = Literal["a", "b"]


class Preference(NamedTuple):
    """One rater's choice between two systems' answers to one item, in one order."""

    item: str
    rater: str
    a: str
    b: str
    choice: Choice | None
    """None if the rater gave no verdict."""
    first: Side | None = None
    """The side that was shown first; None if nobody says, as of people, for whom the order is drawn."""
    criterion: str = ""
    length_a: int | None = None
    """Characters of the answer."""
    length_b: int | None = None
    reason: str | None = None
    """Why there is no choice."""
    evidence: str | None = None
    """Words of the rater."""


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
    best_rank: int | None = None
    """Best rank that the system may have, all pairs of systems being tested at once; None without intervals."""
    worst_rank: int | None = None
    p_best: float | None = None
    """Probability that no system is stronger."""


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
    """The preferences in a file with the fields ``a``, ``b`` and ``choice``, and others of a preference if it has them.

    ``choice`` is ``a``, ``b`` or ``tie``, or the name of the preferred system; null, beside a ``reason``, for no
    verdict. Without an item, each line is one of its own; without a rater, all are by one.
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
    count: nothing is resampled. Preferences without a choice are left out.
    """
    preferences = [preference for preference in preferences if preference.choice is not None]
    names = list(dict.fromkeys(name for preference in preferences for name in (preference.a, preference.b)))
    codes = {name: code for code, name in enumerate(names)}
    given = Preferences(
        np.array([codes[preference.a] for preference in preferences], dtype=np.int64),
        np.array([codes[preference.b] for preference in preferences], dtype=np.int64),
        np.array([OUTCOMES[preference.choice] for preference in preferences if preference.choice]),
    )
    items = [preference.item for preference in preferences]
    models = [_fitted(given, len(names), units_of(items, resampling), resampling)]
    if raters == "sampled":
        models.append(
            _fitted(given, len(names), _codes(preference.rater for preference in preferences), resampling)
        )
    model = models[0]
    reach = np.sqrt(sum(each.reach**2 for each in models))
    absence = next((each.absence for each in models if each.absence), None)
    reason = None if absence is None else ABSENT[absence]
    ranks = [_ranks(model, resampling)] * len(names) if raters == "fixed" else [None] * len(names)
    systems = [
        Strength(
            name,
            Estimate.of(at, at - wide, at + wide, sum(counts), reason),
            *counts,
            *(_NO_RANKS if found is None else _rank(found, place)),
        )
        for place, (name, at, wide, counts, found) in enumerate(
            zip(
                names, model.strength.tolist(), reach.tolist(), _counts(given, len(names)), ranks, strict=True
            )
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


_NO_RANKS: Final = (None, None, None)


def _ranks(model: BradleyTerry, resampling: Resampling) -> Ranks | None:
    """Ranks by strengths, from the influence of each unit; None without intervals, or of one unit."""
    if model.influence is None or model.absence is not None or not resampling.resamples:
        return None
    units = len(model.influence)
    # The scores without each unit whose jackknife has the errors of the strengths.
    without = model.strength - model.influence * units / (units - 1)
    measured = Jackknifed(model.strength, without, higher_is_better=True)
    return rank_jackknifed(
        [measured], resamples=resampling.resamples, seed=resampling.seed, confidence=resampling.confidence
    ).overall


def _rank(found: Ranks, place: int) -> tuple[int, int, float]:
    return int(found.best[place]), int(found.worst[place]), float(found.p_best[place])


def _fitted(given: Preferences, systems: int, clusters: Integers, resampling: Resampling) -> BradleyTerry:
    return bradley_terry(given, systems, confidence=resampling.confidence, clusters=clusters)


def units_of(items: Sequence[str], resampling: Resampling) -> Integers:
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
        if not texts.get(name) and not (name == "choice" and texts.get("reason")):
            todo = "Give each line the systems a and b, and the choice: a, b or tie."
            raise BadInput(where.path, "no value", "a text", todo, where.line, field=name)
    a, b = texts["a"], texts["b"]
    if a == b:
        todo = "A preference is between two systems."
        raise BadInput(where.path, f"{a!r} on both sides", "two systems", todo, where.line, field="b")
    return Preference(
        item=texts.get("item") or f"#{number}",
        rater=texts.get("rater") or "",
        a=a,
        b=b,
        choice=_choice(texts["choice"], a, b, where) if texts.get("choice") else None,
        first=_first(texts.get("first", ""), a, b, where),
        criterion=texts.get("criterion", ""),
        length_a=_length(texts, "length_a", where),
        length_b=_length(texts, "length_b", where),
        reason=texts.get("reason") or None,
        evidence=texts.get("evidence") or None,
    )


def _first(written: str, a: str, b: str, where: Where) -> Side | None:
    if not written:
        return None
    for side, system in (("a", a), ("b", b)):
        if written == system or written.casefold() == side:
            return cast(Side, side)
    todo = "Write the side that was shown first, a or b, or leave the field out."
    raise BadInput(where.path, f"{written!r}", "a or b", todo, where.line, field="first")


def _length(texts: Mapping[str, str], name: str, where: Where) -> int | None:
    written = texts.get(name, "")
    if not written:
        return None
    try:
        length = float(written)
    except ValueError:
        length = -1.0
    if not (length >= 0 and length.is_integer()):
        todo = "Write how many characters the answer has, or leave the field out."
        raise BadInput(where.path, f"{written[:40]!r}", "a whole number from 0", todo, where.line, field=name)
    return int(length)


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
