"""Polar questions from statements: the first verb moved to the front, or do-support (Sato, 2024, section 5.6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from dialeval.nbest.stimuli.persons import exchange_persons
from dialeval.nbest.stimuli.sentence import Sentence, Word, capitalised, written
from dialeval.nbest.stimuli.subjects import ADVERBS, Clause
from dialeval.nbest.stimuli.verbs import BE, DO, HAVE, NEGATIVE, is_dictionary_word, lemma

_FULL: Final = {"'s": "is", "'m": "am", "'re": "are", "'ve": "have", "'ll": "will", "ca": "can", "wo": "will"}
_APART: Final = frozenset(("might",))
"""Modals whose negation stands apart, after the subject: "Might you not go?"."""
_QUANTIFIERS: Final = frozenset(("many", "several", "few", "other", "more", "most", "such"))
_UNASKED: Final = frozenset(("may", "shall", "ought", "need", "dare"))
"""Modals that a polar question about facts hardly begins with."""


@dataclass(frozen=True, slots=True)
class Polar:
    """The two questions that a statement gives."""

    positive: str
    negative: str | None
    """None where English has no usual negative form."""


def polar_questions(clause: Clause, known: str = "") -> Polar | None:
    """The positive and the negative question of a statement, asked of the one who made it; None where none is usual.

    ``known`` is other text about the same matter, which shows whether the first word is a name.
    """
    fronted = _fronted(clause)
    if fronted is None:
        return None
    first, rest = fronted
    subject = without_capital(rest, known)
    swapped = exchange_persons([first, *subject])
    positive = _asked(swapped)
    negative = _negated(swapped, clause)
    return Polar(positive, negative)


def _fronted(clause: Clause) -> tuple[Word, Sentence] | None:
    """The word that begins the question, and the rest of the statement."""
    words, place = clause.words, clause.verb
    verb = words[place]
    without = (*words[:place], *words[place + 1 :])
    following = next((word for word in words[place + 1 :] if word.tag not in ADVERBS), None)
    form = _auxiliary(verb, following)
    had_better = verb.lower in ("'d", "had") and [word.lower for word in words[place + 1 : place + 2]] == [
        "better"
    ]
    if form in _UNASKED or had_better:
        return None
    if form is not None:
        return Word(form, verb.tag), without
    support = {"VBD": "did", "VBZ": "does"}.get(verb.tag, "do")
    base = verb._replace(text=lemma(verb.text), tag="VB")
    return Word(support, verb.tag), (*words[:place], base, *words[place + 1 :])


def _auxiliary(verb: Word, following: Word | None) -> str | None:
    """The full form of a verb that moves to the front by itself; None of one that needs do-support."""
    lower, next_tag = verb.lower, following.tag if following else ""
    next_word = following.lower if following else ""
    if lower == "'s":
        return "has" if next_word in ("been", "got", "had") else "is"
    if lower == "'d":
        participle = next_tag in ("VBN", "VBD") and next_word != "had" and next_tag != "VB"
        return "had" if participle else "would"
    if lower in BE:
        return _FULL.get(lower, lower)
    if verb.tag == "MD":
        return _FULL.get(lower, lower)
    if lower in HAVE:
        return _FULL.get(lower, lower) if next_tag in ("VBN", "VBD") or next_word == "been" else None
    return lower if lower in DO and next_tag in ("VB", "") else None


def without_capital(words: Sentence, known: str) -> Sentence:
    """The words, the first without its capital unless it is I or a name."""
    first = words[0]
    if not first.text[:1].isupper() or first.text == "I" or first.lower.startswith("i'"):
        return words
    if len(first.text) > 1 and first.text.isupper() and first.tag != "PRP":
        return words
    return words if _is_name(words, known) else (first._replace(text=first.lower), *words[1:])


def _is_name(words: Sentence, known: str) -> bool:
    first, inside = words[0], known.split()
    if not first.tag.startswith(("NN", "VB")) and (first.tag != "JJ" or first.lower in _QUANTIFIERS):
        return False
    if first.lower in inside:
        return False
    later = words[2] if len(words) > 2 and words[1].tag == "POS" else words[1] if len(words) > 1 else first
    joined = later is not first and later.text[:1].isupper() and later.tag.startswith("NNP")
    elsewhere = any(word.strip(".,'") == first.text for word in inside[1:])
    if first.tag == "NNP" and inside[:1] == [first.text]:
        return True
    return joined or elsewhere or not is_dictionary_word(first.text)


def _asked(words: Sequence[Word]) -> str:
    return f"{capitalised(written(words))}?"


def _negated(words: Sequence[Word], clause: Clause) -> str | None:
    first, *rest = words
    lower = first.lower
    if lower in NEGATIVE:
        return _asked([first._replace(text=NEGATIVE[lower]), *rest])
    if lower in _APART and clause.subject[0].tag == "PRP":
        return _asked([first, rest[0], Word("not", "RB"), *rest[1:]])
    return None
