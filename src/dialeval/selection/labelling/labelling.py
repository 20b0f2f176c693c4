"""From raters' labels of false candidates to one label each, where enough raters agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dialeval.annotation.answers import Answers, Unusable, blamed, fault_counts, usable
from dialeval.annotation.forms import Form, candidate_ids
from dialeval.data.types import Judgement, Question
from dialeval.errors import Unsuitable
from dialeval.stats.agreement.kappa import counts_of, fleiss_kappa
from dialeval.stats.estimate import Estimate


class Undecided(NamedTuple):
    """A false candidate on whose label too few raters agree."""

    question: str
    candidate: str
    text: str
    votes: tuple[str, ...]
    """What each rater said."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Questions whose false candidates say what is wrong with them, as far as raters agree."""

    questions: tuple[Question, ...]
    labels: Mapping[tuple[str, str], str]
    """The label that raters agree on, by question and candidate."""
    form: Form
    undecided: tuple[Undecided, ...]
    """Those with answers but no label; candidates without any answer are ``unasked``."""
    unasked: int
    kappa: Estimate
    """Fleiss' kappa of the labels, categorical."""
    unusable: tuple[Unusable, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many candidates have each label of the form."""
        found = Counter(self.labels.values())
        return {option.label: found[option.label] for option in self.form.options}


@dataclass(frozen=True, slots=True)
class LabellingRecord:
    """The content of ``labelling.json``."""

    format: int
    form: str
    at_least: int
    questions: int
    labels: dict[str, int]
    kappa: float
    kappa_reason: str | None
    unasked: int
    undecided: tuple[Undecided, ...]
    unusable_answers: dict[str, int]
    unusable: tuple[Unusable, ...]


def settle_labels(
    questions: Iterable[Question],
    judgements: Iterable[Judgement],
    *,
    form: Form,
    at_least: int = 2,
    unusable: Iterable[Unusable] = (),
) -> Labelled:
    """The questions with the label of each false candidate that ``at_least`` raters gave, and more than any other.

    A candidate without such a label keeps the error it had. ``unusable`` are answers that became no judgements.
    """
    asked = list(questions)
    answers = usable(asked, judgements, form=form, unusable=unusable)
    given = answers.by_candidate()
    labels: dict[tuple[str, str], str] = {}
    undecided: list[Undecided] = []
    unasked = 0
    for question in asked:
        for name, candidate in zip(candidate_ids(question), question.candidates, strict=True):
            if candidate.correct:
                continue
            votes = tuple(map(form.label_of, given.get((question.item, name), {}).values()))
            label = _agreed(votes, at_least)
            unasked += not votes
            if label is not None:
                labels[question.item, name] = label
            elif votes:
                undecided.append(Undecided(question.item, name, candidate.text, votes))
    return Labelled(
        questions=tuple(_with_labels(question, labels) for question in asked),
        labels=labels,
        form=form,
        undecided=tuple(undecided),
        unasked=unasked,
        kappa=kappa_of(answers),
        unusable=answers.unusable,
    )


def _with_labels(question: Question, labels: Mapping[tuple[str, str], str]) -> Question:
    named = zip(candidate_ids(question), question.candidates, strict=True)
    candidates = (
        replace(candidate, error=labels.get((question.item, name), candidate.error))
        for name, candidate in named
    )
    return replace(question, candidates=tuple(candidates))


def labelling_record(labelled: Labelled, *, at_least: int) -> LabellingRecord:
    """What happened, with each candidate that has no label; Unsuitable where no answer could be used."""
    unusable = labelled.unusable
    if not labelled.labels and not labelled.undecided:
        why = blamed(unusable, labelled.form, used=0) if unusable else "There are no answers."
        raise Unsuitable(f"No false candidate gets a label. {why}")
    return LabellingRecord(
        format=1,
        form=labelled.form.criterion,
        at_least=at_least,
        questions=len(labelled.questions),
        labels=labelled.counts,
        kappa=labelled.kappa.value,
        kappa_reason=labelled.kappa.reason,
        unasked=labelled.unasked,
        undecided=labelled.undecided,
        unusable_answers=fault_counts(unusable),
        unusable=unusable,
    )


def kappa_of(answers: Answers, *, above: float | None = None) -> Estimate:
    """Fleiss' kappa of all answers as categories, or as two: above that value or not."""
    rated = [list(given.values()) for given in answers.by_candidate().values()]
    if not rated:
        return Estimate.undefined("there is no answer", 0)
    table = np.full((len(rated), max(map(len, rated))), np.nan)
    for row, values in enumerate(rated):
        table[row, : len(values)] = values
    if above is not None:
        table = np.where(np.isnan(table), np.nan, (table > above).astype(float))
    return fleiss_kappa(counts_of(table))


def _agreed(votes: Sequence[str], at_least: int) -> str | None:
    ranked = Counter(votes).most_common(2)
    if not ranked or ranked[0][1] < at_least:
        return None
    tied = len(ranked) == 2 and ranked[1][1] == ranked[0][1]
    return None if tied else ranked[0][0]
