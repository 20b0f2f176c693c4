"""The words of an utterance, those that carry its content, and one spelling for the utterances of all corpora."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from dialeval.text.english import PLAIN_WORDS
from dialeval.text.tokenisers.words import search_terms

# Corpora part contractions in many ways (isn't, isn 't, is n't, isn ' t), and chatters leave the mark out.
_APOSTROPHE: Final = re.compile("['’`´]")
_NEGATION: Final = re.compile(r"\b(\w+?)(?:n ?['’`´] ?t| n ?['’`´] ?t)\b", re.IGNORECASE)
_CLITIC: Final = re.compile(r"(?<=\w) ?['’`´] ?(?:s|m|d|ll|re|ve)\b", re.IGNORECASE)

_NEGATED: Final = "ai are ca could did does do had has have is might must need should was were wo would"
NEGATIONS: Final[Mapping[str, str]] = {f"{verb}nt": f"{verb}n't" for verb in _NEGATED.split()}
"""Negated verbs as ``words`` gives them, and as a table of frequencies spells them."""

FUNCTION_WORDS: Final = PLAIN_WORDS | NEGATIONS.keys()
"""Words that any two utterances may share whatever they are about: pronouns, articles, auxiliaries, prepositions,
conjunctions, words of asking, adverbs of degree, and the small words that open a turn. English only."""


def words(text: str) -> list[str]:
    """The words of an utterance, case-folded, in order; what is stuck to them by an apostrophe is cut off.

    A negated verb is one word, however it is spelled. Han and kana are cut one by one.

    >>> words("I'm sure John 's car isn't here, is it ?")
    ['i', 'sure', 'john', 'car', 'isnt', 'here', 'is', 'it']
    """
    if _APOSTROPHE.search(text):
        text = _CLITIC.sub("", _NEGATION.sub(r"\1nt", text))
    return search_terms(text)


def content_words(text: str) -> list[str]:
    """The different words of an utterance other than function words, in order of first occurrence.

    >>> content_words("Do I have to focus it? Focus on the car?")
    ['focus', 'car']
    """
    return [word for word in dict.fromkeys(words(text)) if word not in FUNCTION_WORDS]


_BLANKS: Final = re.compile(r"\s+")
_QUOTES: Final = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "“": '"', "”": '"', "…": "..."})
_SPACED_NEGATION: Final = re.compile(r"(?<=\w)(?: n ?' ?t|n ' ?t|n ?' t)\b", re.IGNORECASE)
_SPACED_CLITIC: Final = re.compile(r"(?<=\w) ?' ?(s|m|d|ll|re|ve)\b", re.IGNORECASE)
_MADAM: Final = re.compile(r"(?<=\bma) ?' ?am\b", re.IGNORECASE)
_BEFORE_MARK: Final = re.compile(r" +(?=[,.;:?!%)\]])")
_AFTER_MARK: Final = re.compile(r"(?<=[(\[$]) +")
_RUN_ON: Final = re.compile(r"(?<=[a-z][,.;:?!])(?=[A-Z][a-z' ])")
_I: Final = re.compile(r"(?<![\w'.])i(?=$|[\s,;?!]|'(?:m|d|ll|ve)\b)")
_START: Final = re.compile(r"(^|\w{0,40}(?<!\.)[.?!] +)([\"'(]*[a-z])")
_NO_END: Final = ("mr. ", "mrs. ", "ms. ", "dr. ", "st. ", "vs. ", "etc. ", "g. ", "e. ")


def tidy(text: str) -> str:
    """The utterance as one would write it: marks close to their words, contractions whole, sentences capitalised.

    >>> tidy("well , i 'm sure it isn 't far . is it ?")
    "Well, I'm sure it isn't far. Is it?"
    """
    text = _BLANKS.sub(" ", text.translate(_QUOTES)).strip()
    text = _SPACED_CLITIC.sub(
        lambda found: "'" + found[1].lower(), _SPACED_NEGATION.sub("n't", _MADAM.sub("'am", text))
    )
    text = _AFTER_MARK.sub("", _BEFORE_MARK.sub("", text))
    text = _I.sub("I", _RUN_ON.sub(" ", text))
    return _START.sub(_capitalised, text)


def _capitalised(start: re.Match[str]) -> str:
    before, letter = start.groups()
    return start[0] if before.lower() in _NO_END else before + letter[:-1] + letter[-1].upper()
