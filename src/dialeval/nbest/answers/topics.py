"""Topics of questions and answers: whether an answer is about what was asked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from dialeval.core import Floats
from dialeval.encoder.files import EMBEDDED
from dialeval.encoder.model import unit_vectors
from dialeval.nbest.answers.corpus import Exchange
from dialeval.nbest.answers.labels import first_word_label

_FEWEST_WORDS: Final = 4
"""Words of an unrelated answer: shorter ones, such as "I do", may answer any question."""
_STOP_WORDS: Final = frozenset(
    re.findall(
        r"\w+",
        "about after again all also always and any anything are aren been before being both but can cant could "
        "did didnt does doesnt doing dont else enjoy ever every for from get going got had has have having her "
        "here him his how interested into its ive ill isnt just kind kinds know like liked likes lot love lots "
        "many more most much myself never new not now off often one only other our out over own really she should "
        "some something sometimes still such than that thats the their them then there these they thing things "
        "think this those though too type types very want wanted was way well went were what when where which "
        "while who why will with would yes you your youre",
    )
)
_ATTITUDES: Final = frozenset(
    word[:5]
    for word in re.findall(
        r"\w+",
        "absolutely afraid already bad definitely exactly fan good great guess hate hated hates hope indeed maybe "
        "mean nope not nothing perhaps possibly right sadly says sometimes sorry suppose sure think thinking true "
        "unfortunately usually yeah yep yesterday today tomorrow",
    )
)
"""Further words of answers that fit any question; they are topics where unrelated answers are drawn for training."""


def is_unrelated(question: str, other: Exchange) -> bool:
    """Return whether the other exchange's answer says nothing about the question.

    It is on another topic, says neither yes nor no, and is not too short.

    >>> other = Exchange("", "Do you like fruit?", "Bananas are my favourite.", "yes", (1.0, 0.0, 0.0))
    >>> is_unrelated("Do you have a car?", other), is_unrelated("Are bananas cheap?", other)
    (True, False)
    """
    if first_word_label(other.answer) != "ambiguous" or len(other.answer.split()) < _FEWEST_WORDS:
        return False
    asked, said, answered = (topic_words(text) for text in (question, other.question, other.answer))
    return bool(asked) and bool(answered) and not asked & (said | answered)


def crossed(exchanges: Sequence[Exchange], seed: int) -> list[tuple[str, str]]:
    """Questions with the unrelated answer of another exchange, drawn at random; at most one for each question."""
    others = np.random.default_rng(seed).permutation(len(exchanges)).tolist()
    return [
        (each.question, exchanges[other].answer)
        for each, other in zip(exchanges, others, strict=True)
        if is_unrelated(each.question, exchanges[other])
    ]


def topic_words(text: str) -> set[str]:
    """The beginnings of words that carry a topic, so that "banana" and "bananas" are the same."""
    return {
        word[:5]
        for word in re.findall(r"[a-z]{3,}", text.lower().replace("'", ""))
        if word not in _STOP_WORDS
    }


def relatedness(questions: Sequence[str], answers: Sequence[str]) -> Floats:
    """Cosine of each question and its answer by the embedded encoder; 1 where the answer would fit any question.

    Those answers begin with yes, no or the like, or have no word that carries a topic, such as "I do" or "Not really".
    """
    compared = [_has_topic(answer) for answer in answers]
    pairs = [
        pair for pair, needed in zip(zip(questions, answers, strict=True), compared, strict=True) if needed
    ]
    units = unit_vectors([text for pair in pairs for text in pair], EMBEDDED)
    found = np.ones(len(answers))
    found[compared] = [float(units[question] @ units[answer]) for question, answer in pairs]
    return np.nan_to_num(found, nan=1.0)


def _has_topic(answer: str) -> bool:
    if first_word_label(answer) != "ambiguous":
        return False
    return bool(topic_words(answer) - _ATTITUDES)
