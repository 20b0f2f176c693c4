"""Incoherence of the four kinds that DEAM introduces (Ghazarian et al., 2022), on words instead of AMR graphs.

Coreference: pronouns become nouns of the dialogue. Contradiction: a statement is negated and said again later by its
speaker. Irrelevancy: content words become others of the dialogue. Engagement: questions and sentences go. The shares
are those of the paper.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Final

from dialeval.selfeval.construction.replacing import Texts

_WORD: Final = re.compile(r"[A-Za-z']+")
_SENTENCE: Final = re.compile(r"[^.!?]+[.!?]*\s*")


def _words(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


_PRONOUNS: Final = _words(
    "he she it they him her them his hers its their theirs this that these those i you we me us my your our"
)
_FUNCTION: Final = _PRONOUNS | _words(
    "a an the and or but if so as of in on at to for from with by about into over after before than then",
    "is are was were be been am do does did have has had will would can could shall should may might must",
    "not no yes n't what who where when why how which there here just very too also really well all any some",
    "oh ok okay hi hello thanks please it's i'm that's don't didn't can't you're he's she's they're we're i've",
    "i'd i'll isn't wasn't",
)
_AUXILIARIES: Final = _words(
    "is are was were am can could will would should do does did have has had must may might"
)
_PAIRS: Final = (
    "good/bad always/never like/hate love/hate happy/sad old/new big/small hot/cold early/late easy/hard many/few",
    "more/less best/worst everyone/nobody everything/nothing often/rarely right/wrong true/false first/last yes/no",
    "cheap/expensive high/low long/short fast/slow agree/disagree enjoy/dislike remember/forget win/lose buy/sell",
    "open/closed rich/poor strong/weak better/worse",
)
_OPPOSITES: Final = {
    word: other
    for pair in sorted(_words(*_PAIRS))
    for a, b in (pair.split("/"),)
    for word, other in ((a, b), (b, a))
}


def content_words(turns: Sequence[str]) -> list[str]:
    """The words of a dialogue that are not function words, in order."""
    return [word for turn in turns for word in _WORD.findall(turn) if word.lower() not in _FUNCTION]


def swap_pronouns(turns: Sequence[str], draw: random.Random, share: float = 0.5) -> Texts:
    """Half of the pronouns become content words of the dialogue."""
    words = content_words(turns)
    return _exchange(turns, draw, lambda word: word.lower() in _PRONOUNS, words, share)


def negate(text: str, draw: random.Random) -> str | None:
    """The text with an opposite word or a negated verb; None where there is neither."""
    words = text.split(" ")
    opposite = [place for place, word in enumerate(words) if _bare(word) in _OPPOSITES]
    verbs = [place for place, word in enumerate(words) if _bare(word) in _AUXILIARIES]
    if opposite:
        place = draw.choice(opposite)
        words[place] = re.sub(r"[A-Za-z]+", _OPPOSITES[_bare(words[place])], words[place], count=1)
    elif verbs:
        place = draw.choice(verbs)
        if place + 1 < len(words) and _bare(words[place + 1]) == "not":
            del words[place + 1]
        else:
            words.insert(place + 1, "not")
    else:
        return None
    return " ".join(words)


def contradict(turns: Sequence[str], draw: random.Random, share: float = 0.1) -> Texts:
    """A tenth of the turns, at least one, are negated and added to a later turn of the same speaker."""
    spoilt = list(turns)
    able = [place for place in range(len(turns) - 2) if negate(turns[place], random.Random(0)) is not None]
    for place in draw.sample(able, min(max(round(share * len(turns)), 1), len(able))):
        later = draw.choice(range(place + 2, len(turns), 2))
        spoilt[later] = f"{spoilt[later]} {negate(turns[place], draw)}"
    return tuple(spoilt)


def swap_content(
    turns: Sequence[str], draw: random.Random, share: float = 0.1, of_words: float = 0.7
) -> Texts:
    """In a tenth of the turns, at least one, 70 % of the content words become others of the dialogue."""
    words = content_words(turns)
    chosen = draw.sample(range(len(turns)), max(round(share * len(turns)), 1))
    spoilt = list(turns)
    for place in chosen:
        spoilt[place] = _exchange(
            [turns[place]], draw, lambda word: word.lower() not in _FUNCTION, words, of_words
        )[0]
    return tuple(spoilt)


def drop_sentences(turns: Sequence[str], draw: random.Random, share: float = 0.2) -> Texts:
    """In a fifth of the turns that have several sentences, at least one, a question or else any sentence goes."""
    able = [place for place, turn in enumerate(turns) if len(_SENTENCE.findall(turn)) > 1]
    spoilt = list(turns)
    for place in draw.sample(able, min(max(round(share * len(turns)), 1), len(able))):
        sentences = _SENTENCE.findall(turns[place])
        asked = [number for number, said in enumerate(sentences) if said.rstrip().endswith("?")]
        gone = draw.choice(asked or range(len(sentences)))
        spoilt[place] = "".join(sentences[:gone] + sentences[gone + 1 :]).strip()
    return tuple(spoilt)


def _exchange(
    turns: Sequence[str],
    draw: random.Random,
    wanted: Callable[[str], bool],
    words: Sequence[str],
    share: float,
) -> Texts:
    def other(match: re.Match[str]) -> str:
        word = match.group()
        if not wanted(word) or draw.random() >= share:
            return word
        others = [each for each in words if each.lower() != word.lower()]
        return draw.choice(others) if others else word

    return tuple(_WORD.sub(other, turn) for turn in turns)


def _bare(word: str) -> str:
    return word.strip(".,!?;:\"'()").lower()
