"""Mistakes of false candidates: the labels that people give, and automatic guesses.

The labels are those of Sato et al. (2020, appendix C, Table 7). The table may be extended; a guess ends in ``?``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from dialeval.annotation.forms import Form, Option
from dialeval.core import Detector
from dialeval.data.types import Candidate, Question
from dialeval.resources.tagger import PerceptronTagger, Tagged, load_tagger
from dialeval.selection.document import GUESS, is_guess
from dialeval.selection.repository.words import content_words, tidy
from dialeval.text.tokenisers.porter import stem
from dialeval.text.tokenisers.treebank import word_tokenize_all

# The paper's example of a wrong tense (Table 10) shares two words in five.
_SHARED: Final = 0.4


class Mistake(NamedTuple):
    """One way for a candidate to be false."""

    label: str
    meaning: str


TABLE_7: Final = (
    Mistake("inconsistent", "it does not agree with what was said before"),
    Mistake("insufficient", "it says too little, or breaks off"),
    Mistake("wrong_subject", "it speaks of the wrong person"),
    Mistake("wrong_tense", "it speaks of the wrong time"),
)
"""Of 50 false candidates the authors could label 22: 8, 4, 9 and 1 of them so."""

MISTAKES: Final[Mapping[str, Mistake]] = {
    mistake.label: mistake
    for mistake in (
        *TABLE_7,
        Mistake("irrelevant", "it has nothing to do with what was said before"),
        Mistake("other", "something else is wrong with it"),
    )
}
"""The labels people may give. A further one is one line here, or an argument of ``mistake_form``."""


def mistake_form(mistakes: Iterable[Mistake] = tuple(MISTAKES.values())) -> Form:
    """Question to raters about each false candidate: which of these mistakes it makes."""
    options = tuple(
        Option(index, mistake.label, mistake.meaning) for index, mistake in enumerate(mistakes, start=1)
    )
    ask = "The line below does not fit the conversation. What is the matter with it?"
    return Form("mistake", ask, options, raters=3, false_only=True)


def guess_mistakes(
    questions: Sequence[Question],
    *,
    tagger: PerceptronTagger | None = None,
    detector: Detector | None = None,
    threshold: float = 0.5,
) -> list[Question]:
    """The questions with a guess on every false candidate that has no label yet and about which one can be made.

    A candidate is compared with the ground truth (the first, of several), which is right about person and time. With a
    ``detector``, one that contradicts its context with that probability is guessed to be inconsistent first of all.
    """
    tagger = load_tagger() if tagger is None else tagger
    texts = sorted({candidate.text for question in questions for candidate in question.candidates})
    sketches = dict(zip(texts, sketch(texts, tagger), strict=True))
    against = _contradictory(questions, detector, threshold)
    return [_with_guesses(question, sketches, against) for question in questions]


def guess(candidate: Sketch, truth: Sketch) -> str | None:
    """The label that a glance at a false candidate and at its ground truth suggests; None where it suggests none.

    Person and time are compared only where the two say much the same: else more than these is wrong.
    """
    if candidate.breaks_off or (candidate.bare and not truth.bare):
        return "insufficient"
    if not _much_the_same(candidate.stems, truth.stems):
        return None
    if candidate.person and truth.person and candidate.person != truth.person:
        return "wrong_subject"
    if candidate.tense and truth.tense and (candidate.tense == "past") != (truth.tense == "past"):
        return "wrong_tense"
    return None


def _much_the_same(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two words of content in five of the one with fewer of them are the other's too."""
    return len(one & other) >= max(1, _SHARED * min(len(one), len(other)))


def _with_guesses(
    question: Question, sketches: Mapping[str, Sketch], against: frozenset[tuple[str, str]]
) -> Question:
    truth = next((sketches[candidate.text] for candidate in question.candidates if candidate.correct), None)

    def labelled(candidate: Candidate) -> Candidate:
        if (
            candidate.correct
            or truth is None
            or (candidate.error is not None and not is_guess(candidate.error))
        ):
            return candidate
        inconsistent = (question.item, candidate.text) in against
        label = "inconsistent" if inconsistent else guess(sketches[candidate.text], truth)
        return replace(candidate, error=None if label is None else label + GUESS)

    return replace(question, candidates=tuple(map(labelled, question.candidates)))


def _contradictory(
    questions: Iterable[Question], detector: Detector | None, threshold: float
) -> frozenset[tuple[str, str]]:
    if detector is None:
        return frozenset()
    false = [
        (question, candidate.text)
        for question in questions
        for candidate in question.candidates
        if not candidate.correct
    ]
    chances = detector.contradiction([question.context for question, _ in false], [text for _, text in false])
    return frozenset(
        (question.item, text)
        for (question, text), chance in zip(false, chances.tolist(), strict=True)
        if chance >= threshold
    )


