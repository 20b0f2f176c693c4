"""Plain faults of single turns in English dialogues, by which `quality` names the turn that hurts most.

Each is a number from 0 to 1, 0 for nearly every turn of people. They are no part of the score: rated sets have too
few of them to weigh them, and on those the scores agreed less with people when they were.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Final

from dialeval.metrics.assertions.languages import language_of
from dialeval.metrics.facts.passage import Passage
from dialeval.metrics.facts.quantities import quantities_in
from dialeval.selfeval.quality.features import (
    Moment,
    Utterance,
    is_common,
    is_echo,
    own_repeat,
    repeated_bigrams,
    words_of,
)
from dialeval.selfeval.quality.manners import shipped_manners
from dialeval.text.english import is_negation
from dialeval.text.sentences import split_sentences


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_FEWEST: Final = 4
"""Words from which on a repetition is a fault: shorter turns, such as "Thank you.", are often said again."""
_FEWEST_CHARACTERS: Final = 8
"""The same in scripts without spaces."""
_MARK: Final = re.compile(r"[.!?…。！？؟。:;~)\]}\"'”’*]$|[^\w\s,\-–—/&(\[]$")
_DANGLING: Final = _words(
    "a an the of and but or my your our their because than very i'm we're they're i'll we'll"
)
"""Words that end no sentence."""
_DETERMINERS: Final = _words("a an the my your our their")
_MISFITS: Final = _DETERMINERS | _words(
    "of to at from with for or but is are was were am be do does did would could i you he she we they me us them "
    "it if because than"
)
"""Words that never follow a determiner."""
_OPENER: Final = re.compile(r"\w\s+(?:You|He|She|It|We|They|Do|Is|Are|What|How|Yes|And|But|Can)\b")
"""Words in capitals that only begin a sentence, within one; titles of films have the rest."""
_MONEY: Final = re.compile(
    r"\b(?:how much|(?:price|cost|pay|fee|charge|rent|fare|buy|sell|bill|discount|deposit|loan|dollar|euro|buck|"
    r"refund|tax)(?:s|es|ed|d|ing)?|paid|cheap(?:er|est)?|expensive|bought|sold|sale|salary|wages?|tickets?|"
    r"flights?|fly|order|purchase|shop\w*|reserv\w+|book(?:ing|ed)?|money|cash|bargain|afford|budget|insurance|"
    r"spend|spent|worth|credit|bank|invest\w*)\b",
    re.IGNORECASE,
)
_INSULT: Final = re.compile(
    r"\b(?:idiots?|morons?|imbeciles?|cretins?|dumbass|dim-?wits?|half-?wits?|nit-?wits?|brain(?:less|dead)|pathetic|"
    r"shut up|shut your|get lost|piss off|screw you|f+u+c+k\w*|bitch\w*|ass-?holes?|bastards?|damn you|go to hell|"
    r"(?:i|we) hate you|wast(?:e|ing) (?:of )?my time|couldn't care less|don't give a|none of your business|"
    r"sick of you|"
    r"you(?:'re| are)? (?:(?:so|such|really|just|all) )?(?:an? |the )?(?:stupid|dumb|ugly|useless|worthless|"
    r"disgusting|lazy|ridiculous|ignorant|embarrassment|fools?|joke|liar|thick|incompetent|clowns?|losers?|jerks?|scum)|"
    r"(?:stupid|dumb|ridiculous) (?:questions?|thing to (?:say|ask)))\b",
    re.IGNORECASE,
)
_REGRETS: Final = _words("sorry apologise apologize apologies")
_BEFORE: Final = 6
"""Words before an insult that may deny or regret it."""
_FEWEST_FOREIGN: Final = 3
"""Words from which on Latin letters tell a language: fewer may be a name."""
_LANGUAGE: Final = re.compile(
    r"\b(?:translat\w+|language|english|french|german|spanish|italian|portuguese|dutch|russian|polish|turkish|arabic|"
    r"hindi|chinese|mandarin|japanese|korean|latin)\b",
    re.IGNORECASE,
)


def wordless(moment: Moment) -> float:
    """1 if the response has no letter, digit or emoji; silence counts as such, too."""
    text = moment.response.text
    return float(not moment.response.words and not any(unicodedata.category(sign) == "So" for sign in text))


def echo(moment: Moment) -> float:
    """1 if the response is the very turn of another that it answers."""
    return float(_is_long(moment.response) and is_echo(moment.response, moment.last))


def repeat(moment: Moment) -> float:
    """1 if the same speaker has said the same words before."""
    return own_repeat(moment) if _is_long(moment.response) else 0.0


def stutter(moment: Moment) -> float:
    """Share of the response's word pairs that are repeated in it, if that is more than half."""
    share = repeated_bigrams(moment) if len(moment.response.words) > _FEWEST else 0.0
    return share if share > 0.5 else 0.0


