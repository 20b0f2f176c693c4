"""English words of a kind: function words, words that deny, months and ordinals, halves of the day."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from dialeval.text.spelling import Tokens

_LISTED: Final = """
a an the this that these those some any each every either neither both all such other another much many more most few
i me my mine myself you your yours yourself yourselves he him his himself she her hers herself it its itself we us our
ours ourselves they them their theirs themselves one ones someone somebody something anyone anybody anything everyone
everybody everything nobody nothing none who whom whose which what when where why how
am is are was were be been being do does did done doing have has had having will would shall should can could may might
must ought cannot gonna gotta wanna let
and or but nor so yet if unless until while because since though although as than then whether however
of in on at by for with about against between into through during before after above below to from up down out off over
under again per via within without upon around among across behind beyond toward towards near like
not no yes yeah yep yup nope oh ah aha uh um hm hmm huh eh well okay ok ay hey wow right sure really just only very too
also even still already ever never always here there now quite rather maybe perhaps
im ive youre youve hes shes theyre weve thats whats wheres hows lets theres heres id youll theyll
"""
PLAIN_WORDS: Final = frozenset(_LISTED.split())
"""Pronouns, articles, auxiliaries, prepositions, conjunctions, words of asking, adverbs of degree, and the small words
that open a turn."""


_NEGATIONS: Final = (
    "not no non none never without cannot lack neither nor unsuitable prohibited isnt doesnt dont "
    "unwelcome banned unavailable forbidden"
)
NEGATIONS: Final = frozenset(_NEGATIONS.split())
"""Words that deny; so does any that ends in n't."""


def is_not(word: str) -> bool:
    """Whether a word denies what comes after it."""
    return word in ("not", "never") or word.endswith("n't")


def is_negation(word: str) -> bool:
    """Whether a word denies."""
    return word in NEGATIONS or word.endswith("n't")


_YEAR: Final = "january february march april may june july august september october november december"
MONTHS: Final = tuple(_YEAR.split())
_TWENTY: Final = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINALS: Final = tuple(_TWENTY.split())
"""From the first to the twentieth; later ones are said in two words, but for the thirtieth."""


Half: TypeAlias = Literal["am", "pm", ""]
"""The half of the day, or nothing if it is not known."""

_MORNING: Final = frozenset({"am", "morning"})
_LATER: Final = frozenset({"pm", "afternoon", "evening", "tonight", "night"})
_BETWEEN: Final = frozenset({"o'clock", "in", "the", "at", "this", "tomorrow", "on", "sharp"})
"""Words that may stand between a time and its half of the day."""


def half_of_value(value: str) -> Half:
    """The half of the day in a value that is a time.

    >>> [half_of_value(value) for value in ("17:15", "5:15 p.m.", "05:15", "5:15", "7 am", "5 stars")]
    ['pm', 'pm', 'am', '', 'am', '']
    """
    text = value.strip().lower()
    if named := re.fullmatch(r"\d{1,2}(?:[:.]\d{2})?\s*([ap])\.?m\.?", text):
        return "am" if named[1] == "a" else "pm"
    clock = re.fullmatch(r"(\d{1,2}):\d{2}(?::\d{2})?", text)
    return _on_the_clock(clock[1]) if clock else ""


def _on_the_clock(hour: str) -> Half:
    """A clock of 24 hours shows the half after noon by its number and the one before by a zero in front."""
    if 13 <= int(hour) <= 23:
        return "pm"
    return "am" if hour.startswith("0") and len(hour) == 2 else ""


def half_said(text: str, tokens: Tokens, start: int, end: int) -> Half:
    """The half of the day that a sentence says of the time from word ``start`` up to ``end``."""
    for word in (*tokens.words[start:end], *_after(tokens, end)):
        if word in _MORNING:
            return "am"
        if word in _LATER:
            return "pm"
    written = text[tokens.starts[start] : tokens.ends[end - 1]]
    clock = re.match(r"(\d{1,2}):\d{2}", written)
    return _on_the_clock(clock[1]) if clock else ""


def _after(tokens: Tokens, end: int) -> list[str]:
    """The words after a time, up to the first that cannot stand between it and its half of the day."""
    words: list[str] = []
    for word in tokens.words[end : end + 4]:
        words.append(word)
        if word not in _BETWEEN:
            break
    return words
