"""Which words of an utterance carry its content: all but the function words of a list we wrote."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from dialeval.text.tokenisers.words import search_terms

# Corpora part contractions in many ways (isn't, isn 't, is n't, isn ' t), and chatters leave the mark out.
_APOSTROPHE: Final = re.compile("['’`´]")
_NEGATION: Final = re.compile(r"\b(\w+?)(?:n ?['’`´] ?t| n ?['’`´] ?t)\b", re.IGNORECASE)
_CLITIC: Final = re.compile(r"(?<=\w) ?['’`´] ?(?:s|m|d|ll|re|ve)\b", re.IGNORECASE)

_NEGATED: Final = "ai are ca could did does do had has have is might must need should was were wo would"
NEGATIONS: Final[Mapping[str, str]] = {f"{verb}nt": f"{verb}n't" for verb in _NEGATED.split()}
"""Negated verbs as ``words`` gives them, and as a table of frequencies spells them."""

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
FUNCTION_WORDS: Final = frozenset(_LISTED.split()) | NEGATIONS.keys()
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
    """The different words of an utterance that are no function words, in the order of their first place.

    >>> content_words("Do I have to focus it? Focus on the car?")
    ['focus', 'car']
    """
    return [word for word in dict.fromkeys(words(text)) if word not in FUNCTION_WORDS]
