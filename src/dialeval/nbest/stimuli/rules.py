"""Rules that leave a premise or a hypothesis out, each under a name that is counted (Sato, 2024, section 5.6.1)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Final

from dialeval.nbest.stimuli.sentence import Sentence
from dialeval.nbest.stimuli.subjects import FINITE

MOST_WORDS: Final = 30
"""A premise or hypothesis with more words is left out."""

_QUOTES: Final = frozenset(("``", "''", '"', "“", "”", "`", "'"))
_FILLERS: Final = frozenset((".", ",", "?", "um", "uh", "yeah"))
_NEGATIONS_LIST: Final = """
n't not no never nothing nobody none neither nor nowhere hardly without cannot
"""
_NEGATIONS: Final = frozenset(_NEGATIONS_LIST.split())
_SUBJECTS: Final = ("NN", "PRP", "EX", "DT", "CD", "WP", "WDT")
_BEGINNINGS: Final = ("NN", "JJ", "DT", "PDT", "CD", "PRP", "EX", "VBG")
_MARKS: Final = re.compile(r"[;:()\[\]{}<>/\\_*#&@]|--|…|\.\.")

_SENTENCE_END: Final = re.compile(
    r"(?!(?:mr|mrs|ms|dr|st|vs|etc|inc|jr|sr|co|mt)\.)[a-z]{2,}\.", re.IGNORECASE
)
"""A word with the full stop of its sentence, which tokenisers leave on it inside a text."""

_ALSO_SINGULAR: Final = frozenset(
    ("series", "means", "species", "crossroads", "headquarters", "like", "past")
)
"""Words that look like plurals or prepositions, and follow an article."""
_IMPERSONAL: Final = frozenset(("looks", "sounds", "seems", "feels", "appears", "turns", "depends"))

Rule = Callable[[Sentence], bool]
"""Whether a sentence is left out."""


def _lacks_verb(words: Sentence) -> bool:
    return not any(word.tag in FINITE for word in words)


def _lacks_subject(words: Sentence) -> bool:
    last = max((index for index, word in enumerate(words) if word.tag in FINITE), default=0)
    return not any(word.tag.startswith(_SUBJECTS) for word in words[:last])


def _repeats(words: Sentence) -> bool:
    """Whether some words are said twice in a row, fillers aside, as in "and I and I went"."""
    said = [word.lower for word in words if word.lower not in _FILLERS]
    longest = len(said) // 2
    return any(_twice_in_a_row(said, size) for size in range(1, longest + 1))


def _twice_in_a_row(said: Sequence[str], size: int) -> bool:
    return any(
        said[start : start + size] == said[start + size : start + 2 * size]
        for start in range(len(said) - 2 * size + 1)
    )


def _holds(*texts: str) -> Rule:
    return lambda words: any(word.text in texts for word in words)


def _quotes(words: Sentence) -> bool:
    return any(word.text in _QUOTES and word.tag != "POS" for word in words)


def _too_long(words: Sentence) -> bool:
    return len(words) > MOST_WORDS


def _marks(words: Sentence) -> bool:
    return any(_MARKS.search(word.text) or word.text in ("-", "–", "—") for word in words)


def _full_stop_inside(words: Sentence) -> bool:
    return any(word.text == "." or _SENTENCE_END.fullmatch(word.text) for word in words[:-1])


def _place_adverb(words: Sentence) -> bool:
    return any(word.lower in ("here", "there") and word.tag == "RB" for word in words)


def _repeated_word(words: Sentence) -> bool:
    return any(
        first.lower == second.lower and first.lower not in ("that", "had")
        for first, second in pairwise(words)
    )


def _lost_noun(words: Sentence) -> bool:
    """Whether an article has no noun that it could belong to, as in "a women", "the them" or a final "a"."""
    ends = (*words[2:], None)
    said = [word.lower for word in words if word.text != "."]
    return said[-1:] in (["a"], ["an"], ["the"]) or any(
        (first.lower in ("a", "an") and second.tag == "NNS" and not (third and third.tag.startswith("NN")))
        or (first.lower in ("a", "an", "the") and second.tag in ("PRP", "PRP$", "MD", "IN"))
        for first, second, third in zip(words, words[1:], ends, strict=False)
        if second.lower not in _ALSO_SINGULAR
    )


def _lacks_first_subject(words: Sentence) -> bool:
    """Whether the statement begins with its verb, as in "Looks like rain"."""
    return bool(words) and words[0].lower in _IMPERSONAL


PREMISE_RULES: Final[Mapping[str, Rule]] = {
    "question-mark": _holds("?"),
    "no-verb": _lacks_verb,
    "no-subject": _lacks_subject,
    "quotes": _quotes,
    "too-long": _too_long,
    "repetition": _repeats,
}
"""Why a premise does not become a history, the first that applies."""

HYPOTHESIS_RULES: Final[Mapping[str, Rule]] = {
    "question-or-exclamation-mark": _holds("?", "!"),
    "negation": lambda words: any(word.lower in _NEGATIONS for word in words),
    "too-long": _too_long,
    "comma": _holds(","),
    "coordination": lambda words: any(word.tag == "CC" for word in words),
    "quotes": _quotes,
    "marks": _marks,
    "beginning": lambda words: not words or not words[0].tag.startswith(_BEGINNINGS),
    "full-stop-inside": _full_stop_inside,
    "here-or-there": _place_adverb,
    "repeated-word": _repeated_word,
    "no-subject": _lacks_first_subject,
    "article": _lost_noun,
    "no-verb": _lacks_verb,
}
"""Why a hypothesis does not become a question, the first that applies; the subject is looked at after these."""


def first_rule(words: Sentence, rules: Mapping[str, Rule]) -> str | None:
    """The name of the first rule that leaves the sentence out; None where it stays."""
    return next((name for name, rule in rules.items() if rule(words)), None)
