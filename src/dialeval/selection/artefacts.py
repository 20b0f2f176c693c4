"""Artefacts of a question set: candidates' length, place or words that give the answer away without the context.

A system that has learned such signs scores well and understands nothing (Gururangan et al., 2018, for inference). Each
baseline is fitted on nine tenths of the contexts and tried on the rest, so what it finds is there to be found.
"""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, pairwise
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from dialeval.core import Estimate, Resampling
from dialeval.data.choices import Choice
from dialeval.data.types import Question
from dialeval.display.notes import Note
from dialeval.display.wording import listing
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.selection.asking.choices import chance, why_no_question
from dialeval.selection.asking.metrics import SelectionAccuracy, why_unscorable
from dialeval.selection.repository.words import words
from dialeval.stats.resampling.proportions import clopper_pearson

FOLDS: Final = 10
FEWEST: Final = 30
"""Questions below which nothing can be said."""

Score: TypeAlias = Callable[[Question], tuple[float, ...]]
"""What a fitted baseline makes of each candidate of a question."""


class Baseline(NamedTuple):
    """A way to choose that never reads the context."""

    name: str
    looks_at: str
    fit: Callable[[Sequence[Question]], Score]
    todo: str
    """What to do about a set that it solves."""


@dataclass(frozen=True, slots=True)
class Artefact:
    """Accuracy of a baseline that never reads the context."""

    name: str
    looks_at: str
    accuracy: Estimate
    """With an interval over contexts."""
    chance: float
    todo: str

    @property
    def warning(self) -> str | None:
        """A sentence where the baseline is surely better than chance; None where it is not."""
        if self.accuracy.low is None or self.accuracy.low <= self.chance:
            return None
        return (
            f"{self.looks_at} alone solves {self.accuracy.value:.1%} of the questions, chance being {self.chance:.1%}. "
            f"{self.todo}"
        )


def find_artefacts(questions: Sequence[Question], *, seed: int = 0) -> tuple[Artefact, ...]:
    """What each of ``BASELINES`` makes of the questions, contexts unseen."""
    usable = [question for question in questions if why_no_question(question) is None]
    return tuple(_artefact(baseline, usable, seed) for baseline in BASELINES)


def _artefact(baseline: Baseline, questions: Sequence[Question], seed: int) -> Artefact:
    groups = {question.item: _group(question) for question in questions}
    several = len(set(groups.values()))
    if several < FEWEST:
        reason = f"{several} different contexts are too few to learn from; {FEWEST} are needed"
        unknown = Estimate.undefined(reason, len(questions))
        return Artefact(baseline.name, baseline.looks_at, unknown, chance(questions), baseline.todo)
    choices = list(chain.from_iterable(_fold(baseline, questions, groups, index) for index in range(FOLDS)))
    result = evaluate(
        SelectionAccuracy(),
        choices,
        Plan(resampling=Resampling(seed=seed, cluster="dialogue", group=lambda item: groups[item])),
    )
    return Artefact(baseline.name, baseline.looks_at, result.estimate, chance(questions), baseline.todo)


def _fold(
    baseline: Baseline, questions: Sequence[Question], groups: Mapping[str, str], index: int
) -> list[Choice]:
    """The choices in one tenth of the contexts of a baseline fitted on the others."""
    held_out = [question for question in questions if int(groups[question.item], 16) % FOLDS == index]
    if not held_out:
        return []
    score = baseline.fit(
        [question for question in questions if int(groups[question.item], 16) % FOLDS != index]
    )
    return [Choice(question, baseline.name, score(question)) for question in held_out]


BELOW: Final = 0.01
"""Chance that a system that guesses is called worse than guessing."""


def notes_below_chance(choices: Mapping[str, Sequence[Choice]]) -> Iterator[Note]:
    """A note on systems that choose worse than by guessing, and on the length of correct candidates if it may be why.

    Sums of log-probabilities favour short candidates, means favour long ones with words that are easy to predict: a
    system chooses by length if correct candidates are the shortest or the longest less often, or more often, than by
    chance. A system is below chance if the upper end of its accuracy's exact one-sided interval is.
    """
    usable = {
        system: [choice for choice in made if why_unscorable(choice) is None]
        for system, made in choices.items()
    }
    below = {system: made for system, made in usable.items() if made and _is_below(made)}
    if not below:
        return
    shown = [f"{system} {np.mean([choice.right for choice in made]):.3f}" for system, made in below.items()]
    asked = list({choice.item: choice.question for made in below.values() for choice in made}.values())
    yield Note(
        "below_chance",
        f"less often right than by guessing ({chance(asked):.3f}): {listing(shown)}. {_why(asked)}",
    )


