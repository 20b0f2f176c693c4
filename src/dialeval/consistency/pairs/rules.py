"""Rules that turn a statement into one that contradicts it, or restates it; each rule is one function.

A rule takes a sentence and a source of randomness, and gives the changed sentence, or None where it does not apply.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from random import Random
from typing import Final, TypeAlias

from dialeval.consistency.pairs.words import ANTONYMS, GENDERED, NAMES, NUMBERS, PLACES

Rule: TypeAlias = Callable[[str, Random], str | None]

_AUXILIARY: Final = re.compile(
    r"\b(am|is|are|was|were|can|could|will|would|should|have|has|had|do|does|did)(\s+not\b|n['’]t\b)?(?=\W|$)",
    re.IGNORECASE,
)
_SHORT: Final = re.compile(r"\b(?:can['’]t|cannot|won['’]t)(?=\W|$)", re.IGNORECASE)
_CONTRACTED: Final = re.compile(r"\b(i)['’]m\b|\b(\w+)['’]re\b|\b(it|he|she|that)['’]s\b", re.IGNORECASE)
_SUBJECT_VERB: Final = re.compile(
    r"\b(i|we|they)\s+(love|like|want|need|own|play|live|work|know|enjoy|think|believe|hate|drink|eat|read|watch|go"
    r"|have|hope|feel|speak|drive|study|prefer|remember|collect|teach|run|cook|travel)\b",
    re.IGNORECASE,
)
_NEVER: Final = re.compile(r"\b(never|always|often|usually)\b", re.IGNORECASE)
_DIGITS: Final = re.compile(r"(?<![\w.,:])\d{1,4}(?![\w:]|[.,]\d)")
_WORD: Final = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_YES: Final = re.compile(r"^\s*(yes|yeah|yep|yup|sure|of course|definitely)\b", re.IGNORECASE)
_NO: Final = re.compile(
    r"^\s*(no|nope|nah|not really|never)\b(?!\s+(?:one|problem|way|worries|idea|doubt))", re.IGNORECASE
)
_ENTITY: Final = re.compile(r"(?<=[a-z,] )(?!I\b)[A-Z][a-z]{2,}(?: [A-Z][a-z]{2,})*")


def negation(sentence: str, draw: Random) -> str | None:
    """The first verb negated, or its negation taken away."""
    short = _SHORT.search(sentence)
    if short is not None:
        positive = "will" if short[0].lower().startswith("w") else "can"
        return _replaced(sentence, short, positive)
    contracted, auxiliary = _CONTRACTED.search(sentence), _AUXILIARY.search(sentence)
    if contracted is not None and (auxiliary is None or contracted.start() < auxiliary.start()):
        if re.match(r"\s+not\b", sentence[contracted.end() :]):
            return sentence[: contracted.end()] + re.sub(
                r"^\s+not\b", "", sentence[contracted.end() :], count=1
            )
        return f"{sentence[: contracted.end()]} not{sentence[contracted.end() :]}"
    verb = _SUBJECT_VERB.search(sentence)
    if verb is not None and (auxiliary is None or verb.start() < auxiliary.start()):
        return f"{sentence[: verb.start(2)]}don't {sentence[verb.start(2) :]}"
    if auxiliary is None:
        return None
    if auxiliary[2] is not None:
        return _replaced(sentence, auxiliary, auxiliary[1])
    if auxiliary[1].lower() in ("have", "has", "had") and not _perfect(sentence, auxiliary.end()):
        return None
    return f"{sentence[: auxiliary.end()]} not{sentence[auxiliary.end() :]}"


def frequency(sentence: str, draw: Random) -> str | None:
    """``never`` for ``always`` and the reverse."""
    match = _NEVER.search(sentence)
    if match is None:
        return None
    return _replaced(sentence, match, "always" if match[0].lower() == "never" else "never")


def antonym(sentence: str, draw: Random) -> str | None:
    """One word replaced by its opposite, such as ``love`` by ``hate``."""
    return _swapped(sentence, ANTONYMS, draw)


def pronoun(sentence: str, draw: Random) -> str | None:
    """One person replaced by one of the other sex or side of the family, such as ``brother`` by ``sister``."""
    return _swapped(sentence, GENDERED, draw)


def number(sentence: str, draw: Random) -> str | None:
    """One number replaced by another."""
    digits = list(_DIGITS.finditer(sentence))
    if digits:
        match = draw.choice(digits)
        value = int(match[0])
        return _replaced(sentence, match, str(value + draw.choice((2, 3, 5, 7)) * draw.choice((1, 1, 2))))
    words = [match for match in _WORD.finditer(sentence) if match[0].lower() in NUMBERS]
    if not words:
        return None
    match = draw.choice(words)
    return _replaced(sentence, match, draw.choice([word for word in NUMBERS if word != match[0].lower()]))


def entity(sentence: str, draw: Random) -> str | None:
    """One name of a person or place replaced by another of its kind; other names are left alone."""
    for match in _ENTITY.finditer(sentence):
        for known in (PLACES, NAMES):
            if match[0] in known:
                return _replaced(sentence, match, draw.choice([name for name in known if name != match[0]]))
    return None


def yes_no(sentence: str, draw: Random) -> str | None:
    """An answer that begins with yes turned into one that begins with no, its first statement negated too."""
    for pattern, word in ((_YES, "No"), (_NO, "Yes")):
        match = pattern.search(sentence)
        if match is not None:
            rest = sentence[match.end() :]
            return f"{word}{negation(rest, draw) or rest}"
    return None


def restated(sentence: str, draw: Random) -> str | None:
    """The sentence said again, which contradicts nothing."""
    opening = draw.choice(("As I said, ", "Yes, ", "Well, ", "Like I told you, ", ""))
    first = sentence[:1] if sentence[:2] in ("I ", "I'") or not opening else sentence[:1].lower()
    return f"{opening}{first}{sentence[1:]}"


CONTRADICTING: Final[Mapping[str, Rule]] = {
    "negation": negation,
    "frequency": frequency,
    "antonym": antonym,
    "pronoun": pronoun,
    "number": number,
    "entity": entity,
    "yes_no": yes_no,
}
"""Rules whose result contradicts the sentence."""


def _swapped(sentence: str, table: Mapping[str, str], draw: Random) -> str | None:
    words = [match for match in _WORD.finditer(sentence) if match[0].lower() in table]
    if not words:
        return None
    match = draw.choice(words)
    return _replaced(sentence, match, table[match[0].lower()])


def _replaced(sentence: str, match: re.Match[str], new: str) -> str:
    cased = new.capitalize() if match[0][:1].isupper() and match[0].lower() != "i" else new
    return sentence[: match.start()] + cased + sentence[match.end() :]


def _perfect(sentence: str, end: int) -> bool:
    """Whether a participle follows a form of ``have``, so that it is an auxiliary."""
    following = _WORD.search(sentence, end)
    return following is not None and bool(
        re.search(r"(ed|en|been|gone|done|had|seen|got|made)$", following[0].lower())
    )
