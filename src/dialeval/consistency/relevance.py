"""Relevance of answers beside their consistency: who merely repeats what was said contradicts nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from dialeval.consistency.analysing.analysis import rates_of_answers
from dialeval.consistency.analysing.reading import read_labelled
from dialeval.consistency.collecting.answers import ProbeAnswer
from dialeval.consistency.document import AnswerRates, SystemRelevance
from dialeval.core import Estimate, Resampling
from dialeval.data.codec.sources import Source
from dialeval.data.types import Example
from dialeval.errors import ResourceUnavailable
from dialeval.evaluation.runner import Plan, evaluate
from dialeval.selfeval.rivals.context_cosine import ContextCosine
from dialeval.stats import proportion
from dialeval.text.tokenisers.words import search_terms

SAME: Final = 0.8
"""Words in common with a turn, as a share of the words of both, from which an answer repeats it."""


def repeats(example: Example) -> bool:
    """Return whether the response repeats a turn of its context, but for a few words.

    >>> from dialeval.data.types import Response, alternating
    >>> repeats(Example("a", "s", alternating(["I like tea.", "Do you?"]), Response("do you")))
    True
    """
    said = Counter(search_terms(example.response.text))
    turns = (Counter(search_terms(turn.text)) for turn in example.context)
    return any(2 * (said & turn).total() >= SAME * (said.total() + turn.total()) > 0 for turn in turns)


def relevance_of(answers: Sequence[ProbeAnswer], resampling: Resampling) -> Iterator[SystemRelevance]:
    """Yield how relevant the answers of each system are, those that say something."""
    for system in dict.fromkeys(answer.system for answer in answers):
        own = [answer.example for answer in answers if answer.system == system and not answer.unanswered]
        texts = Counter(_worded(example.response.text) for example in own)
        yield SystemRelevance(
            system,
            _cosine(own, resampling),
            proportion(sum(map(repeats, own)), len(own)),
            max(texts.values()) / len(own) if own else None,
        )


def _worded(text: str) -> str:
    """The words of an answer; the answer itself if it has none, as 👍."""
    return " ".join(search_terms(text)) or text.strip()


def _cosine(examples: Sequence[Example], resampling: Resampling) -> Estimate:
    if not examples:
        return Estimate.undefined("no answers")
    try:
        return evaluate(ContextCosine(), examples, Plan(resampling=resampling)).estimate
    except ResourceUnavailable:
        return Estimate.undefined("the embedded encoder is not installed")


def rates_by_people(answers: Iterable[ProbeAnswer], labelled: Source) -> tuple[tuple[AnswerRates, ...], int]:
    """Contradictory answers of each system as raters say, from any to all, and how many labelled answers are others'.

    An answer is the one that was labelled if probe, system and text are equal.
    """
    given = {(answer.item, answer.system, answer.example.response.text) for answer in answers}
    known = read_labelled([labelled])
    mine = [answer for answer in known if (answer.id, answer.system, answer.response) in given]
    return tuple(rates_of_answers(mine)), len(known) - len(mine)
