"""Statistics of a question set: size, agreement of its raters, and difficulty of its false candidates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dialeval.annotation.answers import fault_counts, usable
from dialeval.annotation.items import utterances_of
from dialeval.core import Estimate, Resampling
from dialeval.data.choices import status_line
from dialeval.data.types import Judgement, Question
from dialeval.display.notes import Note, texts
from dialeval.errors import Unsuitable
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.selection.artefacts import Artefact, find_artefacts
from dialeval.selection.asking.choices import chance, choose, fitted_chooser
from dialeval.selection.asking.choosers import TfIdfChooser, joined
from dialeval.selection.asking.metrics import SelectionAccuracy
from dialeval.selection.asking.questions import checked_questions, question_notes
from dialeval.selection.asking.trials import Utterances, candidates_of, run_trials
from dialeval.selection.labelling.labelling import kappa_of
from dialeval.selection.repository.words import content_words
from dialeval.stats import percentile_interval
from dialeval.stats.estimate import Statistic


class Spread(NamedTuple):
    """The least, the mean and the most of some counts."""

    least: int
    mean: float
    most: int


class Agreement(NamedTuple):
    """Agreement of raters on the scores of candidates (Fleiss, 1971; scores as categories)."""

    six_classes: Statistic
    two_classes: Statistic
    """Above 3 or not."""
    scores: int
    faults: Mapping[str, int]
    """Scores that could not be used."""


class SharedWords(NamedTuple):
    """The share of candidates that have a word of content in common with something; NaN of none."""

    false_with_truth: float
    false_with_context: float
    truth_with_context: float


@dataclass(frozen=True, slots=True)
class Lexical:
    """Accuracy of likeness of words alone, with the candidates chosen and with random ones (Sato et al., 3.2)."""

    chosen: Estimate
    """With an interval over contexts."""
    random: Estimate
    """The mean over trials, and the range of 95 % of them."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """All that can be said of a question set without asking a system."""

    questions: int
    contexts: int
    """Different ones."""
    candidates: Spread
    context_turns: Spread
    chance: float
    status: str
    """Whether people have looked at it, in a sentence."""
    labels: Mapping[str, int]
    """Mistakes of false candidates, if somebody names them."""
    agreement: Agreement | None
    """None where there are no scores."""
    shared_words: SharedWords
    lexical: Lexical
    artefacts: tuple[Artefact, ...]
    faults: tuple[Note, ...]
    """Faults of some of the questions."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons to doubt the question set."""
        artefacts = [artefact.warning for artefact in self.artefacts]
        return (*texts(self.faults), *(warning for warning in artefacts if warning is not None))


def statistics(
    questions: Sequence[Question],
    judgements: Iterable[Judgement] | None = None,
    *,
    utterances: Utterances | None = None,
    trials: int = 100,
    seed: int = 0,
) -> Statistics:
    """The statistics of a question set, and of its scores where they are given.

    Random candidates are drawn from ``utterances``, such as a repository; where there are none, from all candidates.
    """
    asked = checked_questions(questions)
    labels = Counter(
        candidate.error for question in asked for candidate in question.candidates if candidate.error
    )
    return Statistics(
        questions=len(asked),
        contexts=len({question.context for question in asked}),
        candidates=_spread([len(question.candidates) for question in asked]),
        context_turns=_spread([len(question.context) for question in asked]),
        chance=chance(asked),
        status=status_line(asked),
        labels=dict(labels.most_common()),
        agreement=None if judgements is None else agreement_of_scores(asked, judgements),
        shared_words=shared_words(asked),
        lexical=_lexical(asked, utterances, trials, seed),
        artefacts=find_artefacts(asked, seed=seed),
        faults=question_notes(asked),
    )


def agreement_of_scores(questions: Sequence[Question], judgements: Iterable[Judgement]) -> Agreement:
    """The raters' agreement in six classes and in two, over all scores of the questions' candidates."""
    answers = usable(utterances_of(questions), judgements)
    return Agreement(
        kappa_of(answers),
        kappa_of(answers, above=3),
        len(answers.judgements),
        fault_counts(answers.unusable),
    )


def shared_words(questions: Sequence[Question]) -> SharedWords:
    """Return how often candidates share words of content with the ground truth and with the context."""
    false_truth, false_context, truth_context = [], [], []
    for question in questions:
        context = set(content_words(joined(question.context)))
        held = [(candidate.correct, set(content_words(candidate.text))) for candidate in question.candidates]
        truth = set[str]().union(*(words for correct, words in held if correct))
        for correct, words in held:
            if correct:
                truth_context.append(bool(words & context))
            else:
                false_context.append(bool(words & context))
                false_truth.append(bool(words & truth))
    return SharedWords(_share(false_truth), _share(false_context), _share(truth_context))


def _lexical(questions: Sequence[Question], utterances: Utterances | None, trials: int, seed: int) -> Lexical:
    tfidf = TfIdfChooser()
    by_item = {question.item: joined(question.context) for question in questions}
    result = evaluate(
        SelectionAccuracy(),
        choose(fitted_chooser(tfidf, questions), questions),
        Plan(resampling=Resampling(seed=seed, cluster="dialogue", group=lambda item: by_item[item])),
    )
    try:
        tried = run_trials(
            [tfidf],
            questions,
            candidates_of(questions) if utterances is None else utterances,
            trials=trials,
            seed=seed,
        )
    except Unsuitable as error:
        return Lexical(result.estimate, Estimate.undefined(str(error)))
    bounds = percentile_interval(tried.fresh[:, 0], 0.95)
    return Lexical(result.estimate, Estimate.of(float(tried.random.mean()), *bounds, trials))


def _spread(counts: Sequence[int]) -> Spread:
    return Spread(min(counts), sum(counts) / len(counts), max(counts))


def _share(held: Sequence[bool]) -> float:
    return sum(held) / len(held) if held else float("nan")