def unfinished(moment: Moment) -> float:
    """1 if the response breaks off within a clause or a word; a quarter if only its final mark is missing.

    A mark is missing if all earlier turns, two or more, have one.
    """
    text, words = moment.response.text.strip(), moment.response.words
    if not words or _MARK.search(text):
        return 0.0
    if text.endswith((",", "-")) or words[-1] in _DANGLING:
        return 1.0
    if len(moment.earlier) < 2 or not all(_MARK.search(turn.text.strip()) for turn in moment.earlier):
        return 0.0
    last = text.split()[-1]
    cut = last.isascii() and last.isalpha() and last.islower() and not is_common(last)
    return 1.0 if cut and _language_before(moment) == "en" else 0.25


def disorder(moment: Moment) -> float:
    """1 if at least two words or marks stand where no sentence has them."""
    text, words = moment.response.text, moment.response.words
    misfits = sum(first in _DETERMINERS and second in _MISFITS for first, second in pairwise(words))
    # Who writes no capitals begins sentences without them.
    return float(misfits + (0 if text.islower() else _misplaced(text)) >= 2)


def _misplaced(text: str) -> int:
    """Number of sentences that begin in lower case, and of words that begin a sentence within another."""
    sentences = split_sentences(text)
    lower = sum(
        after[0].islower() and before.endswith((".", "?", "!")) and not before.endswith("..")
        for before, after in pairwise(sentences)
    )
    return lower + sum(len(_OPENER.findall(sentence)) for sentence in sentences)


def foreign(moment: Moment) -> float:
    """1 if the response is in another language than what was said before, which is not about languages."""
    said = moment.response
    if (said.text.isascii() and len(said.words) < _FEWEST_FOREIGN) or _LANGUAGE.search(moment.last.text):
        return 0.0
    spoken, before = language_of(said.text), _language_before(moment)
    return float(spoken is not None and before is not None and spoken != before)


def rude(moment: Moment) -> float:
    """1 if the response insults, by its words or by its likeness to rude utterances, and does not deny to."""
    text = moment.response.text
    insults = list(_INSULT.finditer(text))
    if insults:
        return float(not all(_is_softened(text[: found.start()]) for found in insults))
    if not moment.response.words or _is_softened(" ".join(text.split()[:_BEFORE])):
        return 0.0
    return float(shipped_manners().rude(moment.response.unit))


def _is_softened(before: str) -> bool:
    """Return whether the last words deny or regret what comes after them."""
    return any(is_negation(word) or word in _REGRETS for word in words_of(before)[-_BEFORE:])


def unasked_price(moment: Moment) -> float:
    """1 if the response names an amount of money and nobody has talked of money before.

    Pounds may be weights, so they count only with their sign.
    """
    if not _amounts(moment.response.text):
        return 0.0
    return float(not any(_MONEY.search(turn.text) or _amounts(turn.text) for turn in moment.earlier))


def _amounts(text: str) -> list[str]:
    facts = quantities_in(Passage(text))
    return [fact.text for fact in facts if fact.kind == "money" and "pound" not in fact.text]


FAULTS: Final[Mapping[str, Callable[[Moment], float]]] = {
    fault.__name__: fault
    for fault in (wordless, echo, repeat, stutter, unfinished, disorder, foreign, rude, unasked_price)
}


def blame(moment: Moment) -> float:
    """The sum of the response's faults."""
    return sum(fault(moment) for fault in FAULTS.values())


def _is_long(said: Utterance) -> bool:
    """Return whether saying the same again is a fault."""
    characters = 0 if said.text.isascii() else sum(map(len, said.words))
    return len(said.words) >= _FEWEST or characters >= _FEWEST_CHARACTERS


def _language_before(moment: Moment) -> str | None:
    """Language of what was said before; None if it cannot be told."""
    return language_of(" ".join(turn.text for turn in moment.earlier))