Person: TypeAlias = Literal["first", "second", "third"]
Tense: TypeAlias = Literal["past", "present", "future"]

_PERSONS: Final[Mapping[str, Person]] = {
    "i": "first",
    "we": "first",
    "you": "second",
    "he": "third",
    "she": "third",
    "they": "third",
}
"""Not ``it``, which as often stands for nothing at all."""

_FINITE: Final = frozenset(("MD", "VBD", "VBP", "VBZ"))
_HELPING_VERBS: Final = """
am is are was were do does did have has had will would shall should can could may might must ca wo 'm 're 's
"""
_HELPING: Final = frozenset(_HELPING_VERBS.split())
_BETWEEN: Final = frozenset(("RB", "RBR"))
"""Words between a subject and its verb."""
_PAST: Final = frozenset(("was", "were", "did", "had"))
_PRESENT: Final = frozenset(("am", "is", "are", "'m", "'re", "do", "does"))
_FUTURE: Final = frozenset(("will", "'ll", "wo", "shall"))
_OPEN: Final = frozenset(("a", "an", "the", "my", "your", "our", "their", "and", "or", "but"))
"""Words that something must follow, whatever came before them."""


class Sketch(NamedTuple):
    """What little a glance at a sentence tells; None where it does not."""

    person: Person | None
    tense: Tense | None
    bare: bool
    """Whether it has no finite verb and no word of content, as in "Yeah, yeah"."""
    breaks_off: bool
    """Whether it ends in a word that something must follow."""
    stems: frozenset[str]
    """Its words of content without their endings (Porter, 1980)."""


def sketch(texts: Sequence[str], tagger: PerceptronTagger) -> list[Sketch]:
    """A glance at each text, its first clause above all."""
    tidied = [tidy(text) for text in texts]
    return [
        _sketch(tagger.tag(words), frozenset(map(stem, content_words(text))))
        for text, words in zip(tidied, word_tokenize_all(tidied), strict=True)
    ]


def _sketch(sentence: Sequence[Tagged], stems: frozenset[str]) -> Sketch:
    tagged = [Tagged(token.word.lower(), token.tag) for token in sentence]
    said = [token.word for token in tagged if any(char.isalnum() for char in token.word)]
    verbs = [index for index, token in enumerate(tagged) if _is_finite(token)]
    return Sketch(
        person=_person(tagged, verbs),
        tense=_tense(tagged, verbs[0]) if verbs else None,
        bare=not verbs and not stems,
        breaks_off=_breaks_off(said),
        stems=stems,
    )


def _breaks_off(said: Sequence[str]) -> bool:
    *before, last = ["", *said]
    # "So do I" and "she and I" are whole; "yeah, I" is not.
    whole = before[-1:] and before[-1] in (*_HELPING, "and", "or", "than", "as", "not", "n't")
    return last in _OPEN or (last in _PERSONS and last != "you" and not whole)


def _is_finite(word: Tagged) -> bool:
    return word.tag in _FINITE or word.word in ("'m", "'re", "'ll")


def _person(tagged: Sequence[Tagged], verbs: Sequence[int]) -> Person | None:
    """The person of the pronoun beside the first verb that has one, unless some other subject comes before."""
    for verb in verbs:
        before = _step(tagged, verb, -1)
        if before is not None and tagged[before].word in _PERSONS:
            return _PERSONS[tagged[before].word]
        after = _step(tagged, verb, 1)
        if tagged[verb].word in _HELPING and after is not None and tagged[after].word in _PERSONS:
            return _PERSONS[tagged[after].word]
        if before is not None and tagged[before].tag.startswith(("NN", "WP", "EX", "DT", "PRP")):
            # Some other subject, of which a glance does not tell whether it could be meant.
            return None
    return None


def _tense(tagged: Sequence[Tagged], verb: int) -> Tense | None:
    word, tag = tagged[verb]
    if word in _FUTURE:
        return "future"
    if tag == "MD":
        return None
    following = [token.word for token in tagged[verb + 1 : verb + 4]]
    if word in _PRESENT and ("going", "to") in pairwise(following):
        return "future"
    if word in _PAST or tag == "VBD":
        return "past"
    if word in ("have", "has", "'ve", "'s") and any(
        token.tag == "VBN" for token in tagged[verb + 1 : verb + 4]
    ):
        return None
    return "present"


def _step(tagged: Sequence[Tagged], place: int, by: Literal[1, -1]) -> int | None:
    """The next place that way that holds no adverb or negation."""
    place += by
    while 0 <= place < len(tagged) and (tagged[place].tag in _BETWEEN or tagged[place].word == "n't"):
        place += by
    return place if 0 <= place < len(tagged) else None
