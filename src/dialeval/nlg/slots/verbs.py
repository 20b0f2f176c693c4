"""Verbs by which a sentence speaks of a property that the slot names by a noun: delivery, and "we cannot deliver"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from dialeval.text.spelling import Words

_VERBS: Final = {
    "admission": "admit",
    "assembly": "assemble",
    "delivery": "deliver",
    "extension": "extend",
    "insurance": "insure",
    "permission": "permit",
    "prescription": "prescribe",
    "recovery": "recover",
    "registration": "register",
    "removal": "remove",
    "renewal": "renew",
    "repayment": "repay",
    "subletting": "sublet",
    "subscription": "subscribe",
}
"""Of nouns that no ending below explains, or whose verb is no other noun."""
_NOUNS: Final = {verb: noun for noun, verb in _VERBS.items()}
_BEFORE: Final = "we you they i it can could may will would to also do does did please"
_DOING: Final = frozenset(_BEFORE.split())
"""Words after which a word that may also be a noun is a verb: "we park", beside "the park"."""
_DENYING: Final = ("not", "cannot", "never", "can't", "don't", "doesn't", "didn't", "won't", "couldn't")
_BEING: Final = ("be", "is", "are", "get")
_NOT_BEING: Final = (("not",), ("not", "be"), ("isn't",), ("aren't",))


class Verbal(NamedTuple):
    """Words that speak of a property by its verb, and whether they deny it."""

    words: Words
    denied: bool


def verbal_mentions(noun: str, *, alone: bool) -> Iterator[Verbal]:
    """The ways to speak of what a noun, or a word such as refundable, names by a verb.

    The bare verb is one of them only if the noun is the property's whole name (``alone``) and the verb no other noun.

    >>> [" ".join(words) for words, _ in verbal_mentions("delivery", alone=True)][:5]
    ['deliver', 'delivery', 'delivered', 'delivering', 'deliverable']
    """
    sure, unsure = _verbs(noun)
    for verb in (sure or (() if unsure else (noun,))) if alone else ():
        yield from (Verbal((form,), denied=False) for form in (verb, *_forms(verb)))
        yield from (
            Verbal((f"{prefix}{form}",), denied=True) for prefix in ("non", "un") for form in _forms(verb)
        )
    for verb in (*unsure, *(() if alone else sure)):
        yield from (Verbal((word, verb), denied=False) for word in sorted(_DOING))
        yield from (Verbal((word, verb), denied=True) for word in _DENYING)
        yield from (Verbal((word, form), denied=False) for word in _BEING for form in _forms(verb))
        yield from (Verbal((*words, form), denied=True) for words in _NOT_BEING for form in _forms(verb))


def _verbs(noun: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Verbs of the noun that are no nouns, and those that may be; some are no words at all, and never said."""
    if noun == "evening":  # "not even"
        return (), ()
    if noun in _VERBS or noun in _NOUNS:
        return (_VERBS.get(noun, noun),), ()
    if noun.endswith("ation") and len(noun) > 7:
        stem = noun[:-5]
        return tuple(dict.fromkeys((stem, f"{stem}e", f"{stem}ate", _undoubled(stem)))), ()
    if noun.endswith("ction"):
        return (noun[:-3],), ()
    if noun.endswith("able") and len(noun) > 6:
        stem = noun[:-4]
        return tuple(dict.fromkeys((stem, f"{stem}e", _undoubled(stem)))), ()
    for ending in ("ing", "ment", "al"):
        if noun.endswith(ending) and len(noun) > len(ending) + 2:
            stem = noun.removesuffix(ending)
            return (), tuple(dict.fromkeys((stem, f"{stem}e", _undoubled(stem))))
    return (), ()


def _undoubled(stem: str) -> str:
    return stem[:-1] if len(stem) > 3 and stem[-1] == stem[-2] else stem


def _forms(verb: str) -> Iterator[str]:
    """Other forms of a verb, and a noun of it; that of the third person has lost its s, as plurals have."""
    if verb in _NOUNS:
        yield _NOUNS[verb]
    if verb.endswith("e"):
        yield from (f"{verb}d", f"{verb[:-1]}ing", f"{verb[:-1]}able")
    elif verb.endswith("y") and verb[-2:-1] not in "aeou":
        yield from (f"{verb[:-1]}ied", f"{verb}ing")
    else:
        yield from (f"{verb}ed", f"{verb}ing", f"{verb}able")
        if len(verb) > 2 and verb[-1] not in "aeiouwxy" and verb[-2] in "aeiou":
            yield from (f"{verb}{verb[-1]}{ending}" for ending in ("ed", "ing", "able"))
