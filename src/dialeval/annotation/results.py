"""Answers as judgements: what agreement, exports and the owner's page are computed from."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations
from typing import Any, NamedTuple

from dialeval.annotation.kinds import KINDS
from dialeval.annotation.kinds.kind import Preferring
from dialeval.annotation.project import Project
from dialeval.annotation.store.plan import Given, Rater
from dialeval.data.types import Judgement
from dialeval.ratings.preferences import Preference


class Dispute(NamedTuple):
    """The answers to one question about one item."""

    item: str
    """The blind item."""
    criterion: str
    answers: tuple[dict[str, Any], ...]
    agreement: float
    """Share of agreeing pairs of answers; 1 where there is one answer."""


def counted(
    project: Project, answers: Iterable[Given], raters: Iterable[Rater], *, dropped: bool = False
) -> list[Given]:
    """The answers that count: about items to rate, by raters who were not dropped and not stopped by checks."""
    out = {rater.name for rater in raters if rater.dropped or rater.state == "failed_checks"}
    return [
        given
        for given in answers
        if project.sources[given.item].role == "rating" and (dropped or given.rater not in out)
    ]


def judgements_of(project: Project, answers: Iterable[Given]) -> list[Judgement]:
    """The judgements that answers give.

    A rater who met one system's answer to one item in several comparisons gets their mean, as one judgement.
    """
    rows: dict[tuple[str, str, str, str], list[Judgement]] = {}
    for given in answers:
        source = project.sources[given.item]
        for criterion, answer in given.answers.items():
            ask = project.asks.get(criterion)
            if ask is None:
                continue
            for judgement in KINDS[ask.kind].judgements(ask, source, given.rater, answer):
                key = (judgement.item, judgement.system, judgement.rater, judgement.criterion)
                rows.setdefault(key, []).append(judgement)
    return [_mean(group) for group in rows.values()]


def _mean(group: list[Judgement]) -> Judgement:
    first = group[0]
    values = [judgement.value for judgement in group if judgement.value is not None]
    if len(group) == 1 or not values:
        return first
    value = sum(values) / len(values)
    return Judgement(first.item, first.system, first.rater, first.criterion, value)


def preferences_of(project: Project, answers: Iterable[Given]) -> list[Preference]:
    """Which of two systems was preferred, from the kinds that say so."""
    found: list[Preference] = []
    for given in answers:
        for criterion, answer in given.answers.items():
            ask = project.asks.get(criterion)
            kind: object = KINDS[ask.kind] if ask else None
            if ask is not None and isinstance(kind, Preferring):
                found += kind.preferences(ask, project.sources[given.item], given.rater, answer)
    return found


def disputes(project: Project, answers: Iterable[Given]) -> list[Dispute]:
    """Questions on which raters differ, those of the lowest agreement first; then those with most answers."""
    found = [dispute for dispute in _questions(project, answers) if dispute.agreement < 1]
    return sorted(found, key=lambda dispute: (dispute.agreement, -len(dispute.answers), dispute.item))


def settled(
    project: Project,
    answers: Collection[Given],
    decisions: dict[tuple[str, str], tuple[dict[str, Any], str]],
) -> Iterator[Judgement]:
    """One judgement for each question that all raters answered alike or the owner decided.

    Its rater is ``unanimous`` or ``adjudicated``, which is where it comes from.
    """
    for question in _questions(project, answers):
        decided = decisions.get((question.item, question.criterion))
        if decided is None and (question.agreement < 1 or len(question.answers) < 2):
            continue
        ask = project.asks[question.criterion]
        who, answer = ("unanimous", question.answers[0]) if decided is None else ("adjudicated", decided[0])
        yield from KINDS[ask.kind].judgements(ask, project.sources[question.item], who, answer)


def _questions(project: Project, answers: Iterable[Given]) -> Iterator[Dispute]:
    asked: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for given in answers:
        for criterion, answer in given.answers.items():
            if criterion in project.asks and project.asks[criterion].kind != "comment":
                asked.setdefault((given.item, criterion), []).append(answer)
    for (item, criterion), group in asked.items():
        pairs = [one == other for one, other in combinations(group, 2)]
        agreement = sum(pairs) / len(pairs) if pairs else 1.0
        yield Dispute(item, criterion, tuple(group), agreement)