def _is_below(choices: Sequence[Choice]) -> bool:
    right = sum(choice.right for choice in choices)
    _, high = clopper_pearson(right, len(choices), 1 - 2 * BELOW)
    return high < chance([choice.question for choice in choices])


def _why(questions: Sequence[Question]) -> str:
    """What lengths of the correct candidates say about a bad accuracy."""
    expected = chance(questions)
    shares = {"shortest": 0.0, "longest": 0.0}
    for question in questions:
        lengths = [len(words(candidate.text)) for candidate in question.candidates]
        correct = [length for length, one in zip(lengths, question.candidates, strict=True) if one.correct]
        for name, end in (("shortest", min), ("longest", max)):
            shares[name] += correct.count(end(lengths)) / lengths.count(end(lengths))
    n = len(questions)
    intervals = {name: clopper_pearson(count, n, 1 - 2 * BELOW) for name, count in shares.items()}
    odd = {name: shares[name] / n for name, (low, high) in intervals.items() if not low <= expected <= high}
    if not odd:
        return "Correct candidates are no shorter or longer than false ones, so look at the labels and the system."
    said = " and ".join(f"the {name} candidate in {share:.0%}" for name, share in odd.items())
    return (
        f"The correct candidate is {said} of the questions: the systems may choose by length. Compare 'normalise' sum "
        "and mean, and draw false candidates of like length."
    )


def _group(question: Question) -> str:
    """A mark of the context, which questions that share one share."""
    turns = "\0".join(turn.text for turn in question.context) or question.item
    return hashlib.sha256(turns.encode()).hexdigest()[:16]


def _fit_length(questions: Sequence[Question]) -> Score:
    """The log-odds of a normal distribution of lengths, relative to the question's candidates, right against false."""
    samples: dict[bool, list[float]] = {True: [], False: []}
    for question in questions:
        for candidate, length in zip(question.candidates, _lengths(question), strict=True):
            samples[candidate.correct].append(length)
    right, false = (_normal(samples[kind]) for kind in (True, False))

    def score(question: Question) -> tuple[float, ...]:
        return tuple(right(length) - false(length) for length in _lengths(question))

    return score


def _lengths(question: Question) -> list[float]:
    """Log lengths in characters, less their mean over the question."""
    logs = [math.log1p(len(candidate.text)) for candidate in question.candidates]
    mean = sum(logs) / len(logs)
    return [length - mean for length in logs]


def _normal(sample: Sequence[float]) -> Callable[[float], float]:
    """The log density of the normal distribution with the sample's mean and spread."""
    mean = sum(sample) / len(sample)
    # A spread of nothing would make any other length impossible.
    spread = max(math.sqrt(sum((value - mean) ** 2 for value in sample) / len(sample)), 1e-3)
    return lambda value: -math.log(spread) - ((value - mean) / spread) ** 2 / 2


def _fit_position(questions: Sequence[Question]) -> Score:
    """Return how often each place holds a right candidate."""
    right = Counter(
        index
        for question in questions
        for index, candidate in enumerate(question.candidates)
        if candidate.correct
    )
    shown = Counter(index for question in questions for index in range(len(question.candidates)))
    return lambda question: tuple(
        (right[index] + 1) / (shown[index] + 2) for index in range(len(question.candidates))
    )


def _fit_words(questions: Sequence[Question]) -> Score:
    """Naive Bayes over the words and pairs of words that candidates hold, counts smoothed by one."""
    counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for candidate in chain.from_iterable(question.candidates for question in questions):
        counts[candidate.correct].update(_signs(candidate.text))
    known = counts[True].keys() | counts[False].keys()
    totals = {kind: sum(own.values()) + len(known) for kind, own in counts.items()}
    odds = {
        sign: math.log((counts[True][sign] + 1) / totals[True])
        - math.log((counts[False][sign] + 1) / totals[False])
        for sign in known
    }
    return lambda question: tuple(
        math.fsum(odds.get(sign, 0.0) for sign in _signs(candidate.text)) for candidate in question.candidates
    )


@lru_cache(maxsize=1 << 16)
def _signs(text: str) -> tuple[str, ...]:
    """The words of a candidate, how it ends, and every two that follow each other; each once, in order."""
    said = ["<", *words(text), text.strip()[-1:] or ">"]
    return tuple(sorted({*said, *(f"{one} {other}" for one, other in pairwise(said))}))


BASELINES: Final = (
    Baseline(
        "length",
        "The candidates' length",
        _fit_length,
        "Draw false candidates of the ground truths' lengths.",
    ),
    Baseline(
        "position",
        "The candidates' place",
        _fit_position,
        "Shuffle the candidates before anyone learns them.",
    ),
    Baseline(
        "words",
        "The candidates' wording",
        _fit_words,
        "Take false candidates from sources more like that of the ground truths, or spell them alike.",
    ),
)
"""Another baseline is one entry here."""
