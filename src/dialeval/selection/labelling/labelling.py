"""Labels of false candidates settled from raters' answers, and questions about consistency alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from dialeval.annotation.answers import Answers, Unusable, blamed, fault_counts, usable
from dialeval.annotation.forms import Form, Option, candidate_ids
from dialeval.annotation.items import utterances_of
from dialeval.data.choices import shuffled_places
from dialeval.data.types import Candidate, Judgement, Question
from dialeval.data.writer import write
from dialeval.errors import Unsuitable
from dialeval.files.documents import write_document
from dialeval.files.folders import check_links
from dialeval.stats.agreement.kappa import counts_of, fleiss_kappa
from dialeval.stats.estimate import Statistic

CONTRADICTORY: Final = "contradictory"

ERROR_CLASSES: Final = Form(
    "error_class",
    "The line below does not fit the conversation. What is wrong with it?",
    (
        Option(1, CONTRADICTORY, "it contradicts something that was said before"),
        Option(2, "irrelevant", "it has nothing to do with what was said before"),
        Option(3, "other", "something else is wrong with it"),
    ),
    raters=3,
    false_only=True,
)
"""The three classes, in our words."""


class Undecided(NamedTuple):
    """A false candidate on whose label too few raters agree."""

    question: str
    candidate: str
    text: str
    votes: tuple[str, ...]
    """Votes of each rater."""


@dataclass(frozen=True, slots=True)
class LabellingResult:
    """Questions whose false candidates say what is wrong with them, as far as raters agree."""

    questions: tuple[Question, ...]
    labels: Mapping[tuple[str, str], str]
    """The label that raters agree on, by question and candidate."""
    form: Form
    undecided: tuple[Undecided, ...]
    """Those with answers but no label; candidates without any answer are ``unasked``."""
    unasked: int
    kappa: Statistic
    """Fleiss' kappa of the labels, categorical."""
    unusable: tuple[Unusable, ...]

    @property
    def counts(self) -> dict[str, int]:
        """Return the number of candidates with each label of the form."""
        found = Counter(self.labels.values())
        return {option.label: found[option.label] for option in self.form.options}

    @property
    def labelled_before(self) -> int:
        """Candidates whose label is from elsewhere, such as another form: raters who disagree take no label away."""
        labelled = sum(
            candidate.error is not None for question in self.questions for candidate in question.candidates
        )
        return labelled - len(self.labels)


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
) -> LabellingResult:
    """The questions with the label of each false candidate that ``at_least`` raters gave, and more than any other.

    A candidate without such a label keeps the error it had. ``unusable`` are answers that became no judgements.
    """
    asked = list(questions)
    answers = usable(utterances_of(asked), judgements, form=form, unusable=unusable)
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
    return LabellingResult(
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


def labelling_record(labelled: LabellingResult, *, at_least: int) -> LabellingRecord:
    """Return the record, with each candidate that has no label; Unsuitable if no answer could be used."""
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


def write_labelling(record: Mapping[str, object], pairs: Sequence[Question] | None, folder: Path) -> None:
    """Write ``labelling.json``, and the questions about consistency, if any, as ``consistency.jsonl``.

    Where ``pairs`` is empty, a file of other labels is removed; None leaves it alone.
    """
    check_links(folder)
    if pairs:
        write(folder / "consistency.jsonl", pairs)
    elif pairs is not None:
        (folder / "consistency.jsonl").unlink(missing_ok=True)
    write_document(folder / "labelling.json", record, indent=2, private=True)


def kappa_of(answers: Answers, *, above: float | None = None) -> Statistic:
    """Fleiss' kappa of all answers as categories, or as two: above that value or not."""
    rated = [list(given.values()) for given in answers.by_candidate().values()]
    if not rated:
        return Statistic.undefined("there is no answer", 0)
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


@dataclass(frozen=True, slots=True)
class ConsistencySubset:
    """Two-candidate questions about consistency, and the labels they rest on."""

    questions: tuple[Question, ...]
    """One for each contradictory candidate; its id is the question's with the candidate's behind it."""
    labelled: LabellingResult
    """All questions, with what is wrong with each false candidate."""
    several_truths: tuple[str, ...]
    """Questions with contradictory candidates that were left out because they have not exactly one ground truth."""


def consistency_subset(
    questions: Iterable[Question],
    judgements: Iterable[Judgement],
    *,
    at_least: int = 2,
    seed: int = 0,
    unusable: Iterable[Unusable] = (),
) -> ConsistencySubset:
    """The subset that these labels (criterion ``error_class``) make of vetted questions, by the two-of-three rule."""
    labelled = settle_labels(questions, judgements, form=ERROR_CLASSES, at_least=at_least, unusable=unusable)
    result: list[Question] = []
    several: list[str] = []
    for question in labelled.questions:
        truths = [candidate for candidate in question.candidates if candidate.correct]
        against = [
            (name, candidate)
            for name, candidate in zip(candidate_ids(question), question.candidates, strict=True)
            if labelled.labels.get((question.item, name)) == CONTRADICTORY
        ]
        if len(truths) == 1:
            result += [_pair(question, truths[0], name, candidate, seed) for name, candidate in against]
        elif against:
            several.append(question.item)
    return ConsistencySubset(tuple(result), labelled, tuple(several))


def _pair(question: Question, truth: Candidate, name: str, false: Candidate, seed: int) -> Question:
    item, both = f"{question.item}/{name}", (truth, false)
    order = shuffled_places([candidate.text for candidate in both], item=item, seed=seed)
    return Question(item, question.context, tuple(both[place] for place in order), question.status)
